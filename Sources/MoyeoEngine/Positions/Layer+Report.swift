public import ObjectModel
public import SpatialIndexing

extension Layer {
  /// Stores reports; `outcomes[i]` is what became of the i-th.
  ///
  /// Of two with one id the later wins. Age and expiry count from `observedAt`; one more than
  /// `clockSkewMilliseconds` ahead of `now` is taken as `now`.
  public func report(
    _ reports: [PositionReport], now: Instant, limits: EngineLimits
  ) -> [ReportOutcome] {
    var batch = UpdateBatch(columnCount: columns.count)
    var payload: [UInt8] = []
    var columnValues = [Double](repeating: .nan, count: columns.count)
    var outcomes = [ReportOutcome](repeating: .accepted, count: reports.count)
    var positions: [Int] = []
    positions.reserveCapacity(reports.count)
    for (i, report) in reports.enumerated() {
      let times = self.times(of: report, now: now, limits: limits)
      guard times.expiresAt > now else {
        outcomes[i] = .alreadyExpired
        continue
      }
      payload.removeAll(keepingCapacity: true)
      ObjectPayload.append(tags: report.tags, attributes: report.attributes, to: &payload)
      if !columnValues.isEmpty { fillColumns(from: report.attributes, into: &columnValues) }
      batch.append(
        id: report.id, latitude: report.latitude, longitude: report.longitude, tags: report.tags,
        payload: payload, columns: columnValues, observedAt: times.observedAt,
        expiresAt: times.expiresAt)
      positions.append(i)
    }
    var updates: [UpdateOutcome] = []
    index.apply(
      batch, now: now, outcomes: &updates, changes: publishing(masks(of: reports), now: now))
    for (position, update) in zip(positions, updates) where update == .stale {
      outcomes[position] = .stale
    }
    return outcomes
  }

  /// When an observation was made and when it ends, by this layer's rules.
  public func times(
    observedAt: Instant?, ttlMilliseconds: Int64?, now: Instant, limits: EngineLimits
  ) -> (observedAt: Instant, expiresAt: Instant) {
    // Not before the year 1, where RFC 3339 and protobuf's Timestamp begin.
    var observed = max(observedAt ?? now, Instant(seconds: -62_135_596_800))
    if observed > now.advanced(milliseconds: limits.clockSkewMilliseconds) { observed = now }
    let ttl = ttlMilliseconds ?? settings.defaultTTLMilliseconds
    return (observed, ttl == 0 ? .distantFuture : observed.advanced(milliseconds: ttl))
  }

  private func times(
    of report: PositionReport, now: Instant, limits: EngineLimits
  ) -> (observedAt: Instant, expiresAt: Instant) {
    times(
      observedAt: report.observedAt, ttlMilliseconds: report.ttlMilliseconds, now: now,
      limits: limits)
  }

  /// Tag summaries by id hash; of two reports with one id the later counts, as in the index.
  private func masks(of reports: [PositionReport]) -> [UInt64: UInt64] {
    guard feed.clusters != nil else { return [:] }
    var masks: [UInt64: UInt64] = [:]
    masks.reserveCapacity(reports.count)
    for report in reports { masks[StableHash.hash64(report.id)] = TagMask.mask(report.tags) }
    return masks
  }

  private func fillColumns(from attributes: [UInt8], into values: inout [Double]) {
    attributes.withUnsafeBytes { bytes in
      for (i, name) in columns.enumerated() {
        if case .number(let number)? = ObjectPayload.value(of: name, inAttributes: bytes) {
          values[i] = number
        } else {
          values[i] = .nan
        }
      }
    }
  }

  /// Takes an object out. - Returns: Whether it was there.
  public func remove(id: String, now: Instant) -> Bool {
    index.remove(ids: [id], now: now, changes: publishing([:], now: now))[0]
  }
}

extension Layer {
  /// Applies moves by handle; `outcomes[i]` is what became of the i-th.
  public func apply(
    _ batch: borrowing UpdateBatch, now: Instant, outcomes: inout [UpdateOutcome]
  ) {
    index.apply(batch, now: now, outcomes: &outcomes, changes: publishing([:], now: now))
  }
}
