package import ObjectModel
package import SpatialIndexing
import WireFormat

extension Layer {
  /// Begins a batch of reports.
  package func reportBatch(now: Instant, limits: LayerLimits) -> ReportBatch {
    var batch = ReportBatch()
    batch.begin(for: self, now: now, clockSkewMilliseconds: limits.clockSkewMilliseconds)
    return batch
  }

  /// Stores reports; `outcomes[i]` tells what the layer did with the i-th.
  ///
  /// Of two reports with one id the later wins. Age and expiry count from `observedAt`, which is
  /// taken as `now` when it is more than `clockSkewMilliseconds` ahead of the batch's `now`.
  package func apply(_ batch: consuming ReportBatch) -> [ReportOutcome] {
    var updates: [UpdateOutcome] = []
    store(batch.updates, masks: batch.masks, now: batch.now, outcomes: &updates)
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

  /// Stores reports of the time of receipt, none of which can have expired before; `outcomes[i]`
  /// tells what the index did with the i-th.
  package func apply(_ batch: borrowing ReportBatch, outcomes: inout [UpdateOutcome]) {
    store(batch.updates, masks: batch.masks, now: batch.now, outcomes: &outcomes)
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
    observedAt: Instant?, ttlMilliseconds: Int64?, now: Instant, clockSkewMilliseconds: Int64
  ) -> (observedAt: Instant, expiresAt: Instant, isReceiptTime: Bool) {
    // The earliest time is the year 1, where RFC 3339 and protobuf's Timestamp begin.
    var observed = max(observedAt ?? now, Instant(seconds: RFC3339.seconds.lowerBound))
    let isAhead = observed > now.advanced(milliseconds: clockSkewMilliseconds)
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
    store(batch, masks: [:], now: now, outcomes: &outcomes)
  }

  /// Gives reports to the index, snapped where the layer protects positions.
  func store(
    _ batch: borrowing UpdateBatch, masks: [ObjectRank: UInt64], now: Instant,
    outcomes: inout [UpdateOutcome], keepsSnapped: Bool = false
  ) {
    guard let protection else {
      index.apply(batch, now: now, outcomes: &outcomes, isFollowed: isFollowed) {
        publish($0, masks, now: now)
      }
      return
    }
    protection.apply(batch, keepsSnapped: keepsSnapped, in: index, now: now) { snapped, note in
      index.apply(
        snapped, now: now, outcomes: &outcomes,
        changes: { changes in
          note(changes)
          self.publish(changes, masks, now: now)
        })
      return outcomes
    }
  }

  /// Takes objects out of the index. - Returns: Which of them were there.
  func discard(ids: [String], now: Instant) -> [Bool] {
    discarding(now: now) { index.remove(ids: ids, now: now, changes: $0) }
  }

  /// Runs what takes objects out of the index and tells those who follow the layer.
  func discarding<Answer>(
    now: Instant, _ remove: (@escaping (UnsafeBufferPointer<IndexChange>) -> Void) -> Answer
  ) -> Answer {
    let publish = publishing([:], now: now)
    guard let protection else { return remove(publish) }
    return protection.removing { note in
      remove { changes in
        note(changes)
        publish(changes)
      }
    }
  }

  /// Returns whether clusters, watches or an index of attributes want each change. The layer's
  /// version grows either way.
  private func isFollowed() -> Bool {
    feed.clusters != nil || watches.isFollowed || attributeFeed.isFollowed
  }

  /// Removes an object.
  ///
  /// - Returns: Whether it was there.
  package func remove(id: String, now: Instant) -> Bool {
    let wasThere = discard(ids: [id], now: now)[0]
    if wasThere { removals.note(id) }
    return wasThere
  }
}
