import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

extension PartyPricing {
  /// A party made ready for riders who get in on its way.
  /// - Throws: ``PartyError/fare(_:)``.
  func boardingRide(_ party: Party) throws(PartyError) -> BoardingRide {
    try BoardingRide(party, try PreparedRide(party, pricing: self))
  }
}

extension BoardingJoiner {
  /// Who a join would put aboard.
  init(_ command: JoinParty, _ party: Party, now: Instant?) {
    let drop = (command.destination ?? party.destination).coordinate
    let asked = command.boarding?.coordinate
    self.init(
      from: DistanceOrigin(command.origin ?? asked ?? party.origin.coordinate), asked: asked,
      drop: drop, dropHere: DistanceOrigin(drop), seats: command.seats ?? 1,
      weight: command.weight ?? 1,
      limits: party.policy.bounding(command.wishes.limits(else: party.limits)),
      window: command.window, now: now)
    if let asked { eastScale = PathGeometry.eastScale(asked) }
  }
}

extension BoardingRide {
  /// The ride with a new rider, whose boarding it fills in.
  /// - Throws: ``PartyError`` for the first rule that no insertion holds.
  func planWithinLimits(
    _ command: JoinParty, _ party: Party, _ rider: inout PartyRider, at now: Instant
  ) throws(PartyError) -> BoardingPlan {
    if command.boarding == nil { try JoinQuote.checkWalk(command, party) }
    let joiner = BoardingJoiner(command, party, now: now)
    try checkSeats(joiner, party)
    try checkWalk(joiner)
    var search = BoardingSearch()
    guard let found = search.best(joiner, self, .all) else {
      throw refusal(joiner, party, rider, &search)
    }
    rider.boarding = boarding(found, command)
    guard let plan = plan(found, joiner) else {
      throw .fare(
        PreparedRide.tooFar(FareLimits.maximumDistanceMeters * 2, found.rideSeconds))
    }
    if let error = sharedTooLittle(plan, party, rider) { throw error }
    return plan
  }

  /// What a rider's record says of where they get in; nil at the origin of the party, unless they
  /// asked for a place.
  func boarding(_ found: BoardingInsertion, _ command: JoinParty) -> RiderBoarding? {
    guard let asked = command.boarding else { return nil }
    let name = found.meetingPoint == asked.coordinate ? asked.name : ""
    return RiderBoarding(
      place: RidePlace(name: name, coordinate: found.meetingPoint), asked: asked.coordinate,
      walkMeters: found.walkMeters, window: command.window)
  }

  private func checkSeats(_ joiner: BoardingJoiner, _ party: Party) throws(PartyError) {
    let free = joiner.asked == nil ? party.seatsFree : mostSeatsFree
    if joiner.seats > free { throw .full(seatsFree: free, wanted: joiner.seats) }
    if riders.count >= RidePlan.maximumRiders { throw .full(seatsFree: 0, wanted: joiner.seats) }
  }

  /// On the leg with the fewest people.
  var mostSeatsFree: Int { max(0, seats - (seatsAboard.min() ?? 0)) }

  /// The shortest walk to a meeting point.
  func leastWalk(_ joiner: BoardingJoiner) -> Double {
    guard joiner.asked != nil else { return 0 }
    let points = BoardingSearch.meetingPoints(self, joiner)
    var least = Double.infinity
    for i in points.indices {
      least = min(least, joiner.from.meters(to: DistanceOrigin(points[i])))
    }
    return least
  }

  private func checkWalk(_ joiner: BoardingJoiner) throws(PartyError) {
    let walk = leastWalk(joiner)
    guard walk <= joiner.limits.maxWalkMeters else {
      throw .walkExceeded(walkMeters: walk, limitMeters: joiner.limits.maxWalkMeters)
    }
  }

  /// Why no insertion holds all rules: no leg with seats, or the limits that the best one breaks.
  private func refusal(
    _ joiner: BoardingJoiner, _ party: Party, _ rider: PartyRider, _ search: inout BoardingSearch
  ) -> PartyError {
    guard let found = search.best(joiner, self, [.walk, .seats]) else {
      return .full(seatsFree: party.seatsFree, wanted: joiner.seats)
    }
    guard let plan = plan(found, joiner) else {
      return .fare(PreparedRide.tooFar(FareLimits.maximumDistanceMeters * 2, found.rideSeconds))
    }
    var rider = rider
    rider.boarding = joiner.asked.map {
      RiderBoarding(
        place: RidePlace(coordinate: found.meetingPoint), asked: $0, walkMeters: found.walkMeters,
        window: joiner.window)
    }
    if let error = firstBroken(plan, party, joiner: rider) { return error }
    // Some other insertion holds each limit, none all of them.
    let me = plan.parts.count - 1
    return .detourExceeded(
      riderID: rider.id, rideMeters: plan.rideMeters(me),
      limitMeters: joiner.limits.longestRideMeters(
        direct: plan.parts[me].direct.distanceMeters))
  }

  /// The first limit that a plan breaks, the joiner's own first: the refusal is theirs to act on.
  func firstBroken(
    _ plan: BoardingPlan, _ party: Party, joiner: PartyRider?
  ) -> PartyError? {
    let all = party.riders.prefix(riders.count) + (joiner.map { [$0] } ?? [])
    for (i, rider) in all.enumerated().reversed() {
      let part = plan.parts[i]
      let limits = party.policy.bounding(rider.limits)
      let longest = limits.longestRideMeters(direct: part.direct.distanceMeters)
      if plan.rideMeters(i) > longest {
        return .detourExceeded(
          riderID: rider.id, rideMeters: plan.rideMeters(i), limitMeters: longest)
      }
      let boarded = plan.steadySeconds[part.boards]
      if let error = limits.brokenTime(
        rider.id, party, ride: plan.steadySeconds[part.alights] - boarded,
        direct: part.direct.durationSeconds, boarded: boarded)
      {
        return error
      }
      if let window = rider.boarding?.window {
        let after = BoardingSearch.milliseconds(boarded)
        if party.window.arrivals(meeting: window)?.contains(after) != true {
          return .boardingMissed(
            riderID: rider.id, arrival: party.window.time.advanced(milliseconds: after),
            window: window)
        }
      }
    }
    return sharedTooLittle(plan, party, joiner)
  }

