import CPostgres

/// The rows that a statement gave, in PostgreSQL's binary format. Owns the memory of libpq's result.
final class PostgresRows {
  private let result: OpaquePointer
  let count: Int

  init(_ result: OpaquePointer) {
    self.result = result
    count = Int(PQntuples(result))
  }

  deinit { PQclear(result) }

  func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(result, Int32(row), Int32(column)) == 1
  }

  /// An `int8`; 0 for null.
  func int(_ row: Int, _ column: Int) -> Int64 {
    Int64(bitPattern: word(row, column))
  }

  /// The bits of an `int8`.
  func bits(_ row: Int, _ column: Int) -> UInt64 { word(row, column) }

  func optionalInt(_ row: Int, _ column: Int) -> Int64? {
    isNull(row, column) ? nil : int(row, column)
  }

  func double(_ row: Int, _ column: Int) -> Double { Double(bitPattern: word(row, column)) }

  func text(_ row: Int, _ column: Int) -> String {
    with(row, column) { String(decoding: $0, as: UTF8.self) }
  }

  func optionalText(_ row: Int, _ column: Int) -> String? {
    isNull(row, column) ? nil : text(row, column)
  }

  func bytes(_ row: Int, _ column: Int) -> [UInt8] { with(row, column) { Array($0) } }

  /// A `text[]` of one dimension; see ``PostgresParameter``.
  func texts(_ row: Int, _ column: Int) -> [String] {
    with(row, column) { raw in
      guard raw.count >= 20 else { return [] }
      var out: [String] = []
      var at = 20
      while at + 4 <= raw.count {
        let length = Int(Int32(truncatingIfNeeded: Self.number(raw, at, 4)))
        at += 4
        guard length >= 0, at + length <= raw.count else { break }
        out.append(String(decoding: raw[at..<(at + length)], as: UTF8.self))
        at += length
      }
      return out
    }
  }

  private func word(_ row: Int, _ column: Int) -> UInt64 {
    with(row, column) { $0.count == 8 ? Self.number($0, 0, 8) : 0 }
  }

  private static func number(_ raw: UnsafeRawBufferPointer, _ at: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 << 8 | UInt64(raw[at + $1]) }
  }

  private func with<T>(
    _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> T
  ) -> T {
    let length = Int(PQgetlength(result, Int32(row), Int32(column)))
    return body(
      UnsafeRawBufferPointer(start: PQgetvalue(result, Int32(row), Int32(column)), count: length))
  }
}
