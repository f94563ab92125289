import WireFormat

extension MessageSchema {
  /// Looks for the first field, at any depth, that this version of the schema does not know.
  ///
  /// - Parameter bytes: An encoded message that parses.
  /// - Returns: The path of that field, e.g. `positions.#1023`; `nil` when all fields are known.
  /// - Complexity: O(number of fields).
  public func unknownField(in bytes: UnsafeRawBufferPointer) -> String? {
    var reader = ProtobufReader(bytes)
    return unknownField(&reader, depth: 0)
  }

  private func unknownField(_ reader: inout ProtobufReader, depth: Int) -> String? {
    do {
      while !reader.isAtEnd {
        let (number, wireType) = try reader.readKey()
        guard let index = fieldIndex(number: number) else { return "#\(number)" }
        guard case .message(let name) = fields[index].kind, wireType == 2, depth < 100,
          let inner = Self.all[name]
        else {
          try reader.skip(wireType: wireType)
          continue
        }
        var slice = try reader.readMessage()
        if let found = inner.unknownField(&slice, depth: depth + 1) {
          return fields[index].jsonName + "." + found
        }
      }
    } catch {
      // What does not parse was refused before.
    }
    return nil
  }

  /// The JSON name of a top-level field that stands in both messages with different values;
  /// `nil` when there is none. Repeated fields count as different.
  public func conflict(_ first: [UInt8], _ second: [UInt8]) -> String? {
    let seen = topLevel(first)
    return topLevel(second).first { number, value in
      seen[number].map { $0 != value || fields[fieldIndex(number: number) ?? 0].isRepeated }
        ?? false
    }.flatMap { number, _ in fieldIndex(number: number).map { fields[$0].jsonName } }
  }

  /// The JSON names of the top-level fields that stand in an encoded message.
  public func topLevelNames(in bytes: UnsafeRawBufferPointer) -> [String] {
    topLevel(Array(bytes)).keys.compactMap { fieldIndex(number: $0).map { fields[$0].jsonName } }
  }

  /// The bytes of each top-level field by number; those of its last element for lists.
  private func topLevel(_ bytes: [UInt8]) -> [Int: [UInt8]] {
    bytes.withUnsafeBytes { raw in
      var out: [Int: [UInt8]] = [:]
      var reader = ProtobufReader(raw)
      while !reader.isAtEnd {
        let before = reader.remaining
        guard let (number, wireType) = try? reader.readKey(),
          (try? reader.skip(wireType: wireType)) != nil
        else { break }
        out[number] = Array(before[..<(before.count - reader.remaining.count)])
      }
      return out
    }
  }
}
