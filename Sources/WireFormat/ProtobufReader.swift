/// Reads the fields of protobuf bytes (protobuf.dev/programming-guides/encoding) in place, without
/// copies.
///
/// The rules for damaged bytes, the same for every caller:
/// - a varint has at most 10 bytes, and bits beyond the 64th are dropped, as protobuf does;
/// - a field number is 1 to 2^29 - 1, a wire type is 0, 1, 2 or 5 (groups are refused);
/// - a length never reaches past the end of the bytes.
///
/// Two styles read the same bytes: ``nextField()`` for readers that stop quietly and check
/// ``isIntact`` at the end, ``next()`` for readers that throw. A reader is valid only as long as
/// its bytes are.
public struct ProtobufReader {
  /// One field. `key` is `number << 3 | wire type`.
  public struct Field {
    @usableFromInline package let key: UInt64
    /// The value of a varint or of a field of 8 or 4 bytes; 0 for others.
    @usableFromInline package let bits: UInt64
    /// The content of a length-delimited field; empty for others.
    @usableFromInline package let bytes: UnsafeRawBufferPointer
    /// The offset at which the field begins in its message.
    @usableFromInline package let offset: Int

    @inlinable
    package init(key: UInt64, bits: UInt64, bytes: UnsafeRawBufferPointer, offset: Int) {
      self.key = key
      self.bits = bits
      self.bytes = bytes
      self.offset = offset
    }

    @inlinable package var number: Int { Int(key >> 3) }
    @inlinable package var wireType: Int { Int(key & 7) }
  }

  @usableFromInline let bytes: UnsafeRawBufferPointer
  @usableFromInline var offset = 0
  /// Whether everything read so far was well formed; ``nextField()`` returns nil once it is not.
  package private(set) var isIntact = true

