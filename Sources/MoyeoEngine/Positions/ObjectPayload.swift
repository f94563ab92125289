/// An object's tags and attributes as they stand on the wire, kept by the index and handed back.
///
/// ```
/// 3A len tag bytes      field 7, once a tag, normalised
/// 42 len Struct bytes   field 8, always present, possibly empty
/// ```
/// Fields 7 and 8 of `Hit` and `StoredPosition` in moyeo.v1, so that an answer is a copy of these
/// bytes; `Tests/MoyeoServerTests` compares the two encodings.
public enum ObjectPayload {
  static let tagKey: UInt8 = 7 << 3 | 2
  static let attributesKey: UInt8 = 8 << 3 | 2

  /// The same from an array.
  public static func append(tags: [String], attributes: [UInt8], to out: inout [UInt8]) {
    attributes.withUnsafeBytes { append(tags: tags, attributes: $0, to: &out) }
  }

  /// Encodes normalised tags and the bytes of a `google.protobuf.Struct`.
  public static func append(
    tags: [String], attributes: UnsafeRawBufferPointer, to out: inout [UInt8]
  ) {
    for tag in tags {
      out.append(tagKey)
      appendVarint(UInt64(tag.utf8.count), to: &out)
      out.append(contentsOf: tag.utf8)
    }
    out.append(attributesKey)
    appendVarint(UInt64(attributes.count), to: &out)
    out.append(contentsOf: attributes)
  }

  /// The tags of a payload, in the order reported.
  public static func tags(in payload: UnsafeRawBufferPointer) -> [String] {
    var tags: [String] = []
    var reader = PayloadReader(payload)
    while let field = reader.next() {
      if field.number == 7, let bytes = field.bytes {
        tags.append(String(decoding: bytes, as: UTF8.self))
      }
    }
    return tags
  }

  /// Whether a payload has a tag.
  static func carries(_ tag: String, in payload: UnsafeRawBufferPointer) -> Bool {
    var reader = PayloadReader(payload)
    while let field = reader.next(), field.number == 7 {
      if let bytes = field.bytes, equal(bytes, tag) { return true }
    }
    return false
  }

  /// The encoded `google.protobuf.Struct` of a payload.
  public static func attributes(in payload: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var reader = PayloadReader(payload)
    while let field = reader.next() {
      if field.number == 8, let bytes = field.bytes { return bytes }
    }
    return UnsafeRawBufferPointer(start: nil, count: 0)
  }

  static func appendVarint(_ value: UInt64, to out: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      out.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    out.append(UInt8(rest))
  }
}

/// A scalar of an attribute, for conditions.
public enum AttributeValue: Hashable, Sendable {
  case number(Double)
  case string(String)
  case bool(Bool)
}

extension ObjectPayload {
  /// The value of one top-level attribute, `nil` when absent, null, a list or a struct.
  public static func value(
    of name: String, inAttributes attributes: UnsafeRawBufferPointer
  ) -> AttributeValue? {
    var reader = PayloadReader(attributes)
    var found: AttributeValue?
    while let entryField = reader.next() {
      guard entryField.number == 1, let entryBytes = entryField.bytes else { continue }
      var entry = PayloadReader(entryBytes)
      var matches = name.isEmpty
      var value: UnsafeRawBufferPointer?
      while let field = entry.next() {
        if field.number == 1, let key = field.bytes { matches = equal(key, name) }
        if field.number == 2 { value = field.bytes }
      }
      // As in protobuf maps, a later entry of the same key wins.
      if matches { found = value.flatMap(scalar) }
    }
    return found
  }

  /// The scalar attributes of a payload, by name as stored; lists, structs and nulls are left out.
  public static func scalars(in payload: UnsafeRawBufferPointer) -> [(String, AttributeValue)] {
    var out: [(String, AttributeValue)] = []
    var reader = PayloadReader(attributes(in: payload))
    while let entryField = reader.next() {
      guard entryField.number == 1, let entryBytes = entryField.bytes else { continue }
      var entry = PayloadReader(entryBytes)
      var name = ""
      var value: AttributeValue?
      while let field = entry.next() {
        if field.number == 1, let key = field.bytes { name = String(decoding: key, as: UTF8.self) }
        if field.number == 2 { value = field.bytes.flatMap(scalar) }
      }
      if let value { out.append((name, value)) }
    }
    return out
  }

  static func equal(_ bytes: UnsafeRawBufferPointer, _ text: String) -> Bool {
    var copy = text
    return copy.withUTF8 { utf8 in
      utf8.count == bytes.count && zip(utf8, bytes).allSatisfy { $0 == $1 }
    }
  }

  private static func scalar(_ bytes: UnsafeRawBufferPointer) -> AttributeValue? {
    var reader = PayloadReader(bytes)
    var value: AttributeValue?
    while let field = reader.next() {
      switch field.number {
      case 2: value = .number(Double(bitPattern: field.bits))
      case 3: value = field.bytes.map { .string(String(decoding: $0, as: UTF8.self)) }
      case 4: value = .bool(field.bits != 0)
      default: value = nil
      }
    }
    return value
  }
}

/// Walks the fields of bytes that we encoded ourselves; stops at anything else.
struct PayloadReader {
  struct Field {
    let number: Int
    /// Of a varint or fixed field.
    let bits: UInt64
    /// Of a length-delimited field.
    let bytes: UnsafeRawBufferPointer?
  }

  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func next() -> Field? {
    guard let key = varint() else { return nil }
    let number = Int(key >> 3)
    switch key & 7 {
    case 0:
      guard let bits = varint() else { return nil }
      return Field(number: number, bits: bits, bytes: nil)
    case 1:
      guard offset + 8 <= bytes.count else { return nil }
      defer { offset += 8 }
      let bits = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      return Field(number: number, bits: bits, bytes: nil)
    case 2:
      guard let count = varint(), count <= UInt64(bytes.count - offset) else { return nil }
      defer { offset += Int(count) }
      return Field(
        number: number, bits: 0,
        bytes: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)]))
    default: return nil
    }
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
