import WireFormat

/// Encodes scalars as a `google.protobuf.Struct`, for attributes made inside the process.
package enum AttributeEncoding {
  /// Encodes attributes in the order of their names, as reports from outside are encoded.
  package static func encode(_ attributes: [(name: String, value: AttributeValue)]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(attributes.reduce(0) { $0 + 32 + $1.name.utf8.count })
    let isSorted = zip(attributes, attributes.dropFirst()).allSatisfy { $0.name <= $1.name }
    for (name, value) in isSorted ? attributes : attributes.sorted(by: { $0.name < $1.name }) {
      let (nameLength, valueLength) = (name.utf8.count, length(of: value))
      appendHead(1, length: fieldLength(nameLength) + fieldLength(valueLength), to: &out)
      appendHead(1, length: nameLength, to: &out)
      out.append(contentsOf: name.utf8)
      appendHead(2, length: valueLength, to: &out)
      append(value, to: &out)
    }
    return out
  }

  private static func append(_ value: AttributeValue, to out: inout [UInt8]) {
    switch value {
    case .number(let number):
      out.append(2 << 3 | 1)
      withUnsafeBytes(of: number.bitPattern.littleEndian) { out.append(contentsOf: $0) }
    case .string(let text):
      appendHead(3, length: text.utf8.count, to: &out)
      out.append(contentsOf: text.utf8)
    case .bool(let flag):
      out.append(4 << 3)
      out.append(flag ? 1 : 0)
    }
  }

  /// Returns the length of an encoded value.
  private static func length(of value: AttributeValue) -> Int {
    switch value {
    case .number: 9
    case .string(let text): fieldLength(text.utf8.count)
    case .bool: 2
    }
  }

  /// Returns the length of a field whose content has so many bytes, with its one byte of key and
  /// its length prefix.
  private static func fieldLength(_ count: Int) -> Int {
    1 + varintLength(UInt64(count)) + count
  }

  private static func appendHead(_ number: UInt8, length: Int, to out: inout [UInt8]) {
    out.append(number << 3 | 2)
    out.appendVarint(UInt64(length))
  }
}
