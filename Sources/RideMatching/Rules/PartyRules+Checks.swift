import GeoMath
import ObjectModel
import RoutePlanning

extension PartyRules {
  // MARK: State

  func requireActive(_ party: Party) throws(PartyError) {
    switch party.state {
    case .open, .full: return
    case .departed: throw .departed(at: party.stateSince)
    case .cancelled: throw .cancelled(at: party.stateSince)
    case .ended: throw .ended(at: party.stateSince)
    }
  }

  func requireHost(_ actorID: String?, _ party: Party) throws(PartyError) {
    guard let actorID else { return }
    if actorID != party.hostID { throw .notHost(actorID: actorID) }
  }

  func requireMember(_ id: String, _ party: Party) throws(PartyError) {
    if !party.riders.contains(where: { $0.id == id }) { throw .notMember(riderID: id) }
  }

  func isRepeated(_ command: JoinParty, _ rider: PartyRider, _ party: Party) -> Bool {
    let aboard = (rider.dropOff ?? party.destination).coordinate
    if let wanted = command.destination, wanted.coordinate != aboard { return false }
    if let wanted = command.boarding, wanted.coordinate != rider.boarding?.asked { return false }
    return command.seats.map { $0 == rider.seats } ?? true
  }

  // MARK: Claims

  /// Refuses a ride that takes the time of someone who has none left: of the riders named by
  /// `only`, or of everyone aboard where that is nil.
  func checkClaims(
    _ party: Party, _ claims: Claims, only: [String]?
  ) throws(PartyError) {
    let interval = party.interval
    for rider in party.riders where only?.contains(rider.id) ?? true {
      let others = claims(rider.id).filter { $0.partyID != party.id && $0.meets(interval) }
      if let first = others.first, others.count >= max(1, configuration.overlappingParties) {
        throw .overlapping(
          riderID: rider.id, partyID: first.partyID,
          allowed: max(1, configuration.overlappingParties))
      }
    }
  }

  // MARK: Repricing

  /// Takes someone out and lets the others' prices follow; nobody left cancels the party.
  func takeOut(
    _ riderID: String, detail: PartyEvent.Detail, step: inout PartyStep, now: Instant
  ) {
    let host = step.party.hostID
    step.emit(detail, at: now)
    guard let newHost = step.party.riders.first?.id else {
      step.emit(.cancelled(reason: "everyone_left"), at: now)
      return
    }
    if newHost != host { step.emit(.hostChanged(from: host, to: newHost), at: now) }
    step.emit(.sharesChanged(repriced(step.party)), at: now)
  }

  /// Without those who left: everyone has agreed to what they pay now, as nobody asked them.
  private func repriced(_ party: Party) -> PricedRide {
    var priced: PricedRide
    do {
      priced = try pricing.price(party)
    } catch {
      // The tariff is gone meanwhile: nobody is kept aboard by that. The fare stays.
      priced = PricedRide.unpriced(party)
    }
    for i in priced.riders.indices {
      priced.riders[i].acceptedShare = max(
        priced.riders[i].acceptedShare, priced.riders[i].share)
    }
    return priced
  }

  /// After a change of the host's: within everyone's limits, and nobody but the host pays more
  /// than they accepted, unless the party allows it.
  func repricedWithinLimits(_ party: Party) throws(PartyError) -> PricedRide {
    var priced = try pricedWithinLimits(party)
    for (i, terms) in priced.riders.enumerated() where terms.share > terms.acceptedShare {
      guard i == 0 || party.allowsRaisedShares else {
        throw .raisesShare(
          riderID: terms.riderID, share: terms.share, acceptedShare: terms.acceptedShare)
      }
      priced.riders[i].acceptedShare = terms.share
    }
    return priced
  }

  private func pricedWithinLimits(_ party: Party) throws(PartyError) -> PricedRide {
    if party.boardsOnTheWay {
      let ride = try pricing.boardingRide(party)
      let plan = try ride.plan()
      if let error = ride.firstBroken(plan, party, joiner: nil) { throw error }
      return ride.priced(plan, party)
    }
    let ride = try PreparedRide(party, pricing: pricing)
    var scratch = RideScratch()
    try ride.planWithinLimits(&scratch, party, joiner: nil)
    return ride.priced(&scratch, party)
  }

  /// What the party shows now, as a ride.
  func currentTerms(_ party: Party) -> PricedRide {
    (try? pricedWithinLimits(party)) ?? PricedRide.unpriced(party)
  }

