/// Tagged binary fields as protobuf lays them out: `number << 3 | kind`, then a varint, 8 bytes, or
/// a length and bytes. A reader skips numbers that it does not know, so that records may grow.
struct RecordWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  mutating func varint(_ number: Int, _ value: UInt64) {
    raw(UInt64(number) << 3)
    raw(value)
  }

  /// Small for small magnitudes of either sign.
  mutating func signed(_ number: Int, _ value: Int64) {
    varint(number, UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  mutating func double(_ number: Int, _ value: Double) {
    raw(UInt64(number) << 3 | 1)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func string(_ number: Int, _ value: String) {
    raw(UInt64(number) << 3 | 2)
    raw(UInt64(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  /// A field of zeros that readers skip; none for a count below 1.
  mutating func zeros(_ number: Int, count: Int) {
    guard count > 0 else { return }
    raw(UInt64(number) << 3 | 2)
    raw(UInt64(count))
    bytes.append(contentsOf: repeatElement(0, count: count))
  }

  mutating func message(_ number: Int, _ write: (inout RecordWriter) -> Void) {
    raw(UInt64(number) << 3 | 2)
    // Room for the length of a short one; a longer one makes more.
    let start = bytes.count
    bytes.append(0)
    write(&self)
    var length = bytes.count - start - 1
    guard length >= 0x80 else {
      bytes[start] = UInt8(length)
      return
    }
    var digits: [UInt8] = []
    while length >= 0x80 {
      digits.append(UInt8(truncatingIfNeeded: length) | 0x80)
      length >>= 7
    }
    digits.append(UInt8(length))
    bytes.replaceSubrange(start...start, with: digits)
  }

  mutating func raw(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }
}

/// Why bytes are not a record.
public enum RecordProblem: Error, Hashable, Sendable {
  /// They end in the middle of a field, or a field is not what its number says.
  case damaged(offset: Int)
  /// Written by a newer daemon in a form that this one cannot read.
  case tooNew(version: UInt64)
  /// A field that must be there is not.
  case missing(field: String)
}

/// Reads what ``RecordWriter`` wrote; any bytes at all are answered by fields or a problem.
struct RecordReader {
  struct Field {
    let number: Int
    /// Of a varint or 8 bytes.
    let bits: UInt64
    /// Of a length and bytes; empty else.
    let bytes: ArraySlice<UInt8>
    let kind: UInt8
    let offset: Int

    func signed() throws(RecordProblem) -> Int64 {
      guard kind == 0 else { throw .damaged(offset: offset) }
      return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }

    func unsigned() throws(RecordProblem) -> UInt64 {
      guard kind == 0 else { throw .damaged(offset: offset) }
      return bits
    }

    /// A count or a flag within `Int32`.
    func int() throws(RecordProblem) -> Int {
      guard kind == 0, bits <= UInt64(Int32.max) else { throw .damaged(offset: offset) }
      return Int(bits)
    }

    func double() throws(RecordProblem) -> Double {
      guard kind == 1 else { throw .damaged(offset: offset) }
      return Double(bitPattern: bits)
    }

    func string() throws(RecordProblem) -> String {
      guard kind == 2, let text = String(validating: bytes, as: UTF8.self) else {
        throw .damaged(offset: offset)
      }
      return text
    }

    func reader() throws(RecordProblem) -> RecordReader {
      guard kind == 2 else { throw .damaged(offset: offset) }
      return RecordReader(bytes)
    }
  }

  private let bytes: ArraySlice<UInt8>
  private var offset: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  var isAtEnd: Bool { offset >= bytes.endIndex }

  /// Nil at the end.
  mutating func next() throws(RecordProblem) -> Field? {
    guard !isAtEnd else { return nil }
    let start = offset
    let key = try varint()
    guard key >> 3 <= UInt64(Int32.max) else { throw .damaged(offset: start) }
    let number = Int(key >> 3)
    switch key & 7 {
    case 0:
      return Field(number: number, bits: try varint(), bytes: [], kind: 0, offset: start)
    case 1:
      guard bytes.endIndex - offset >= 8 else { throw .damaged(offset: start) }
      var bits: UInt64 = 0
      for i in 0..<8 { bits |= UInt64(bytes[offset + i]) << UInt64(8 * i) }
      offset += 8
      return Field(number: number, bits: bits, bytes: [], kind: 1, offset: start)
    case 2:
      let count = try varint()
      guard count <= UInt64(bytes.endIndex - offset) else { throw .damaged(offset: start) }
      let end = offset + Int(count)
      defer { offset = end }
      return Field(
        number: number, bits: 0, bytes: bytes[offset..<end], kind: 2, offset: start)
    default:
      throw .damaged(offset: start)
    }
  }

  mutating func varint() throws(RecordProblem) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.endIndex, shift < 64 {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw .damaged(offset: offset)
  }
}
