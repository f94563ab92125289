import CSpatiaLite
import Foundation

/// A connection that only reads a data directory's record, beside a running daemon or without one.
final class StoreReader {
  let path: String
  let connection: OpaquePointer
  private let caches = SpatiaLiteCaches()
  private var hasSpatialFunctions = false

  /// - Throws: ``StorageError`` when there is no record of ours, or a later one.
  init(directory: String) throws(StorageError) {
    path = directory + "/" + SQLiteStore.fileName
    guard let file = try StoreFile.inspect(path), !file.isEmpty else {
      throw .cannotOpen(path: path, reason: "there is no record in this directory")
    }
    try StoreFile.requireOurs(path)
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close(handle) }
      throw StoreFile.error(path, SQLiteFailure(handle, code))
    }
    connection = handle
    sqlite3_busy_timeout(handle, 5_000)
    do {
      try executeSQL(handle, "PRAGMA query_only = ON; PRAGMA cache_size = -65536")
    } catch {
      throw StoreFile.error(path, error)
    }
  }

  deinit {
    // A connection that will not close keeps its cache: a leak is better than a dangling pointer.
    if sqlite3_close(connection) == SQLITE_OK { caches.free() }
  }

  func loadSpatialFunctions() {
    if !hasSpatialFunctions { caches.load(connection) }
    hasSpatialFunctions = true
  }

  func number(_ sql: String) throws -> Int64 { try StoreFile.number(connection, sql) }

  func text(_ sql: String) throws -> String {
    let row = try SQLStatement(connection, sql)
    return try row.step() ? row.text(0) : ""
  }
}