  // MARK: Input

  /// Refuses a search for a trip that ends where it begins.
  ///
  /// - Parameter query: The question.
  /// - Throws: ``PartyError/tripTooShort(field:meters:)``.
  public func checkLength(_ query: MatchQuery) throws(PartyError) {
    try checkLength(query.origin, query.destination, "destination")
    if let boarding = query.boarding {
      try checkLength(boarding.coordinate, query.destination, "boarding")
    }
  }

  /// Refuses a ride that ends where it begins.
  func checkLength(_ command: JoinParty, _ party: Party) throws(PartyError) {
    guard let boarding = command.boarding else {
      return try checkLength(party.origin.coordinate, command.destination, "destination")
    }
    try checkLength(
      boarding.coordinate, command.destination ?? party.destination,
      command.destination == nil ? "boarding" : "destination")
  }

  /// Refuses a place too close to the origin; nil is no place, which something else decides.
  func checkLength(
    _ origin: Coordinate, _ end: RidePlace?, _ field: String
  ) throws(PartyError) {
    if let end, let meters = TripLength.tooShort(from: origin, to: end.coordinate) {
      throw .tripTooShort(field: field, meters: meters)
    }
  }

  func checkWindow(_ window: DepartureWindow, _ now: Instant) throws(PartyError) {
    let tolerance = 0...configuration.maximumToleranceMilliseconds
    guard tolerance.contains(window.toleranceMilliseconds) else {
      throw .numberOutOfRange(
        field: "departureWindowSeconds", value: Double(window.toleranceMilliseconds) / 1000,
        allowed: 0...(Double(tolerance.upperBound) / 1000))
    }
    guard now.milliseconds(since: window.time) <= configuration.departureGraceMilliseconds else {
      throw .departureInPast(departure: window.time, now: now)
    }
    // Inside the grace with a window of nothing the taxi has left already.
    guard now < window.end || window.time >= now else {
      throw .departureInPast(departure: window.time, now: now)
    }
  }

  func checkSeats(_ seats: Int, _ party: Party) throws(PartyError) {
    let allowed = configuration.seats(of: party.policy)
    let least = max(allowed.lowerBound, party.seatsTaken + party.seatsHeld)
    guard seats >= least && seats <= allowed.upperBound else {
      throw .seatsOutOfRange(
        field: "seats", seats: seats, allowed: min(least, allowed.upperBound)...allowed.upperBound)
    }
  }

  func validate(_ command: JoinParty, _ path: String) throws(PartyError) {
    if command.riderID.isEmpty { throw .missingID(field: path + "riderId") }
    let seats = 1...PartyConfiguration.maximumSeatsOfTaxi
    if let wanted = command.seats, !seats.contains(wanted) {
      throw .seatsOutOfRange(field: path + "seats", seats: wanted, allowed: seats)
    }
    try validate(weight: command.weight, path + "weight")
    try validate(command.wishes, path)
    if let most = command.maxShare, most < 0 {
      throw .amountOutOfRange(field: path + "maxShare", amount: most, allowed: 0...Int64.max)
    }
  }

  /// Thirty days: no taxi rides longer.
  private static let maximumLimitSeconds = 2_592_000.0

  func validate(_ limits: RideLimits) throws(PartyError) {
    try validate(RideWishes(limits), "")
  }

  func validate(_ wishes: RideWishes, _ path: String) throws(PartyError) {
    try check(wishes.maxWalkMeters, path + "maxWalkMeters", 0...configuration.maximumWalkMeters)
    try check(
      wishes.maxDetourRatio, path + "maxDetourRatio", 0...configuration.maximumDetourRatio)
    try check(wishes.minSharedRatio, path + "minSharedRatio", 0...1)
    try check(wishes.maxRideSeconds, path + "maxRideSeconds", 0...Self.maximumLimitSeconds)
    try check(wishes.maxDetourSeconds, path + "maxDetourSeconds", 0...Self.maximumLimitSeconds)
  }

  func validate(weight: Double?, _ field: String) throws(PartyError) {
    try check(weight, field, 0...1e12)
  }

  private func check(
    _ value: Double?, _ field: String, _ allowed: ClosedRange<Double>
  ) throws(PartyError) {
    // NaN is in no range.
    if let value, !allowed.contains(value) {
      throw .numberOutOfRange(field: field, value: value, allowed: allowed)
    }
  }
}
