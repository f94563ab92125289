import DurableCommands
import ObjectModel
import RideMatching

/// A change of a commute in the making, with what it does to parties and requests of its days: all is
/// committed together, or nothing.
private struct CommuteStep {
  /// Of the commute; 0: it is new.
  let expectedVersion: UInt64
  var change: CommuteChange
  private(set) var groups: [ChangeGroup] = []
  private(set) var parties: [PartyEntry] = []
  private(set) var requests: [StandingRequest] = []

  init(_ change: CommuteChange, from before: Commute?) {
    self.change = change
    expectedVersion = before?.version ?? 0
  }

  mutating func add(_ decision: PartyCommitModel.Decision) {
    guard let change = decision.change else { return }
    groups.append(change.group)
    switch change.effect {
    case .parties(let entries, _): parties += entries
    case .request(let request, _): requests.append(request)
    case .offer(let effect): requests += effect.requests
    case .commute, .told: break
    }
  }

  /// A day without somebody who rides with the series.
  mutating func refuse(
    _ riderID: String, _ day: CommuteDay, _ error: PartyServiceError, at now: Instant
  ) {
    change.tell(
      .joinRefused(riderID: riderID, day, reason: error.reason, message: error.message), at: now,
      to: [riderID, change.commute.ownerID])
  }
}

extension PartyCommitModel {
  func decidedCommute(
    _ command: CommuteCommand, _ overlay: PartyOverlay, _ now: Instant
  ) throws(PartyServiceError) -> Decision {
    switch command {
    case .create(let id, let schedule, let trip):
      return try created(id, schedule, trip, overlay, now)
    case .update(let id, let actor, let update):
      return try updated(try known(id, overlay), actor, update, overlay, now)
    case .cancel(let id, let actor, let reason, let includesAppeared):
      let commute = try known(id, overlay)
      let change = try commuteRule { () throws(CommuteError) in
        try commutes.rules.cancel(commute, actorID: actor, reason: reason, now: now)
      }
      guard !change.unchanged else { return unchanged(commute) }
      var step = CommuteStep(change, from: commute)
      for day in commute.days where includesAppeared && day.departure > now {
        _ = callOff(day, commute, reason: "commute_cancelled", &step, overlay, now)
      }
      return made(step, overlay)
    case .close(let id, let note, let includesAppeared):
      return try closed(try known(id, overlay), note, includesAppeared, overlay, now)
    case .join(let id, let join): return try joined(try known(id, overlay), join, overlay, now)
    case .leave(let id, let rider):
      return left(try known(id, overlay), rider, overlay, now)
    case .appear(let id, let date, let dayID, let refined):
      guard let commute = overlay.commutes.active(id),
        let occurrence = commutes.rules.due(commute, now: now).first(where: { $0.date == date })
      else { return Decision(result: .success(.nothing)) }
      return appeared(occurrence, dayID, refined, commute, overlay, now)
    case .tick(let id):
      guard let commute = overlay.commutes.active(id) else {
        return Decision(result: .success(.nothing))
      }
      let change = commutes.rules.tick(commute, now: now)
      guard !change.unchanged else { return unchanged(commute) }
      return made(CommuteStep(change, from: commute), overlay)
    }
  }

  private func known(
    _ id: String, _ overlay: PartyOverlay
  ) throws(PartyServiceError) -> Commute {
    if let commute = try overlay.commutes.commute(id) { return commute }
    throw unknownCommute(id)
  }

  /// What is said of a commute that is neither in memory nor in the record.
  func unknownCommute(_ id: String) -> PartyServiceError {
    gap.refusal.map { .commit($0) } ?? .commute(.unknown(id: id))
  }

  private func commuteRule<T>(
    _ body: () throws(CommuteError) -> T
  ) throws(PartyServiceError) -> T {
    do { return try body() } catch { throw .commute(error) }
  }

  private func unchanged(_ commute: Commute) -> Decision {
    Decision(result: .success(.commute(commute)))
  }

