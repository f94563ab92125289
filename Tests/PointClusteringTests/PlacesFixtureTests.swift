import Foundation
import GeoMath
import TestSupport
import Testing

@testable import PointClustering

@Suite(.enabled(if: SharedData.isPresent, "shared data is absent"))
struct PlacesFixtureTests {
  @Test func worldTileEqualsSuperclusters() throws {
    let places = try SharedData.json("places.geojson")["features"] as! [[String: Any]]
    let points = places.map { place -> StaticClusters<Never>.Point? in
      guard let geometry = place["geometry"] as? [String: Any] else { return nil }
      let position = geometry["coordinates"] as! [Double]
      return .init(longitude: position[0], latitude: position[1], id: place["id"] as? Int)
    }
    let wanted = try SharedData.json("places-tile-0-0-0.json")["features"] as! [[String: Any]]
    let tile = try #require(StaticClusters(points).tile(zoom: 0, x: 0, y: 0))
    #expect(tile.count == wanted.count)
    for (found, wanted) in zip(tile, wanted) {
      #expect([[found.x, found.y]] == wanted["geometry"] as! [[Int]])
      let tags = wanted["tags"] as! [String: Any]
      #expect(found.feature.id == wanted["id"] as? Int)
      if let id = found.feature.clusterID {
        #expect(id == tags["cluster_id"] as? Int)
        #expect(found.feature.count == tags["point_count"] as? Int)
      } else {
        let properties = places[found.feature.pointIndex!]["properties"] as! [String: Any]
        #expect(NSDictionary(dictionary: properties) == NSDictionary(dictionary: tags))
        #expect(tags["cluster"] == nil)
      }
    }
  }
}
