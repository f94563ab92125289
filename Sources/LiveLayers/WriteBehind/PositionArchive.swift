package import ObjectModel

/// The last positions of all layers, kept so that a restart begins warm. Soft state: whatever is
/// lost here, the next heartbeats repair.
///
/// One caller writes at a time, from a thread that may block.
package protocol PositionArchive: Sendable {
  /// Writes and removes in short transactions; of two positions with one key the later wins.
  /// A position that is both written and removed in one call ends up removed.
  func write(_ batch: [StoredPosition], removing: [StoredPositionKey]) throws(StoreFailure)

  /// Drops what expired by `moment`.
  /// - Returns: How many.
  @discardableResult
  func removeExpired(by moment: Instant) throws(StoreFailure) -> Int

  /// Every position that has not expired at `moment`, in batches, grouped by layer.
  func load(liveAt moment: Instant, _ body: ([StoredPosition]) throws -> Void)
    throws(StoreFailure)

  /// Keeps the names of a tenant's layers in place of those kept before, so that a layer whose
  /// objects have all expired is known after a restart.
  func keepLayerNames(_ names: [String], tenant: String) throws(StoreFailure)

  /// The names kept last.
  func layerNames(tenant: String) throws(StoreFailure) -> [String]
}

extension PositionArchive {
  /// An archive without room for names: its layers begin with their first live object.
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

/// One object as the index keeps it.
package struct StoredPosition: Hashable, Sendable {
  package var key: StoredPositionKey
  /// Degrees, as reported.
  package var latitude: Double
  package var longitude: Double
  package var observedAt: Instant
  /// ``/ObjectModel/Instant/distantFuture``: never.
  package var expiresAt: Instant
  /// Tags and attributes as ``ObjectPayload`` encodes them; only this module reads it.
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
