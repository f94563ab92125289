import ObjectModel

#if canImport(SwiftProtobuf)
  import SwiftProtobuf
  import Testing

  @testable import LiveLayers

  /// What ``ObjectPayload`` reads from stored bytes against SwiftProtobuf's reading of the same bytes.
  @Suite struct ObjectPayloadTests {
    private func payload(tags: [String], attributes: [UInt8]) -> [UInt8] {
      var payload: [UInt8] = []
      attributes.withUnsafeBytes {
        ObjectPayload.append(tags: tags, attributes: $0, to: &payload)
      }
      return payload
    }

    private func value(_ name: String, _ bytes: [UInt8]) -> AttributeValue? {
      bytes.withUnsafeBytes { ObjectPayload.value(of: name, inAttributes: $0) }
    }

    @Test func attributesEncodedHereAreAProtobufStruct() throws {
      let attributes: [(name: String, value: AttributeValue)] = [
        ("b", .number(-2.5)), ("a", .string("모여")), ("c", .bool(true)), ("", .string("")),
        ("long", .string(String(repeating: "x", count: 300))), ("z", .bool(false)),
      ]
      let bytes = AttributeEncoding.encode(attributes)
      let decoded = try Google_Protobuf_Struct(serializedBytes: bytes)
      #expect(
        decoded.fields == [
          "b": .init(numberValue: -2.5), "a": .init(stringValue: "모여"), "c": .init(boolValue: true),
          "": .init(stringValue: ""), "z": .init(boolValue: false),
          "long": .init(stringValue: String(repeating: "x", count: 300)),
        ])
      // Entries in the order of their names, so that equal attributes are equal bytes.
      #expect(bytes == AttributeEncoding.encode(attributes.reversed()))
      for (name, wanted) in attributes { #expect(value(name, bytes) == wanted, "\(name)") }
      #expect(value("none", bytes) == nil)
    }

    @Test func valuesOfEveryKindAreReadAsSwiftProtobufWritesThem() throws {
      var fields = Google_Protobuf_Struct()
      fields.fields = [
        "null": nil, "zero": .init(numberValue: 0),
        "number": .init(numberValue: 1e300), "text": .init(stringValue: "é"),
        "no": .init(boolValue: false), "list": .init(listValue: .init(values: [1])),
        "inner": .init(structValue: .init(fields: ["number": 5])), "nothing": .init(),
      ]
      let bytes: [UInt8] = try fields.serializedBytes()
      #expect(value("zero", bytes) == .number(0))
      #expect(value("number", bytes) == .number(1e300))
      #expect(value("text", bytes) == .string("é"))
      #expect(value("no", bytes) == .bool(false))
      for name in ["null", "list", "inner", "nothing", "absent"] {
        #expect(value(name, bytes) == nil, "\(name)")
      }
    }

    @Test func tagsAndAttributesComeBackFromAPayload() {
      for tags in [[], ["a"], ["모여", "a b", String(repeating: "x", count: 200)]] {
        for attributes in [[], AttributeEncoding.encode([("a", .number(1))])] {
          let payload = self.payload(tags: tags, attributes: attributes)
          payload.withUnsafeBytes { raw in
            #expect(ObjectPayload.tags(in: raw) == tags)
            #expect(Array(ObjectPayload.attributes(in: raw)) == attributes)
          }
        }
      }
    }

    @Test(arguments: [UInt64(1), 2])
    func damagedBytesNeverTrap(seed: UInt64) {
      var generator = SplitMix64(seed: seed)
      let payload = self.payload(
        tags: ["a", "b"],
        attributes: AttributeEncoding.encode([("a", .number(1)), ("b", .string("x"))]))
      for _ in 0..<5000 {
        var bytes = payload
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
            UInt8.random(in: 0...255, using: &generator)
        }
        bytes.withUnsafeBytes { raw in
          _ = ObjectPayload.tags(in: raw)
          _ = ObjectPayload.value(of: "b", inAttributes: ObjectPayload.attributes(in: raw))
        }
      }
    }
  }
#endif