  // MARK: - The owner

  private func created(
    _ id: String, _ schedule: CommuteSchedule, _ trip: CommuteTrip, _ overlay: PartyOverlay,
    _ now: Instant
  ) throws(PartyServiceError) -> Decision {
    let change = try commuteRule { () throws(CommuteError) in
      try commutes.rules.create(id: id, schedule, trip, now: now)
    }
    let owner = change.commute.ownerID
    try meetings.checkBans([owner], now)
    guard overlay.commutes.count < commutes.maximum else {
      throw .quotaExceeded(field: "commutes", limit: commutes.maximum)
    }
    guard overlay.commutes.count(owner: owner) < commutes.perPerson else {
      throw .quotaExceeded(field: "commutes of one person", limit: commutes.perPerson)
    }
    _ = try nextParty(change.commute, now)
    return made(CommuteStep(change, from: nil), overlay)
  }

  private func updated(
    _ commute: Commute, _ actor: String?, _ update: UpdateCommute, _ overlay: PartyOverlay,
    _ now: Instant
  ) throws(PartyServiceError) -> Decision {
    let change = try commuteRule { () throws(CommuteError) in
      try commutes.rules.update(update, commute, actorID: actor, now: now)
    }
    guard !change.unchanged else { return unchanged(commute) }
    if case .request(let query, _) = change.commute.trip, change.commute.trip != commute.trip {
      try validate(query)
    }
    _ = try nextParty(change.commute, now)
    var step = CommuteStep(change, from: commute)
    if update.includesAppeared {
      var undecided: Set<CivilDate> = []
      for day in commutes.rules.replaceable(commute, of: change.commute, now: now)
      where day.appearedID == nil
        || callOff(day, commute, reason: "commute_updated", &step, overlay, now)
      {
        undecided.insert(day.date)
      }
      step.change.commute = commutes.rules.undecided(undecided, step.change.commute)
    }
    return made(step, overlay)
  }

  /// The party that the next day would begin with, held against the rules; nil where the trip is a
  /// request, or no day is left.
  /// - Throws: What the rules refuse on any day: a trip that is too short, places without a tariff.
  private func nextParty(_ commute: Commute, _ now: Instant) throws(PartyServiceError) -> Party? {
    guard let next = commutes.rules.next(commute) else { return nil }
    return try party(next, commute, now)
  }

  /// As ``nextParty(_:_:)``, of a given day.
  private func party(
    _ occurrence: CommuteOccurrence, _ commute: Commute, _ now: Instant
  ) throws(PartyServiceError) -> Party? {
    guard let create = commute.party(at: occurrence.departure) else { return nil }
    return try rule { () throws(PartyError) in
      try rules.create(create, id: "-", now: now) { _ in [] }
    }.party
  }

  /// Takes back a day that nobody has joined, or any that has not departed.
  /// - Returns: Whether it was taken back: not where somebody rides along, or the taxi has left.
  private func callOff(
    _ day: CommuteDay, _ commute: Commute, reason: String, evenIfJoined: Bool = false,
    _ step: inout CommuteStep, _ overlay: PartyOverlay, _ now: Instant
  ) -> Bool {
    guard let id = day.appearedID else { return false }
    if case .request = commute.trip {
      guard let request = overlay.request(id), !request.isOver else { return false }
      step.add(ended(request, overlay: overlay, now: now))
      return true
    }
    guard let party = overlay.party(id), party.isActive,
      evenIfJoined || party.riders.map(\.id) == [commute.ownerID],
      let change = try? rules.cancel(party, actorID: nil, reason: reason, now: now),
      change.party.state == .cancelled, !change.unchanged
    else { return false }
    step.add(made(change, from: party, nil, overlay, now))
    return true
  }

  // MARK: - Operators

