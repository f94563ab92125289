import ObjectModel
import Foundation
import SwiftProtobuf
import Testing

@testable import MoyeoAPI
import WireFormat

/// The JSON we write straight from bytes against SwiftProtobuf's own.
@Suite struct JSONTranscoderTests {
  static let types: [any Message.Type] = [
    Moyeo_V1_ReportRequest.self, Moyeo_V1_ReportResponse.self, Moyeo_V1_NearbyRequest.self,
    Moyeo_V1_NearbyResponse.self, Moyeo_V1_NearbyBatchRequest.self,
    Moyeo_V1_NearbyBatchResponse.self, Moyeo_V1_GetPositionResponse.self,
    Moyeo_V1_RemovePositionResponse.self, Moyeo_V1_WithinRequest.self,
    Moyeo_V1_TagHistogramResponse.self, Moyeo_V1_StreamReportsRequest.self,
    Moyeo_V1_StreamReportsResponse.self, Moyeo_V1_ListLayersResponse.self,
    Moyeo_V1_GetTileResponse.self, Moyeo_V1_GetClustersRequest.self,
    Moyeo_V1_GetClustersResponse.self, Moyeo_V1_GetLeavesResponse.self,
    Moyeo_V1_EstimateFareRequest.self, Moyeo_V1_EstimateFareResponse.self,
    Moyeo_V1_SplitFareResponse.self, Moyeo_V1_ListTariffsResponse.self,
    Moyeo_V1_PlanRouteRequest.self, Moyeo_V1_PlanRouteResponse.self,
  ]

  @Test(arguments: [UInt64(1), 2, 3])
  func equalsSwiftProtobufOnRandomMessages(seed: UInt64) throws {
    var random = RandomWireMessage(seed: seed)
    for type in Self.types {
      for round in 0..<30 {
        try check(type, random.message(MessageSchema.of(type)), "seed \(seed), round \(round)")
      }
    }
  }

