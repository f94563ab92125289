public import GeoMath

/// A property's value.
public enum TileValue: Hashable, Sendable {
  case string(String)
  case integer(Int64)
  case double(Double)
  case boolean(Bool)
}

/// A point with properties, as vector tiles and GeoJSON carry it.
public struct TileFeature: Hashable, Sendable {
  /// A named value.
  public struct Property: Hashable, Sendable {
    /// The name of the property.
    public var key: String
    /// The value of the property.
    public var value: TileValue

    /// Names a value.
    public init(_ key: String, _ value: TileValue) {
      self.key = key
      self.value = value
    }
  }

  /// Below 2^53, so that readers in JavaScript keep it whole.
  public var id: UInt64?
  /// Where the feature stands, in Mercator units.
  public var position: MercatorPoint
  /// Where the point was reported, if known: written to GeoJSON instead of ``position``.
  public var coordinate: Coordinate?
  /// In the order they are written; keys must differ.
  public var properties: [Property]

  /// Describes a feature.
  public init(
    id: UInt64? = nil, position: MercatorPoint, coordinate: Coordinate? = nil,
    properties: [Property] = []
  ) {
    self.id = id
    self.position = position
    self.coordinate = coordinate
    self.properties = properties
  }
}

/// The property names that map libraries know clusters by, and supercluster's short counts.
public enum ClusterProperty {
  /// `true` on clusters.
  public static let isCluster = "cluster"
  /// The cluster's id as text.
  public static let clusterID = "cluster_id"
  /// How many objects it holds.
  public static let pointCount = "point_count"
  /// The same, short enough to draw: `1.2k`.
  public static let pointCountAbbreviated = "point_count_abbreviated"
  /// `true` when all objects are at one position.
  public static let coincident = "coincident"
  /// Seats still free, summed.
  public static let seatsFree = "seats_free"
  /// The earliest departure, milliseconds since 1970.
  public static let earliestDeparture = "earliest_departure"
  /// The lowest fare a person, minor units.
  public static let lowestFarePerPerson = "lowest_fare_per_person"

  /// 999 as the number 999; 1,000 as "1k", 1,234 as "1.2k", 12,345 as "12k" (supercluster's rule).
  public static func abbreviated(_ count: Int) -> TileValue {
    if count >= 10_000 { return .string("\((count + 500) / 1_000)k") }
    guard count >= 1_000 else { return .integer(Int64(count)) }
    let tenths = (count + 50) / 100
    return .string(
      tenths % 10 == 0 ? "\(tenths / 10)k" : "\(tenths / 10).\(tenths % 10)k")
  }
}
