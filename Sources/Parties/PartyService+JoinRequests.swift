package import DurableCommands
import ObjectModel
import RideMatching

extension PartyService {
  /// Puts the rider of a request aboard. Approved already: unchanged.
  ///
  /// - Parameters:
  ///   - requestID: The request.
  ///   - partyID: Of which party.
  ///   - actorID: Who approves; nil for a service.
  ///   - context: Who asks, and their idempotency key.
  /// - Returns: The party with the rider aboard.
  /// - Throws: What the rules and the pipeline refuse.
  package func approveJoin(
    requestID: String, partyID: String, actorID: String?, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    var refined: RefinedRoute?
    if let request = book.party(partyID)?.joinRequest(requestID), request.isPending {
      refined = await refinedRoute(joining: partyID, request.join)
    }
    return try await carryOut(
      .approveJoin(partyID: partyID, requestID: requestID, actorID: actorID, refined), context)
  }

  /// Refuses a request. Declined already: unchanged.
  ///
  /// - Parameters:
  ///   - requestID: The request.
  ///   - partyID: Of which party.
  ///   - actorID: Who declines; nil for a service.
  ///   - context: Who asks, and their idempotency key.
  /// - Returns: The party without it among those that are pending.
  /// - Throws: What the rules and the pipeline refuse.
  package func declineJoin(
    requestID: String, partyID: String, actorID: String?, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    try await carryOut(
      .declineJoin(partyID: partyID, requestID: requestID, actorID: actorID), context)
  }

  /// Takes a request back. Withdrawn already: unchanged.
  ///
  /// - Parameters:
  ///   - requestID: The request.
  ///   - partyID: Of which party.
  ///   - riderID: Whose it is; nil for a service.
  ///   - context: Who asks, and their idempotency key.
  /// - Returns: The party without it among those that are pending.
  /// - Throws: What the rules and the pipeline refuse.
  package func withdrawJoin(
    requestID: String, partyID: String, riderID: String?, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    try await carryOut(
      .withdrawJoin(partyID: partyID, requestID: requestID, riderID: riderID), context)
  }
}

extension PartyCommitModel {
  func decidedJoinRequest(
    _ command: PartyServiceCommand, _ overlay: PartyOverlay, _ now: Instant
  ) throws(PartyServiceError) -> Decision {
    switch command {
    case .approveJoin(let id, let requestID, let actor, let refined):
      if let request = overlay.party(id)?.joinRequest(requestID), request.isPending {
        try meetings.checkBans([request.riderID], now)
      }
      return try onParty(id, refined: refined, overlay: overlay, now) { party throws(PartyError) in
        if let request = party.joinRequest(requestID), request.isPending {
          try meetings.check(request.riderID, party)
        }
        return try rules.approve(requestID: requestID, party, actorID: actor, now: now) {
          overlay.claims(of: $0)
        }
      }
    case .declineJoin(let id, let requestID, let actor):
      return try onParty(id, refined: nil, overlay: overlay, now) { party throws(PartyError) in
        try rules.decline(requestID: requestID, party, actorID: actor, now: now)
      }
    case .withdrawJoin(let id, let requestID, let rider):
      return try onParty(id, refined: nil, overlay: overlay, now) { party throws(PartyError) in
        try rules.withdraw(requestID: requestID, party, riderID: rider, now: now)
      }
    default: return Decision(change: nil, result: .success(.nothing))
    }
  }

  /// Counted here, where no other command comes in between.
  func checkPending(
    _ change: PartyChange, _ overlay: PartyOverlay
  ) throws(PartyServiceError) {
    for event in change.events {
      guard case .joinRequested(let request) = event.detail else { continue }
      let limit = quotas.pendingJoinRequestsPerRider
      guard overlay.partiesRequested(by: request.riderID).count < limit else {
        throw .quotaExceeded(field: "pending requests of one rider", limit: limit)
      }
    }
  }

  /// The other parties that somebody who just got in waits for, without their requests: those at the time
  /// of a party in which they have no more room for another.
  func requestsEnded(
    by change: PartyChange, _ overlay: PartyOverlay, _ now: Instant
  ) -> [(before: Party, change: PartyChange)] {
    var ended: [(before: Party, change: PartyChange)] = []
    for rider in change.ridersWhoGotIn {
      for id in overlay.partiesRequested(by: rider) where id != change.party.id {
        guard let party = overlay.party(id), party.interval.meets(change.party.interval) else {
          continue
        }
        let others = overlay.claims(of: rider).count { $0.meets(party.interval) }
        guard others >= max(1, rules.configuration.overlappingParties) else { continue }
        let left = rules.endRequest(ofRider: rider, party, now: now)
        if !left.unchanged { ended.append((party, left)) }
      }
    }
    return ended
  }
}

extension PartyChange {
  fileprivate var ridersWhoGotIn: [String] {
    events.flatMap { event -> [String] in
      switch event.detail {
      case .joined(let rider): [rider.id]
      case .created(let party): party.riders.map(\.id)
      default: []
      }
    }
  }
}
