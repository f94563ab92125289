import ObjectModel

extension TicketRules {
  /// Calls the match off: both tickets close, and who does it may not wait for a while.
  func dodge(_ otherID: String, _ step: inout TicketStep) throws(TicketError) {
    guard otherID != step.actorID else { throw .oneself }
    if step.actor.match == nil, step.actor.lastMatch?.userID == otherID,
      step.actor.dodgedBy == step.actorID
    {
      // It was called off by this very command.
      return
    }
    guard let match = step.actor.match, match.userID == otherID else {
      throw .notMatched(otherID: otherID)
    }
    step.actor.dodgedBy = step.actorID
    step.emit(.dodged(by: step.actorID), other: otherID, match: match.id)
    if var other = step.ticket(otherID), other.match?.id == match.id {
      other.dodgedBy = step.actorID
      step.put(other)
      step.emit(.dodged(by: step.actorID), of: otherID, other: step.actorID, match: match.id)
    }
    step.endMatch(because: .dodged, other: .dodged)
    penalise(step.now, &step)
  }

  /// Somebody did not come to what they had joined elsewhere.
  func noShow(_ at: Instant, _ step: inout TicketStep) {
    guard !step.actor.conduct.dodges.contains(at) else { return }
    penalise(at, &step)
  }

  private func penalise(_ at: Instant, _ step: inout TicketStep) {
    let oldest = step.now.advanced(milliseconds: -policy.dodgeMemory)
    guard at > oldest, !policy.dodgePenalties.isEmpty else { return }
    step.actor.conduct.dodges.removeAll { $0 <= oldest }
    step.actor.conduct.dodges.append(at)
    step.actor.conduct.dodges.sort()
    let count = step.actor.conduct.dodges.count
    let time = policy.dodgePenalties[min(count, policy.dodgePenalties.count) - 1]
    let until = at.advanced(milliseconds: time)
    let known = step.actor.conduct.penaltyUntil ?? until
    step.actor.conduct.penaltyUntil = max(until, known)
    step.emit(.penalised(until: max(until, known)))
  }

  /// Says something of the one met; ends the match if it still goes on.
  func rate(
    _ otherID: String, _ command: RateUser, _ step: inout TicketStep
  ) throws(TicketError) {
    guard otherID != step.actorID else { throw .oneself }
    try validate(command)
    guard let match = step.actor.match ?? step.actor.lastMatch, match.userID == otherID else {
      throw .notMatched(otherID: otherID)
    }
    guard !step.actor.reviewed else { throw .alreadyRated(otherID: otherID) }
    if step.actor.match != nil { step.endMatch(because: .rated, other: .other) }
    step.actor.reviewed = true
    // The one who rates has changed, whether or not a match ended.
    step.emit(.updated, other: otherID, match: match.id)
    var other = step.ticket(otherID) ?? Ticket(userID: otherID)
    if let stars = command.stars {
      other.rating.count += 1
      other.rating.stars += stars
    }
    for (i, value) in command.reputation.enumerated() {
      if i == other.rating.reputation.count { other.rating.reputation.append(0) }
      other.rating.reputation[i] += value
    }
    if !command.comment.isEmpty {
      other.rating.comments.append(command.comment)
      other.rating.comments = Array(other.rating.comments.suffix(policy.comments))
    }
    step.put(other)
    step.emit(
      .rated(stars: command.stars), of: otherID, other: step.actorID, match: match.id)
  }

  private func validate(_ command: RateUser) throws(TicketError) {
    if let stars = command.stars, !(1...5).contains(stars) {
      throw .numberOutOfRange(field: "stars", value: Int64(stars), allowed: 1...5)
    }
    guard command.reputation.count <= 16 else { throw .tooMany(field: "reputation", limit: 16) }
    for value in command.reputation where !(0...1).contains(value) {
      throw .numberOutOfRange(field: "reputation", value: Int64(value), allowed: 0...1)
    }
    guard command.comment.utf8.count <= 500 else {
      throw .tooMany(field: "bytes of comment", limit: 500)
    }
  }

