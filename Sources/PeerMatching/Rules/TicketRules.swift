public import ObjectModel
public import PositionProtection

/// The rules of tickets, pure: state, command and `now` in, new state and events out, or a
/// ``TicketError``.
///
/// A command changes the ticket of who acts and at most that of one other person. Commands set a
/// state: asked again, they answer the same ticket unchanged. What the clock has ended counts as
/// ended, whether or not a timer has said so. A change counts one version of each ticket it
/// changes, however many events it has.
public struct TicketRules: Sendable {
  /// The newest ticket of a person; nil: they never had one.
  public typealias People = (_ userID: String) -> Ticket?
  /// How many people are in a cell.
  public typealias Crowd = (_ cell: ProtectedCell) -> Int

  /// What the tenant allows.
  public let policy: TicketPolicy
  /// Blurs positions; its cells are kept even where the layer does not use them.
  public let grid: ProtectionGrid

  /// Makes the rules of one tenant.
  public init(policy: TicketPolicy = TicketPolicy(), grid: ProtectionGrid) {
    self.policy = policy
    self.grid = grid
  }

  /// Carries out one command.
  ///
  /// - Parameters:
  ///   - command: What somebody does.
  ///   - now: The moment at which it happens.
  ///   - people: All tickets.
  ///   - crowd: People who wait, by where they are; for the size of a cell.
  /// - Returns: The changed tickets and what to tell.
  /// - Throws: ``TicketError``; nothing changes then.
  public func apply(
    _ command: TicketCommand, now: Instant, people: @escaping People, crowd: Crowd
  ) throws(TicketError) -> TicketChange {
    guard !command.userID.isEmpty else { throw .missingID(field: "userId") }
    var step = TicketStep(actorID: command.userID, people: people, now: now)
    switch command {
    case .open(_, let open): try self.open(open, &step, crowd)
    case .close: try close(&step)
    case .stopWaiting:
      if let match = step.actor.match { throw .alreadyMatched(otherID: match.userID) }
      try close(&step)
    case .propose(_, let other, let matchID, let matches):
      try propose(to: other, matchID: matchID, matchesIfAsked: matches, &step)
    case .withdraw(_, let other): try withdraw(from: other, &step)
    case .accept(_, let other, let matchID): try accept(other, matchID: matchID, &step)
    case .decline(_, let other): try decline(other, &step)
    case .dodge(_, let other): try dodge(other, &step)
    case .rate(_, let other, let rating): try rate(other, rating, &step)
    case .report(_, let other): try report(other, &step)
    case .block(_, let other): try block(other, &step)
    case .unblock(_, let other): try unblock(other, &step)
    case .tick: tick(&step)
    case .noShow(_, let at): noShow(at, &step)
    case .ban(_, let until): ban(until, &step)
    case .unban: try unban(&step)
    case .clearPenalty: try clearPenalty(&step)
    case .shut: try close(&step, because: .byOperator)
    }
    return step.change()
  }

  // MARK: Waiting

  private func open(
    _ open: OpenTicket, _ step: inout TicketStep, _ crowd: Crowd
  ) throws(TicketError) {
    try validate(open)
    let now = step.now
    var ticket = step.actor
    if let until = ticket.conduct.bannedUntil, until > now { throw .banned(until: until) }
    if let until = ticket.conduct.penaltyUntil, until > now { throw .penalised(until: until) }
    if let match = ticket.match { throw .alreadyMatched(otherID: match.userID) }
    let isNew = !ticket.isWaiting(at: now)
    if isNew { step.endWaiting() }
    ticket = step.actor
    let wasCounted = ticket.here != nil && !isNew
    ticket.cell = grid.protect(
      open.here, userID: ticket.userID, old: ticket.cell, isStillShown: !isNew
    ) { cell in
      // The person is not their own neighbour.
      let isSelf = wasCounted && ticket.here.map { grid.cell(of: $0, level: cell.level) } == cell
      return crowd(cell) - (isSelf ? 1 : 0)
    }
    ticket.here = open.here
    ticket.lookingAt = open.lookingAt
    ticket.tags = open.tags
    ticket.attributes = open.attributes
    ticket.wanted = open.wanted
    ticket.expiresAt = now.advanced(milliseconds: open.milliseconds ?? policy.openMilliseconds)
    if isNew {
      ticket.state = .open
      ticket.stateSince = now
      ticket.opening += 1
      ticket.dodgedBy = nil
    } else if ticket == step.actor {
      return
    }
    step.actor = ticket
    step.emit(isNew ? .opened : .updated)
  }

  private func validate(_ open: OpenTicket) throws(TicketError) {
    if let time = open.milliseconds, !policy.openRange.contains(time) {
      throw .numberOutOfRange(
        field: "expiresInSeconds", value: time / 1000,
        allowed: policy.openRange.lowerBound / 1000...policy.openRange.upperBound / 1000)
    }
    guard open.tags.count <= policy.tags else { throw .tooMany(field: "tags", limit: policy.tags) }
    for wish in open.wanted where wish.name.isEmpty || wish.values.isEmpty {
      throw .badWish(name: wish.name)
    }
    for name in policy.requiredAttributes where (open.attributes[name] ?? "").isEmpty {
      throw .attributeRequired(name: name)
    }
  }

  private func close(
    _ step: inout TicketStep, because reason: TicketEvent.CloseReason = .own
  ) throws(TicketError) {
    guard step.actor.opening > 0 else { throw .unknown(userID: step.actorID) }
    switch step.actor.state {
    case .open: step.close(step.actorID, because: reason)
    case .matched: step.endMatch(because: reason, other: .other)
    case .closed, .expired: return
    }
  }

  // MARK: The clock

  private func tick(_ step: inout TicketStep) {
    let now = step.now
    guard step.actor.state == .open else { return }
    if step.actor.expiresAt <= now {
      step.expire()
      return
    }
    for proposal in step.actor.proposalsFrom + step.actor.proposalsTo
    where !proposal.isLive(at: now) {
      step.emit(.withdrawn(byClock: true), other: proposal.userID)
    }
    step.actor.proposalsFrom.removeAll { !$0.isLive(at: now) }
    step.actor.proposalsTo.removeAll { !$0.isLive(at: now) }
  }
}
