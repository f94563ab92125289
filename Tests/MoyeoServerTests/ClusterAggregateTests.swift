import Foundation
import ObjectModel
import PointClustering
import Testing

@testable import LiveLayers
@testable import MoyeoServer

/// Aggregates of a layer that the service fills, over the wire.
@Suite struct ClusterAggregateTests {
  private static let world = "west=-180&south=-85&east=180&north=85"

  @Test func viewportsAndTilesCarryThem() async throws {
    try await RunningDaemon.run { daemon in
      let layer = try daemon.layers.existingOrNewLayer("parties")
      func party(_ id: String, _ latitude: Double, _ seats: Int32, _ fare: Int64)
        -> ContributingObject
      {
        ContributingObject(
          id: id, latitude: latitude, longitude: 127,
          contribution: ClusterContribution(
            seatsFree: seats, earliestDeparture: RunningDaemon.start.milliseconds,
            lowestFarePerPerson: fare))
      }
      let version = layer.upsert(
        [party("a", 37.5, 2, 4_800), party("b", 37.501, 1, 5_100), party("far", -30, 3, 900)],
        now: daemon.clock.now())
      let answer = try await daemon.get(
        "/v1/layers/parties/clusters?\(Self.world)&zoom=0&minVersion=\(version.text)")
      let clusters = try #require(answer.object["clusters"] as? [[String: Any]])
      #expect(clusters.count == 2)
      for cluster in clusters {
        let sums = try #require(cluster["aggregates"] as? [String: Any])
        let isPair = cluster["pointCount"] as? Int == 2
        #expect(sums["seatsFree"] as? Int == 3)
        #expect(sums["earliestDeparture"] as? String == "2026-11-20T14:10:00Z")
        #expect(sums["lowestFarePerPerson"] as? Int == (isPair ? 4_800 : 900))
      }
      let tile = try await daemon.get("/v1/layers/parties/tiles/0/0/0.json")
      let features = try #require(tile.object["features"] as? [[String: Any]])
      #expect(features.count == 2)
      for feature in features {
        let properties = try #require(feature["properties"] as? [String: Any])
        #expect(properties["seats_free"] as? Int == 3)
        #expect(properties["earliest_departure"] as? String == "2026-11-20T14:10:00Z")
        #expect(properties["lowest_fare_per_person"] != nil)
      }
    }
  }
}
