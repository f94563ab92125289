import CSpatiaLite
import Foundation
import GRDB
import MoyeoEngine

/// What a file says of itself before anything is written to it.
public struct StoreFile: Hashable, Sendable {
  public var applicationID: Int32
  /// Of the schema; 0: new.
  public var version: Int
  public var isEmpty: Bool

  /// Looks at a file without changing what is in it. `nil` when there is none.
  public static func inspect(_ path: String) throws(StorageError) -> StoreFile? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let handle else {
      throw error(path, SQLiteFailure(handle, code))
    }
    sqlite3_busy_timeout(handle, 5_000)
    do {
      return StoreFile(
        applicationID: Int32(truncatingIfNeeded: try number(handle, "PRAGMA application_id")),
        version: Int(try number(handle, "PRAGMA user_version")),
        isEmpty: try number(handle, "SELECT count(*) FROM sqlite_master") == 0)
    } catch {
      throw Self.error(path, error)
    }
  }

  /// - Throws: When the file is another program's, or a later release's, or damaged.
  static func requireOurs(_ path: String) throws(StorageError) {
    guard let file = try inspect(path), !file.isEmpty else { return }
    guard file.applicationID == StoreSchema.applicationID else { throw .foreignFile(path: path) }
    guard file.version <= StoreSchema.version else {
      throw .newerVersion(path: path, version: file.version, supported: StoreSchema.version)
    }
  }

  static func number(_ connection: OpaquePointer, _ sql: String) throws -> Int64 {
    let statement = try SQLStatement(connection, sql)
    return try statement.step() ? statement.int64(0) : 0
  }

  static func error(_ path: String, _ error: any Error) -> StorageError {
    switch error {
    case let error as StorageError: return error
    case let failure as SQLiteFailure where failure.isDamage:
      return .damaged(path: path, reason: failure.description)
    case let error as DatabaseError
    where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode):
      return .damaged(path: path, reason: "\(error)")
    default: return .cannotOpen(path: path, reason: "\(error)")
    }
  }
}
