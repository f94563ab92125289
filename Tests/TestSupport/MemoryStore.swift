package import DurableCommands
import Foundation
package import ObjectModel

/// The record in memory, for tests, simulations and benchmarks: a daemon keeps its record in a file or in
/// PostgreSQL. It answers as every other store does, and on request with any outcome a real one may give.
///
/// `lock` guards `state`.
package final class MemoryStore: FollowedStore, @unchecked Sendable {
  /// What the next commit is to meet, once.
  package enum Fault: Hashable, Sendable {
    /// Another process changed something first. Groups count from 0.
    case conflict(group: Int)
    case duplicate(group: Int, StoredReply)
    case notDone(group: Int, reason: String)
    /// COMMIT fails for the whole batch, after or before it took effect. Writes are refused until
    /// ``MemoryStore/reopen()``.
    case unknown(reason: String, takesEffect: Bool)
    /// The same, but the store that is opened anew can tell what became of the batch.
    case settled(reason: String, takesEffect: Bool)
    /// Nothing of the batch happens, and writes are refused until ``MemoryStore/reopen()``.
    case readOnly(reason: String)
  }

  private let lock = NSLock()
  private var state = MemoryRecord()
  private var faults: [Fault] = []
  private var reason: String?
  private var reopenFailures: [StoreFailure] = []
  private var settlement = BatchSettlement(needsReload: true)
  package let isShared: Bool

  /// - Parameter isShared: Whether somebody else commits to it as well.
  package init(isShared: Bool = false) {
    self.isShared = isShared
    state.countsCommits = isShared
  }

  /// Each commit takes the first fault that waits.
  package func inject(_ fault: Fault) { lock.withLock { faults.append(fault) } }

  /// The next ``reopen()`` fails.
  package func failNextReopen(reason: String, isDamage: Bool = false) {
    lock.withLock { reopenFailures.append(StoreFailure(reason, isDamage: isDamage)) }
  }

  package var readOnlyReason: String? { lock.withLock { reason } }

  package func reopen() throws(StoreFailure) -> BatchSettlement {
    let result: Result<BatchSettlement, StoreFailure> = lock.withLock {
      guard reopenFailures.isEmpty else {
        let failure = reopenFailures.removeFirst()
        reason = failure.reason
        return .failure(failure)
      }
      reason = nil
      defer { settlement = BatchSettlement(needsReload: true) }
      return .success(settlement)
    }
    return try result.get()
  }

  package func commit(_ groups: [ChangeGroup]) -> [CommitOutcome] {
    guard !groups.isEmpty else { return [] }
    return lock.withLock {
      if let reason { return groups.map { _ in .notDone(reason: reason) } }
      state.slice.beginBatch()
      let fault = faults.isEmpty ? nil : faults.removeFirst()
      switch fault {
      case .unknown(let text, let takesEffect):
        if takesEffect { for group in groups { _ = state.apply(group) } }
        reason = "a commit could not be confirmed: \(text)"
        state.endCommit()
        return groups.map { _ in .unknown(reason: text) }
      case .settled(let text, let takesEffect):
        settlement = BatchSettlement(
          outcomes: groups.map { takesEffect ? state.apply($0) : .notDone(reason: text) },
          needsReload: false)
        state.endCommit()
        reason = "a commit could not be confirmed: \(text)"
        return groups.map { _ in .unknown(reason: text) }
      case .readOnly(let text):
        reason = text
        return groups.map { _ in .notDone(reason: text) }
      case .conflict, .duplicate, .notDone, nil:
        defer { state.endCommit() }
        return groups.indices.map { index in
          injected(fault, groups[index], index) ?? state.apply(groups[index])
        }
      }
    }
  }

  private func injected(_ fault: Fault?, _ group: ChangeGroup, _ index: Int) -> CommitOutcome? {
    switch fault {
    case .conflict(index): .conflict(newest: state.newest(group.changes.map(\.aggregate.key)))
    case .duplicate(index, let reply): .duplicate(reply)
    case .notDone(index, let reason): .notDone(reason: reason)
    default: nil
    }
  }

  // MARK: Reading

  package func loadAggregates(
    kind: AggregateKind, _ body: (StoredAggregate) throws -> Void
  ) throws(StoreFailure) {
    try each(lock.withLock { state.aggregates.values.filter { $0.key.kind == kind } }, body)
  }

  package func aggregates(
    kind: AggregateKind, tenant: String, ids: [String]
  ) throws(StoreFailure) -> [StoredAggregate] {
    lock.withLock {
      Set(ids).compactMap { state.aggregates[AggregateKey(tenant: tenant, kind: kind, id: $0)] }
    }
  }

  package func loadReplies(_ body: (StoredReply) throws -> Void) throws(StoreFailure) {
    try each(lock.withLock { state.replies.values.sorted { $0.at < $1.at } }, body)
  }

  package func reply(tenant: String, key: IdempotencyHash) throws(StoreFailure) -> StoredReply? {
    lock.withLock { state.reply(tenant, key) }
  }

  package func events(
    tenant: String, after: UInt64, kinds: Set<String>, aggregateID: String?, limit: Int
  ) throws(StoreFailure) -> [StoredEvent] {
    lock.withLock {
      let found = (state.events[tenant] ?? []).lazy.filter {
        $0.sequence > after && (kinds.isEmpty || kinds.contains($0.kind))
          && (aggregateID == nil || $0.aggregateID == aggregateID)
      }
      return Array(found.prefix(max(0, limit)))
    }
  }

  package func eventBounds(
    tenant: String
  ) throws(StoreFailure) -> (oldest: UInt64, newest: UInt64) {
    lock.withLock { state.bounds(tenant) }
  }

  package func prune(
    eventsBefore moment: Instant, repliesBefore: Instant, endedBefore ended: Instant
  ) throws(StoreFailure) {
    let refused = lock.withLock {
      if reason == nil {
        state.prune(eventsBefore: moment, repliesBefore: repliesBefore, endedBefore: ended)
      }
      return reason
    }
    if let refused { throw StoreFailure(refused) }
  }

  // MARK: Following

  private var watchers: [String: @Sendable (Result<RecordHead, StoreFailure>) -> Void] = [:]
  private var readFailure: StoreFailure?
  private var leads = true

  /// What follows cannot be read, until this is called with nil.
  package func failFollowing(_ failure: StoreFailure?) { lock.withLock { readFailure = failure } }

  /// Who uses this store runs timers, or does not.
  package func lead(_ isLeading: Bool) { lock.withLock { leads = isLeading } }

  package var isLeading: Bool { lock.withLock { leads } }

  package func head(tenant: String) throws(StoreFailure) -> RecordHead {
    try lock.withLock { () -> Result<RecordHead, StoreFailure> in
      readFailure.map { .failure($0) } ?? .success(state.head(tenant))
    }.get()
  }

  package func news(
    tenant: String, after commits: Int64, atMost most: Int64, eventsAfter: UInt64, eventLimit: Int
  ) throws(StoreFailure) -> RecordNews {
    try lock.withLock { () -> Result<RecordNews, StoreFailure> in
      if let readFailure { return .failure(readFailure) }
      let told = (state.events[tenant] ?? []).lazy.filter { $0.sequence > eventsAfter }
      return .success(
        RecordNews(
          head: state.head(tenant),
          aggregates: state.aggregates(of: tenant, after: commits, atMost: most),
          events: Array(told.prefix(eventLimit))))
    }.get()
  }

  package func lastCommit(tenant: String) -> Int64? { lock.withLock { state.commits[tenant] } }

  package func watch(
    tenant: String, _ tell: @escaping @Sendable (Result<RecordHead, StoreFailure>) -> Void
  ) {
    lock.withLock { watchers["\(tenant)/\(watchers.count)"] = tell }
  }

  /// Nothing: pipelines that share this object watch the same tenant, and each holds on to nothing.
  package func stopWatching(tenant: String) {}

  /// Tells heads, on the caller's thread.
  package func hurry() {
    let told = lock.withLock { watchers }
    for (name, tell) in told {
      let tenant = String(name.prefix { $0 != "/" })
      tell(Result { () throws(StoreFailure) in try head(tenant: tenant) })
    }
  }

  /// All that is recorded now.
  package struct Snapshot: Sendable {
    fileprivate let record: MemoryRecord
  }

  package func snapshot() -> Snapshot { lock.withLock { Snapshot(record: state) } }

  /// Goes back to what was recorded then, as a failover to a standby that was behind does.
  package func restore(_ snapshot: Snapshot) { lock.withLock { state = snapshot.record } }

  /// Changes an aggregate beside the commands.
  package func replace(_ stored: StoredAggregate) {
    lock.withLock { state.replace(stored) }
  }

  /// The record was changed beside the commands: whoever follows loads all of it anew.
  package func noteRevision(tenant: String) {
    lock.withLock { state.revisions[tenant, default: 0] += 1 }
  }

  private func each<T>(_ all: [T], _ body: (T) throws -> Void) throws(StoreFailure) {
    do {
      for one in all { try body(one) }
    } catch let failure as StoreFailure {
      throw failure
    } catch {
      throw StoreFailure("\(error)")
    }
  }
}