  @inlinable
  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  @inlinable package var isAtEnd: Bool { offset >= bytes.count }
  /// The bytes that are not read yet.
  package var remaining: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[offset...])
  }

  @usableFromInline static var none: UnsafeRawBufferPointer {
    @inlinable get { UnsafeRawBufferPointer(start: nil, count: 0) }
  }

  // MARK: Fields

  /// Returns the next field, nil at the end and from the first damage on.
  package mutating func nextField() -> Field? {
    guard offset < bytes.count, isIntact else { return nil }
    let start = offset
    guard let key = varint(), key >> 3 > 0, key >> 3 < 1 << 29 else { return broken() }
    switch key & 7 {
    case 0:
      guard let bits = varint() else { return broken() }
      return Field(key: key, bits: bits, bytes: Self.none, offset: start)
    case 1:
      guard let bits = fixed64() else { return broken() }
      return Field(key: key, bits: bits, bytes: Self.none, offset: start)
    case 2:
      guard let count = varint(), count <= UInt64(bytes.count - offset) else { return broken() }
      defer { offset += Int(count) }
      return Field(
        key: key, bits: 0,
        bytes: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)]),
        offset: start)
    case 5:
      guard let bits = fixed32() else { return broken() }
      return Field(key: key, bits: UInt64(bits), bytes: Self.none, offset: start)
    default: return broken()
    }
  }

  /// Returns the next field, nil at the end.
  ///
  /// - Throws: ``WireFormatError/damaged(offset:)``.
  package mutating func next() throws(WireFormatError) -> Field? {
    guard let field = nextField() else {
      guard isIntact else { throw .damaged(offset: offset) }
      return nil
    }
    return field
  }

  private mutating func broken() -> Field? {
    isIntact = false
    return nil
  }

  // MARK: Values

  /// Reads the number and the wire type of the next field, whose value the caller reads next.
  ///
  /// - Throws: ``WireFormatError/damaged(offset:)``, as the functions below do.
  package mutating func readKey() throws(WireFormatError) -> (number: Int, wireType: Int) {
    let start = offset
    let key = try readVarint()
    guard key >> 3 > 0, key >> 3 < 1 << 29 else { throw .damaged(offset: start) }
    return (Int(key >> 3), Int(key & 7))
  }

  /// Returns whether another element of the same list follows, and reads its key if it does.
  package mutating func continues(number: Int, wireType: Int) throws(WireFormatError) -> Bool {
    guard !isAtEnd else { return false }
    let start = offset
    let next = try readKey()
    if next.number == number && next.wireType == wireType { return true }
    offset = start
    return false
  }

  @inlinable
  package mutating func readVarint() throws(WireFormatError) -> UInt64 {
    guard let value = varint() else { throw .damaged(offset: offset) }
    return value
  }

  package mutating func readFixed64() throws(WireFormatError) -> UInt64 {
    guard let value = fixed64() else { throw .damaged(offset: offset) }
    return value
  }

  package mutating func readFixed32() throws(WireFormatError) -> UInt32 {
    guard let value = fixed32() else { throw .damaged(offset: offset) }
    return value
  }

  /// Returns a reader of the content of a length-delimited field.
  package mutating func readMessage() throws(WireFormatError) -> ProtobufReader {
    let count = try readVarint()
    guard count <= UInt64(bytes.count - offset) else { throw .damaged(offset: offset) }
    defer { offset += Int(count) }
    return ProtobufReader(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)]))
  }

  /// Skips a value of a wire type.
  package mutating func skip(wireType: Int) throws(WireFormatError) {
    switch wireType {
    case 0: _ = try readVarint()
    case 1: _ = try readFixed64()
    case 2: _ = try readMessage()
    case 5: _ = try readFixed32()
    default: throw .damaged(offset: offset)
    }
  }

  @inlinable
  mutating func varint() -> UInt64? {
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

  private mutating func fixed64() -> UInt64? {
    guard bytes.count - offset >= 8 else { return nil }
    defer { offset += 8 }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  private mutating func fixed32() -> UInt32? {
    guard bytes.count - offset >= 4 else { return nil }
    defer { offset += 4 }
    return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}

/// The values of a field whose number tells their kind; another kind is damage.
extension ProtobufReader.Field {
  /// Returns a zigzag number, which is small for small magnitudes of either sign.
  ///
  /// - Throws: ``WireFormatError/damaged(offset:)``, as the functions below do.
  package func signed() throws(WireFormatError) -> Int64 {
    guard wireType == 0 else { throw .damaged(offset: offset) }
    return ZigZag.decode(bits)
  }

  package func unsigned() throws(WireFormatError) -> UInt64 {
    guard wireType == 0 else { throw .damaged(offset: offset) }
    return bits
  }

  /// Returns a count or a flag, which is within `Int32`.
  package func int() throws(WireFormatError) -> Int {
    guard wireType == 0, bits <= UInt64(Int32.max) else { throw .damaged(offset: offset) }
    return Int(bits)
  }

  package func double() throws(WireFormatError) -> Double {
    guard wireType == 1 else { throw .damaged(offset: offset) }
    return Double(bitPattern: bits)
  }

  package func string() throws(WireFormatError) -> String {
    guard wireType == 2, let text = String(validating: bytes, as: UTF8.self) else {
      throw .damaged(offset: offset)
    }
    return text
  }

  /// Returns a reader of the field's content.
  package func reader() throws(WireFormatError) -> ProtobufReader {
    guard wireType == 2 else { throw .damaged(offset: offset) }
    return ProtobufReader(bytes)
  }
}

/// Maps signed numbers to unsigned ones that are small for small magnitudes of either sign.
public enum ZigZag {
  @inlinable
  package static func encode(_ value: Int64) -> UInt64 {
    UInt64(bitPattern: value << 1 ^ value >> 63)
  }

  @inlinable
  package static func decode(_ bits: UInt64) -> Int64 {
    Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
  }
}

extension [UInt8] {
  /// Runs `body` with a reader of these bytes as one message. The reader must not leave `body`.
  package func withProtobufReader<Result, Failure: Error>(
    _ body: (inout ProtobufReader) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { buffer throws(Failure) in
      var reader = ProtobufReader(UnsafeRawBufferPointer(buffer))
      return try body(&reader)
    }
  }
}
