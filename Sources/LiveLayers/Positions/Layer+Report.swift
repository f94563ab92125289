package import ObjectModel
package import SpatialIndexing
import WireFormat

extension Layer {
  package func reportBatch(now: Instant, limits: LayerLimits) -> ReportBatch {
    ReportBatch(layer: self, now: now, limits: limits)
  }

  /// Stores reports; `outcomes[i]` tells what the layer did with the i-th.
  ///
  /// Of two reports with one id the later wins. Age and expiry count from `observedAt`, which is
  /// taken as `now` when it is more than `clockSkewMilliseconds` ahead of the batch's `now`.
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

  /// Stores reports that come as values.
  package func report(
    _ reports: [PositionReport], now: Instant, limits: LayerLimits
  ) -> [ReportOutcome] {
    var batch = reportBatch(now: now, limits: limits)
    batch.reserveCapacity(reports.count)
    for report in reports { batch.append(report) }
    return apply(batch)
  }

  /// Returns, by this layer's rules, when an observation was made and when it expires, and whether
  /// the first is the time of receipt.
  package func times(
    observedAt: Instant?, ttlMilliseconds: Int64?, now: Instant, limits: LayerLimits
  ) -> (observedAt: Instant, expiresAt: Instant, isReceiptTime: Bool) {
    // The earliest time is the year 1, where RFC 3339 and protobuf's Timestamp begin.
    var observed = max(observedAt ?? now, Instant(seconds: RFC3339.seconds.lowerBound))
    let isAhead = observed > now.advanced(milliseconds: limits.clockSkewMilliseconds)
    if isAhead { observed = now }
    let ttl = ttlMilliseconds ?? settings.defaultTTLMilliseconds
    return (
      observed, ttl == 0 ? .distantFuture : observed.advanced(milliseconds: ttl),
      observedAt == nil || isAhead
    )
  }

  /// Applies moves by handle; `outcomes[i]` tells what the layer did with the i-th.
  package func apply(
    _ batch: borrowing UpdateBatch, now: Instant, outcomes: inout [UpdateOutcome]
  ) {
    index.apply(
      batch, now: now, outcomes: &outcomes, changes: publishing([:], now: now),
      isFollowed: isFollowed)
  }

  /// Returns whether clusters or watches want each change. The layer's version grows either way.
  private func isFollowed() -> Bool { feed.clusters != nil || watches.isFollowed }

  /// Removes an object.
  ///
  /// - Returns: Whether it was there.
  package func remove(id: String, now: Instant) -> Bool {
    let wasThere = index.remove(ids: [id], now: now, changes: publishing([:], now: now))[0]
    if wasThere { removals.note(id) }
    return wasThere
  }
}
