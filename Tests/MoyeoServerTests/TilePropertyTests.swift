import Foundation
import GeoMath
import LiveLayers
import ObjectModel
import PointClustering
import Testing
import VectorTiles

@testable import MoyeoServer

/// What a tile says of its features, before a format writes it.
struct TilePropertyTests {
  static func feature(
    count: Int, aggregates: ClusterAggregates, object: ObjectSnapshot? = nil
  ) throws -> MapFeature {
    MapFeature(
      id: try #require(ClusterID(rawValue: 5 << 48 | 77)),
      coordinate: Coordinate(uncheckedLatitude: 37.5, longitude: 127),
      point: MercatorPoint(latitude: 37.5, longitude: 127), count: count, isCoincident: false,
      expansionZoom: nil, bounds: nil, aggregates: aggregates, sampleIDs: [], object: object)
  }

  static let sums = ClusterAggregates(
    seatsFree: 3, earliestDeparture: 1_700_000_000_000, lowestFarePerPerson: 4_800)
  static let expected: [TileFeature.Property] = [
    .init("seats_free", .integer(3)),
    .init("earliest_departure", .string("2023-11-14T22:13:20Z")),
    .init("lowest_fare_per_person", .integer(4_800)),
  ]

  @Test func clustersCarryTheirAggregates() throws {
    let properties = TileFeature(try Self.feature(count: 2, aggregates: Self.sums)).properties
    #expect(Array(properties.suffix(3)) == Self.expected)
    #expect(properties.first?.key == "cluster" && properties.first?.value == .boolean(true))
  }

  @Test func singlesCarryTheirsAndNoAttributePosesAsOne() throws {
    var payload: [UInt8] = []
    // Struct entries {"seats_free": true} and {"level": true}.
    var attributes: [UInt8] = []
    for name in ["level", "seats_free"] {
      let entry = [0x0A, UInt8(name.utf8.count)] + Array(name.utf8) + [0x12, 2, 0x20, 1]
      attributes += [0x0A, UInt8(entry.count)] + entry
    }
    ObjectPayload.append(tags: ["a\"b", "한글"], attributes: attributes, to: &payload)
    let object = ObjectSnapshot(
      id: "p", latitude: 37.5, longitude: 127, payload: payload, observedAt: .init(seconds: 1))
    let properties = TileFeature(
      try Self.feature(count: 1, aggregates: Self.sums, object: object)
    ).properties
    #expect(Array(properties.suffix(3)) == Self.expected)
    let others: [TileFeature.Property] = [
      .init("id", .string("p")), .init("tags", .string(#"["a\"b","한글"]"#)),
      .init("level", .boolean(true)),
    ]
    #expect(Array(properties.dropLast(3)) == others)
  }

  @Test func bothFormatsWriteThem() throws {
    let features = [TileFeature(try Self.feature(count: 2, aggregates: Self.sums))]
    let json = String(decoding: GeoJSONTile.encode(features), as: UTF8.self)
    #expect(
      json.contains(
        #""seats_free":3,"earliest_departure":"2023-11-14T22:13:20Z","lowest_fare_per_person":4800"#
      ))
    let address = try #require(TileAddress(zoom: 0, x: 0, y: 0))
    let tile = VectorTileEncoder.encode(layer: "parties", tile: address, features: features)
    for name in Self.expected.map(\.key) + ["2023-11-14T22:13:20Z"] {
      #expect(Data(tile).firstRange(of: Data(name.utf8)) != nil, "\(name)")
    }
  }

  @Test func withoutAggregatesThereAreNone() throws {
    let properties = TileFeature(try Self.feature(count: 2, aggregates: .none)).properties
    #expect(!properties.contains { Self.expected.map(\.key).contains($0.key) })
  }
}
