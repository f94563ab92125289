package import ObjectModel

/// A record that several daemons write to: each follows what the others commit.
///
/// Every transaction that changes something of a tenant has a number, one more than the one before it.
///
/// A group conflicts as well when it rests, by its changes or expectations, on what an earlier group of its
/// batch would have changed and did not: others give versions too, so that an equal one may be of another
/// state.
package protocol FollowedStore: AggregateStore {
  /// How far a tenant's part of the record has come.
  func head(tenant: String) throws(StoreFailure) -> RecordHead

  /// What was committed after a transaction that the caller knows, its own included. What is told is
  /// never older than the head that comes with it, and never older than a commit that was answered
  /// before the call.
  ///
  /// - Parameters:
  ///   - tenant: Whose.
  ///   - commits: The number of the last transaction that is known.
  ///   - most: Aggregates of no more than so many transactions after it are told.
  ///   - eventsAfter: The newest event that is known.
  ///   - eventLimit: At most so many events.
  /// - Returns: The newest states, each aggregate once, and events, ascending.
  /// - Throws: ``StoreFailure`` when the record cannot be read.
  func news(
    tenant: String, after commits: Int64, atMost most: Int64, eventsAfter: UInt64, eventLimit: Int
  ) throws(StoreFailure) -> RecordNews

  /// The number of the tenant's transaction that this store committed last; nil: it knows none. Right
  /// after ``AggregateStore/commit(_:)`` it is that batch's, or a later one's.
  func lastCommit(tenant: String) -> Int64?

  /// Has heads told as they are looked at, several times a second, from a thread that may block, until
  /// ``stopWatching(tenant:)``. What is told must not block.
  func watch(
    tenant: String, _ tell: @escaping @Sendable (Result<RecordHead, StoreFailure>) -> Void)
  func stopWatching(tenant: String)

  /// Somebody waits for what others have committed: heads are looked at soon.
  func hurry()

  /// Whether this is the daemon that runs timers and drops what is old. Two may take themselves for it
  /// for a moment, or none: nothing that is committed rests on it.
  var isLeading: Bool { get }
}

/// How far a tenant's part of a record has come.
package struct RecordHead: Hashable, Sendable {
  /// Transactions so far.
  package var commits: Int64
  /// Of the events, the oldest sequence kept and the newest given.
  package var oldest: UInt64
  package var newest: UInt64
  /// Aggregates that ended before it may have been dropped.
  package var endedBefore: Instant
  /// Grows when the record was changed beside the commands, so that memory has to be loaded anew.
  package var revision: Int64

  package init(
    commits: Int64 = 0, oldest: UInt64 = 1, newest: UInt64 = 0,
    endedBefore: Instant = Instant(milliseconds: .min), revision: Int64 = 0
  ) {
    self.commits = commits
    self.oldest = oldest
    self.newest = newest
    self.endedBefore = endedBefore
    self.revision = revision
  }
}

/// What was committed since.
package struct RecordNews: Hashable, Sendable {
  package var head: RecordHead
  package var aggregates: [StoredAggregate]
  package var events: [StoredEvent]

  package init(head: RecordHead, aggregates: [StoredAggregate] = [], events: [StoredEvent] = []) {
    self.head = head
    self.aggregates = aggregates
    self.events = events
  }
}