  /// Each person's report counts once; enough of them forbid waiting for a while.
  func report(_ otherID: String, _ step: inout TicketStep) throws(TicketError) {
    guard !otherID.isEmpty else { throw .missingID(field: "otherId") }
    guard otherID != step.actorID else { throw .oneself }
    guard var other = step.ticket(otherID), other.opening > 0 else {
      throw .unknown(userID: otherID)
    }
    let oldest = step.now.advanced(milliseconds: -policy.reportMemory)
    other.conduct.reports.removeAll { $0.at <= oldest }
    guard !other.conduct.reports.contains(where: { $0.reporterID == step.actorID }) else { return }
    other.conduct.reports.append(Conduct.Report(reporterID: step.actorID, at: step.now))
    let count = other.conduct.reports.count
    let isBanned = other.conduct.bannedUntil.map { $0 > step.now } ?? false
    let until = step.now.advanced(milliseconds: policy.banMilliseconds)
    let bans = count >= policy.reportsForBan && !isBanned
    if bans {
      other.conduct.bannedUntil = until
      other.conduct.isBannedByOperator = false
      // Served: what comes after the ban counts anew.
      other.conduct.reports = []
    }
    step.put(other)
    step.emit(.reported(count: count), of: otherID, other: step.actorID)
    guard bans else { return }
    step.emit(.banned(until: until), of: otherID)
    if other.state == .open { step.close(otherID, because: .banned) }
  }

  /// An operator's ban, or its end and that of a penalty.
  func ban(_ until: Instant?, _ step: inout TicketStep) {
    if let until {
      let conduct = step.actor.conduct
      guard conduct.bannedUntil != until || !conduct.isBannedByOperator else { return }
      step.actor.conduct.bannedUntil = until
      step.actor.conduct.isBannedByOperator = true
      step.emit(.banned(until: until))
      if until > step.now, step.actor.state == .open { step.close(step.actorID, because: .banned) }
    } else if step.actor.conduct.bannedUntil != nil || step.actor.conduct.penaltyUntil != nil {
      step.actor.conduct.bannedUntil = nil
      step.actor.conduct.isBannedByOperator = false
      step.actor.conduct.penaltyUntil = nil
      step.actor.conduct.reports = []
      step.emit(.pardoned)
    }
  }

  func unban(_ step: inout TicketStep) throws(TicketError) {
    guard step.people(step.actorID) != nil else { throw .unknown(userID: step.actorID) }
    guard step.actor.conduct.bannedUntil != nil else { return }
    step.actor.conduct.bannedUntil = nil
    step.actor.conduct.isBannedByOperator = false
    step.actor.conduct.reports = []
    step.emit(.pardoned)
  }

  func clearPenalty(_ step: inout TicketStep) throws(TicketError) {
    guard step.people(step.actorID) != nil else { throw .unknown(userID: step.actorID) }
    guard step.actor.conduct.penaltyUntil != nil else { return }
    step.actor.conduct.penaltyUntil = nil
    step.emit(.pardoned)
  }

  /// Neither sees the other from now on. What went on between them ends; who is blocked is told no
  /// more than that a proposal was withdrawn.
  func block(_ otherID: String, _ step: inout TicketStep) throws(TicketError) {
    guard !otherID.isEmpty else { throw .missingID(field: "otherId") }
    guard otherID != step.actorID else { throw .oneself }
    guard !step.actor.blocks(otherID) else { return }
    guard step.actor.blocked.count < policy.blocks else {
      throw .tooMany(field: "blocks", limit: policy.blocks)
    }
    if step.actor.match?.userID == otherID { step.endMatch(because: .blocked, other: .other) }
    step.actor.blocked.append(otherID)
    step.actor.blocked.sort()
    step.actor.proposalsFrom.removeAll { $0.userID == otherID }
    let hasAsked = step.actor.proposalsTo.contains { $0.userID == otherID }
    step.actor.proposalsTo.removeAll { $0.userID == otherID }
    step.emit(.blocked, other: otherID)
    guard hasAsked, var other = step.ticket(otherID),
      other.proposalsFrom.contains(where: { $0.userID == step.actorID })
    else { return }
    other.proposalsFrom.removeAll { $0.userID == step.actorID }
    step.put(other)
    step.emit(.withdrawn(byClock: false), of: otherID, other: step.actorID)
  }

  func unblock(_ otherID: String, _ step: inout TicketStep) throws(TicketError) {
    guard !otherID.isEmpty else { throw .missingID(field: "otherId") }
    guard step.actor.blocks(otherID) else { return }
    step.actor.blocked.removeAll { $0 == otherID }
    step.emit(.unblocked, other: otherID)
  }
}
