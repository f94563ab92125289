public import GeoMath
public import ObjectModel
public import PointClustering

/// What a map shows at one place: a cluster, objects at one identical position, or one object.
public struct MapFeature: Sendable {
  public let id: ClusterID
  /// Where to draw it.
  public let coordinate: Coordinate
  public let point: MercatorPoint
  public let count: Int
  /// All members stand at exactly one position.
  public let isCoincident: Bool
  /// `nil` where no zoom takes it apart.
  public let expansionZoom: Int?
  public let bounds: GeoBox?
  public let aggregates: ClusterAggregates
  /// At most ten members; empty for a single object.
  public let sampleIDs: [String]
  /// When it is one object.
  public let object: ObjectSnapshot?

  public init(
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
public struct ObjectSnapshot: Sendable {
  public let id: String
  public let latitude: Double
  public let longitude: Double
  /// See ``ObjectPayload``.
  public let payload: [UInt8]
  public let observedAt: ObjectModel.Instant
  public let expiresAt: ObjectModel.Instant

  public init(
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
