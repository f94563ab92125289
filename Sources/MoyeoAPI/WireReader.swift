/// Reads the protobuf wire format (protobuf.dev/programming-guides/encoding) from bytes that stay
/// alive while it is in use.
struct WireReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { offset >= bytes.count }
  var remaining: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[offset...]) }

  mutating func readTag() throws(TranscodingError) -> (number: Int, wireType: Int) {
    let tag = try readVarint()
    guard tag >> 3 > 0, tag >> 3 < 1 << 29 else { throw .malformed }
    return (Int(tag >> 3), Int(tag & 7))
  }

  /// Whether another element of the same list follows; consumes its tag when it does.
  mutating func continues(number: Int, wireType: Int) throws(TranscodingError) -> Bool {
    guard !isAtEnd else { return false }
    let start = offset
    let next = try readTag()
    if next.number == number && next.wireType == wireType { return true }
    offset = start
    return false
  }

  mutating func readVarint() throws(TranscodingError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
      if shift > 63 { throw .malformed }
    }
    throw .truncated
  }

  mutating func readFixed64() throws(TranscodingError) -> UInt64 {
    guard offset + 8 <= bytes.count else { throw .truncated }
    defer { offset += 8 }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  mutating func readFixed32() throws(TranscodingError) -> UInt32 {
    guard offset + 4 <= bytes.count else { throw .truncated }
    defer { offset += 4 }
    return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  mutating func readSlice() throws(TranscodingError) -> WireReader {
    let count = try readVarint()
    guard count <= UInt64(bytes.count - offset) else { throw .truncated }
    defer { offset += Int(count) }
    return WireReader(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)]))
  }

  mutating func skip(_ wireType: Int) throws(TranscodingError) {
    switch wireType {
    case 0: _ = try readVarint()
    case 1: _ = try readFixed64()
    case 2: _ = try readSlice()
    case 5: _ = try readFixed32()
    default: throw .malformed
    }
  }
}
