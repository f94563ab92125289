package import ObjectModel
import SpatialIndexing

extension Layer {
  /// Stores what the log says of objects, in its order. None of it is stale: the log has decided.
  ///
  /// - Returns: How many of them there was no room for.
  func takeOver(_ positions: [StoredPosition], now: Instant) -> Int {
    let (updates, masks) = updates(of: positions, count: positions.count, isReceiptTime: true)
    var outcomes: [UpdateOutcome] = []
    store(updates, masks: masks, now: now, outcomes: &outcomes)
    return outcomes.count { $0 == .full }
  }

  /// Returns the change that a report asks the log for; nil for one that has expired on its way.
  package func change(
    _ report: PositionReport, tenant: String, now: Instant, limits: LayerLimits
  ) -> PositionChange? {
    let times = times(
      observedAt: report.observedAt, ttlMilliseconds: report.ttlMilliseconds, now: now,
      clockSkewMilliseconds: limits.clockSkewMilliseconds)
    guard times.expiresAt > now else { return nil }
    var payload: [UInt8] = []
    ObjectPayload.append(tags: report.tags, attributes: report.attributes, to: &payload)
    return .put(
      StoredPosition(
        key: StoredPositionKey(tenant: tenant, layer: name, id: report.id),
        latitude: report.latitude, longitude: report.longitude, observedAt: times.observedAt,
        expiresAt: times.expiresAt, payload: payload), isReceiptTime: times.isReceiptTime)
  }
}