  private func check<M: Message>(_ type: M.Type, _ bytes: [UInt8], _ comment: Comment) throws {
    let message = try M(serializedBytes: bytes)
    let canonical: [UInt8] = try message.serializedBytes()
    let ours = try JSONTranscoder(type).json(canonical)
    // Back to the same message: nothing lost, nothing changed.
    #expect(try M(jsonUTF8Bytes: Data(ours)).isEqualTo(message: message), comment)
    // The same object as SwiftProtobuf's, but for the documented differences.
    let theirs: [UInt8] = try message.jsonUTF8Bytes()
    let reference = try #require(
      JSONSerialization.jsonObject(with: Data(theirs)) as? [String: Any], comment)
    let printed = try #require(
      JSONSerialization.jsonObject(with: Data(ours)) as? [String: Any], comment)
    let expected = Self.asDocumented(reference, MessageSchema.of(type))
    let difference = Self.difference(printed, expected, M.protoMessageName)
    #expect(difference == nil, comment)
  }

  /// The path of the first difference; numbers are compared as numbers, text by its bytes.
  private static func difference(_ a: Any, _ b: Any, _ path: String) -> String? {
    switch (a, b) {
    case (let a as [String: Any], let b as [String: Any]):
      guard Set(a.keys) == Set(b.keys) else { return "\(path): \(a.keys) and \(b.keys)" }
      for (key, value) in a {
        guard let other = b[key] else { return path }
        if let found = difference(value, other, path + "." + key) { return found }
      }
      return nil
    case (let a as [Any], let b as [Any]):
      guard a.count == b.count else { return "\(path): \(a.count) and \(b.count)" }
      for (i, (x, y)) in zip(a, b).enumerated() {
        if let found = difference(x, y, "\(path)[\(i)]") { return found }
      }
      return nil
    case (let a as String, let b as String):
      return Array(a.utf8) == Array(b.utf8) ? nil : "\(path): \(a) and \(b)"
    case (let a as NSNumber, let b as NSNumber):
      let same = a == b || a.doubleValue == b.doubleValue || a.stringValue == b.stringValue
      return same ? nil : "\(path): \(a) and \(b)"
    case (is NSNull, is NSNull): return nil
    default: return "\(path): \(a) and \(b)"
    }
  }

  /// SwiftProtobuf's JSON with lists always printed and 64-bit integers as numbers.
  private static func asDocumented(_ object: [String: Any], _ schema: MessageSchema)
    -> [String: Any]
  {
    var out = object
    for field in schema.fields {
      guard let value = object[field.jsonName] else {
        if field.isRepeated { out[field.jsonName] = [Any]() }
        continue
      }
      if field.isRepeated, let list = value as? [Any] {
        out[field.jsonName] = list.map { asDocumented($0, field.kind) }
      } else {
        out[field.jsonName] = asDocumented(value, field.kind)
      }
    }
    return out
  }

  private static func asDocumented(_ value: Any, _ kind: MessageSchema.Kind) -> Any {
    switch kind {
    case .int64, .sint64, .sfixed64:
      return (value as? String).flatMap { Int64($0) }.map { NSNumber(value: $0) } ?? value
    case .uint64, .fixed64:
      return (value as? String).flatMap { UInt64($0) }.map { NSNumber(value: $0) } ?? value
    case .message(let name):
      guard let inner = MessageSchema.all[name], name.hasPrefix("moyeo."),
        let object = value as? [String: Any]
      else { return value }
      return asDocumented(object, inner)
    default: return value
    }
  }

  @Test func printsZeroFalseEmptyListsAndWholeNumbers() throws {
    var hit = Moyeo_V1_Hit()
    hit.latitude = 0
    hit.distanceMeters = 12
    #expect(
      try json(hit) == #"{"latitude":0,"distanceMeters":12,"tags":[]}"#)
    var removed = Moyeo_V1_RemovePositionResponse()
    removed.removed = false
    #expect(try json(removed) == #"{"removed":false}"#)
    #expect(try json(Moyeo_V1_NearbyResponse()) == #"{"hits":[],"unknownAttributes":[]}"#)
    var line = Moyeo_V1_FareLine()
    line.amount = .max
    #expect(try json(line) == #"{"amount":9223372036854775807}"#)
    line.amount = .min
    #expect(try json(line) == #"{"amount":-9223372036854775808}"#)
  }

  /// Numbers of few decimals are printed without going through a string; each as the string.
  @Test(arguments: [UInt64(8), 9])
  func printsTheShortestDecimals(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<20_000 {
      let decimals = Double(Int.random(in: 0...9, using: &random))
      let whole = Int.random(
        in: -2...Int(pow(10, Double.random(in: 0...14, using: &random))), using: &random)
      let exact = Double(whole) / pow(10, decimals)
      for value in [
        exact, exact.nextUp, exact.nextDown, exact * .random(in: -2...2, using: &random),
      ] {
        var out: [UInt8] = []
        JSONText.append(value, to: &out)
        let isWhole = value == value.rounded() && value.magnitude < 0x1p53 && value.sign == .plus
        let expected =
          isWhole || value < 0 && value == value.rounded() && value.magnitude < 0x1p53
          ? "\(Int64(value))" : value.description
        #expect(String(decoding: out, as: UTF8.self) == expected)
      }
    }
  }

  @Test func escapesWhatJSONDemandsAndNothingElse() throws {
    var count = Moyeo_V1_TagCount()
    count.tag = "\"\\\n\r\t\u{0}\u{1F}/모여\u{7F}\u{2028}"
    #expect(
      try json(count) == #"{"tag":"\"\\\n\r\t\u0000\u001f/모여"# + "\u{7F}\u{2028}\"}")
  }

  @Test func printsTimesAsProtobufDoes() throws {
    for (seconds, nanos) in [
      (Int64(0), Int32(0)), (-1, 999_000_000), (1_700_000_000, 5_000_000),
      (951_782_400, 0), (-62_135_596_800, 0), (253_402_300_799, 999_999_999), (68_169_599, 1),
    ] {
      var tariff = Moyeo_V1_Tariff()
      tariff.effective = Google_Protobuf_Timestamp(seconds: seconds, nanos: nanos)
      let text = try json(tariff)
      #expect(try Moyeo_V1_Tariff(jsonString: text) == tariff, "\(text)")
    }
  }

  @Test func refusesNestingThatWouldExhaustTheStack() throws {
    // Lists in lists, built from the inside out.
    var value = Google_Protobuf_Value(numberValue: 1)
    for _ in 0..<150 {
      value = .with { outer in outer.listValue = .with { $0.values = [value] } }
    }
    var condition = Moyeo_V1_AttributeCondition()
    condition.equals = value
    let bytes: [UInt8] = try condition.serializedBytes()
    #expect(throws: WireFormatError.tooDeep) {
      try JSONTranscoder(Moyeo_V1_AttributeCondition.self).json(bytes)
    }
  }

  private func json<M: Message>(_ message: M) throws -> String {
    let bytes: [UInt8] = try message.serializedBytes()
    return String(decoding: try JSONTranscoder(M.self).json(bytes), as: UTF8.self)
  }
}
