import GeoMath
import LiveLayers
import ObjectModel
import PointClustering
import VectorTiles
import WireFormat

extension TileFeature {
  /// What a tile says of a cluster, of objects at one position, or of one object.
  ///
  /// - Parameters:
  ///   - feature: What the map shows at one place.
  ///   - isOfMany: The tile has more features than it may hold; each one then says so.
  init(_ feature: MapFeature, isOfMany: Bool = false) {
    self.init(
      id: feature.id.rawValue, position: feature.point, coordinate: feature.coordinate,
      properties: feature.object.map { TileProperties.object($0) }
        ?? TileProperties.cluster(feature))
    TileProperties.append(feature.aggregates, to: &properties)
    if isOfMany { properties.append(.init(TileProperties.truncated, .boolean(true))) }
  }
}

private enum TileProperties {
  static let truncated = "truncated"

  static func cluster(_ feature: MapFeature) -> [TileFeature.Property] {
    var out: [TileFeature.Property] = [
      .init(ClusterProperty.isCluster, .boolean(true)),
      .init(ClusterProperty.clusterID, .string(feature.id.hexadecimal)),
      .init(ClusterProperty.pointCount, .integer(Int64(feature.count))),
      .init(
        ClusterProperty.pointCountAbbreviated, ClusterProperty.abbreviated(feature.count)),
    ]
    if feature.isCoincident { out.append(.init(ClusterProperty.coincident, .boolean(true))) }
    return out
  }

  /// Of a cluster's members, or of the single object; times as RFC 3339 text, as everywhere.
  static func append(_ sums: ClusterAggregates, to out: inout [TileFeature.Property]) {
    guard sums != .none else { return }
    out.append(.init(ClusterProperty.seatsFree, .integer(sums.seatsFree)))
    if sums.earliestDeparture != .max {
      let text = RFC3339.utc(Instant(milliseconds: sums.earliestDeparture))
      out.append(.init(ClusterProperty.earliestDeparture, .string(text)))
    }
    if sums.lowestFarePerPerson != .max {
      out.append(.init(ClusterProperty.lowestFarePerPerson, .integer(sums.lowestFarePerPerson)))
    }
  }

  /// Tags as JSON text, since tiles hold no lists; attributes beside them by their names.
  static func object(_ object: ObjectSnapshot) -> [TileFeature.Property] {
    var out: [TileFeature.Property] = [.init("id", .string(object.id))]
    object.payload.withUnsafeBytes { payload in
      out.append(.init("tags", .string(GeoJSONTile.list(ObjectPayload.tags(in: payload)))))
      for (name, value) in ObjectPayload.scalars(in: payload) where !reserved.contains(name) {
        switch value {
        case .number(let number): out.append(.init(name, Self.number(number)))
        case .string(let text): out.append(.init(name, .string(text)))
        case .bool(let flag): out.append(.init(name, .boolean(flag)))
        }
      }
    }
    return out
  }

  private static let reserved: Set<String> = [
    "id", "tags", ClusterProperty.isCluster, ClusterProperty.clusterID,
    ClusterProperty.pointCount, ClusterProperty.pointCountAbbreviated, ClusterProperty.coincident,
    ClusterProperty.seatsFree, ClusterProperty.earliestDeparture,
    ClusterProperty.lowestFarePerPerson, truncated,
  ]

  private static func number(_ value: Double) -> TileValue {
    if let whole = Int64(exactly: value) { return .integer(whole) }
    return .double(value)
  }
}
