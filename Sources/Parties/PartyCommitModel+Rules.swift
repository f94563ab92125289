import ObjectModel
import RideMatching
import FareEstimation
import DurableCommands

extension PartyCommitModel {
  func decide(
    _ command: PartyServiceCommand, in overlay: inout PartyOverlay, now: Instant
  ) -> Decision {
    do throws(PartyServiceError) {
      return try decided(command, overlay, now)
    } catch {
      return Decision(change: nil, result: .failure(error))
    }
  }

  private func decided(
    _ command: PartyServiceCommand, _ overlay: PartyOverlay, _ now: Instant
  ) throws(PartyServiceError) -> Decision {
    switch command {
    case .create(let create, let id, let refined):
      return try decidedCreate(create, id, refined, overlay, now)
    case .join(let id, let join, let requestID, let refined):
      return try decidedJoin(join, id, requestID: requestID, refined, overlay, now)
    case .approveJoin, .declineJoin, .withdrawJoin:
      return try decidedJoinRequest(command, overlay, now)
    case .leave(let id, let rider):
      return try onParty(id, refined: nil, overlay: overlay, now) { party throws(PartyError) in
        try rules.leave(riderID: rider, party, now: now)
      }
    case .update(let id, let actor, let update):
      return try onParty(id, refined: nil, overlay: overlay, now) { party throws(PartyError) in
        try rules.update(update, party, actorID: actor, now: now) { overlay.claims(of: $0) }
      }
    case .depart(let id, let actor):
      return try onParty(id, refined: nil, overlay: overlay, now) { party throws(PartyError) in
        try rules.depart(party, actorID: actor, now: now)
      }
    case .remove(let id, let rider, let reason, let actor):
      return try onParty(id, refined: nil, overlay: overlay, now) { party throws(PartyError) in
        try rules.remove(riderID: rider, reason: reason, party, actorID: actor, now: now)
      }
    case .settle(let id, let actor, let settle):
      return try onParty(id, refined: nil, overlay: overlay, now) { party throws(PartyError) in
        try rules.settle(settle, party, actorID: actor, now: now)
      }
    case .cancel(let id, let actor, let reason):
      return try onParty(id, refined: nil, overlay: overlay, now) { party throws(PartyError) in
        try rules.cancel(party, actorID: actor, reason: reason, now: now)
      }
    case .cancelByOperator(let id, let note):
      return try onParty(id, refined: nil, overlay: overlay, now, note: note) {
        party throws(PartyError) in
        try rules.cancel(party, actorID: nil, reason: "operator", now: now)
      }
    case .note(let note, let id):
      let event = note.event(
        of: AggregateKey(tenant: tenant, kind: .party, id: id), version: 0, now: now,
        body: note.body("userId", id))
      return Decision(
        change: (ChangeGroup(changes: [], events: [event]), .told([event])),
        result: .success(.nothing))
    case .tick(let id):
      return try onParty(id, refined: nil, overlay: overlay, now) { party throws(PartyError) in
        rules.tick(party, now: now)
      }
    case .keepRequest, .found, .dropRequest, .withdrawRequest:
      return decidedRequest(command, overlay, now)
    case .commute(let command):
      return try decidedCommute(command, overlay, now)
    case .makeOffer, .answerOffer, .expireOffer:
      return try decidedOffer(command, overlay, now)
    }
  }

  private func decidedCreate(
    _ create: CreateParty, _ id: String, _ refined: RefinedRoute?, _ overlay: PartyOverlay,
    _ now: Instant
  ) throws(PartyServiceError) -> Decision {
    try meetings.checkBans([create.hostID] + create.riders.map(\.riderID), now)
    guard overlay.activeParties(hostedBy: create.hostID) < quotas.activePartiesPerHost else {
      return Decision(
        result: .failure(
          .quotaExceeded(field: "parties of one host", limit: quotas.activePartiesPerHost)))
    }
    let change = try rule { () throws(PartyError) in
      try rules.create(create, id: id, now: now) { overlay.claims(of: $0) }
    }
    return made(change, from: nil, refined, overlay, now)
  }

  private func decidedJoin(
    _ join: JoinParty, _ id: String, requestID: String, _ refined: RefinedRoute?,
    _ overlay: PartyOverlay, _ now: Instant
  ) throws(PartyServiceError) -> Decision {
    // Who is aboard already asks for what is so.
    if overlay.party(id)?.riders.contains(where: { $0.id == join.riderID }) == false {
      try meetings.checkBans([join.riderID], now)
    }
    return try onParty(id, refined: refined, overlay: overlay, now) { party throws(PartyError) in
      try meetings.check(join.riderID, party)
      return try rules.join(join, party, requestID: requestID, now: now) {
        overlay.claims(of: $0)
      }
    }
  }

