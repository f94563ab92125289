package import GeoMath
package import ObjectModel

/// The record of what must survive: parties (and later tickets), the durable event log, and the
/// replies of commands that took effect.
///
/// One writer calls ``commit(_:)`` from one thread at a time; reads may come from any thread. A
/// store knows nothing of the rules: it holds versions, claims and bytes. The port is the same for
/// SQLite, memory, and a database that other daemons write to as well.
package protocol AggregateStore: Sendable {
  /// Makes all groups durable, in order, or says of each what became of it. Blocks.
  ///
  /// Groups stand for themselves: one that conflicts does not spoil its neighbours, and takes no
  /// sequence: those of a tenant are dense over all that is committed, whoever writes it.
  func commit(_ groups: [ChangeGroup]) -> [CommitOutcome]

  /// All aggregates of a kind, in no order; at start and after an unknown outcome. `body` must not
  /// call the store.
  func loadAggregates(
    kind: AggregateKind, _ body: (StoredAggregate) throws -> Void
  ) throws(StoreFailure)

  /// The newest states of a tenant's aggregates of one kind, by id; of those that there are, in no
  /// order.
  func aggregates(
    kind: AggregateKind, tenant: String, ids: [String]
  ) throws(StoreFailure) -> [StoredAggregate]

  /// Replies that are not yet too old, newest last. `body` must not call the store.
  func loadReplies(_ body: (StoredReply) throws -> Void) throws(StoreFailure)

  /// The reply of a command that took effect, if it is not too old.
  func reply(tenant: String, key: IdempotencyHash) throws(StoreFailure) -> StoredReply?

  /// Reads events with a sequence above `after`, ascending.
  ///
  /// - Parameters:
  ///   - tenant: Whose events.
  ///   - after: The last sequence already known; 0: from the oldest kept.
  ///   - kinds: Only these; empty: all.
  ///   - aggregateID: Only of this party or ticket; nil: of all.
  ///   - limit: At most so many events.
  /// - Returns: The events, empty when there is none above `after`.
  /// - Throws: ``StoreFailure`` when the record cannot be read.
  func events(
    tenant: String, after: UInt64, kinds: Set<String>, aggregateID: String?, limit: Int
  ) throws(StoreFailure) -> [StoredEvent]

  /// The oldest sequence kept and the newest given; (1, 0) when there was none yet.
  func eventBounds(tenant: String) throws(StoreFailure) -> (oldest: UInt64, newest: UInt64)

  /// Drops events from before `moment` (of each tenant from the oldest on, up to the first that is
  /// to be kept), replies from before `repliesBefore` (a store may keep them an hour longer), and
  /// aggregates that ended before `ended`, with their claims. In short transactions: commits get in
  /// between. Bounds of the events stay known when none is left.
  func prune(eventsBefore moment: Instant, repliesBefore: Instant, endedBefore ended: Instant)
    throws(StoreFailure)

  /// Why writes are refused; nil while they are taken.
  var readOnlyReason: String? { get }

  /// Whether somebody else may write to the record at any time. Then memory may be behind, and what
  /// a refusal rests on has to be verified here: ``ChangeGroup/expectations``.
  var isShared: Bool { get }

  /// After an unknown outcome, or while ``readOnlyReason`` is set: opens the record anew, verifies
  /// it and takes writes again. What was unknown is then decided. Blocks; not during a commit.
  /// - Returns: What became of the batch whose outcome was unknown, as far as the store can tell.
  /// - Throws: The reason for which the store stays read-only.
  func reopen() throws(StoreFailure) -> BatchSettlement
}

/// What a store that was opened anew knows of the batch before.
package struct BatchSettlement: Hashable, Sendable {
  /// What the batch whose outcome was unknown came to, by group; `nil` when there was none, or the
  /// store cannot tell.
  package var outcomes: [CommitOutcome]?
  /// Whether memory may differ from the record beyond that batch, so that all has to be loaded.
  package var needsReload: Bool

  package init(outcomes: [CommitOutcome]? = nil, needsReload: Bool) {
    self.outcomes = outcomes
    self.needsReload = needsReload
  }
}

package struct AggregateKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
}

package struct AggregateKey: Hashable, Sendable {
  package var tenant: String
  package var kind: AggregateKind
  package var id: String

  package init(tenant: String, kind: AggregateKind, id: String) {
    self.tenant = tenant
    self.kind = kind
    self.id = id
  }
}

/// One aggregate's newest state, and what a map or a query in SQL wants to see of it.
package struct StoredAggregate: Hashable, Sendable {
  package var key: AggregateKey
  package var version: UInt64
  /// Encoded by whoever owns the kind, who alone reads it.
  package var bytes: [UInt8]
  package var summary: AggregateSummary

  package init(key: AggregateKey, version: UInt64, bytes: [UInt8], summary: AggregateSummary) {
    self.key = key
    self.version = version
    self.bytes = bytes
    self.summary = summary
  }
}

/// Columns for people with GIS: never read back by the layers.
package struct AggregateSummary: Hashable, Sendable {
  package var state: String
  package var ownerID: String
  package var origin: Coordinate
  package var originName: String
  package var destination: Coordinate?
  package var destinationName: String
  package var startsAt: Instant
  package var endsAt: Instant
  package var seats: Int
  package var seatsFree: Int
  package var currency: String
  package var expectedFare: Int64
  /// Set once nothing can happen any more: what retention counts from.
  package var endedAt: Instant?

  package init(
    state: String, ownerID: String, origin: Coordinate, originName: String = "",
    destination: Coordinate? = nil, destinationName: String = "", startsAt: Instant,
    endsAt: Instant, seats: Int = 0, seatsFree: Int = 0, currency: String = "",
    expectedFare: Int64 = 0, endedAt: Instant? = nil
  ) {
    self.state = state
    self.ownerID = ownerID
    self.origin = origin
    self.originName = originName
    self.destination = destination
    self.destinationName = destinationName
    self.startsAt = startsAt
    self.endsAt = endsAt
    self.seats = seats
    self.seatsFree = seatsFree
    self.currency = currency
    self.expectedFare = expectedFare
    self.endedAt = endedAt
  }
}

