public import ObjectModel

/// A validated report of one object's position.
public struct PositionReport: Sendable {
  public var id: String
  public var latitude: Double
  public var longitude: Double
  /// Normalised, each once.
  public var tags: [String]
  /// The bytes of a `google.protobuf.Struct`, map entries in a fixed order.
  public var attributes: [UInt8]
  /// `nil` for the layer's default, 0 for ever.
  public var ttlMilliseconds: Int64?
  /// `nil` for the time of receipt.
  public var observedAt: Instant?

  public init(
    id: String, latitude: Double, longitude: Double, tags: [String] = [],
    attributes: [UInt8] = [], ttlMilliseconds: Int64? = nil, observedAt: Instant? = nil
  ) {
    self.id = id
    self.latitude = latitude
    self.longitude = longitude
    self.tags = tags
    self.attributes = attributes
    self.ttlMilliseconds = ttlMilliseconds
    self.observedAt = observedAt
  }
}

/// What became of one report.
public enum ReportOutcome: Hashable, Sendable {
  case accepted
  /// A newer observation is stored.
  case stale
  /// Its time to live had passed before it arrived.
  case alreadyExpired
}
