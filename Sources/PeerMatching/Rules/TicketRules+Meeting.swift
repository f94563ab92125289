import ObjectModel

extension TicketRules {
  /// Refused for the first of: oneself, who acts (matched, not waiting), blocks, the other one
  /// (matched, gone), an answer given before, wishes.
  func propose(
    to otherID: String, matchID: String, matchesIfAsked: Bool, _ step: inout TicketStep
  ) throws(TicketError) {
    let other = try checkOther(otherID, &step)
    let now = step.now
    if step.liveProposal(from: otherID) != nil {
      guard matchesIfAsked else { throw .otherAskedYou(otherID: otherID) }
      step.match(other, id: matchID)
      return
    }
    let opening = step.actor.opening
    if other.proposalsFrom.contains(where: {
      $0.userID == step.actorID && $0.opening == opening && $0.isLive(at: now)
    }) {
      return
    }
    if other.declined.contains(where: { $0.userID == step.actorID }) {
      throw .declined(otherID: otherID)
    }
    if let name = Self.unmet(step.actor, other) { throw .notWanted(attribute: name) }
    guard step.actor.proposalsTo.count(where: { $0.isLive(at: now) }) < policy.proposals else {
      throw .tooMany(field: "proposals", limit: policy.proposals)
    }
    var target = other
    target.proposalsFrom.removeAll { $0.userID == step.actorID }
    guard target.proposalsFrom.count(where: { $0.isLive(at: now) }) < policy.proposals else {
      throw .tooMany(field: "proposals to one person", limit: policy.proposals)
    }
    let end = policy.proposalMilliseconds.map { now.advanced(milliseconds: $0) }
    target.proposalsFrom.append(
      Proposal(userID: step.actorID, opening: opening, at: now, expiresAt: end))
    step.actor.proposalsTo.removeAll { $0.userID == otherID }
    step.actor.proposalsTo.append(
      Proposal(userID: otherID, opening: opening, at: now, expiresAt: end))
    step.put(target)
    step.emit(.asked, other: otherID)
    step.emit(.proposed, of: otherID, other: step.actorID)
  }

  /// Not asked, or over: unchanged.
  func withdraw(from otherID: String, _ step: inout TicketStep) throws(TicketError) {
    guard otherID != step.actorID else { throw .oneself }
    guard step.actor.opening > 0 else { throw .unknown(userID: step.actorID) }
    guard step.actor.proposalsTo.contains(where: { $0.userID == otherID }) else { return }
    step.actor.proposalsTo.removeAll { $0.userID == otherID }
    step.emit(.withdrawn(byClock: false), other: otherID)
    if var other = step.ticket(otherID),
      other.proposalsFrom.contains(where: { $0.userID == step.actorID })
    {
      other.proposalsFrom.removeAll { $0.userID == step.actorID }
      step.put(other)
      step.emit(.withdrawn(byClock: false), of: otherID, other: step.actorID)
    }
  }

  /// Meeting the other one already: unchanged.
  func accept(
    _ otherID: String, matchID: String, _ step: inout TicketStep
  ) throws(TicketError) {
    if step.actor.match?.userID == otherID { return }
    let other = try checkOther(otherID, &step)
    guard let proposal = step.actor.proposalsFrom.first(where: { $0.userID == otherID }) else {
      throw .notAsked(otherID: otherID)
    }
    guard proposal.opening == other.opening else { throw .otherGone(otherID: otherID) }
    if let end = proposal.expiresAt, end <= step.now { throw .proposalExpired(at: end) }
    step.match(other, id: matchID)
  }

  /// Not asked, or over: unchanged; a proposal that comes later in this waiting is refused.
  func decline(_ otherID: String, _ step: inout TicketStep) throws(TicketError) {
    guard otherID != step.actorID else { throw .oneself }
    guard step.actor.isWaiting(at: step.now) else {
      throw step.actor.opening > 0 ? .notWaiting : .unknown(userID: step.actorID)
    }
    guard let proposal = step.actor.proposalsFrom.first(where: { $0.userID == otherID }) else {
      return
    }
    step.actor.proposalsFrom.removeAll { $0.userID == otherID }
    if step.actor.declined.count < policy.proposals { step.actor.declined.append(proposal) }
    step.emit(.declined, other: otherID)
    if var other = step.ticket(otherID), other.state == .open,
      other.proposalsTo.contains(where: { $0.userID == step.actorID })
    {
      other.proposalsTo.removeAll { $0.userID == step.actorID }
      step.put(other)
      step.emit(.declined, of: otherID, other: step.actorID)
    }
  }

  /// The other one, who waits and may be asked.
  private func checkOther(
    _ otherID: String, _ step: inout TicketStep
  ) throws(TicketError) -> Ticket {
    guard !otherID.isEmpty else { throw .missingID(field: "otherId") }
    guard otherID != step.actorID else { throw .oneself }
    guard step.actor.opening > 0 else { throw .unknown(userID: step.actorID) }
    if let match = step.actor.match { throw .alreadyMatched(otherID: match.userID) }
    guard step.actor.isWaiting(at: step.now) else { throw .notWaiting }
    if step.actor.blocks(otherID) { throw .blockedByYou(otherID: otherID) }
    // Who is blocked by the other one is told the same as of somebody who left, whatever the
    // other one does.
    guard let other = step.ticket(otherID), !other.blocks(step.actorID), other.opening > 0 else {
      throw .otherGone(otherID: otherID)
    }
    if other.state == .matched { throw .otherMatched(otherID: otherID) }
    guard other.isWaiting(at: step.now) else { throw .otherGone(otherID: otherID) }
    return other
  }

  /// The first attribute that one of two people lacks; nil: each is what the other looks for.
  static func unmet(_ one: Ticket, _ other: Ticket) -> String? {
    one.wanted.first { !$0.isMet(by: other.attributes) }?.name
      ?? other.wanted.first { !$0.isMet(by: one.attributes) }?.name
  }
}
