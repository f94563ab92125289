package import ObjectModel
package import SpatialIndexing
import WireFormat

extension Layer {
  package func reportBatch(now: Instant, limits: LayerLimits) -> ReportBatch {
    ReportBatch(layer: self, now: now, limits: limits)
  }

  /// Stores reports; `outcomes[i]` is what became of the i-th.
  ///
  /// Of two with one id the later wins. Age and expiry count from `observedAt`; one more than
  /// `clockSkewMilliseconds` ahead of the batch's `now` is taken as `now`.
  package func apply(_ batch: consuming ReportBatch) -> [ReportOutcome] {
    var updates: [UpdateOutcome] = []
    index.apply(
      batch.updates, now: batch.now, outcomes: &updates,
      changes: publishing(batch.masks, now: batch.now), isFollowed: isFollowed)
    var outcomes = batch.outcomes
    for (position, update) in zip(batch.positions, updates) {
      switch update {
      case .inserted, .updated, .unknownHandle: break
      case .stale: outcomes[position] = .stale
      case .full: outcomes[position] = .full
      }
    }
    return outcomes
  }

  /// The same from values.
  package func report(
    _ reports: [PositionReport], now: Instant, limits: LayerLimits
  ) -> [ReportOutcome] {
    var batch = reportBatch(now: now, limits: limits)
    batch.reserveCapacity(reports.count)
    for report in reports { batch.append(report) }
    return apply(batch)
  }

  /// When an observation was made and when it ends, by this layer's rules; whether the first is the
  /// time of receipt.
  package func times(
    observedAt: Instant?, ttlMilliseconds: Int64?, now: Instant, limits: LayerLimits
  ) -> (observedAt: Instant, expiresAt: Instant, isReceiptTime: Bool) {
    // Not before the year 1, where RFC 3339 and protobuf's Timestamp begin.
    var observed = max(observedAt ?? now, Instant(seconds: RFC3339.seconds.lowerBound))
    let isAhead = observed > now.advanced(milliseconds: limits.clockSkewMilliseconds)
    if isAhead { observed = now }
    let ttl = ttlMilliseconds ?? settings.defaultTTLMilliseconds
    return (
      observed, ttl == 0 ? .distantFuture : observed.advanced(milliseconds: ttl),
      observedAt == nil || isAhead
    )
  }

  /// Applies moves by handle; `outcomes[i]` is what became of the i-th.
  package func apply(
    _ batch: borrowing UpdateBatch, now: Instant, outcomes: inout [UpdateOutcome]
  ) {
    index.apply(
      batch, now: now, outcomes: &outcomes, changes: publishing([:], now: now),
      isFollowed: isFollowed)
  }

  /// Whether clusters, watches or an index of attributes want each change; the layer's version grows
  /// without.
  private func isFollowed() -> Bool {
    feed.clusters != nil || watches.isFollowed || attributeFeed.isFollowed
  }

  /// Takes an object out. - Returns: Whether it was there.
  package func remove(id: String, now: Instant) -> Bool {
    let wasThere = index.remove(ids: [id], now: now, changes: publishing([:], now: now))[0]
    if wasThere { removals.note(id) }
    return wasThere
  }
}
