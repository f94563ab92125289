import CSpatiaLite

/// SQLite's words for what went wrong.
struct SQLiteFailure: Error, Hashable, CustomStringConvertible {
  /// The extended result code.
  let code: Int32
  let message: String

  var primaryCode: Int32 { code & 0xff }
  var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
  var isDiskFull: Bool { primaryCode == SQLITE_FULL }
  var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }
  var description: String { "\(message) (SQLite \(code))" }

  init(_ connection: OpaquePointer?, _ code: Int32) {
    let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
    self.code = extended & 0xff == code & 0xff ? extended : code
    message =
      connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
      ?? String(cString: sqlite3_errstr(code))
  }
}

/// A prepared statement, kept for many uses: what GRDB's own statements do in four times the time.
///
/// To be used on its connection's thread only, and gone before the connection closes.
final class SQLStatement {
  private let handle: OpaquePointer
  private let connection: OpaquePointer

  init(_ connection: OpaquePointer, _ sql: String) throws {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else { throw SQLiteFailure(connection, code) }
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  /// A row, if there is one more.
  func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else {
      let failure = SQLiteFailure(connection, code)
      sqlite3_reset(handle)
      throw failure
    }
    return false
  }

  /// Runs it to its end and makes it ready again.
  func run() throws {
    while try step() {}
    reset()
  }

  func reset() { sqlite3_reset(handle) }

  // MARK: Parameters, numbered from 1

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }
  func bind(_ index: Int32, _ value: Int) { sqlite3_bind_int64(handle, index, Int64(value)) }
  func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }
  func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  func bind(_ index: Int32, _ value: Int64?) {
    if let value { bind(index, value) } else { bindNull(index) }
  }

  /// The bit pattern, so that every value comes back.
  func bind(_ index: Int32, _ value: UInt64) { bind(index, Int64(bitPattern: value)) }

  func bind(_ index: Int32, _ value: String) {
    var copy = value
    copy.withUTF8 { text in
      // An empty buffer may have no address, which would bind NULL.
      text.withMemoryRebound(to: CChar.self) { text in
        _ = sqlite3_bind_text(
          handle, index, text.baseAddress ?? emptyText, Int32(text.count), transient)
      }
    }
  }

  func bind(_ index: Int32, _ value: String?) {
    if let value { bind(index, value) } else { bindNull(index) }
  }

  func bind(_ index: Int32, _ value: [UInt8]) {
    value.withUnsafeBytes { bytes in
      if bytes.isEmpty {
        _ = sqlite3_bind_zeroblob(handle, index, 0)
      } else {
        _ = sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), transient)
      }
    }
  }

  func bind(_ index: Int32, _ value: [UInt8]?) {
    if let value { bind(index, value) } else { bindNull(index) }
  }

  // MARK: Columns, numbered from 0

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
  func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  func uint64(_ column: Int32) -> UInt64 { UInt64(bitPattern: int64(column)) }
  func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

  func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  func blob(_ column: Int32) -> [UInt8] {
    guard let bytes = sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(sqlite3_column_bytes(handle, column))
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }
}

/// `SQLITE_TRANSIENT`, which the importer does not see: SQLite makes its own copy.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
nonisolated(unsafe) private let emptyText: UnsafePointer<CChar> = {
  let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  text.initialize(to: 0)
  return UnsafePointer(text)
}()

/// Runs statements without results on a bare connection.
func executeSQL(_ connection: OpaquePointer, _ sql: String) throws {
  let code = sqlite3_exec(connection, sql, nil, nil, nil)
  guard code == SQLITE_OK else { throw SQLiteFailure(connection, code) }
}
