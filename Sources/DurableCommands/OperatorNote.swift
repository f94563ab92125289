package import ObjectModel

/// Who of the operators does something, and why: it goes into the tenant's events beside what the command
/// itself tells, for services alone to read.
package struct OperatorNote: Hashable, Sendable {
  /// What is done; each has a kind of event of its own.
  package enum Action: String, Hashable, Sendable, CaseIterable {
    case banned, unbanned
    case penaltyCleared = "penalty_cleared"
    case partyCancelled = "party_cancelled"
    case ticketClosed = "ticket_closed"
    case commuteClosed = "commute_closed"
    case erased

    /// Of an event's kind; nil: no operator's.
    package init?(kind: String) {
      guard kind.hasPrefix(OperatorNote.kindPrefix) else { return nil }
      self.init(rawValue: String(kind.dropFirst(OperatorNote.kindPrefix.count)))
    }
  }

  package var action: Action
  package var actor: String
  package var reason: String

  package init(_ action: Action, actor: String, reason: String) {
    self.action = action
    self.actor = actor
    self.reason = reason
  }

  /// What ids begin with that stand for people who were erased.
  package static let pseudonymPrefix = "erased-"

  /// First part of the kinds of these events.
  package static let kindPrefix = "admin."

  /// The event, as the feed keeps it.
  ///
  /// - Parameters:
  ///   - aggregate: What was changed.
  ///   - version: Of it, after the change.
  ///   - now: When it happened.
  ///   - body: A JSON object with the actor and the reason.
  /// - Returns: An event of which nobody but services hears.
  package func event(
    of aggregate: AggregateKey, version: UInt64, now: Instant, body: [UInt8]
  ) -> StoredEvent {
    StoredEvent(
      tenant: aggregate.tenant, kind: Self.kindPrefix + action.rawValue,
      at: now, aggregateID: aggregate.id, userIDs: [], version: version, body: body)
  }
}
