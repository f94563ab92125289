import Foundation
import GRPCCore
import MoyeoAPI
import ObjectModel
import SwiftProtobuf
import Testing

@testable import MoyeoServer
import LiveLayers

/// How layers begin and end.
@Suite struct LayerLifeTests {
  private static func configuration() -> LayerRegistryConfiguration {
    var limits = LayerLimits()
    limits.layersPerTenant = 3
    limits.emptyLayerMilliseconds = 60_000
    return LayerRegistryConfiguration(limits: limits)
  }

  private static let short = #"{"id":"a","latitude":37.5,"longitude":127,"ttlSeconds":5}"#

  @Test func aLayerCanBeDeleted() async throws {
    try await RunningDaemon.run(configuration: Self.configuration()) { daemon in
      for i in 0..<3 { _ = try await daemon.report([ReportTests.good], layer: "layer-\(i)") }
      let full = try await daemon.report([ReportTests.good], layer: "more")
      #expect(full.reason == "quota_exceeded")
      let deleted = try await daemon.request("DELETE", "/v1/layers/layer-1")
      #expect(deleted.status == 200 && deleted.object["removed"] as? Int == 1, "\(deleted.text)")
      #expect(try await daemon.get("/v1/layers/layer-1/tags").reason == "unknown_layer")
      #expect(try await daemon.request("DELETE", "/v1/layers/layer-1").status == 404)
      #expect(try await daemon.report([ReportTests.good], layer: "more").status == 200)
      #expect(try await daemon.request("DELETE", "/v1/layers/parties").reason == "reserved_layer")
      #expect(try await daemon.request("DELETE", "/v1/layers/No!").reason == "bad_layer")
      #expect(try await daemon.request("DELETE", "/v1/layers/more?x=1").status == 400)
      // The same over gRPC.
      let again = try await daemon.report([ReportTests.good], layer: "layer-1")
      #expect(again.reason == "quota_exceeded")
      #expect(try await daemon.positions.deleteLayer(.with { $0.layer = "layer-2" }).removed == 1)
      let gone = try await GRPCRefusal.of {
        _ = try await daemon.positions.deleteLayer(.with { $0.layer = "layer-2" })
      }
      #expect(gone.reason == "unknown_layer" && gone.code == .notFound)
      // The name begins anew, with nothing in it.
      _ = try await daemon.request("DELETE", "/v1/layers/more")
      _ = try await daemon.report([Self.short], layer: "more")
      let near = try await daemon.get("/v1/layers/more/nearby?latitude=37.5&longitude=127")
      #expect(near.ids == ["a"])
    }
  }

  /// On the layers's clock: an empty layer ends after the time given, one in use does not.
  @Test func emptyLayersEnd() throws {
    let clock = ManualClock(RunningDaemon.start)
    let layers = LayerRegistry(configuration: Self.configuration(), clock: clock, epoch: 1)
    let operations = PositionOperations(layers: layers)
    func report(_ layer: String, ttlSeconds: Double) throws {
      _ = try operations.report(
        .with {
          $0.layer = layer
          $0.positions = [
            .with {
              $0.id = "a"
              $0.latitude = 1
              $0.longitude = 1
              $0.ttlSeconds = ttlSeconds
            }
          ]
        })
    }
    try report("short", ttlSeconds: 5)
    try report("long", ttlSeconds: 3600)
    try report("back", ttlSeconds: 5)
    #expect(layers.endEmptyLayers().isEmpty)
    clock.advance(milliseconds: 6000)
    layers.reclaimExpired()
    #expect(layers.endEmptyLayers().isEmpty)
    clock.advance(milliseconds: 59_000)
    try report("back", ttlSeconds: 5)
    #expect(layers.endEmptyLayers().isEmpty)
    clock.advance(milliseconds: 1000)
    #expect(layers.endEmptyLayers() == ["short"])
    #expect(layers.all.map(\.name) == ["back", "long"])
    // There is room for another one.
    try report("new", ttlSeconds: 5)
  }

  /// What the service keeps itself does not take the callers' room.
  @Test func layersOfTheServiceDoNotCount() async throws {
    try await PartyWireTests.run { daemon in
      _ = try await PartyWireTests.create(daemon, host: "mina")
      for i in 0..<daemon.layers.limits.layersPerTenant {
        let answer = try await daemon.report([ReportTests.good], layer: "layer-\(i)")
        #expect(answer.status == 200, "\(answer.text)")
      }
      let one = try await daemon.report([ReportTests.good], layer: "more")
      #expect(one.reason == "quota_exceeded")
    }
  }

  /// A misspelt attribute finds nothing, and the answer says why.
  @Test func attributesNobodyHasAreNamed() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([
        #"{"id":"a","latitude":37.5,"longitude":127,"attributes":{"seats_free":2}}"#
      ])
      func ask(_ attribute: String, _ route: String) async throws -> [String]? {
        let place =
          route == "nearby"
          ? #""latitude":37.5,"longitude":127"#
          : #""west":126,"south":37,"east":128,"north":38"#
        let answer = try await daemon.post(
          "/v1/layers/users/\(route)",
          #"{\#(place),"where":[{"attribute":"\#(attribute)","min":3}]}"#)
        #expect(answer.status == 200 && answer.hits.isEmpty, "\(answer.text)")
        return answer.object["unknownAttributes"] as? [String]
      }
      for route in ["nearby", "within"] {
        #expect(try await ask("seatsFree", route) == ["seatsFree"])
        #expect(try await ask("seats_free", route) == [])
      }
    }
  }
}
