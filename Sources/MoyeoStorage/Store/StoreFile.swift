import CSpatiaLite
import Foundation
import GRDB

/// What a file says of itself before anything is written to it.
package struct StoreFile: Hashable, Sendable {
  package var applicationID: Int32
  /// Of the schema; 0: new.
  package var version: Int
  package var isEmpty: Bool
  /// Whether it is the beginning of a record that an earlier release was making when it was cut
  /// short: nothing but the empty list of migrations.
  package var isUnfinishedBirth = false

  /// Looks at a file without changing what is in it. `nil` when there is none.
  package static func inspect(_ path: String) throws(StorageError) -> StoreFile? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let handle else {
      throw error(path, SQLiteFailure(handle, code))
    }
    sqlite3_busy_timeout(handle, 5_000)
    do {
      let tables = try number(handle, "SELECT count(*) FROM sqlite_master WHERE type = 'table'")
      var file = StoreFile(
        applicationID: Int32(truncatingIfNeeded: try number(handle, "PRAGMA application_id")),
        version: Int(try number(handle, "PRAGMA user_version")),
        isEmpty: try number(handle, "SELECT count(*) FROM sqlite_master") == 0)
      if tables == 1, file.applicationID == 0, file.version == 0,
        try number(
          handle, "SELECT count(*) FROM sqlite_master WHERE name = 'grdb_migrations'") == 1
      {
        file.isUnfinishedBirth = try number(handle, "SELECT count(*) FROM grdb_migrations") == 0
      }
      return file
    } catch {
      throw Self.error(path, error)
    }
  }

  /// Before anything is written to it. Usually reads only the file's head: opening and closing it as
  /// SQLite does would copy all of the log that a crash left.
  /// - Throws: When the file is another program's, or a later release's, or damaged.
  static func requireOurs(_ path: String) throws(StorageError) {
    if let head = head(path), head.applicationID == StoreSchema.applicationID,
      head.version <= StoreSchema.version
    {
      return
    }
    guard let file = try inspect(path) else { return }
    if file.isEmpty, file.applicationID == 0, file.version == 0 { return }
    if file.isUnfinishedBirth { return }
    try check(path, file.applicationID, file.version)
  }

  /// Of what SQLite sees, which may stand in the log.
  static func check(
    _ path: String, _ applicationID: Int32, _ version: Int
  ) throws(StorageError) {
    guard applicationID == StoreSchema.applicationID else { throw .foreignFile(path: path) }
    guard version <= StoreSchema.version else {
      throw .newerVersion(path: path, version: version, supported: StoreSchema.version)
    }
  }

  /// Offsets 60 and 68 of the header (sqlite.org/fileformat2.html).
  private static func head(_ path: String) -> (applicationID: Int32, version: Int)? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let bytes = try? file.read(upToCount: 100), bytes.count == 100 else { return nil }
    func word(_ at: Int) -> UInt32 { bytes[at..<(at + 4)].reduce(0) { $0 << 8 | UInt32($1) } }
    return (Int32(bitPattern: word(68)), Int(word(60)))
  }

  /// Whether a file begins as SQLite's do, so that what is wrong with it is damage.
  static func isDatabase(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
  }

  static func number(_ connection: OpaquePointer, _ sql: String) throws -> Int64 {
    let statement = try SQLStatement(connection, sql)
    return try statement.step() ? statement.int64(0) : 0
  }

  /// What SQLite or GRDB says of a file whose content cannot be right; nil for all other errors.
  static func damage(_ error: any Error) -> String? {
    switch error {
    case let failure as SQLiteFailure where failure.isDamage: failure.description
    case let error as DatabaseError
    where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode):
      "\(error)"
    default: nil
    }
  }

  static func error(_ path: String, _ error: any Error) -> StorageError {
    if let error = error as? StorageError { return error }
    if let reason = damage(error) { return .damaged(path: path, reason: reason) }
    return .cannotOpen(path: path, reason: "\(error)")
  }
}
