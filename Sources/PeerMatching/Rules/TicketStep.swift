import ObjectModel

/// The tickets that one command changes, and what it tells.
struct TicketStep {
  let actorID: String
  let people: TicketRules.People
  let now: Instant
  var actor: Ticket
  private var others: [Ticket] = []
  private var events: [TicketEvent] = []
  private let before: Ticket

  init(actorID: String, people: @escaping TicketRules.People, now: Instant) {
    self.actorID = actorID
    self.people = people
    self.now = now
    actor = people(actorID) ?? Ticket(userID: actorID)
    before = actor
  }

  func ticket(_ id: String) -> Ticket? {
    if id == actorID { return actor }
    return others.first { $0.userID == id } ?? people(id)
  }

  mutating func put(_ ticket: Ticket) {
    if ticket.userID == actorID {
      actor = ticket
    } else if let i = others.firstIndex(where: { $0.userID == ticket.userID }) {
      others[i] = ticket
    } else {
      others.append(ticket)
    }
  }

  mutating func emit(
    _ detail: TicketEvent.Detail, of userID: String? = nil, other: String? = nil,
    match: String? = nil
  ) {
    events.append(
      TicketEvent(
        detail: detail, at: now, userID: userID ?? actorID, otherID: other, matchID: match,
        version: 0))
  }

  /// A proposal of another person that still stands.
  func liveProposal(from otherID: String) -> Proposal? {
    guard let other = ticket(otherID) else { return nil }
    return actor.proposalsFrom.first {
      $0.userID == otherID && $0.opening == other.opening && $0.isLive(at: now)
    }
  }

  // MARK: Steps of several commands

  /// The end of a waiting: nothing of it stands any longer.
  mutating func endWaiting() {
    actor = Self.ended(actor)
  }

  private static func ended(_ ticket: Ticket) -> Ticket {
    var ticket = ticket
    ticket.proposalsFrom = []
    ticket.proposalsTo = []
    ticket.declined = []
    return ticket
  }

  mutating func close(_ id: String, because reason: TicketEvent.CloseReason) {
    guard var ticket = ticket(id) else { return }
    ticket = Self.ended(ticket)
    ticket.state = .closed
    ticket.stateSince = now
    put(ticket)
    emit(.closed(reason), of: id)
  }

  mutating func expire() {
    endWaiting()
    actor.state = .expired
    actor.stateSince = now
    emit(.expired)
  }

  mutating func match(_ other: Ticket, id: String) {
    var other = other
    actor = Self.matched(actor, with: other.userID, id: id, at: now)
    other = Self.matched(other, with: actorID, id: id, at: now)
    put(other)
    emit(.matched, other: other.userID, match: id)
    emit(.matched, of: other.userID, other: actorID, match: id)
  }

  private static func matched(
    _ ticket: Ticket, with otherID: String, id: String, at now: Instant
  ) -> Ticket {
    var ticket = ended(ticket)
    ticket.state = .matched
    ticket.stateSince = now
    ticket.match = TicketMatch(id: id, userID: otherID, at: now)
    ticket.reviewed = false
    ticket.dodgedBy = nil
    return ticket
  }

  /// Ends the match of who acts, for both.
  mutating func endMatch(
    because own: TicketEvent.CloseReason, other reason: TicketEvent.CloseReason
  ) {
    guard let match = actor.match else { return }
    actor.lastMatch = match
    actor.match = nil
    close(actorID, because: own)
    guard var other = ticket(match.userID), other.match?.id == match.id else { return }
    other.lastMatch = other.match
    other.match = nil
    put(other)
    close(match.userID, because: reason)
  }

  // MARK: The end

  /// One version of each ticket that changed.
  func change() -> TicketChange {
    guard !events.isEmpty else { return TicketChange(tickets: [before], events: []) }
    var all = [actor] + others
    if actor == before { all.removeFirst() }
    for i in all.indices { all[i].version += 1 }
    var told = events
    for i in told.indices {
      told[i].version = all.first { $0.userID == told[i].userID }?.version ?? actor.version
    }
    return TicketChange(tickets: all, events: told)
  }
}
