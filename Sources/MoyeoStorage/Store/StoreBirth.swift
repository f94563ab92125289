import Foundation
import GRDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Makes `moyeo.sqlite`, whole or not at all.
///
/// The file gets its name once it has all tables and is synced. What a first start that was cut
/// short left behind (`moyeo.sqlite.partial`) is thrown away by the next.
enum StoreBirth {
  static let partialSuffix = ".partial"

  /// Makes sure that there is a record.
  /// - Throws: ``StorageError/recordLost(path:beside:)`` when there was one before.
  static func makeIfMissing(_ path: String) throws(StorageError) {
    guard !hasContent(path) else { return }
    let directory = (path as NSString).deletingLastPathComponent
    try requireNoTrace(of: path, in: directory)
    do {
      try make(path + partialSuffix)
      try FileProtection.sync(path + partialSuffix)
    } catch {
      remove(path + partialSuffix)
      throw StoreFile.error(path, error)
    }
    // An empty log would be taken for the new file's.
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    guard rename(path + partialSuffix, path) == 0 else {
      throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
    try FileProtection.sync(directory)
  }

  /// Refuses a record that is missing or empty although something beside it shows that there was
  /// one: SQLite would delete the log, and every acknowledged command with it.
  static func requireNoTrace(of path: String, in directory: String) throws(StorageError) {
    let log = path + "-wal"
    if hasContent(log) { throw .recordLost(path: path, beside: log) }
    // The secret is made after the record.
    let secret = directory + "/" + IdempotencySecret.fileName
    var status = stat()
    if lstat(secret, &status) == 0 { throw .recordLost(path: path, beside: secret) }
  }

  static func hasContent(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size > 0
  }

  private static func make(_ path: String) throws {
    remove(path)
    try FileProtection.create(path)
    let caches = SpatiaLiteCaches()
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      caches.load(db.sqliteConnection)
      // A file that is cut short is thrown away: it needs no journal, and one sync at the end.
      try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    do {
      try StoreSchema.migrator.migrate(queue)
      try queue.close()
    } catch {
      if (try? queue.close()) != nil { caches.free() }
      throw error
    }
    caches.free()
  }

  private static func remove(_ path: String) {
    for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
  }
}
