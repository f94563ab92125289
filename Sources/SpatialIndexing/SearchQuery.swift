public import GeoMath
public import ObjectModel

/// Which of the wanted tags an object must carry.
public enum TagMatch: Sendable {
  case any
  case all
}

/// An area to search in.
public enum SearchArea: Sendable {
  case box(GeoBox)
  case polygon(GeoPolygon)
}

/// The places within a distance of one.
public struct SearchCircle: Sendable {
  /// The place from which distances are measured.
  public var center: Coordinate
  /// Inclusive, in whole millimetres of the distance that everything uses.
  public var radiusMillimeters: Int64

  /// Makes a circle.
  public init(center: Coordinate, radiusMillimeters: Int64) {
    self.center = center
    self.radiusMillimeters = radiusMillimeters
  }

  /// A box that holds all of it.
  var covering: GeoBox { GeoBox(covering: center, radiusMillimeters: radiusMillimeters) }
}

/// A condition on a numeric column: `minimum <= value <= maximum`. An absent value never matches.
public struct ColumnRange: Hashable, Sendable {
  /// The number of the column, 0..<``LiveIndexConfiguration/columnCount``.
  public var column: Int
  /// The least value that matches.
  public var minimum: Double
  /// The greatest value that matches.
  public var maximum: Double

  /// Lets the values of a column pass that lie in a range, both ends included.
  public init(column: Int, minimum: Double = -.infinity, maximum: Double = .infinity) {
    self.column = column
    self.minimum = minimum
    self.maximum = maximum
  }

  /// Lets one value of a column pass.
  public init(column: Int, equals value: Double) {
    self.init(column: column, minimum: value, maximum: value)
  }
}

/// Conditions that every hit meets. All of them act before the limit.
@safe public struct SearchFilter: Sendable {
  /// The wanted tags, normalised; an empty list is no condition.
  public var tags: [String]
  /// Whether an object must carry all of the wanted tags or any of them.
  public var tagMatch: TagMatch
  /// The tags, normalised, of which an object may carry none.
  public var notTags: [String]
  /// The ids that are never hits.
  public var excludedIDs: [String]
  /// The area that hits must lie in; `nil` for anywhere.
  public var area: SearchArea?
  /// The conditions on columns, all of which must hold.
  public var columnRanges: [ColumnRange]
  /// The earliest moment of observation that matches; `nil` for any.
  public var observedNotBefore: Instant?
  /// A test of the payload, for conditions that no column answers. It runs last.
  public var payloadPredicate: (@Sendable (UnsafeRawBufferPointer) -> Bool)?

  /// Describes a filter. A condition that is left out lets everything pass.
  public init(
    tags: [String] = [], tagMatch: TagMatch = .all, notTags: [String] = [],
    excludedIDs: [String] = [], area: SearchArea? = nil, columnRanges: [ColumnRange] = [],
    observedNotBefore: Instant? = nil,
    payloadPredicate: (@Sendable (UnsafeRawBufferPointer) -> Bool)? = nil
  ) {
    self.tags = tags
    self.tagMatch = tagMatch
    self.notTags = notTags
    self.excludedIDs = excludedIDs
    self.area = area
    self.columnRanges = columnRanges
    self.observedNotBefore = observedNotBefore
    unsafe self.payloadPredicate = payloadPredicate
  }
}

/// A bound on how far another way to measure is from the index's: of the two distances of a place
/// from another neither exceeds the other by more than a factor and so many meters.
public struct DistanceSlack: Sendable {
  /// The factor, 1 or more.
  public let ratio: Double
  /// What is added, in meters.
  public let meters: Double

  /// The two are the same.
  static let none = DistanceSlack(ratio: 1, meters: 0)

  /// Bounds a way to measure.
  public init(ratio: Double, meters: Double) {
    self.ratio = ratio
    self.meters = meters
  }
}

/// A question for the nearest objects, ordered by distance in whole millimetres, then by id as
/// UTF-8 bytes.
public struct NearestQuery: Sendable {
  /// The latitude of the origin in degrees.
  public var latitude: Double
  /// The longitude of the origin in degrees.
  public var longitude: Double
  /// The greatest number of hits.
  public var limit: Int
  /// The greatest distance of a hit, inclusive; `nil` for any distance.
  public var maximumDistanceMillimeters: Int64?
  /// The conditions that hits meet.
  public var filter: SearchFilter
  /// The place in the order after which hits begin; `nil` to begin with the nearest.
  public var after: (distanceMillimeters: Int64, id: String)?
  /// Whether the visitor reads ids or payloads. They are then prefetched, which takes more than
  /// half off the cost of reading them, and is wasted on a visitor that does not read them.
  public var readsRecords: Bool

  /// Describes a question. A part that is left out has its usual value.
  public init(
    latitude: Double, longitude: Double, limit: Int, maximumDistanceMillimeters: Int64? = nil,
    filter: SearchFilter = unsafe SearchFilter(),
    after: (distanceMillimeters: Int64, id: String)? = nil, readsRecords: Bool = false
  ) {
    self.readsRecords = readsRecords
    self.latitude = latitude
    self.longitude = longitude
    self.limit = limit
    self.maximumDistanceMillimeters = maximumDistanceMillimeters
    self.filter = filter
    self.after = after
  }
}

/// A question for the objects in an area, ordered by the Morton code of their Mercator point, then
/// by id as UTF-8 bytes.
public struct WithinQuery: Sendable {
  /// The area that hits lie in.
  public var area: SearchArea
  /// The greatest number of hits.
  public var limit: Int
  /// The conditions that hits meet.
  public var filter: SearchFilter
  /// The place in the order after which hits begin; `nil` to begin with the first.
  public var after: (mortonCode: UInt64, id: String)?
  /// Whether the visitor reads ids or payloads; see ``NearestQuery/readsRecords``.
  public var readsRecords: Bool

  /// Describes a question. A part that is left out has its usual value.
  public init(
    area: SearchArea, limit: Int, filter: SearchFilter = unsafe SearchFilter(),
    after: (mortonCode: UInt64, id: String)? = nil, readsRecords: Bool = false
  ) {
    self.readsRecords = readsRecords
    self.area = area
    self.limit = limit
    self.filter = filter
    self.after = after
  }
}