  private func sharedTooLittle(
    _ plan: BoardingPlan, _ party: Party, _ joiner: PartyRider?
  ) -> PartyError? {
    guard plan.parts.count > 1 else { return nil }
    let all = party.riders.prefix(riders.count) + (joiner.map { [$0] } ?? [])
    for (i, rider) in all.enumerated() {
      guard let least = party.policy.bounding(rider.limits).minSharedRatio else { continue }
      let ratio = plan.sharedRatio(i)
      if ratio < least { return .sharedTooLittle(riderID: rider.id, ratio: ratio, limit: least) }
    }
    return nil
  }

  /// The planned ride as a party shows it. - Parameter joiner: The rider beyond those aboard.
  func priced(_ plan: BoardingPlan, _ party: Party, joiner: PartyRider? = nil) -> PricedRide {
    let all = Array(party.riders.prefix(riders.count)) + (joiner.map { [$0] } ?? [])
    let terms = all.indices.map { i in
      let part = plan.parts[i]
      return RiderTerms(
        riderID: all[i].id, share: part.share,
        acceptedShare: i < riders.count ? all[i].acceptedShare : part.share,
        soloFare: ride.knowsSoloFares ? part.fare.amount : 0, rideMeters: plan.rideMeters(i),
        rideSeconds: plan.rideSeconds(i), directMeters: part.direct.distanceMeters,
        directSeconds: part.direct.durationSeconds, sharedRatio: plan.sharedRatio(i))
    }
    let range = range(plan)
    var most = 0
    for leg in 0..<max(0, plan.halts.count - 1) {
      var aboard = 0
      for i in plan.parts.indices where plan.isAboard(i, leg: leg) { aboard += plan.parts[i].seats }
      most = max(most, aboard)
    }
    return PricedRide(
      route: route(plan, ids: all.map(\.id)),
      fare: PartyFare(
        currency: ride.price.currency(ride.meter.tariff), expected: plan.amount, low: range.low,
        high: range.high, perPersonNow: PreparedRide.perSeat(plan.amount, seats: most),
        perPersonIfFull: PreparedRide.perSeat(plan.amount, seats: max(most, capacity)),
        source: ride.price.source(RouteSource.estimate.rawValue)), riders: terms)
  }

  func preview(_ priced: PricedRide, _ plan: BoardingPlan) -> JoinPreview {
    var ifFull = priced.riders
    for (i, share) in sharesIfFull(plan).enumerated() { ifFull[i].share = share }
    return JoinPreview(now: priced, ifFull: ifFull)
  }

  func route(_ plan: BoardingPlan, ids: [String]) -> PartyRoute {
    var path: [Coordinate] = []
    var stops: [RouteStop] = []
    for (at, halt) in plan.halts.enumerated() {
      if path.last != halt.place { path.append(halt.place) }
      guard at > 0 else { continue }
      stops.append(
        RouteStop(
          riderID: ids[halt.rider], isBoarding: halt.isBoarding, meters: plan.meters[at],
          seconds: plan.seconds[at]))
    }
    return PartyRoute(
      distanceMeters: plan.totalMeters, durationSeconds: plan.totalSeconds,
      stopOrder: stops.filter { !$0.isBoarding }.map(\.riderID), path: path,
      source: RouteSource.estimate.rawValue, stops: stops)
  }

  /// What a settled amount means for each rider.
  func shares(
    of amount: Int64, tolls: Int64, _ party: Party
  ) throws(PartyError) -> [FareShare] {
    var plan = try plan()
    plan.amount = amount
    plan.extras = min(tolls + ride.sharedFee, amount)
    split(&plan)
    return party.riders.prefix(riders.count).indices.map { i in
      FareShare(
        riderID: party.riders[i].id, amount: plan.parts[i].share,
        soloFare: ride.knowsSoloFares ? plan.parts[i].fare.amount : nil)
    }
  }

  /// The best and the worst day.
  private func range(_ plan: BoardingPlan) -> (low: Int64, high: Int64) {
    if plan.flat >= 0 || ride.fixedAmount != nil { return (plan.amount, plan.amount) }
    let spread = ride.travel.range(
      of: TravelEstimate(distanceMeters: plan.totalMeters, durationSeconds: plan.totalSeconds))
    let trip = Trip(
      .totals(distanceMeters: plan.totalMeters, durationSeconds: plan.totalSeconds),
      departure: ride.meter.departure,
      outOfAreaFromMeters: plan.edgeShare.map { $0 * plan.totalMeters },
      isCalled: ride.meter.isCalled)
    guard
      let fare = try? ride.meter.tariff.fare(
        expected: trip,
        low: .totals(
          distanceMeters: spread.low.distanceMeters, durationSeconds: spread.low.durationSeconds),
        high: .totals(
          distanceMeters: spread.high.distanceMeters, durationSeconds: spread.high.durationSeconds))
    else { return (plan.amount, plan.amount) }
    return (min(fare.low, plan.amount), max(fare.high, plan.amount))
  }
}