  /// Ends a commute and, where the operator says so, all its days that have not departed: those who ride
  /// along are told that an operator did.
  private func closed(
    _ commute: Commute, _ note: OperatorNote, _ includesAppeared: Bool, _ overlay: PartyOverlay,
    _ now: Instant
  ) throws(PartyServiceError) -> Decision {
    let change = try commuteRule { () throws(CommuteError) in
      try commutes.rules.cancel(commute, actorID: nil, reason: "operator", now: now)
    }
    var step = CommuteStep(change, from: commute)
    for day in commute.days where includesAppeared && mayLeave(day, commute, now) {
      _ = callOff(day, commute, reason: "operator", evenIfJoined: true, &step, overlay, now)
    }
    if change.unchanged {
      // Over before, but with days that were left as they are until now.
      guard !step.groups.isEmpty else { return unchanged(commute) }
      step.change.commute.version += 1
    }
    let told = note.event(
      of: AggregateKey(tenant: tenant, kind: .commute, id: commute.id),
      version: step.change.commute.version, now: now, body: note.body("commuteId", commute.id))
    return made(step, overlay, telling: [told])
  }

  // MARK: - Riders

  private func joined(
    _ commute: Commute, _ join: JoinParty, _ overlay: PartyOverlay, _ now: Instant
  ) throws(PartyServiceError) -> Decision {
    let change = try commuteRule { () throws(CommuteError) in
      try commutes.rules.join(join, commute, now: now)
    }
    guard !change.unchanged else { return unchanged(commute) }
    try meetings.checkBans([join.riderID], now)
    let upcoming = commutes.rules.upcoming(commute, limit: Self.daysLookedAt)
    var refusal = upcomingRefusal(join, commute, upcoming, now)
    var isTaken = refusal == nil && !upcoming.isEmpty
    var step = CommuteStep(change, from: commute)
    for day in commute.days where mayLeave(day, commute, now) {
      guard let id = day.appearedID, let party = overlay.party(id), party.isActive else { continue }
      do throws(PartyServiceError) {
        let change = try rule { () throws(PartyError) in
          try meetings.check(join.riderID, party)
          return try rules.join(join, party, now: now) { overlay.claims(of: $0) }
        }
        isTaken = true
        if !change.unchanged { step.add(made(change, from: party, nil, overlay, now)) }
      } catch {
        refusal = refusal ?? error
        step.refuse(join.riderID, day, error, at: now)
      }
    }
    // What no day would take is refused at once.
    guard isTaken else { throw refusal ?? .commute(.ended(at: now)) }
    return made(step, overlay)
  }

  /// Days that are asked whether they would take a rider, before each of them refuses when it appears.
  private static let daysLookedAt = 7

  /// Why none of the days to come would take a rider, as the first of them says it; nil where one would.
  /// Days differ: in traffic, in surcharges, in what else is on a holiday.
  private func upcomingRefusal(
    _ join: JoinParty, _ commute: Commute, _ upcoming: [CommuteOccurrence], _ now: Instant
  ) -> PartyServiceError? {
    var first: PartyServiceError?
    for occurrence in upcoming {
      do throws(PartyServiceError) {
        guard let party = try party(occurrence, commute, now) else { return nil }
        _ = try rule { () throws(PartyError) in
          try meetings.check(join.riderID, party)
          return try rules.join(join, party, now: now) { _ in [] }
        }
        return nil
      } catch { first = first ?? error }
    }
    return first
  }

  /// Whether a day's party may be under way still, so that nothing long over is read.
  private func mayLeave(_ day: CommuteDay, _ commute: Commute, _ now: Instant) -> Bool {
    day.departure.advanced(milliseconds: commute.trip.toleranceMilliseconds) >= now
  }

  private func left(
    _ commute: Commute, _ rider: String, _ overlay: PartyOverlay, _ now: Instant
  ) -> Decision {
    let change = commutes.rules.leave(riderID: rider, commute, now: now)
    guard !change.unchanged else { return unchanged(commute) }
    var step = CommuteStep(change, from: commute)
    for day in commute.days where mayLeave(day, commute, now) {
      guard let id = day.appearedID, let party = overlay.party(id),
        party.riders.contains(where: { $0.id == rider }),
        // A taxi that has left goes on with them.
        let change = try? rules.leave(riderID: rider, party, now: now), !change.unchanged
      else { continue }
      step.add(made(change, from: party, nil, overlay, now))
    }
    return made(step, overlay)
  }

