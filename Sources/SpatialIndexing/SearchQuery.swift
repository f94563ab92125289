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

/// A condition on one numeric column: `minimum <= value <= maximum`. An absent value never matches.
public struct ColumnRange: Hashable, Sendable {
  /// 0..<columnCount.
  public var column: Int
  /// Inclusive.
  public var minimum: Double
  /// Inclusive.
  public var maximum: Double

  /// Lets values of a column pass that lie in a range, ends included.
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

/// Conditions every hit meets; all of them act before the limit.
@safe public struct SearchFilter: Sendable {
  /// Normalised. Empty: no condition.
  public var tags: [String]
  /// Whether all of the tags or any of them must be there.
  public var tagMatch: TagMatch
  /// Normalised; none of them may be carried.
  public var notTags: [String]
  /// Ids that are never hits.
  public var excludedIDs: [String]
  /// Where hits must lie; `nil`: anywhere.
  public var area: SearchArea?
  /// All must hold.
  public var columnRanges: [ColumnRange]
  /// Inclusive.
  public var observedNotBefore: Instant?
  /// Sees the payload; evaluated last, for conditions that no column answers.
  public var payloadPredicate: (@Sendable (UnsafeRawBufferPointer) -> Bool)?

  /// Describes a filter; what is left out lets everything pass.
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

/// The nearest objects, ordered by distance in whole millimetres, then by id as UTF-8 bytes.
public struct NearestQuery: Sendable {
  /// Degrees.
  public var latitude: Double
  /// Degrees.
  public var longitude: Double
  /// At most this many hits.
  public var limit: Int
  /// Inclusive.
  public var maximumDistanceMillimeters: Int64?
  /// What objects must meet.
  public var filter: SearchFilter
  /// Only hits strictly after this position in the order.
  public var after: (distanceMillimeters: Int64, id: String)?
  /// Whether the visitor reads ids or payloads: they are then brought close ahead of it, which
  /// takes more than half off what reading them costs, and is wasted on a visitor that does not.
  public var readsRecords: Bool

  /// Describes a question; what is left out has its usual value.
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

/// The objects in an area, ordered by the Morton code of their Mercator point, then by id as
/// UTF-8 bytes.
public struct WithinQuery: Sendable {
  /// Where to look.
  public var area: SearchArea
  /// At most this many hits.
  public var limit: Int
  /// What objects must meet.
  public var filter: SearchFilter
  /// Only hits strictly after this position in the order.
  public var after: (mortonCode: UInt64, id: String)?
  /// See ``NearestQuery/readsRecords``.
  public var readsRecords: Bool

  /// Describes a question; what is left out has its usual value.
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