/// What ``MemoryStore`` holds.
private struct MemoryRecord: Sendable {
  var aggregates: [AggregateKey: StoredAggregate] = [:]
  /// What groups are checked against: all of it.
  var slice = RecordSlice()
  var events: [String: [StoredEvent]] = [:]
  var oldestKept: [String: UInt64] = [:]
  /// Whether the rest of this is kept.
  var countsCommits = false
  var commits: [String: Int64] = [:]
  var commitNumbers: [AggregateKey: Int64] = [:]
  var revisions: [String: Int64] = [:]
  var endedBefore = Instant(milliseconds: .min)
  /// Of the batch that is being taken.
  private var changedTenants: Set<String> = []

  func head(_ tenant: String) -> RecordHead {
    let bounds = bounds(tenant)
    return RecordHead(
      commits: commits[tenant] ?? 0, oldest: bounds.oldest, newest: bounds.newest,
      endedBefore: endedBefore, revision: revisions[tenant] ?? 0)
  }

  func aggregates(of tenant: String, after: Int64, atMost most: Int64) -> [StoredAggregate] {
    aggregates.values.filter { stored in
      guard stored.key.tenant == tenant, let number = commitNumbers[stored.key] else {
        return false
      }
      return number > after && number <= after + most
    }
  }

  /// A batch is over; all that it changed of a tenant is one transaction.
  mutating func endCommit() {
    guard countsCommits else { return }
    for tenant in changedTenants { commits[tenant, default: 0] += 1 }
    changedTenants = []
  }

