import Foundation
import GRPCCore
import GRPCServerTransport
import LiveLayers
import MoyeoAPI
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// Attribute names and texts are compared in NFC, whatever wire and path they come by, and an
/// object that carries one name twice is refused on all of them.
@Suite struct AttributeSpellingTests {
  private static let composed = "caf\u{E9}"
  private static let decomposed = "cafe\u{301}"

  private static func item(_ id: String, _ attributes: String) -> String {
    #"{"id":"\#(id)","latitude":37.5,"longitude":127,"attributes":{\#(attributes)}}"#
  }

  private static func position(_ id: String, _ name: String, _ text: String) -> Moyeo_V1_Position {
    .with {
      $0.id = id
      $0.latitude = 37.5
      $0.longitude = 127
      $0.attributes.fields = [name: .init(stringValue: text), "n": .init(numberValue: 1)]
    }
  }

  private static func `where`(_ name: String, _ text: String) -> String {
    #"{"latitude":37.5,"longitude":127,"where":[{"attribute":"\#(name)","equals":"\#(text)"}]}"#
  }

  @Test(arguments: [true, false]) func everySpellingIsFoundByEvery(usesFastPath: Bool) async throws
  {
    try await RunningDaemon.run(usesFastPath: usesFastPath) { daemon in
      let spellings = [Self.composed, Self.decomposed]
      var items: [String] = []
      var positions: [Moyeo_V1_Position] = []
      for (i, name) in spellings.enumerated() {
        for (k, text) in spellings.enumerated() {
          items.append(Self.item("h\(i)\(k)", #""\#(name)":"\#(text)""#))
          positions.append(Self.position("g\(i)\(k)", name, text))
        }
      }
      // A name of ASCII keeps the fast path: its text alone is spelled otherwise.
      positions.append(Self.position("ascii", "drink", Self.decomposed))
      #expect(try await daemon.report(items).status == 200)
      let sent = positions
      _ = try await daemon.positions.report(
        .with {
          $0.layer = "users"
          $0.positions = sent
        })
      let all = ["g00", "g01", "g10", "g11", "h00", "h01", "h10", "h11"]
      for name in spellings {
        for text in spellings {
          let found = try await daemon.post("/v1/layers/users/nearby", Self.where(name, text))
          #expect(found.ids.sorted() == all, "\(found.text)")
          let asked = try Moyeo_V1_NearbyRequest(
            jsonUTF8Bytes: Array(
              Self.where(name, text).replacing("{\"lat", with: "{\"layer\":\"users\",\"lat").utf8))
          #expect(try await daemon.positions.nearby(asked).hits.map(\.id).sorted() == all)
        }
      }
      let drink = try await daemon.post(
        "/v1/layers/users/nearby", Self.where("drink", Self.composed))
      #expect(drink.ids == ["ascii"])
      // Stored in one spelling: the bytes of an answer say so.
      let stored = try await daemon.positions.get(
        .with {
          $0.layer = "users"
          $0.id = "g11"
        })
      let (name, value) = try #require(
        stored.position.attributes.fields.first { $0.value.stringValue != "" })
      #expect(Array(name.utf8) == Array(Self.composed.utf8))
      #expect(Array(value.stringValue.utf8) == Array(Self.composed.utf8))
    }
  }

  @Test func aColumnIsFoundInEverySpelling() async throws {
    let configuration = LayerRegistryConfiguration(layerSettings: { _ in
      var settings = LayerSettings()
      settings.columns = [Self.composed]
      return settings
    })
    try await RunningDaemon.run(configuration: configuration) { daemon in
      _ = try await daemon.report([
        Self.item("low", #""\#(Self.decomposed)":1"#), Self.item("high", #""\#(Self.composed)":9"#),
      ])
      let found = try await daemon.post(
        "/v1/layers/users/nearby",
        #"{"latitude":37.5,"longitude":127,"where":[{"attribute":"\#(Self.decomposed)","min":0}]}"#
      )
      #expect(found.ids.sorted() == ["high", "low"])
    }
  }

  /// Encoded by hand: a map of the generated types cannot carry one name twice.
  private static func bytes(of attributes: [UInt8]) throws -> [UInt8] {
    var position: [UInt8] = try Moyeo_V1_Position.with {
      $0.id = "x"
      $0.latitude = 37.5
      $0.longitude = 127
    }.serializedBytes()
    position += [5 << 3 | 2, UInt8(attributes.count)] + attributes
    let request: [UInt8] = try Moyeo_V1_ReportRequest.with { $0.layer = "users" }.serializedBytes()
    return request + [2 << 3 | 2, UInt8(position.count)] + position
  }

  /// Entries of a Struct, each with the number 1, or with `inner` as an object.
  private static func entries(_ names: [String], inner: [UInt8]? = nil) -> [UInt8] {
    let one = [2 << 3 | 1] + withUnsafeBytes(of: (1.0).bitPattern.littleEndian, Array.init)
    return names.flatMap { name -> [UInt8] in
      let value = inner.map { [5 << 3 | 2, UInt8($0.count)] + $0 } ?? one
      let entry =
        [1 << 3 | 2, UInt8(name.utf8.count)] + Array(name.utf8)
        + [2 << 3 | 2, UInt8(value.count)] + value
      return [1 << 3 | 2, UInt8(entry.count)] + entry
    }
  }

  @Test(arguments: [
    ([composed, decomposed], false), (["a", "a"], false), ([composed, decomposed], true),
  ])
  func oneNameTwiceIsRefusedOnEveryWire(_ names: [String], isNested: Bool) async throws {
    let flat = Self.entries(names)
    let encoded = try Self.bytes(
      of: isNested ? Self.entries(["list"], inner: flat) : flat)
    let path = "positions[0].attributes." + (isNested ? "list." : "") + names[1]
    let pairs = names.map { #""\#($0)":1"# }.joined(separator: ",")
    let item = Self.item("x", isNested ? #""list":{\#(pairs)}"# : pairs)
    try await RunningDaemon.run { daemon in
      let overHTTP = try await daemon.report([item])
      #expect(overHTTP.status == 400)
      #expect(overHTTP.reason == "malformed_request")
      #expect(overHTTP.fields == [path])
      let refusal = try await GRPCRefusal.of {
        _ = try await daemon.grpc.unary(
          request: ClientRequest(message: encoded),
          descriptor: MethodDescriptor(
            fullyQualifiedService: "moyeo.v1.PositionService", method: "Report"),
          serializer: BytesSerializer(), deserializer: BytesDeserializer(), options: .defaults
        ) { try $0.message }
      }
      #expect(refusal.code == .invalidArgument)
      #expect(refusal.reason == overHTTP.reason)
      #expect(refusal.fields == overHTTP.fields)
      #expect(
        try await daemon.get("/v1/layers/users/positions/x").reason == "unknown_layer")
    }
  }
}