  // MARK: - The clock

  private func appeared(
    _ occurrence: CommuteOccurrence, _ dayID: String, _ refined: RefinedRoute?,
    _ commute: Commute, _ overlay: PartyOverlay, _ now: Instant
  ) -> Decision {
    do throws(PartyServiceError) {
      if let name = commute.schedule.holidays, commutes.rules.calendars.holidays(name) == nil {
        throw .commute(.badSchedule([.unknownCalendar(name)]))
      }
      try meetings.checkBans([commute.ownerID], now)
      let change = commutes.rules.decided(
        occurrence.date, .appeared(id: dayID), commute, now: now)
      var step = CommuteStep(change, from: commute)
      switch commute.trip {
      case .party: try addParty(occurrence, dayID, refined, commute, &step, overlay, now)
      case .request: try addRequest(occurrence, dayID, commute, &step, overlay, now)
      }
      return made(step, overlay)
    } catch {
      let change = commutes.rules.decided(
        occurrence.date, .skipped(reason: error.reason), message: error.message, commute, now: now)
      return made(CommuteStep(change, from: commute), overlay)
    }
  }

  private func addParty(
    _ occurrence: CommuteOccurrence, _ dayID: String, _ refined: RefinedRoute?,
    _ commute: Commute, _ step: inout CommuteStep, _ overlay: PartyOverlay, _ now: Instant
  ) throws(PartyServiceError) {
    guard let create = commute.party(at: occurrence.departure) else { return }
    guard overlay.activeParties(hostedBy: create.hostID) < quotas.activePartiesPerHost else {
      throw .quotaExceeded(field: "parties of one host", limit: quotas.activePartiesPerHost)
    }
    var change = try rule { () throws(PartyError) in
      try rules.create(create, id: dayID, now: now) { overlay.claims(of: $0) }
    }.ofCommute(commute.id)
    let day = CommuteDay(
      date: occurrence.date, departure: occurrence.departure, outcome: .appeared(id: dayID))
    for rider in commute.riders {
      do throws(PartyServiceError) {
        try meetings.checkBans([rider.join.riderID], now)
        let joined = try rule { () throws(PartyError) in
          try meetings.check(rider.join.riderID, change.party)
          return try rules.join(rider.join, change.party, now: now) { overlay.claims(of: $0) }
        }
        change = PartyChange(party: joined.party, events: change.events + joined.events)
      } catch {
        step.refuse(rider.join.riderID, day, error, at: now)
      }
    }
    step.add(made(change, from: nil, refined, overlay, now))
  }

  private func addRequest(
    _ occurrence: CommuteOccurrence, _ dayID: String, _ commute: Commute,
    _ step: inout CommuteStep, _ overlay: PartyOverlay, _ now: Instant
  ) throws(PartyServiceError) {
    guard case .request(_, let tags) = commute.trip,
      let query = commute.query(at: occurrence.departure, now: now)
    else { return }
    guard query.window.end > now else {
      throw .rule(.departureInPast(departure: query.window.time, now: now))
    }
    guard overlay.keptRequests() < quotas.storedRequests else {
      throw .quotaExceeded(field: "storedRequests", limit: quotas.storedRequests)
    }
    guard overlay.keptRequests(of: query.riderID) < quotas.storedRequestsPerRider else {
      throw .quotaExceeded(
        field: "stored requests of one rider", limit: quotas.storedRequestsPerRider)
    }
    var request = StandingRequest(id: dayID, createdAt: now, query: query, tags: tags)
    request.commuteID = commute.id
    step.add(changed(request, from: 0, candidate: nil, overlay: overlay, now: now))
  }

  // MARK: - From a change to what is stored

