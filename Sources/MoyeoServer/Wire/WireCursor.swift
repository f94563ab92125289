/// Fields of canonical protobuf bytes, without copies. After the end, ``isIntact`` says whether
/// everything could be read.
struct WireCursor {
  struct Field {
    /// Number << 3 | wire type.
    let key: UInt64
    /// Of a varint or fixed field.
    let bits: UInt64
    /// Of a length-delimited field.
    let bytes: UnsafeRawBufferPointer
  }

  private let bytes: UnsafeRawBufferPointer
  private var offset = 0
  private(set) var isIntact = true
  private static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func next() -> Field? {
    guard offset < bytes.count, isIntact else { return nil }
    guard let key = varint() else { return broken() }
    switch key & 7 {
    case 0:
      guard let bits = varint() else { return broken() }
      return Field(key: key, bits: bits, bytes: Self.none)
    case 1:
      guard offset + 8 <= bytes.count else { return broken() }
      defer { offset += 8 }
      return Field(
        key: key,
        bits: UInt64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
        bytes: Self.none)
    case 2:
      guard let count = varint(), count <= UInt64(bytes.count - offset) else { return broken() }
      defer { offset += Int(count) }
      return Field(
        key: key, bits: 0,
        bytes: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)]))
    default: return broken()
    }
  }

  private mutating func broken() -> Field? {
    isIntact = false
    return nil
  }

  private mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count, shift < 64 {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }
}
