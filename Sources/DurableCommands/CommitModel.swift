package import ObjectModel

/// The state that the commands of a ``CommitPipeline`` work on.
///
/// All calls but ``publish(_:now:)`` come from the commit thread, one at a time. Nothing is being
/// published while ``take(_:now:)`` or ``reload(from:now:)`` runs. ``decide(_:in:now:)`` is a pure
/// rule: it sees what the commands before it in the batch did, by the overlay, and changes nothing
/// else.
package protocol CommitModel: Sendable {
  associatedtype Command: Sendable
  associatedtype Answer: Sendable
  associatedtype Failure: Error & Sendable
  /// The newest state with the changes of a batch that is not yet committed.
  associatedtype Overlay
  /// What a committed change makes visible in memory.
  associatedtype Effect: CommitEffect

  func makeOverlay(now: Instant) -> Overlay
  func decide(
    _ command: Command, in overlay: inout Overlay, now: Instant
  ) -> CommitDecision<Answer, Failure, Effect>
  /// The states on which the result of a command rests that changed nothing, as the overlay shows
  /// them; asked right after ``decide(_:in:now:)``, and only where others write to the record, which
  /// then verifies them before the result goes out.
  func expectations(
    of command: Command, in overlay: Overlay, now: Instant
  ) -> [StateExpectation]
  /// Takes over committed changes, in order: the next batch is decided on them.
  func apply(_ effects: [Effect])
  /// Shows them to readers, in order, beside the next batch. Replies go out when it has returned.
  func publish(_ effects: [Effect], now: Instant)
  /// What a command answers that took effect before.
  func answer(to reply: StoredReply, of command: Command) -> Result<Answer, Failure>
  /// Newest states that somebody else wrote.
  func take(_ newest: [StoredAggregate], now: Instant)
  /// Everything afresh, after an unknown outcome.
  func reload(from store: any AggregateStore, now: Instant) throws(StoreFailure)
  /// The record no longer has these, whatever they were.
  func remove(_ keys: [AggregateKey], now: Instant)
  /// The record has dropped what ended before a moment.
  func forget(endedBefore moment: Instant)
  func failure(_ failure: CommitFailure) -> Failure
}

extension CommitModel {
  /// Nothing: for models whose aggregates only end.
  package func remove(_ keys: [AggregateKey], now: Instant) {}
}

/// What a committed change makes visible in memory, with the events that tell of it.
package protocol CommitEffect: Sendable {
  /// Gives the events of the effect, in the order of its group, the sequences that the store gave
  /// them.
  /// - Parameter next: The sequence of the first event; then that of the first event after these.
  mutating func giveSequences(from next: inout UInt64)
}

extension [StoredEvent] {
  /// Gives the events consecutive sequences; see ``CommitEffect/giveSequences(from:)``.
  package mutating func giveSequences(from next: inout UInt64) {
    for index in indices {
      self[index].sequence = next
      next += 1
    }
  }
}

/// What a rule makes of a command.
package struct CommitDecision<Answer: Sendable, Failure: Error & Sendable, Effect: Sendable>:
  Sendable
{
  /// Nil: nothing changes, by refusal or because it is so already.
  package var change: (group: ChangeGroup, effect: Effect)?
  package var result: Result<Answer, Failure>
  /// What the change means for other models of the pipeline: committed with it, or not at all. Not
  /// looked at without a change.
  package var consequences: [CommandConsequence]

  package init(
    change: (group: ChangeGroup, effect: Effect)? = nil, result: Result<Answer, Failure>,
    consequences: [CommandConsequence] = []
  ) {
    self.change = change
    self.result = result
    self.consequences = consequences
  }
}

/// Why a command was not carried out, whatever the rules say of it.
package enum CommitFailure: Error, Hashable, Sendable {
  /// The queue is full.
  case overloaded(waiting: Int)
  /// The deadline passed before the command was applied.
  case deadlineExceeded
  /// The same idempotency key came with another request.
  case idempotencyMismatch
  /// Whether it took effect is not known, or it could not be carried out now: repeat it with the
  /// same key.
  case unavailable(reason: String)
  /// What was asked for may stand in a part of the record that cannot be read now.
  case unreadable(reason: String)
  /// Nothing can be written.
  case readOnly(reason: String)
  /// The daemon is going down.
  case stopped
}

extension CommitFailure {
  package var message: String {
    switch self {
    case .overloaded(let waiting): "\(waiting) commands wait already"
    case .deadlineExceeded: "the deadline passed before the command was applied"
    case .idempotencyMismatch: "this idempotency key was used for another request"
    case .unavailable(let reason): "not confirmed (\(reason)): repeat it with the same key"
    case .unreadable(let reason): "the record cannot be read now: \(reason)"
    case .readOnly(let reason): "nothing can be written now: \(reason)"
    case .stopped: "the service is going down"
    }
  }

  /// When another try may go better; nil where it will not.
  package var retryAfterMilliseconds: Int64? {
    switch self {
    case .overloaded: 100
    case .unavailable, .unreadable, .stopped: 200
    case .readOnly: 5000
    case .deadlineExceeded: 0
    case .idempotencyMismatch: nil
    }
  }
}

/// A key of the caller with what was asked under it.
package struct IdempotencyClaim: Hashable, Sendable {
  package var tenant: String
  package var key: IdempotencyHash
  package var requestHash: UInt64

  package init(tenant: String, key: IdempotencyHash, requestHash: UInt64) {
    self.tenant = tenant
    self.key = key
    self.requestHash = requestHash
  }
}

/// Figures of a pipeline since its start.
package struct CommitStatistics: Hashable, Sendable {
  package var commands = 0
  package var batches = 0
  package var largestBatch = 0
  package var committedGroups = 0
  package var conflicts = 0
  package var notDone = 0
  package var duplicates = 0
  package var unknownOutcomes = 0
  package var refusedForLoad = 0
  package var missedDeadlines = 0
  /// Waiting now.
  package var queued = 0

  package init() {}
}
