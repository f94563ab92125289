import CSpatiaLite
import Foundation
import ObjectModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Looks for bytes in a database file, and makes the file anew where deleted rows left them.
///
/// The file is read through SQLite's own handle: closing another one would drop the process's locks
/// on it.
struct FileScrub {
  private let handle: OpaquePointer
  /// How long the handle waits for others.
  private let busyMilliseconds: Int32
  private static let pieceBytes = 1 << 20

  /// Somebody reads pages of before the log.
  struct Busy: Error, CustomStringConvertible {
    var description: String { "somebody reads the file: its log cannot be ended yet" }
  }

  /// - Parameters:
  ///   - handle: Of the file.
  ///   - busyMilliseconds: How long the handle waits for others, now and afterwards.
  init(_ handle: OpaquePointer, busyMilliseconds: Int32 = 2_000) {
    self.handle = handle
    self.busyMilliseconds = busyMilliseconds
  }

  /// Ends the log, and makes the file anew if some bytes are in it.
  ///
  /// - Throws: ``Busy`` when somebody else reads old pages for longer than the handle waits.
  func clean(_ needles: [[UInt8]]) throws {
    try endLog(waitMilliseconds: busyMilliseconds)
    if try contains(needles) { try remake() }
  }

  /// Writes all that is in the file into fresh pages, and ends the log.
  func remake() throws {
    // The copy is as large as the file: too large for memory.
    try executeSQL(handle, "PRAGMA temp_store = FILE")
    defer { try? executeSQL(handle, "PRAGMA temp_store = MEMORY") }
    try executeSQL(handle, "VACUUM")
    try endLog(waitMilliseconds: busyMilliseconds)
  }

  /// Copies the log into the file and cuts it to nothing.
  func endLog(waitMilliseconds: Int32) throws {
    sqlite3_busy_timeout(handle, waitMilliseconds)
    defer { sqlite3_busy_timeout(handle, busyMilliseconds) }
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    if code == SQLITE_BUSY || code == SQLITE_LOCKED { throw Busy() }
    guard code == SQLITE_OK else { throw SQLiteFailure(handle, code) }
  }

  /// Whether any of some bytes are in the file, the log aside.
  func contains(_ needles: [[UInt8]]) throws -> Bool {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods, let read = methods.pointee.xRead,
      let size = methods.pointee.xFileSize
    else { throw StoreFailure("the file cannot be looked through") }
    var length: Int64 = 0
    guard size(file, &length) == SQLITE_OK else {
      throw StoreFailure("the file cannot be looked through")
    }
    // Pieces overlap, so that nothing is cut in two.
    let overlap = needles.map(\.count).max() ?? 0
    var piece = [UInt8](repeating: 0, count: Self.pieceBytes + overlap)
    var offset: Int64 = 0
    while offset < length {
      let count = Int(min(Int64(piece.count), length - offset))
      guard read(file, &piece, Int32(count), offset) == SQLITE_OK else {
        throw StoreFailure("the file cannot be looked through")
      }
      for needle in needles where Self.find(needle, in: piece, count) { return true }
      offset += Int64(Self.pieceBytes)
    }
    return false
  }

  private static func find(_ needle: [UInt8], in piece: [UInt8], _ count: Int) -> Bool {
    guard let first = needle.first else { return false }
    return piece.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      var at = 0
      while at + needle.count <= count,
        let found = memchr(base + at, Int32(first), count - needle.count + 1 - at)
      {
        if memcmp(found, needle, needle.count) == 0 { return true }
        at = UnsafeRawPointer(found) - base + 1
      }
      return false
    }
  }
}
