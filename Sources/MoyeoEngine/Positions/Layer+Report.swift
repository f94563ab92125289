public import ObjectModel
public import SpatialIndexing

extension Layer {
  public func reportBatch(now: Instant, limits: EngineLimits) -> ReportBatch {
    ReportBatch(layer: self, now: now, limits: limits)
  }

  /// Stores reports; `outcomes[i]` is what became of the i-th.
  ///
  /// Of two with one id the later wins. Age and expiry count from `observedAt`; one more than
  /// `clockSkewMilliseconds` ahead of the batch's `now` is taken as `now`.
  public func apply(_ batch: consuming ReportBatch) -> [ReportOutcome] {
    var updates: [UpdateOutcome] = []
    index.apply(
      batch.updates, now: batch.now, outcomes: &updates,
      changes: publishing(batch.masks, now: batch.now), isFollowed: isFollowed)
    var outcomes = batch.outcomes
    for (position, update) in zip(batch.positions, updates) where update == .stale {
      outcomes[position] = .stale
    }
    return outcomes
  }

  /// The same from values.
  public func report(
    _ reports: [PositionReport], now: Instant, limits: EngineLimits
  ) -> [ReportOutcome] {
    var batch = reportBatch(now: now, limits: limits)
    batch.reserveCapacity(reports.count)
    for report in reports { batch.append(report) }
    return apply(batch)
  }

  /// When an observation was made and when it ends, by this layer's rules; whether the first is the
  /// time of receipt.
  public func times(
    observedAt: Instant?, ttlMilliseconds: Int64?, now: Instant, limits: EngineLimits
  ) -> (observedAt: Instant, expiresAt: Instant, isReceiptTime: Bool) {
    // Not before the year 1, where RFC 3339 and protobuf's Timestamp begin.
    var observed = max(observedAt ?? now, Instant(seconds: -62_135_596_800))
    let isAhead = observed > now.advanced(milliseconds: limits.clockSkewMilliseconds)
    if isAhead { observed = now }
    let ttl = ttlMilliseconds ?? settings.defaultTTLMilliseconds
    return (
      observed, ttl == 0 ? .distantFuture : observed.advanced(milliseconds: ttl),
      observedAt == nil || isAhead
    )
  }

  /// Applies moves by handle; `outcomes[i]` is what became of the i-th.
  public func apply(
    _ batch: borrowing UpdateBatch, now: Instant, outcomes: inout [UpdateOutcome]
  ) {
    index.apply(
      batch, now: now, outcomes: &outcomes, changes: publishing([:], now: now),
      isFollowed: isFollowed)
  }

  /// Whether clusters or watches want each change; the layer's version grows without.
  private func isFollowed() -> Bool { feed.clusters != nil || watches.isFollowed }

  /// Takes an object out. - Returns: Whether it was there.
  public func remove(id: String, now: Instant) -> Bool {
    let wasThere = index.remove(ids: [id], now: now, changes: publishing([:], now: now))[0]
    if wasThere { removals.note(id) }
    return wasThere
  }
}