  /// `more`: events beside those of the change.
  private func made(
    _ step: CommuteStep, _ overlay: PartyOverlay, telling more: [StoredEvent] = []
  ) -> Decision {
    let commute = step.change.commute
    let stored = StoredAggregate(
      key: AggregateKey(tenant: tenant, kind: .commute, id: commute.id),
      version: commute.version, bytes: CommuteRecord.encode(commute), summary: summary(commute))
    let told = step.change.events.map { event in
      StoredEvent(
        tenant: tenant, kind: "commute." + event.kind, at: event.at, aggregateID: commute.id,
        userIDs: event.userIDs, version: commute.version,
        body: CommuteEventBody.bytes(event, commute))
    }
    // The commute first: a repeated command is answered with it.
    let group = ChangeGroup(
      changes: [.init(expectedVersion: step.expectedVersion, aggregate: stored)]
        + step.groups.flatMap(\.changes),
      claims: step.groups.flatMap(\.claims),
      claimsMustNotOverlap: step.groups.allSatisfy {
        $0.claims.isEmpty || $0.claimsMustNotOverlap
      }, events: step.groups.flatMap(\.events) + told + more)
    overlay.commutes.put(commute)
    let effect = CommuteEffect(
      commute: commute, parties: step.parties, requests: step.requests, events: group.events)
    return Decision(
      change: (group, .commute(effect)), result: .success(.commute(commute)))
  }

  private func summary(_ commute: Commute) -> AggregateSummary {
    let first = commutes.rules.next(commute)?.departure ?? commute.createdAt
    var out: AggregateSummary
    switch commute.trip {
    case .party(let create):
      out = AggregateSummary(
        state: commute.state.rawValue, ownerID: create.hostID, origin: create.origin.coordinate,
        originName: create.origin.name, destination: create.destination.coordinate,
        destinationName: create.destination.name, startsAt: first,
        endsAt: commutes.rules.end(commute) ?? first, seats: create.seats ?? 0)
    case .request(let query, _):
      out = AggregateSummary(
        state: commute.state.rawValue, ownerID: query.riderID, origin: query.origin,
        originName: query.originName, destination: query.destination.coordinate,
        destinationName: query.destination.name, startsAt: first,
        endsAt: commutes.rules.end(commute) ?? first, seats: query.seats)
    }
    out.endedAt = commute.isActive ? nil : commute.stateSince
    return out
  }

  // MARK: - Memory

  /// What a command on a commute answers that took effect before.
  func commuteAnswer(to reply: StoredReply) -> Result<PartyServiceReply, PartyServiceError> {
    do throws(StoreFailure) {
      guard let commute = try commutes.commute(reply.aggregateID) else {
        return .failure(unknownCommute(reply.aggregateID))
      }
      guard commute.version >= reply.version else {
        return .failure(.commit(.unavailable(reason: "the record is being read again")))
      }
      return .success(.commute(commute))
    } catch {
      return .failure(.commit(.unreadable(reason: error.reason)))
    }
  }

  func takeCommute(_ commute: Commute) {
    commutes.book.put([commute])
    timers.set(commute, commutes.rules)
  }

  func removeCommutes(_ ids: [String]) {
    commutes.book.remove(ids)
    for id in ids { timers.removeCommute(id) }
  }

  /// What a refusal rests on.
  func commuteExpectations(
    of command: CommuteCommand, in overlay: PartyOverlay
  ) -> [StateExpectation] {
    let known = try? overlay.commutes.commute(command.commuteID)
    var people: Set<String> = []
    switch command {
    case .create(_, _, .party(let create)): people = [create.hostID]
    case .create(_, _, .request(let query, _)): people = [query.riderID]
    case .join(_, let join): people = Set([join.riderID] + (known.map { [$0.ownerID] } ?? []))
    case .update, .cancel, .close, .leave, .appear, .tick: break
    }
    return [expect(.commute, command.commuteID, known?.version)]
      + people.sorted().compactMap(meetings.expectation)
  }
}
