package import ObjectModel
import Threading

/// A ``PositionLog`` in memory, with the decisions of the real one: for tests.
///
/// Every call ends before it returns, unless ``holds(_:)`` keeps the ends back.
package final class MemoryPositionLog: PositionLog {
  private struct Shard {
    var objects: [String: StoredPosition] = [:]
    var entries: [PositionLogEntry] = []
    var newest = LogEntryID.zero
    /// Of each entry, what was stored before of the objects that it changes.
    var before: [LogEntryID: [String: StoredPosition?]] = [:]
    /// No id is given twice: a server that takes over is later than what its predecessor lost.
    var lastGiven = LogEntryID.zero
    /// How often a tail was lost.
    var source: UInt64 = 0
  }

  private struct State {
    var shards = [Shard](repeating: Shard(), count: SharedPositions.partitionCount)
    var failure: PositionLogFailure?
    var confirmationFailure: PositionLogFailure?
    var heldEnds: [@Sendable () -> Void]?
  }

  private let state = StateLock(State())
  private let clock: any WallClock
  private static let pageSize = 16

  /// - Parameter clock: Stamps reports that name no time, as the log's own does.
  package init(clock: any WallClock) { self.clock = clock }

  // MARK: - What a test does to it

  /// Every call fails until it is given nil.
  package func fails(_ failure: PositionLogFailure?) { state.withLock { $0.failure = failure } }

  /// What is appended is on no second machine, until it is given nil.
  package func confirmsNot(_ failure: PositionLogFailure?) {
    state.withLock { $0.confirmationFailure = failure }
  }

  /// Keeps back what calls end with, or lets all of it go, in its order.
  package func holds(_ isHolding: Bool) {
    let ends = state.withLock { state -> [@Sendable () -> Void] in
      let ends = state.heldEnds ?? []
      state.heldEnds = isHolding ? [] : nil
      return ends
    }
    for end in ends { end() }
  }

  /// Loses all but the first entries of a partition, with what they stored, as a failover does whose
  /// replica was behind.
  package func loseTail(_ partition: Int, keeping count: Int) {
    state.withLock { state in
      var shard = state.shards[partition]
      shard.source += 1
      while shard.entries.count > count, let lost = shard.entries.popLast() {
        for (member, position) in shard.before[lost.id] ?? [:] { shard.objects[member] = position }
        shard.newest = lost.previous
      }
      state.shards[partition] = shard
    }
  }

  /// Trims the oldest entries.
  package func trim(_ partition: Int, to count: Int) {
    state.withLock { $0.shards[partition].entries = $0.shards[partition].entries.suffix(count) }
  }

  package func entryCount(_ partition: Int) -> Int {
    state.withLock { $0.shards[partition].entries.count }
  }

  /// All that is stored and has not expired.
  package var positions: [StoredPosition] {
    let now = clock.now()
    return state.withLock { state in
      state.shards.flatMap { $0.objects.values }.filter { $0.expiresAt > now }
    }
  }

  // MARK: - PositionLog

  package func append(
    _ changes: [PositionChange], to partition: Int,
    _ end: @escaping @Sendable (Result<PositionAppend, PositionLogFailure>) -> Void
  ) {
    let now = clock.now()
    answer(end) { state in
      var shard = state.shards[partition]
      var records: [PositionRecord] = []
      let objects = shard.objects
      let decisions = changes.map { change in
        Self.decide(change, in: &shard, now: now, &records)
      }
      let previous = shard.newest
      guard !records.isEmpty else {
        return PositionAppend(id: nil, previous: previous, decisions: decisions)
      }
      let time = UInt64(clamping: now.milliseconds)
      let last = shard.lastGiven
      let id =
        time > last.milliseconds
        ? LogEntryID(milliseconds: time, sequence: 0)
        : LogEntryID(milliseconds: last.milliseconds, sequence: last.sequence + 1)
      shard.lastGiven = id
      var before: [String: StoredPosition?] = [:]
      for record in records {
        let member = PositionRecordCoding.member(record.key)
        before.updateValue(objects[member], forKey: member)
      }
      shard.before[id] = before
      shard.entries.append(PositionLogEntry(id: id, previous: previous, records: records))
      shard.newest = id
      state.shards[partition] = shard
      return PositionAppend(id: id, previous: previous, decisions: decisions)
    }
  }

  package func confirm(
    _ partition: Int, source: UInt64, _ end: @escaping @Sendable (PositionLogFailure?) -> Void
  ) {
    answer({ (result: Result<PositionLogFailure?, PositionLogFailure>) in
      switch result {
      case .success(let failure): end(failure)
      case .failure(let failure): end(failure)
      }
    }) { $0.confirmationFailure }
  }

  package func read(
    _ partition: Int, from start: LogEntryID, includesStart: Bool, limit: Int,
    _ end: @escaping @Sendable (Result<[PositionLogEntry], PositionLogFailure>) -> Void
  ) {
    answer(end) { state in
      Array(
        state.shards[partition].entries.filter { $0.id > start || includesStart && $0.id == start }
          .prefix(limit))
    }
  }

  package func newest(
    _ partition: Int,
    _ end: @escaping @Sendable (Result<PositionLogHead, PositionLogFailure>) -> Void
  ) {
    answer(end) { state in
      let shard = state.shards[partition]
      return PositionLogHead(newest: shard.newest, source: shard.source)
    }
  }

  package func scan(
    _ partition: Int, cursor: String?,
    _ end: @escaping @Sendable (Result<PositionPage, PositionLogFailure>) -> Void
  ) {
    answer(end) { state in
      let members = state.shards[partition].objects.keys.filter { $0 > cursor ?? "" }.sorted()
      let page = members.prefix(Self.pageSize)
      return PositionPage(
        positions: page.compactMap { state.shards[partition].objects[$0] },
        next: members.count > page.count ? page.last : nil,
        source: state.shards[partition].source)
    }
  }

  private func answer<Value: Sendable>(
    _ end: @escaping @Sendable (Result<Value, PositionLogFailure>) -> Void,
    _ body: (inout State) -> Value
  ) {
    let result = state.withLock { state -> Result<Value, PositionLogFailure>? in
      let result: Result<Value, PositionLogFailure> =
        state.failure.map { .failure($0) } ?? .success(body(&state))
      guard state.heldEnds != nil else { return result }
      state.heldEnds?.append { end(result) }
      return nil
    }
    if let result { end(result) }
  }

  private static func decide(
    _ change: PositionChange, in shard: inout Shard, now: Instant,
    _ records: inout [PositionRecord]
  ) -> PositionDecision {
    let member = PositionRecordCoding.member(change.key)
    let stored = shard.objects[member]
    let live = stored.flatMap { $0.expiresAt > now ? $0 : nil }
    switch change {
    case .remove(let key):
      if stored != nil { records.append(.removal(key)) }
      shard.objects[member] = nil
      return .removed(wasThere: live != nil)
    case .put(var position, let isReceiptTime):
      if isReceiptTime {
        let lifetime = position.expiresAt.milliseconds(since: position.observedAt)
        position.observedAt = max(now, live?.observedAt ?? .distantPast)
        if position.expiresAt != .distantFuture {
          position.expiresAt = position.observedAt.advanced(milliseconds: lifetime)
        }
      } else if let live, live.observedAt > position.observedAt {
        return .stale
      }
      shard.objects[member] = position
      records.append(.position(position))
      return .stored(observedAt: position.observedAt, expiresAt: position.expiresAt)
    }
  }
}
