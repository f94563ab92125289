public import ObjectModel

/// The last positions of all layers, kept so that a restart begins warm. Soft state: whatever is
/// lost here, the next heartbeats repair.
///
/// One caller writes at a time, from a thread that may block.
public protocol PositionArchive: Sendable {
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
}

public struct StoredPositionKey: Hashable, Sendable {
  public var tenant: String
  public var layer: String
  public var id: String

  public init(tenant: String, layer: String, id: String) {
    self.tenant = tenant
    self.layer = layer
    self.id = id
  }
}

/// One object as the index keeps it.
public struct StoredPosition: Hashable, Sendable {
  public var key: StoredPositionKey
  /// Degrees, as reported.
  public var latitude: Double
  public var longitude: Double
  public var observedAt: Instant
  /// ``/ObjectModel/Instant/distantFuture``: never.
  public var expiresAt: Instant
  /// Tags and attributes as the engine keeps them; only the engine reads it.
  public var payload: [UInt8]

  public init(
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
