import Foundation
package import ObjectModel

/// The record in memory: for tests, demonstrations and a daemon without a data directory. Answers
/// as every other store does, and on request with any outcome a real one may give.
///
/// `lock` guards `state`.
package final class MemoryStore: AggregateStore, @unchecked Sendable {
  /// What the next commit is to meet, once.
  package enum Fault: Hashable, Sendable {
    /// Another process changed something first. Groups count from 0.
    case conflict(group: Int)
    case duplicate(group: Int, StoredReply)
    case notDone(group: Int, reason: String)
    /// COMMIT fails for the whole batch, after or before it took effect. Writes are refused until
    /// ``MemoryStore/reopen()``.
    case unknown(reason: String, takesEffect: Bool)
    /// Nothing of the batch happens, and writes are refused until ``MemoryStore/reopen()``.
    case readOnly(reason: String)
  }

  private let lock = NSLock()
  private var state = MemoryRecord()
  private var faults: [Fault] = []
  private var reason: String?
  private var reopenFailures: [StoreFailure] = []

  package init() {}

  /// Each commit takes the first fault that waits.
  package func inject(_ fault: Fault) { lock.withLock { faults.append(fault) } }

  /// The next ``reopen()`` fails.
  package func failNextReopen(reason: String, isDamage: Bool = false) {
    lock.withLock { reopenFailures.append(StoreFailure(reason, isDamage: isDamage)) }
  }

  package var readOnlyReason: String? { lock.withLock { reason } }

  package func reopen() throws(StoreFailure) {
    let failure: StoreFailure? = lock.withLock {
      guard reopenFailures.isEmpty else {
        let failure = reopenFailures.removeFirst()
        reason = failure.reason
        return failure
      }
      reason = nil
      return nil
    }
    if let failure { throw failure }
  }

  package func commit(_ groups: [ChangeGroup]) -> [CommitOutcome] {
    guard !groups.isEmpty else { return [] }
    return lock.withLock {
      if let reason { return groups.map { _ in .notDone(reason: reason) } }
      let fault = faults.isEmpty ? nil : faults.removeFirst()
      switch fault {
      case .unknown(let text, let takesEffect):
        if takesEffect { for group in groups { _ = state.apply(group) } }
        reason = "a commit could not be confirmed: \(text)"
        return groups.map { _ in .unknown(reason: text) }
      case .readOnly(let text):
        reason = text
        return groups.map { _ in .notDone(reason: text) }
      case .conflict, .duplicate, .notDone, nil:
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

/// What ``MemoryStore`` holds, and the rules of the port.
private struct MemoryRecord {
  struct User: Hashable {
    var tenant: String
    var id: String
  }

  var aggregates: [AggregateKey: StoredAggregate] = [:]
  var claims: [AggregateKey: [TimeClaim]] = [:]
  var claimsOfUsers: [User: [TimeClaim]] = [:]
  var events: [String: [StoredEvent]] = [:]
  var oldestKept: [String: UInt64] = [:]
  var replies: [IdempotencyHash: StoredReply] = [:]

  func reply(_ tenant: String, _ key: IdempotencyHash) -> StoredReply? {
    replies[key].flatMap { $0.tenant == tenant ? $0 : nil }
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
    if let wanted = group.reply, let earlier = reply(wanted.tenant, wanted.key) {
      return .duplicate(earlier)
    }
    let keys = group.changes.map(\.aggregate.key)
    guard Set(keys).count == keys.count else {
      return .notDone(reason: "two changes of one aggregate in a group")
    }
    for claim in group.claims
    where !keys.contains(claim.aggregate) || claim.tenant != claim.aggregate.tenant {
      return .notDone(reason: "a claim of an aggregate that the group does not change")
    }
    let expected = group.changes.allSatisfy {
      (aggregates[$0.aggregate.key]?.version ?? 0) == $0.expectedVersion
    }
    let holders =
      expected && group.claimsMustNotOverlap ? holders(against: group, keys) : []
    guard expected, holders.isEmpty, sequencesAscend(group.events) else {
      return .conflict(newest: newest(keys + holders))
    }
    for change in group.changes {
      let key = change.aggregate.key
      aggregates[key] = change.aggregate
      replaceClaims(of: key, with: group.claims.filter { $0.aggregate == key })
    }
    for event in group.events { events[event.tenant, default: []].append(event) }
    if let reply = group.reply { replies[reply.key] = reply }
    return .committed
  }

  private func holders(against group: ChangeGroup, _ keys: [AggregateKey]) -> [AggregateKey] {
    var found: [AggregateKey] = []
    for claim in group.claims where !(claims[claim.aggregate] ?? []).contains(claim) {
      let elsewhere = (claimsOfUsers[User(tenant: claim.tenant, id: claim.userID)] ?? []).filter {
        !keys.contains($0.aggregate)
      }
      for other in group.claims + elsewhere
      where other.userID == claim.userID && other.tenant == claim.tenant
        && other.aggregate != claim.aggregate && other.from <= claim.through
        && claim.from <= other.through
      {
        found.append(other.aggregate)
      }
    }
    return found.sorted { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) }
  }

  private func sequencesAscend(_ wanted: [StoredEvent]) -> Bool {
    var newest: [String: UInt64] = [:]
    for event in wanted {
      guard event.sequence > newest[event.tenant] ?? bounds(event.tenant).newest,
        event.sequence <= UInt64(Int64.max)
      else { return false }
      newest[event.tenant] = event.sequence
    }
    return true
  }

  private mutating func replaceClaims(of key: AggregateKey, with new: [TimeClaim]) {
    for claim in claims[key] ?? [] {
      claimsOfUsers[User(tenant: claim.tenant, id: claim.userID)]?.removeAll {
        $0.aggregate == key
      }
    }
    for claim in new {
      claimsOfUsers[User(tenant: claim.tenant, id: claim.userID), default: []].append(claim)
    }
    claims[key] = new.isEmpty ? nil : new
  }

  mutating func prune(eventsBefore moment: Instant, repliesBefore: Instant, endedBefore: Instant) {
    for (tenant, all) in events {
      guard let last = all.prefix(while: { $0.at < moment }).last else { continue }
      events[tenant] = Array(all.drop { $0.at < moment })
      oldestKept[tenant] = last.sequence + 1
    }
    replies = replies.filter { $0.value.at >= repliesBefore }
    for (key, stored) in aggregates {
      guard let ended = stored.summary.endedAt, ended < endedBefore else { continue }
      replaceClaims(of: key, with: [])
      aggregates[key] = nil
    }
  }
}
