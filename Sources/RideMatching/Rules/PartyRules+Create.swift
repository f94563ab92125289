public import ObjectModel
import TaxiFares

extension PartyRules {
  /// A new party with its host and everyone who comes along, or nothing.
  ///
  /// Each of those has their own drop-off, seats, attributes, limits and largest share; who states
  /// none has the party's limits and pays any share.
  ///
  /// - Parameters:
  ///   - command: What is made.
  ///   - id: From the engine's id maker.
  ///   - now: When it is asked.
  ///   - claims: When people are busy in other parties.
  /// - Returns: The party at version 1, and the event that tells of it.
  /// - Throws: ``PartyError`` for what the command asks against the rules; nothing is made then.
  public func create(
    _ command: CreateParty, id: String, now: Instant, claims: Claims
  ) throws(PartyError) -> PartyChange {
    var party = try empty(command, id: id, now: now)
    party.riders = try riders(command, party, now)
    let taken = party.seatsTaken
    guard taken <= party.seats else {
      throw .full(seatsFree: party.seats - command.hostSeats, wanted: taken - command.hostSeats)
    }
    try checkPolicy(party)
    for rider in command.riders {
      try JoinQuote.checkWalk(rider, party)
    }
    let ride = try PreparedRide(party, pricing: pricing)
    var scratch = RideScratch()
    try ride.planWithinLimits(&scratch, party, joiner: nil)
    var priced = ride.priced(&scratch, party)
    for i in priced.riders.indices { priced.riders[i].acceptedShare = priced.riders[i].share }
    for (rider, terms) in zip(command.riders, priced.riders.dropFirst()) {
      if let most = rider.maxShare, terms.share > most {
        throw .shareExceeded(share: terms.share, maxShare: most)
      }
    }
    party.apply(.sharesChanged(priced), at: now)
    party.state = party.seatsFree > 0 ? .open : .full
    try checkClaims(party, claims, only: nil)
    let event = PartyEvent(
      detail: .created(party), at: now, partyID: id, version: party.version,
      userIDs: party.riders.map(\.id))
    return PartyChange(party: party, events: [event])
  }

  private func empty(
    _ command: CreateParty, id: String, now: Instant
  ) throws(PartyError) -> Party {
    if command.hostID.isEmpty { throw .missingID(field: "hostId") }
    try checkWindow(command.window, now)
    try validate(command.limits)
    var policy = configuration.basePolicy.joined(with: command.policy)
    if let name = command.policyPack ?? command.policy.pack {
      guard let pack = configuration.pack(named: name) else { throw .unknownPolicy(name: name) }
      policy = configuration.basePolicy.joined(with: command.policy).joined(with: pack.policy)
      policy.pack = name
    }
    let allowed = configuration.seats(of: policy)
    let seats =
      command.seats
      ?? min(max(configuration.defaultSeats, allowed.lowerBound), allowed.upperBound)
    guard allowed.contains(seats) else {
      throw .seatsOutOfRange(field: "seats", seats: seats, allowed: allowed)
    }
    guard (1...seats).contains(command.hostSeats) else {
      throw .seatsOutOfRange(
        field: "hostSeats", seats: command.hostSeats, allowed: 1...seats)
    }
    try checkLength(command.origin.coordinate, command.destination, "destination")
    for (i, rider) in command.riders.enumerated() {
      try checkLength(command.origin.coordinate, rider.destination, "riders[\(i)].destination")
    }
    try checkAgreement(command)
    let tariff = try pricing.tariff(command)
    return Party(
      id: id, version: 1, state: .open, createdAt: now, stateSince: now, riders: [],
      seats: seats, origin: command.origin, destination: command.destination,
      window: command.window, limits: command.limits, tags: command.tags, policy: policy,
      splitRule: command.splitRule, allowsRaisedShares: command.allowsRaisedShares,
      isCalled: command.isCalled, tariffID: tariff?.id ?? "",
      route: PartyRoute(
        distanceMeters: 0, durationSeconds: 0, stopOrder: [], path: [], source: ""),
      fare: PartyFare(
        currency: "", expected: 0, low: 0, high: 0, perPersonNow: 0, perPersonIfFull: 0,
        source: ""), agreedFare: command.agreedFare,
      needsApproval: command.needsApproval, holdsSeats: command.holdsSeats,
      meetingPlace: command.meetingPlace)
  }

  private func checkAgreement(_ command: CreateParty) throws(PartyError) {
    guard !command.holdsSeats || command.needsApproval else { throw .nothingToHold }
    guard let agreed = command.agreedFare else { return }
    let allowed = 0...FareLimits.maximumAmount
    guard allowed.contains(agreed.amount) else {
      throw .amountOutOfRange(
        field: "agreedFare.amount", amount: agreed.amount, allowed: allowed)
    }
    let letters = agreed.currency.utf8
    guard letters.count == 3, letters.allSatisfy({ (65...90).contains($0) }) else {
      throw .badCurrency(field: "agreedFare.currency", currency: agreed.currency)
    }
  }

  private func riders(
    _ command: CreateParty, _ party: Party, _ now: Instant
  ) throws(PartyError) -> [PartyRider] {
    try validate(weight: command.hostWeight, "hostWeight")
    var riders = [
      PartyRider(
        id: command.hostID, joinedAt: now, seats: command.hostSeats,
        attributes: command.attributes, limits: command.limits, weight: command.hostWeight)
    ]
    var ids: Set<String> = [command.hostID]
    for (i, rider) in command.riders.enumerated() {
      try validate(rider, "riders[\(i)].")
      guard ids.insert(rider.riderID).inserted else {
        throw .duplicateRider(field: "riders[\(i)].riderId", id: rider.riderID)
      }
      riders.append(JoinQuote.rider(rider, party, at: now))
      // More riders than a taxi holds are not worth pricing.
      if riders.count > party.seats {
        throw .full(
          seatsFree: max(0, party.seats - command.hostSeats), wanted: command.riders.count)
      }
    }
    return riders
  }

  private func checkPolicy(_ party: Party) throws(PartyError) {
    let host = party.riders[0]
    for rider in party.riders {
      if let (name, isUnknown) = party.policy.conflict(
        host: host.attributes, other: rider.attributes)
      {
        throw .policyViolation(riderID: rider.id, attribute: name, isUnknown: isUnknown)
      }
    }
  }
}
