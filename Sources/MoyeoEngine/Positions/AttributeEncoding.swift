/// Encodes scalars as a `google.protobuf.Struct`, for attributes made inside the process.
public enum AttributeEncoding {
  /// Entries stand in the order of their names, as in reports from outside.
  public static func encode(_ attributes: [(name: String, value: AttributeValue)]) -> [UInt8] {
    var out: [UInt8] = []
    for (name, value) in attributes.sorted(by: { $0.name < $1.name }) {
      var entry: [UInt8] = []
      append(1, bytes: Array(name.utf8), to: &entry)
      append(2, bytes: encoded(value), to: &entry)
      append(1, bytes: entry, to: &out)
    }
    return out
  }

  private static func encoded(_ value: AttributeValue) -> [UInt8] {
    var out: [UInt8] = []
    switch value {
    case .number(let number):
      out.append(2 << 3 | 1)
      withUnsafeBytes(of: number.bitPattern.littleEndian) { out.append(contentsOf: $0) }
    case .string(let text): append(3, bytes: Array(text.utf8), to: &out)
    case .bool(let flag): out.append(contentsOf: [4 << 3, flag ? 1 : 0])
    }
    return out
  }

  private static func append(_ number: UInt8, bytes: [UInt8], to out: inout [UInt8]) {
    out.append(number << 3 | 2)
    ObjectPayload.appendVarint(UInt64(bytes.count), to: &out)
    out.append(contentsOf: bytes)
  }
}
