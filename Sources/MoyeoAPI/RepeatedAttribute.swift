import WireFormat

extension MessageSchema {
  /// Looks for attributes that carry one name twice, at any depth: spellings of one name (composed
  /// and decomposed `é`) are one name, as they are for every lookup.
  ///
  /// A decoder would keep one of the two values and lose the other; JSON refuses such an object as
  /// well (``JSONFieldCheck``).
  ///
  /// - Parameter bytes: An encoded message that parses.
  /// - Returns: The path of the second, e.g. `positions[3].attributes.é`; `nil` when there is none.
  /// - Complexity: O(fields of messages that may hold attributes).
  public func repeatedAttribute(in bytes: UnsafeRawBufferPointer) -> String? {
    Self.mayHoldAttributes.contains(name) ? repeatedAttribute(in: bytes, depth: 0) : nil
  }

  /// Full names of messages that hold a `google.protobuf.Struct` or a message that does.
  private static let mayHoldAttributes: Set<String> = {
    var holders: Set<String> = ["google.protobuf.Struct", "google.protobuf.Value"]
    var grown = true
    while grown {
      grown = false
      for schema in all.values where !holders.contains(schema.name) {
        let holds = schema.fields.contains {
          if case .message(let name) = $0.kind { holders.contains(name) } else { false }
        }
        if holds {
          holders.insert(schema.name)
          grown = true
        }
      }
    }
    return holders
  }()

  private func repeatedAttribute(in bytes: UnsafeRawBufferPointer, depth: Int) -> String? {
    if name == "google.protobuf.Struct" {
      return Self.repeatedName(in: bytes, depth: depth).map { String($0.dropFirst()) }
    }
    var counts = [Int](repeating: 0, count: fields.count)
    var reader = ProtobufReader(bytes)
    while let found = reader.nextField() {
      guard found.wireType == 2, let index = fieldIndex(number: found.number) else { continue }
      let field = fields[index]
      defer { counts[index] += 1 }
      guard case .message(let name) = field.kind, depth < 100,
        Self.mayHoldAttributes.contains(name)
      else { continue }
      let inside: String?
      switch name {
      case "google.protobuf.Struct": inside = Self.repeatedName(in: found.bytes, depth: depth + 1)
      case "google.protobuf.Value":
        inside = Self.repeatedName(inValue: found.bytes, depth: depth + 1)
      default:
        inside = Self.all[name]?.repeatedAttribute(in: found.bytes, depth: depth + 1).map {
          "." + $0
        }
      }
      if let inside {
        return field.jsonName + (field.isRepeated ? "[\(counts[index])]" : "") + inside
      }
    }
    return nil
  }

  /// Below a Struct: `.name`, or `.name[2].inner`.
  private static func repeatedName(in bytes: UnsafeRawBufferPointer, depth: Int) -> String? {
    // Equal strings are those that are equal in NFC.
    var names: Set<String> = []
    var reader = ProtobufReader(bytes)
    while let entry = reader.nextField() {
      guard entry.number == 1, depth < 100 else { continue }
      var key = ""
      var value: UnsafeRawBufferPointer?
      var parts = ProtobufReader(entry.bytes)
      while let part = parts.nextField() {
        if part.number == 1 { key = String(decoding: part.bytes, as: UTF8.self) }
        if part.number == 2 { value = part.bytes }
      }
      guard names.insert(key).inserted else { return "." + key }
      if let value, let inside = repeatedName(inValue: value, depth: depth + 1) {
        return "." + key + inside
      }
    }
    return nil
  }

  private static func repeatedName(
    inValue bytes: UnsafeRawBufferPointer, depth: Int
  ) -> String? {
    var reader = ProtobufReader(bytes)
    while let kind = reader.nextField() {
      switch kind.number {
      case 5:
        if let inside = repeatedName(in: kind.bytes, depth: depth + 1) { return inside }
      case 6:
        var index = 0
        var values = ProtobufReader(kind.bytes)
        while depth < 100, let value = values.nextField() {
          if let inside = repeatedName(inValue: value.bytes, depth: depth + 1) {
            return "[\(index)]" + inside
          }
          index += 1
        }
      default: break
      }
    }
    return nil
  }
}
