/// A parameter of a statement in PostgreSQL's binary format (its `*send` and `*recv` functions):
/// ```
/// int8, float8   8 bytes, big endian
/// text, bytea    the bytes
/// array          dimensions 4 = 1 | has nulls 4 | element type 4 | count 4 | first index 4 = 1
///                repeated: length 4 (-1: null) | bytes
/// ```
struct PostgresParameter {
  /// Object ids of `pg_type`, which never change.
  enum TypeID {
    static let int8: UInt32 = 20
    static let text: UInt32 = 25
    static let bytea: UInt32 = 17
    static let float8: UInt32 = 701
    static let int8Array: UInt32 = 1016
    static let textArray: UInt32 = 1009
    static let byteaArray: UInt32 = 1001
    static let float8Array: UInt32 = 1022
  }

  let type: UInt32
  let bytes: [UInt8]

  static func int(_ value: Int64) -> PostgresParameter {
    PostgresParameter(type: TypeID.int8, bytes: bigEndian(value))
  }

  /// PostgreSQL has no unsigned integers: the bits of one stand in a signed one.
  static func bits(_ value: UInt64) -> PostgresParameter { int(Int64(bitPattern: value)) }

  static func text(_ value: String) -> PostgresParameter {
    PostgresParameter(type: TypeID.text, bytes: Array(value.utf8))
  }

  static func bytes(_ value: [UInt8]) -> PostgresParameter {
    PostgresParameter(type: TypeID.bytea, bytes: value)
  }

  static func ints(_ values: some Sequence<Int64?>) -> PostgresParameter {
    array(TypeID.int8Array, of: TypeID.int8, values.map { $0.map(bigEndian) })
  }

  static func bits(_ values: some Sequence<UInt64>) -> PostgresParameter {
    ints(values.map { Int64(bitPattern: $0) })
  }

  static func doubles(_ values: some Sequence<Double?>) -> PostgresParameter {
    array(TypeID.float8Array, of: TypeID.float8, values.map { $0.map { bigEndian($0.bitPattern) } })
  }

  static func texts(_ values: some Sequence<String?>) -> PostgresParameter {
    array(TypeID.textArray, of: TypeID.text, values.map { $0.map { Array($0.utf8) } })
  }

  static func byteArrays(_ values: some Sequence<[UInt8]>) -> PostgresParameter {
    array(TypeID.byteaArray, of: TypeID.bytea, values.map(\.self))
  }

  private static func array(
    _ type: UInt32, of element: UInt32, _ values: [[UInt8]?]
  ) -> PostgresParameter {
    var out: [UInt8] = []
    out.reserveCapacity(20 + values.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
    out += bigEndian(Int32(values.isEmpty ? 0 : 1))
    out += bigEndian(Int32(values.contains { $0 == nil } ? 1 : 0))
    out += bigEndian(element)
    if !values.isEmpty {
      out += bigEndian(Int32(values.count))
      out += bigEndian(Int32(1))
    }
    for value in values {
      out += bigEndian(Int32(value?.count ?? -1))
      if let value { out += value }
    }
    return PostgresParameter(type: type, bytes: out)
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}

/// A statement and its parameters. Its text is the name under which a connection has it prepared, so
/// it holds no values.
struct PostgresStatement {
  var sql: String
  var parameters: [PostgresParameter]

  init(_ sql: String, _ parameters: [PostgresParameter] = []) {
    self.sql = sql
    self.parameters = parameters
  }
}
