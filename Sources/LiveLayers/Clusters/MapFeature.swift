package import GeoMath
package import ObjectModel
package import PointClustering

/// What a map shows at one place: a cluster, objects at one identical position, or one object.
package struct MapFeature: Sendable {
  package let id: ClusterID
  /// The place where the feature is drawn.
  package let coordinate: Coordinate
  package let point: MercatorPoint
  package let count: Int
  /// Whether all members are at exactly one position.
  package let isCoincident: Bool
  /// The first zoom that takes the cluster apart; `nil` when none does.
  package let expansionZoom: Int?
  package let bounds: GeoBox?
  package let aggregates: ClusterAggregates
  /// The ids of at most ten members; empty for a single object.
  package let sampleIDs: [String]
  /// The object, when the feature is a single one.
  package let object: ObjectSnapshot?

  package init(
    id: ClusterID, coordinate: Coordinate, point: MercatorPoint, count: Int, isCoincident: Bool,
    expansionZoom: Int?, bounds: GeoBox?, aggregates: ClusterAggregates, sampleIDs: [String],
    object: ObjectSnapshot?
  ) {
    self.id = id
    self.coordinate = coordinate
    self.point = point
    self.count = count
    self.isCoincident = isCoincident
    self.expansionZoom = expansionZoom
    self.bounds = bounds
    self.aggregates = aggregates
    self.sampleIDs = sampleIDs
    self.object = object
  }
}

/// An object as it was when it was read.
package struct ObjectSnapshot: Sendable {
  package let id: String
  package let latitude: Double
  package let longitude: Double
  /// The tags and attributes as ``ObjectPayload`` encodes them.
  package let payload: [UInt8]
  package let observedAt: ObjectModel.Instant
  package let expiresAt: ObjectModel.Instant

  package init(
    id: String, latitude: Double, longitude: Double, payload: [UInt8],
    observedAt: ObjectModel.Instant, expiresAt: ObjectModel.Instant = .distantFuture
  ) {
    self.id = id
    self.latitude = latitude
    self.longitude = longitude
    self.payload = payload
    self.observedAt = observedAt
    self.expiresAt = expiresAt
  }
}
