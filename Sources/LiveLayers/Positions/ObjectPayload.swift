import WireFormat

/// An object's tags and attributes in the encoding of the wire, as the index keeps them.
///
/// ```
/// 3A len tag bytes      field 7, once a tag, normalised
/// 42 len Struct bytes   field 8, always present, possibly empty
/// ```
/// These are the fields 7 and 8 of `Hit` and `StoredPosition` in moyeo.v1, so that an answer copies
/// the bytes; `Tests/MoyeoServerTests` compares the two encodings.
package enum ObjectPayload {
  static let tagKey: UInt8 = 7 << 3 | 2
  static let attributesKey: UInt8 = 8 << 3 | 2

  /// Encodes normalised tags and attributes that come as an array.
  package static func append(tags: [String], attributes: [UInt8], to out: inout [UInt8]) {
    attributes.withUnsafeBytes { append(tags: tags, attributes: $0, to: &out) }
  }

  /// Encodes normalised tags and the bytes of a `google.protobuf.Struct`.
  package static func append(
    tags: [String], attributes: UnsafeRawBufferPointer, to out: inout [UInt8]
  ) {
    for tag in tags {
      out.append(tagKey)
      out.appendLengthAndBytes(of: tag)
    }
    out.append(attributesKey)
    out.appendVarint(UInt64(attributes.count))
    out.append(contentsOf: attributes)
  }

  /// Returns the tags of a payload in the order that they were reported in.
  package static func tags(in payload: UnsafeRawBufferPointer) -> [String] {
    var tags: [String] = []
    var reader = ProtobufReader(payload)
    while let field = reader.nextField() {
      if field.number == 7 {
        tags.append(String(decoding: field.bytes, as: UTF8.self))
      }
    }
    return tags
  }

  /// Returns whether a payload has a tag.
  static func carries(_ tag: String, in payload: UnsafeRawBufferPointer) -> Bool {
    var reader = ProtobufReader(payload)
    while let field = reader.nextField(), field.number == 7 {
      if equal(field.bytes, tag) { return true }
    }
    return false
  }

  /// Returns the encoded `google.protobuf.Struct` of a payload.
  package static func attributes(in payload: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var reader = ProtobufReader(payload)
    while let field = reader.nextField() {
      if field.number == 8 { return field.bytes }
    }
    return UnsafeRawBufferPointer(start: nil, count: 0)
  }
}

/// A scalar value of an attribute, for conditions.
package enum AttributeValue: Hashable, Sendable {
  case number(Double)
  case string(String)
  case bool(Bool)
}

extension ObjectPayload {
  /// Returns the value of a top-level attribute, `nil` when it is absent, null, a list or a struct.
  package static func value(
    of name: String, inAttributes attributes: UnsafeRawBufferPointer
  ) -> AttributeValue? {
    var reader = ProtobufReader(attributes)
    var found: AttributeValue?
    while let entryField = reader.nextField() {
      guard entryField.number == 1 else { continue }
      var entry = ProtobufReader(entryField.bytes)
      var matches = name.isEmpty
      var value: UnsafeRawBufferPointer?
      while let field = entry.nextField() {
        if field.number == 1 { matches = equal(field.bytes, name) }
        if field.number == 2 { value = field.bytes }
      }
      // As in protobuf maps, a later entry with the same key wins.
      if matches { found = value.flatMap(scalar) }
    }
    return found
  }

  /// Returns the scalar attributes of a payload, in the order of the entries. Lists, structs and
  /// nulls are left out.
  package static func scalars(in payload: UnsafeRawBufferPointer) -> [(String, AttributeValue)] {
    var out: [(String, AttributeValue)] = []
    var reader = ProtobufReader(attributes(in: payload))
    while let entryField = reader.nextField() {
      guard entryField.number == 1 else { continue }
      var entry = ProtobufReader(entryField.bytes)
      var name = ""
      var value: AttributeValue?
      while let field = entry.nextField() {
        if field.number == 1 { name = String(decoding: field.bytes, as: UTF8.self) }
        if field.number == 2 { value = scalar(field.bytes) }
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
    var reader = ProtobufReader(bytes)
    var value: AttributeValue?
    while let field = reader.nextField() {
      switch field.number {
      case 2: value = .number(Double(bitPattern: field.bits))
      case 3: value = .string(String(decoding: field.bytes, as: UTF8.self))
      case 4: value = .bool(field.bits != 0)
      default: value = nil
      }
    }
    return value
  }
}
