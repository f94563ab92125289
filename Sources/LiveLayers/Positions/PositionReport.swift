package import ObjectModel

/// A validated report of one object's position.
package struct PositionReport: Sendable {
  package var id: String
  package var latitude: Double
  package var longitude: Double
  /// Normalised, each once.
  package var tags: [String]
  /// The bytes of a `google.protobuf.Struct`, map entries in a fixed order.
  package var attributes: [UInt8]
  /// `nil` for the layer's default, 0 for ever.
  package var ttlMilliseconds: Int64?
  /// `nil` for the time of receipt.
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

/// What became of one report.
package enum ReportOutcome: Hashable, Sendable {
  case accepted
  /// A newer observation is stored.
  case stale
  /// Its time to live had passed before it arrived.
  case alreadyExpired
  /// The layer holds as many objects, or bytes of them, as it may.
  case full
}