  func onParty(
    _ id: String, refined: RefinedRoute?, overlay: PartyOverlay, _ now: Instant,
    note: OperatorNote? = nil,
    _ body: (Party) throws(PartyError) -> PartyChange
  ) throws(PartyServiceError) -> Decision {
    guard let party = overlay.party(id) else {
      if let failure = overlay.unread(id) { throw .commit(.unreadable(reason: failure.reason)) }
      throw .unknownParty(id)
    }
    let change = try rule { () throws(PartyError) in try body(party) }
    guard !change.unchanged else {
      return Decision(change: nil, result: .success(.party(party)))
    }
    try checkPending(change, overlay)
    return made(change, from: party, refined, overlay, now, note: note)
  }

  func rule<T>(_ body: () throws(PartyError) -> T) throws(PartyServiceError) -> T {
    do { return try body() } catch { throw .rule(error) }
  }

  // MARK: - From a change to what is stored

  func made(
    _ change: PartyChange, from before: Party?, _ refined: RefinedRoute?,
    _ overlay: PartyOverlay, _ now: Instant, note: OperatorNote? = nil
  ) -> Decision {
    var party = change.party
    refined?.apply(to: &party)
    let entry = PartyEntry(party)
    var group = group(entry, from: before, change.events, overlay)
    if let note, let last = change.events.last {
      group.events.append(
        note.event(
          of: AggregateKey(tenant: tenant, kind: .party, id: party.id), version: party.version,
          now: last.at, body: note.body("partyId", party.id)))
    }
    overlay.put(entry)
    var entries = [entry]
    for (other, left) in requestsEnded(by: change, overlay, now) {
      let changed = PartyEntry(left.party)
      group.merge(self.group(changed, from: other, left.events, overlay))
      overlay.put(changed)
      entries.append(changed)
    }
    return Decision(
      change: (group, .parties(entries, group.events)), result: .success(.party(party)),
      consequences: change.events.compactMap { event in
        guard case .removed(let rider, .noShow) = event.detail else { return nil }
        return meetings.noShow(rider, event.at)
      })
  }

  /// What is stored of one party.
  private func group(
    _ entry: PartyEntry, from before: Party?, _ events: [PartyEvent], _ overlay: PartyOverlay
  ) -> ChangeGroup {
    let party = entry.party
    let key = AggregateKey(tenant: tenant, kind: .party, id: party.id)
    var group = ChangeGroup(
      changes: [
        ChangeGroup.Change(
          expectedVersion: before?.version ?? 0,
          aggregate: StoredAggregate(
            key: key, version: party.version, bytes: PartyRecord.encode(party, hasRoom: true),
            summary: Self.summary(party)))
      ], claimsMustNotOverlap: false)
    if let interval = entry.interval {
      group.claims = party.riders.map {
        TimeClaim(
          tenant: tenant, userID: $0.id, from: interval.from, through: interval.through,
          aggregate: key)
      }
      group.claimsMustNotOverlap = mustNotOverlap(party, interval, overlay)
    }
    group.events = events.map { event in
      StoredEvent(
        tenant: tenant, kind: "party." + event.kind,
        at: event.at,
        aggregateID: party.id, userIDs: event.userIDs, version: event.version,
        body: PartyEventBody.bytes(event, party))
    }
    return group
  }

  /// Whether the store, too, shall see to it that nobody is in two places: not where the tenant
  /// allows it, nor where someone aboard is (a host who moved the window of an old party).
  private func mustNotOverlap(
    _ party: Party, _ interval: PartyInterval, _ overlay: PartyOverlay
  ) -> Bool {
    guard rules.configuration.overlappingParties <= 1 else { return false }
    return party.riders.allSatisfy { rider in
      overlay.claims(of: rider.id).allSatisfy {
        $0.partyID == party.id || !$0.meets(interval)
      }
    }
  }

  static func summary(_ party: Party) -> AggregateSummary {
    let endedAt: Instant? =
      switch party.state {
      case .open, .full, .departed: nil
      case .cancelled, .ended: party.stateSince
      }
    return AggregateSummary(
      state: party.state.rawValue, ownerID: party.hostID, origin: party.origin.coordinate,
      originName: party.origin.name, destination: party.destination.coordinate,
      destinationName: party.destination.name, startsAt: party.window.start,
      endsAt: party.interval.through, seats: party.seats, seatsFree: party.seatsFree,
      currency: party.fare.currency, expectedFare: party.fare.expected, endedAt: endedAt)
  }
}

extension RefinedRoute {
  /// Shows the provider's way and its price, if the party halts at these places in this order.
  /// Shares stay those of the estimate, which preview and match have promised.
  func apply(to party: inout Party) {
    guard party.isActive, Self.stops(of: party.route.path) == stops else { return }
    party.route.distanceMeters = route.distanceMeters
    party.route.durationSeconds = route.durationSeconds
    party.route.path = route.path
    party.route.source = route.source
    // What was agreed on, and no price, no route changes.
    guard party.agreedFare == nil, party.hasTariff else { return }
    party.fare.expected = expected
    party.fare.low = low
    party.fare.high = high
    party.fare.source = route.source
    party.fare.perPersonNow = FareEstimator.perSeat(expected, seats: max(1, party.seatsTaken))
    party.fare.perPersonIfFull = FareEstimator.perSeat(
      expected, seats: max(1, party.seatsTaken, party.seats))
  }
}
