import CSpatiaLite
import Foundation
import Webhooks

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a data directory holds beside the record and must be restored with it: keys, webhooks with
/// their letters, the key of cluster ids, and the list of erasures.
extension StoreBackup {
  /// Copied byte for byte. The list comes after the record: who is erased meanwhile is in it.
  static let companions = [
    // Of the module Identity.
    "keys.json", WebhookFile.fileName, ClusterSecret.fileName, ErasureList.fileName,
  ]

  /// Where the copy of such a file stands.
  package static func companionPath(_ name: String, of file: String) -> String {
    file + "." + name
  }

  /// All names of files that a backup may consist of, beside the record.
  static var companionNames: [String] { companions + [SQLiteLetterStore.fileName] }

  /// Copies what there is of them; of a failure nothing is left.
  ///
  /// - Returns: The paths of the copies.
  static func copyCompanions(of directory: String, beside file: String) throws -> [String] {
    var made: [String] = []
    do {
      for name in companionNames {
        let source = directory + "/" + name
        guard FileManager.default.fileExists(atPath: source) else { continue }
        let path = companionPath(name, of: file)
        let partial = path + partialSuffix
        unlink(partial)
        if name == SQLiteLetterStore.fileName {
          try FileProtection.create(partial)
          try copyLetters(source, to: partial)
          try FileProtection.sync(partial)
        } else {
          try copyFile(source, to: partial)
        }
        guard rename(partial, path) == 0 else {
          throw StorageError.cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
        made.append(path)
      }
      return made
    } catch {
      for path in made { unlink(path) }
      for name in companionNames { unlink(companionPath(name, of: file) + partialSuffix) }
      throw error
    }
  }

  private static func copyLetters(_ source: String, to path: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    let code = sqlite3_open_v2(source, &handle, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let handle else { throw SQLiteFailure(handle, code) }
    sqlite3_busy_timeout(handle, 5_000)
    try copy(handle, to: path)
  }

  /// Of a file that is copied, in memory at once.
  private static let pieceBytes = 1 << 20

  /// Whole and synced, for its owner alone at every moment; in pieces, so that a large one needs little
  /// memory.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - path: Must not exist yet.
  ///   - onBytes: Told of each piece that is written.
  /// - Throws: ``StorageError``, and what Foundation throws of either file.
  static func copyFile(
    _ source: String, to path: String, _ onBytes: (_ count: Int) -> Void = { _ in }
  ) throws {
    let from = try FileHandle(forReadingFrom: URL(fileURLWithPath: source))
    defer { try? from.close() }
    let file = try made(path)
    while let piece = try from.read(upToCount: pieceBytes), !piece.isEmpty {
      try file.write(contentsOf: piece)
      onBytes(piece.count)
    }
    try file.synchronize()
  }

  static func writeFile(_ bytes: Data, to path: String) throws {
    let file = try made(path)
    try file.write(contentsOf: bytes)
    try file.synchronize()
  }

  private static func made(_ path: String) throws -> FileHandle {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FileProtection.fileMode)
    guard descriptor >= 0 else {
      throw StorageError.cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}

/// Puts a backup into a directory that has nothing yet.
package enum StoreRestore {
  /// Puts a backup's files where a daemon looks for them; the record comes last.
  ///
  /// - Parameters:
  ///   - file: The record's copy; what stands beside it under its name comes along.
  ///   - directory: Empty, or missing.
  ///   - erasures: Lists of erasures from after the backup, such as the one of the directory that is
  ///     replaced: whom they are about is taken out at the next start.
  ///   - onBytes: Told as the record is copied how many of its bytes are.
  /// - Returns: The names of the files that were made.
  /// - Throws: ``StorageError``, before anything is changed for a directory that has something.
  package static func run(
    from file: String, to directory: String, erasures: [String],
    onBytes: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(StorageError) -> [String] {
    do {
      return try restore(file, directory, erasures, onBytes)
    } catch {
      throw StoreFile.error(directory, error)
    }
  }

  private static func restore(
    _ file: String, _ directory: String, _ erasures: [String],
    _ onBytes: (_ done: Int, _ all: Int) -> Void
  ) throws -> [String] {
    let manager = FileManager.default
    guard manager.fileExists(atPath: file) else {
      throw StorageError.cannotOpen(path: file, reason: "there is no such file")
    }
    try StoreFile.requireOurs(file)
    // A list that was named and is not there must not be passed over.
    let lists = try ([StoreBackup.companionPath(ErasureList.fileName, of: file)] + erasures)
      .enumerated().filter { $0.offset > 0 || manager.fileExists(atPath: $0.element) }
      .map { try Data(contentsOf: URL(fileURLWithPath: $0.element)) }
    try manager.createDirectory(
      atPath: directory, withIntermediateDirectories: true,
      attributes: [.posixPermissions: Int(FileProtection.directoryMode)])
    guard try manager.contentsOfDirectory(atPath: directory).isEmpty else {
      throw StorageError.cannotOpen(path: directory, reason: "the directory is not empty")
    }
    var made: [String] = []
    func put(_ source: String, _ name: String, _ onBytes: (Int) -> Void = { _ in }) throws {
      guard manager.fileExists(atPath: source) else { return }
      try StoreBackup.copyFile(source, to: directory + "/" + name, onBytes)
      made.append(name)
    }
    for name in StoreBackup.companionNames where name != ErasureList.fileName {
      try put(StoreBackup.companionPath(name, of: file), name)
    }
    if !lists.isEmpty {
      try StoreBackup.writeFile(merged(lists), to: directory + "/" + ErasureList.fileName)
      made.append(ErasureList.fileName)
    }
    try put(StoreBackup.secretPath(of: file), IdempotencySecret.fileName)
    let all = (try manager.attributesOfItem(atPath: file)[.size] as? NSNumber)?.intValue ?? 0
    var done = 0
    try put(file, SQLiteStore.fileName) { count in
      done += count
      onBytes(done, all)
    }
    try FileProtection.sync(directory)
    return made
  }

  /// Every line once.
  private static func merged(_ lists: [Data]) -> Data {
    var seen: Set<Substring> = []
    var out = ""
    for list in lists {
      for line in String(decoding: list, as: UTF8.self).split(separator: "\n")
      where seen.insert(Substring(String(line))).inserted {
        out += line + "\n"
      }
    }
    return Data(out.utf8)
  }
}