  var replies: [IdempotencyHash: StoredReply] { slice.replies }

  func reply(_ tenant: String, _ key: IdempotencyHash) -> StoredReply? {
    slice.reply(tenant, key)
  }

  func bounds(_ tenant: String) -> (oldest: UInt64, newest: UInt64) {
    let kept = oldestKept[tenant] ?? 1
    guard let all = events[tenant], let first = all.first, let last = all.last else {
      return (kept, kept - 1)
    }
    return (max(first.sequence, kept), last.sequence)
  }

  func newest(_ keys: [AggregateKey]) -> [StoredAggregate] {
    var seen: Set<AggregateKey> = []
    return keys.compactMap { seen.insert($0).inserted ? aggregates[$0] : nil }
  }

  mutating func apply(_ group: ChangeGroup) -> CommitOutcome {
    // Where nobody else gives versions, an equal one is of the same state.
    if !countsCommits { slice.beginBatch() }
    switch slice.take(group) {
    case .duplicate(let reply): return .duplicate(reply)
    case .malformed(let reason): return .notDone(reason: reason)
    case .conflict(let keys): return .conflict(newest: newest(keys))
    case .taken(let firstSequence):
      for change in group.changes { aggregates[change.aggregate.key] = change.aggregate }
      if countsCommits { number(group) }
      var told = group.events
      var next = firstSequence
      told.giveSequences(from: &next)
      for event in told { events[event.tenant, default: []].append(event) }
      return .committed(firstSequence: firstSequence)
    }
  }

  mutating func replace(_ stored: StoredAggregate) {
    aggregates[stored.key] = stored
    slice.versions[stored.key] = stored.version
  }

  private mutating func number(_ group: ChangeGroup) {
    for change in group.changes {
      let key = change.aggregate.key
      changedTenants.insert(key.tenant)
      commitNumbers[key] = (commits[key.tenant] ?? 0) + 1
    }
    if let tenant = group.events.first?.tenant ?? group.reply?.tenant {
      changedTenants.insert(tenant)
    }
  }

  mutating func prune(eventsBefore moment: Instant, repliesBefore: Instant, endedBefore: Instant) {
    for (tenant, all) in events {
      guard let last = all.prefix(while: { $0.at < moment }).last else { continue }
      events[tenant] = Array(all.drop { $0.at < moment })
      oldestKept[tenant] = last.sequence + 1
    }
    slice.replies = slice.replies.filter { $0.value.at >= repliesBefore }
    self.endedBefore = max(self.endedBefore, endedBefore)
    for (key, stored) in aggregates {
      guard let ended = stored.summary.endedAt, ended < endedBefore else { continue }
      slice.remove(key)
      aggregates[key] = nil
      commitNumbers[key] = nil
    }
  }
}
