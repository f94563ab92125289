public import ObjectModel

extension PartyRules {
  /// Asks the host for a seat: a join that would be refused is refused now.
  ///
  /// - Parameters:
  ///   - command: What is carried out once the host approves.
  ///   - id: Of the request that is made.
  ///   - step: The party by the clock.
  ///   - now: When it is asked.
  ///   - claims: When people are busy in other parties.
  /// - Returns: The party with the request; unchanged where the same is pending already.
  /// - Throws: What the join throws; ``PartyError/alreadyRequested(riderID:)``.
  func requested(
    _ command: JoinParty, id: String, _ step: PartyStep, now: Instant, claims: Claims
  ) throws(PartyError) -> PartyChange {
    var step = step
    if let known = step.party.lastRequest(of: command.riderID), known.isPending {
      guard isRepeated(command, known, step.party) else {
        throw .alreadyRequested(riderID: command.riderID)
      }
      return step.change()
    }
    let earlier = step.party.joinRequests.count { $0.riderID == command.riderID }
    guard earlier < configuration.requestsOfRider else {
      throw .tooManyRequests(limit: configuration.requestsOfRider)
    }
    guard step.party.pendingRequests.count < configuration.pendingRequests else {
      throw .tooManyPending(limit: configuration.pendingRequests)
    }
    // What it would be now; the request alone is kept.
    var joined = step
    try putAboard(command, &joined, now: now, claims: claims)
    let share = joined.party.riders.last?.share ?? 0
    let request = PartyJoinRequest(
      id: id, createdAt: now,
      expiresAt: min(
        now.advanced(milliseconds: configuration.requestMilliseconds),
        step.party.lastMomentOfRequests(now)), share: share, join: command)
    step.emit(.joinRequested(request), at: now)
    return step.change()
  }

  /// Puts the rider of a request aboard, by the rules of a join at this moment. Approved already:
  /// unchanged.
  ///
  /// - Parameters:
  ///   - requestID: The request.
  ///   - party: The newest state.
  ///   - actorID: Who approves, the host; nil for a service.
  ///   - now: When it is approved.
  ///   - claims: When people are busy in other parties.
  /// - Returns: The party with the rider aboard.
  /// - Throws: What a join throws, and the request stays pending;
  ///   ``PartyError/joinRequestOver(state:)``, ``PartyError/unknownJoinRequest(id:)``.
  public func approve(
    requestID: String, _ party: Party, actorID: String?, now: Instant, claims: Claims
  ) throws(PartyError) -> PartyChange {
    try requireHost(actorID, party)
    var step = clocked(party, now)
    guard let request = try pending(requestID, orEnded: .approved, step.party) else {
      return step.change()
    }
    try requireActive(step.party)
    // Its own seats are no longer held when the join looks for them.
    step.emit(
      .requestEnded(
        requestID: requestID, riderID: request.riderID, state: .approved, reason: .host), at: now)
    try putAboard(request.join, &step, now: now, claims: claims)
    return step.change()
  }

  /// Refuses a request. Declined already: unchanged.
  ///
  /// - Parameters:
  ///   - requestID: The request.
  ///   - party: The newest state.
  ///   - actorID: Who declines, the host; nil for a service.
  ///   - now: When it is declined.
  /// - Returns: The party without the request among those that are pending.
  /// - Throws: ``PartyError/joinRequestOver(state:)``, ``PartyError/unknownJoinRequest(id:)``,
  ///   ``PartyError/notHost(actorID:)``.
  public func decline(
    requestID: String, _ party: Party, actorID: String?, now: Instant
  ) throws(PartyError) -> PartyChange {
    try requireHost(actorID, party)
    return try end(requestID, as: .declined, .host, party, now)
  }

  /// Takes a request back. Withdrawn already: unchanged.
  ///
  /// - Parameters:
  ///   - requestID: The request.
  ///   - party: The newest state.
  ///   - riderID: Whose it is; nil for a service.
  ///   - now: When it is withdrawn.
  /// - Returns: The party without the request among those that are pending.
  /// - Throws: ``PartyError/joinRequestOver(state:)``, ``PartyError/unknownJoinRequest(id:)``, also
  ///   for another rider's.
  public func withdraw(
    requestID: String, _ party: Party, riderID: String?, now: Instant
  ) throws(PartyError) -> PartyChange {
    if let riderID, party.joinRequest(requestID)?.riderID != riderID {
      throw .unknownJoinRequest(id: requestID)
    }
    return try end(requestID, as: .withdrawn, .rider, party, now)
  }

  /// Ends the pending request of a rider who got into another party at that time; without one:
  /// unchanged.
  public func endRequest(
    ofRider riderID: String, _ party: Party, now: Instant
  ) -> PartyChange {
    var step = clocked(party, now)
    if let request = step.party.lastRequest(of: riderID), request.isPending {
      step.emit(
        .requestEnded(
          requestID: request.id, riderID: riderID, state: .withdrawn, reason: .joinedAnother),
        at: now)
    }
    return step.change()
  }

  private func end(
    _ requestID: String, as state: PartyJoinRequest.State, _ reason: PartyJoinRequest.EndReason,
    _ party: Party, _ now: Instant
  ) throws(PartyError) -> PartyChange {
    var step = clocked(party, now)
    guard let request = try pending(requestID, orEnded: state, step.party) else {
      return step.change()
    }
    step.emit(
      .requestEnded(requestID: requestID, riderID: request.riderID, state: state, reason: reason),
      at: now)
    return step.change()
  }

  /// - Returns: The request; nil where it ended in this state already.
  private func pending(
    _ id: String, orEnded state: PartyJoinRequest.State, _ party: Party
  ) throws(PartyError) -> PartyJoinRequest? {
    guard let request = party.joinRequest(id) else { throw .unknownJoinRequest(id: id) }
    if request.isPending { return request }
    if request.state == state { return nil }
    throw .joinRequestOver(state: request.state)
  }

  private func isRepeated(
    _ command: JoinParty, _ known: PartyJoinRequest, _ party: Party
  ) -> Bool {
    let before = known.join
    let asked = (before.destination ?? party.destination).coordinate
    if let wanted = command.destination, wanted.coordinate != asked { return false }
    if let wanted = command.boarding, wanted.coordinate != before.boarding?.coordinate {
      return false
    }
    return command.seats.map { $0 == known.seats } ?? true
  }
}