/// A time in which a person belongs to one aggregate.
package struct TimeClaim: Hashable, Sendable {
  package var tenant: String
  package var userID: String
  package var from: Instant
  /// Included.
  package var through: Instant
  package var aggregate: AggregateKey

  package init(
    tenant: String, userID: String, from: Instant, through: Instant, aggregate: AggregateKey
  ) {
    self.tenant = tenant
    self.userID = userID
    self.from = from
    self.through = through
    self.aggregate = aggregate
  }
}

/// What one command changes, all or nothing.
package struct ChangeGroup: Hashable, Sendable {
  package struct Change: Hashable, Sendable {
    /// 0: it must not exist yet.
    package var expectedVersion: UInt64
    package var aggregate: StoredAggregate

    package init(expectedVersion: UInt64, aggregate: StoredAggregate) {
      self.expectedVersion = expectedVersion
      self.aggregate = aggregate
    }
  }

  /// At most one of an aggregate.
  package var changes: [Change]
  /// Replaces all claims of the aggregates in ``changes``; each belongs to one of them. With
  /// ``claimsMustNotOverlap`` the group conflicts when one that its aggregate does not hold already
  /// meets a claim of its user on another aggregate.
  package var claims: [TimeClaim]
  package var claimsMustNotOverlap: Bool
  /// Of one tenant. The store gives their sequences when it commits them, dense and in this order;
  /// those that they come with are not looked at.
  package var events: [StoredEvent]
  package var reply: StoredReply?
  /// What must be so for the group to hold, beside its changes: a refusal changes nothing, and is
  /// right as long as nobody else changed what it rests on.
  package var expectations: [StateExpectation] = []
  /// Of the command, where the group has no ``reply``: a command with this key may have taken effect
  /// in a place that memory does not know of yet.
  package var earlierKey: IdempotencyClaim?

  package init(
    changes: [Change], claims: [TimeClaim] = [], claimsMustNotOverlap: Bool = true,
    events: [StoredEvent] = [], reply: StoredReply? = nil
  ) {
    self.changes = changes
    self.claims = claims
    self.claimsMustNotOverlap = claimsMustNotOverlap
    self.events = events
    self.reply = reply
  }
}

/// A version that a group rests on without changing it.
package struct StateExpectation: Hashable, Sendable {
  package var key: AggregateKey
  /// 0: it does not exist.
  package var version: UInt64

  package init(key: AggregateKey, version: UInt64) {
    self.key = key
    self.version = version
  }
}

package enum CommitOutcome: Hashable, Sendable {
  /// The group's events have the sequences from `firstSequence` on; 0 when it has none.
  case committed(firstSequence: UInt64)
  /// A version or a claim was not what the group expected; the newest states of its aggregates, then
  /// of those that it rests on, then of those that hold a claim in its way, by id.
  case conflict(newest: [StoredAggregate])
  /// A command with this key took effect before.
  case duplicate(StoredReply)
  /// Nothing happened, surely; may be tried again.
  case notDone(reason: String)
  /// COMMIT or fsync failed: it may or may not be on disk. The store refuses writes from now on
  /// until ``AggregateStore/readOnlyReason`` is nil again (after a reload, if ever).
  case unknown(reason: String)

  package var isCommitted: Bool { if case .committed = self { true } else { false } }
}

package struct StoredEvent: Hashable, Sendable {
  package var tenant: String
  /// Dense per tenant in commit order, from 1; 0 until the store has given it.
  package var sequence: UInt64
  /// Such as `party.joined`.
  package var kind: String
  package var at: Instant
  package var aggregateID: String
  /// Set for matches of two people (tickets).
  package var matchID: String?
  /// Who should hear of it.
  package var userIDs: [String]
  /// Of the aggregate, after the change.
  package var version: UInt64
  /// A JSON object.
  package var body: [UInt8]

  package init(
    tenant: String, sequence: UInt64 = 0, kind: String, at: Instant, aggregateID: String,
    matchID: String? = nil, userIDs: [String], version: UInt64, body: [UInt8]
  ) {
    self.tenant = tenant
    self.sequence = sequence
    self.kind = kind
    self.at = at
    self.aggregateID = aggregateID
    self.matchID = matchID
    self.userIDs = userIDs
    self.version = version
    self.body = body
  }
}

/// 128 bits of a keyed hash of tenant, caller, method, path and idempotency key.
package struct IdempotencyHash: Hashable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// What was changed in a record beside the rules.
package struct RecordChanges: Hashable, Sendable {
  /// What there is now.
  package var changed: [StoredAggregate] = []
  package var removed: [AggregateKey] = []

  package init() {}
}

/// What a command that took effect answered.
package struct StoredReply: Hashable, Sendable {
  package var tenant: String
  package var key: IdempotencyHash
  /// Of the request's content: the same key with another request is an error.
  package var requestHash: UInt64
  /// The aggregate and its version after the effect; the answer is made of them.
  package var aggregateID: String
  package var version: UInt64
  package var at: Instant

  package init(
    tenant: String, key: IdempotencyHash, requestHash: UInt64, aggregateID: String,
    version: UInt64, at: Instant
  ) {
    self.tenant = tenant
    self.key = key
    self.requestHash = requestHash
    self.aggregateID = aggregateID
    self.version = version
    self.at = at
  }
}
