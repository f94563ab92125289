package import ObjectModel

/// A validated report of one object's position.
package struct PositionReport: Sendable {
  package var id: String
  package var latitude: Double
  package var longitude: Double
  /// The normalised tags, without repetitions.
  package var tags: [String]
  /// The bytes of a `google.protobuf.Struct`, with map entries in a fixed order.
  package var attributes: [UInt8]
  /// The time to live in milliseconds: `nil` for the layer's default, 0 for ever.
  package var ttlMilliseconds: Int64?
  /// The moment of the observation; `nil` for the time of receipt.
  package var observedAt: Instant?

  package init(
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

/// What a layer did with one report.
package enum ReportOutcome: Hashable, Sendable {
  case accepted
  /// A newer observation is stored, so that nothing changed.
  case stale
  /// The report's time to live had passed before it arrived.
  case alreadyExpired
  /// The layer holds as many objects, or bytes of them, as it may.
  case full
}
