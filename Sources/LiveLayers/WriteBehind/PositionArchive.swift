package import ObjectModel

/// A store of the last positions of all layers, so that a restart begins with them. Losing them
/// costs little: the next reports of the same objects replace them.
///
/// One caller writes at a time, from a thread that may block.
package protocol PositionArchive: Sendable {
  /// Writes and removes in short transactions. Of two positions with one key the later wins. A
  /// position that is both written and removed in one call is absent afterwards.
  func write(_ batch: [StoredPosition], removing: [StoredPositionKey]) throws(StoreFailure)

  /// Removes the positions that have expired by `moment`.
  ///
  /// - Returns: The number of positions removed.
  @discardableResult
  func removeExpired(by moment: Instant) throws(StoreFailure) -> Int

  /// Reads every position that has not expired at `moment`, in batches, grouped by layer.
  func load(liveAt moment: Instant, _ body: ([StoredPosition]) throws -> Void)
    throws(StoreFailure)

  /// Replaces the stored names of a tenant's layers, so that a layer whose objects have all expired
  /// is known after a restart.
  func keepLayerNames(_ names: [String], tenant: String) throws(StoreFailure)

  /// Returns the names that were stored last.
  func layerNames(tenant: String) throws(StoreFailure) -> [String]
}

extension PositionArchive {
  /// Stores nothing. It is the default for archives without names, whose layers begin with their
  /// first live object.
  package func keepLayerNames(_ names: [String], tenant: String) throws(StoreFailure) {}
  package func layerNames(tenant: String) throws(StoreFailure) -> [String] { [] }
}

package struct StoredPositionKey: Hashable, Sendable {
  package var tenant: String
  package var layer: String
  package var id: String

  package init(tenant: String, layer: String, id: String) {
    self.tenant = tenant
    self.layer = layer
    self.id = id
  }
}

/// One object as the index holds it.
package struct StoredPosition: Hashable, Sendable {
  package var key: StoredPositionKey
  /// The latitude in degrees, exactly as reported.
  package var latitude: Double
  package var longitude: Double
  package var observedAt: Instant
  /// The moment of expiry; ``/ObjectModel/Instant/distantFuture`` for never.
  package var expiresAt: Instant
  /// The tags and attributes as ``ObjectPayload`` encodes them; only this module reads them.
  package var payload: [UInt8]

  package init(
    key: StoredPositionKey, latitude: Double, longitude: Double, observedAt: Instant,
    expiresAt: Instant, payload: [UInt8]
  ) {
    self.key = key
    self.latitude = latitude
    self.longitude = longitude
    self.observedAt = observedAt
    self.expiresAt = expiresAt
    self.payload = payload
  }
}
