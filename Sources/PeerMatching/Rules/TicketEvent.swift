public import ObjectModel

/// Something that happened to a ticket. What concerns two people is told of both tickets.
public struct TicketEvent: Hashable, Sendable {
  /// What happened, seen from the ticket's person.
  public enum Detail: Hashable, Sendable {
    case opened
    case updated
    case closed(CloseReason)
    case expired
    /// `otherID` asked.
    case proposed
    /// The person asked `otherID`.
    case asked
    /// A proposal of either one is gone, by whoever made it or by the clock.
    case withdrawn(byClock: Bool)
    /// Either one declined.
    case declined
    case matched
    /// `by` called the match off.
    case dodged(by: String)
    /// Somebody rated the person.
    case rated(stars: Int?)
    case reported(count: Int)
    case penalised(until: Instant)
    case banned(until: Instant)
    case pardoned
    case blocked
    case unblocked
  }

  /// Why a ticket is closed.
  public enum CloseReason: String, Hashable, Sendable, CaseIterable {
    /// The person closed it.
    case own
    /// The one they met ended the match.
    case other
    /// A rating ended the match.
    case rated
    case dodged
    case blocked
    case banned
    /// An operator closed it.
    case byOperator = "operator"
  }

  /// What has happened, with what only this kind of event has.
  public var detail: Detail
  /// The moment at which the command was carried out.
  public var at: Instant
  /// Whose ticket it happened to.
  public var userID: String
  /// Who else is concerned.
  public var otherID: String?
  /// Of the match concerned.
  public var matchID: String?
  /// Of the ticket after the change.
  public var version: UInt64

  /// The word for the wire, without the `ticket.` of the tenant's feed.
  public var kind: String {
    switch detail {
    case .opened: "opened"
    case .updated: "updated"
    case .closed: "closed"
    case .expired: "expired"
    case .proposed: "proposed"
    case .asked: "asked"
    case .withdrawn: "withdrawn"
    case .declined: "declined"
    case .matched: "matched"
    case .dodged: "dodged"
    case .rated: "rated"
    case .reported: "reported"
    case .penalised: "penalised"
    case .banned: "banned"
    case .pardoned: "pardoned"
    case .blocked: "blocked"
    case .unblocked: "unblocked"
    }
  }

  /// Whether the ticket's person may hear of it: who reported and rated them is not for them.
  public var isForPerson: Bool {
    switch detail {
    case .reported, .rated: false
    default: true
    }
  }
}

/// What a command did: the newest states and what to tell.
public struct TicketChange: Hashable, Sendable {
  /// The one of who acted first; those after it changed as well.
  public var tickets: [Ticket]
  /// What led there, in order; none where nothing changed.
  public var events: [TicketEvent]
  /// The command asked for what was so already.
  public var isUnchanged: Bool { events.isEmpty }
}
