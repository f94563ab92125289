import DurableCommands
import ObjectModel

@testable import Parties
import TestSupport

/// A disk under a simulated daemon: a ``MemoryStore`` that survives crashes, and faults of whole
/// transactions as a file in SQLite has them.
///
/// `@unchecked Sendable`: a simulation runs on one thread, and nothing else calls it.
final class SimulatedStore: AggregateStore, @unchecked Sendable {
  /// What the next commit meets.
  enum Fault: CaseIterable {
    /// The transaction is rolled back.
    case notDone
    /// The record is not what the batch expected; it is told what it is.
    case conflict
    /// COMMIT fails, before or after it took effect; nothing is written until the record is reopened.
    case unknownWithoutEffect
    case unknownWithEffect
    /// The disk is full: nothing of the batch happens, nothing is written until it is reopened.
    case full
    /// The process ends, before or after the transaction took effect: nobody gets an answer.
    case crashWithoutEffect
    case crashWithEffect
    /// The disk says that it was written, and it was not. No promise holds then; a simulation that
    /// does not notice is worth nothing.
    case lie
  }

  let record = MemoryStore()
  var fault: Fault?
  /// Reopenings that fail before one succeeds.
  var reopenFailures = 0
  private(set) var hasCrashed = false
  private(set) var readOnlyReason: String?
  private(set) var commits = 0

  /// Another process opens the record.
  func restart() {
    hasCrashed = false
    readOnlyReason = nil
    fault = nil
    reopenFailures = 0
  }

  func commit(_ groups: [ChangeGroup]) -> [CommitOutcome] {
    commits += 1
    if let readOnlyReason { return groups.map { _ in .notDone(reason: readOnlyReason) } }
    defer { fault = nil }
    switch fault {
    case nil: return record.commit(groups)
    case .notDone: return groups.map { _ in .notDone(reason: "rolled back") }
    case .conflict:
      return groups.map { .conflict(newest: newest($0.changes.map(\.aggregate.key))) }
    case .unknownWithoutEffect: return unknown(groups, takesEffect: false)
    case .unknownWithEffect: return unknown(groups, takesEffect: true)
    case .full:
      readOnlyReason = "the disk is full"
      return groups.map { _ in .notDone(reason: "the disk is full") }
    case .crashWithoutEffect: return crash(groups, takesEffect: false)
    case .crashWithEffect: return crash(groups, takesEffect: true)
    case .lie: return lie(groups)
    }
  }

  private func unknown(_ groups: [ChangeGroup], takesEffect: Bool) -> [CommitOutcome] {
    if takesEffect { _ = record.commit(groups) }
    readOnlyReason = "a commit could not be confirmed"
    return groups.map { _ in .unknown(reason: "fsync failed") }
  }

  private func crash(_ groups: [ChangeGroup], takesEffect: Bool) -> [CommitOutcome] {
    hasCrashed = true
    return unknown(groups, takesEffect: takesEffect)
  }

  /// Sequences as the record would have given them.
  private func lie(_ groups: [ChangeGroup]) -> [CommitOutcome] {
    var next = ((try? record.eventBounds(tenant: "default"))?.newest ?? 0) + 1
    return groups.map { group in
      defer { next += UInt64(group.events.count) }
      return .committed(firstSequence: group.events.isEmpty ? 0 : next)
    }
  }

  private func newest(_ keys: [AggregateKey]) -> [StoredAggregate] {
    var found: [StoredAggregate] = []
    for kind in [AggregateKind.party, .rideRequest, .commute] {
      try? record.loadAggregates(kind: kind) { if keys.contains($0.key) { found.append($0) } }
    }
    return keys.compactMap { key in found.first { $0.key == key } }
  }

  let isShared = false

  func reopen() throws(StoreFailure) -> BatchSettlement {
    guard !hasCrashed else { throw StoreFailure("the process is gone") }
    guard reopenFailures == 0 else {
      reopenFailures -= 1
      throw StoreFailure("the disk does not answer")
    }
    readOnlyReason = nil
    return BatchSettlement(needsReload: true)
  }

  // MARK: Reading

  func loadAggregates(
    kind: AggregateKind, _ body: (StoredAggregate) throws -> Void
  ) throws(StoreFailure) { try record.loadAggregates(kind: kind, body) }

  func aggregates(
    kind: AggregateKind, tenant: String, ids: [String]
  ) throws(StoreFailure) -> [StoredAggregate] {
    try record.aggregates(kind: kind, tenant: tenant, ids: ids)
  }

  func loadReplies(_ body: (StoredReply) throws -> Void) throws(StoreFailure) {
    try record.loadReplies(body)
  }

  func reply(tenant: String, key: IdempotencyHash) throws(StoreFailure) -> StoredReply? {
    try record.reply(tenant: tenant, key: key)
  }

  func events(
    tenant: String, after: UInt64, kinds: Set<String>, aggregateID: String?, limit: Int
  ) throws(StoreFailure) -> [StoredEvent] {
    try record.events(
      tenant: tenant, after: after, kinds: kinds, aggregateID: aggregateID, limit: limit)
  }

  func eventBounds(tenant: String) throws(StoreFailure) -> (oldest: UInt64, newest: UInt64) {
    try record.eventBounds(tenant: tenant)
  }

  func prune(
    eventsBefore moment: Instant, repliesBefore: Instant, endedBefore ended: Instant
  ) throws(StoreFailure) {
    guard readOnlyReason == nil else { throw StoreFailure("read-only") }
    try record.prune(eventsBefore: moment, repliesBefore: repliesBefore, endedBefore: ended)
  }
}
