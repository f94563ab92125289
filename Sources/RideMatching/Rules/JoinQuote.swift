import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// What joining would mean: `now` as the party would be, `ifFull` as if people who ride all the way
/// took the seats that are still free.
public struct JoinPreview: Hashable, Sendable {
  /// The ride with the joiner in it, or as it is for someone aboard.
  public var now: PricedRide
  /// Of those aboard and the joiner.
  public var ifFull: [RiderTerms]
  /// Where the taxi would stop for the joiner on its way; nil: they get in at the origin, or are
  /// aboard already.
  public var boarding: RiderBoarding?

  /// Puts the two rides of a preview together.
  public init(
    now: PricedRide, ifFull: [RiderTerms], boarding: RiderBoarding? = nil
  ) {
    self.now = now
    self.ifFull = ifFull
    self.boarding = boarding
  }
}

/// A join worked out, before it is decided: the same for preview, join and match.
struct JoinQuote {
  let rider: PartyRider
  let priced: PricedRide
  private let planned: Planned

  private enum Planned {
    case fromOrigin(PreparedRide, RidePlan)
    case onTheWay(BoardingRide, BoardingPlan)
  }

  /// - Throws: ``PartyError`` for seats, policy, walk and detour.
  init(
    _ command: JoinParty, _ party: Party, _ pricing: PartyPricing, at now: Instant
  ) throws(PartyError) {
    let seats = command.seats ?? 1
    guard command.boarding != nil || seats <= party.seatsFree else {
      throw .full(seatsFree: party.seatsFree, wanted: seats)
    }
    if let (name, isUnknown) = party.policy.conflict(
      host: party.riders.first?.attributes ?? [:], other: command.attributes)
    {
      throw .policyViolation(riderID: command.riderID, attribute: name, isUnknown: isUnknown)
    }
    var rider = Self.rider(command, party, at: now)
    if command.boarding != nil || party.boardsOnTheWay {
      let ride = try pricing.boardingRide(party)
      let plan = try ride.planWithinLimits(command, party, &rider, at: now)
      planned = .onTheWay(ride, plan)
      priced = ride.priced(plan, party, joiner: rider)
    } else {
      try Self.checkWalk(command, party)
      try Self.checkWindow(command, party)
      let ride = try PreparedRide(party, pricing: pricing)
      var scratch = RideScratch()
      try ride.planWithinLimits(&scratch, party, joiner: rider)
      planned = .fromOrigin(ride, scratch.plan)
      priced = ride.priced(&scratch, party, joiner: rider)
    }
    if let terms = priced.riders.last {
      rider.share = terms.share
      rider.acceptedShare = terms.acceptedShare
      rider.soloFare = terms.soloFare
      rider.rideMeters = terms.rideMeters
      rider.rideSeconds = terms.rideSeconds
      rider.directMeters = terms.directMeters
      rider.directSeconds = terms.directSeconds
    }
    self.rider = rider
  }

  /// The rule of the price: of those aboard, then of the joiner.
  func check(_ command: JoinParty, _ party: Party) throws(PartyError) {
    for terms in priced.riders where !party.allowsRaisedShares && terms.share > terms.acceptedShare
    {
      throw .raisesShare(
        riderID: terms.riderID, share: terms.share, acceptedShare: terms.acceptedShare)
    }
    // Nobody joins at a loss who does not say so; where no tariff says it, there is none.
    let most = command.maxShare ?? (party.hasTariff ? rider.soloFare : .max)
    if rider.share > most { throw .shareExceeded(share: rider.share, maxShare: most) }
  }

  func preview(_ party: Party) -> JoinPreview {
    var preview = ridePreview(party)
    preview.boarding = rider.boarding
    return preview
  }

  private func ridePreview(_ party: Party) -> JoinPreview {
    switch planned {
    case .fromOrigin(let ride, let plan):
      Self.preview(
        priced, ride, plan, seats: party.seats,
        joining: (rider.dropOff ?? party.destination).coordinate)
    case .onTheWay(let ride, let plan): ride.preview(priced, plan)
    }
  }

  static func preview(
    asItIs party: Party, _ pricing: PartyPricing
  ) throws(PartyError) -> JoinPreview {
    if party.boardsOnTheWay {
      let ride = try pricing.boardingRide(party)
      let plan = try ride.plan()
      return ride.preview(ride.priced(plan, party), plan)
    }
    let ride = try PreparedRide(party, pricing: pricing)
    var scratch = RideScratch()
    try ride.planAsItIs(&scratch, party)
    return preview(
      ride.priced(&scratch, party), ride, scratch.plan, seats: party.seats, joining: nil)
  }

  private static func preview(
    _ priced: PricedRide, _ ride: PreparedRide, _ plan: RidePlan, seats: Int,
    joining: Coordinate?
  ) -> JoinPreview {
    let full = ride.filled(plan, seats: seats, joining: joining)
    var ifFull = priced.riders
    for i in ifFull.indices {
      ifFull[i].share = full.shares[i]
      ifFull[i].sharedRatio = full.sharedRatio(i)
    }
    return JoinPreview(now: priced, ifFull: ifFull)
  }

  static func rider(_ command: JoinParty, _ party: Party, at now: Instant) -> PartyRider {
    PartyRider(
      id: command.riderID, joinedAt: now, dropOff: command.destination,
      seats: command.seats ?? 1, attributes: command.attributes,
      limits: command.wishes.limits(else: party.limits), weight: command.weight)
  }

  /// Only where the rider says when.
  static func checkWindow(_ command: JoinParty, _ party: Party) throws(PartyError) {
    guard let window = command.window, !window.meets(party.window) else { return }
    throw .boardingMissed(
      riderID: command.riderID,
      arrival: window.end < party.window.start ? party.window.start : party.window.end,
      window: window)
  }

  /// Only where the origin is given.
  static func checkWalk(_ command: JoinParty, _ party: Party) throws(PartyError) {
    guard let origin = command.origin else { return }
    let limits = party.policy.bounding(command.wishes.limits(else: party.limits))
    let walk = origin.distanceMeters(to: party.origin.coordinate)
    if walk > limits.maxWalkMeters {
      throw .walkExceeded(walkMeters: walk, limitMeters: limits.maxWalkMeters)
    }
  }
}

extension PreparedRide {
  /// The ride of those aboard as the last change made it: within their limits where some order
  /// holds them, as it does unless someone left.
  /// - Throws: ``PartyError/fare(_:)``.
  func planAsItIs(_ scratch: inout RideScratch, _ party: Party) throws(PartyError) {
    do {
      try planWithinLimits(&scratch, party, joiner: nil)
    } catch {
      try plan(into: &scratch, enforcesLimits: false)
    }
  }

  /// Plans, prices and shares the ride with everyone's limits held.
  /// - Throws: ``PartyError``, naming the rider whose limit the shortest ride breaks first.
  func planWithinLimits(
    _ scratch: inout RideScratch, _ party: Party, joiner: PartyRider?
  ) throws(PartyError) {
    load(&scratch)
    var drop: Coordinate?
    var added: Joiner?
    if let joiner {
      let place = (joiner.dropOff ?? party.destination).coordinate
      drop = place
      var someone = Joiner(
        place, here: DistanceOrigin(place), seats: joiner.seats, weight: joiner.weight ?? 1)
      someone.take(RideWishes(joiner.limits), self)
      add(someone, to: &scratch)
      added = someone
    }
    if !findRoute(&scratch, joining: drop, enforcesLimits: true) {
      guard findRoute(&scratch, joining: drop, enforcesLimits: false) else {
        throw .fare(tooFar(scratch.plan))
      }
      throw tooLong(scratch, party, joiner)
    }
    // Someone alone shares with nobody yet.
    for i in 0..<scratch.plan.riderCount where scratch.plan.riderCount > 1 {
      let ratio = scratch.plan.sharedRatio(i)
      if ratio < scratch.plan.minShared[i] {
        throw .sharedTooLittle(
          riderID: riderID(i, party, joiner), ratio: ratio, limit: scratch.plan.minShared[i])
      }
    }
    if let added {
      guard priceJoiner(added, pricing.placeAreas(added.drop), &scratch.plan) else {
        throw .fare(tooFar(scratch.plan))
      }
    }
    guard priceRoute(&scratch.plan) else { throw .fare(tooFar(scratch.plan)) }
    split(&scratch.plan, joining: drop)
  }

  private func riderID(_ i: Int, _ party: Party, _ joiner: PartyRider?) -> String {
    i < party.riders.count ? party.riders[i].id : joiner?.id ?? ""
  }

  private func tooLong(
    _ scratch: RideScratch, _ party: Party, _ joiner: PartyRider?
  ) -> PartyError {
    let plan = scratch.plan
    // The joiner first: the refusal is theirs to act on.
    for i in (0..<plan.riderCount).reversed() {
      let place = plan.place(i)
      let limits = party.policy.bounding(
        i < party.riders.count ? party.riders[i].limits : joiner?.limits ?? party.limits)
      let limit = limits.longestRideMeters(direct: plan.directMeters[place])
      if plan.meters[place] > limit {
        return .detourExceeded(
          riderID: riderID(i, party, joiner), rideMeters: plan.meters[place], limitMeters: limit)
      }
    }
    for i in 0..<plan.riderCount {
      let limits = i < party.riders.count ? party.riders[i].limits : joiner?.limits ?? party.limits
      if let error = limits.brokenTime(
        riderID(i, party, joiner), party, ride: plan.rideSeconds(i),
        direct: plan.directSeconds[plan.place(i)])
      {
        return error
      }
    }
    // Only orders by way of two limits fail: name the longest ride.
    let last = max(0, plan.riderCount - 1)
    return .detourExceeded(
      riderID: riderID(last, party, joiner), rideMeters: plan.rideMeters(last),
      limitMeters: scratch.limitMeters[plan.place(last)])
  }
}

extension PricedRide {
  /// A party's own figures where they cannot be worked out again; the fare shared per seat.
  static func unpriced(_ party: Party) -> PricedRide {
    var seats = SIMD8<UInt64>()
    let count = min(party.riders.count, SmallSplit.maximumRiders)
    for i in 0..<count { seats[i] = UInt64(max(0, party.riders[i].seats)) }
    let shares = SmallSplit.shares(party.fare.expected, weights: seats, count: count)
    return PricedRide(
      route: party.route, fare: party.fare,
      riders: party.riders.prefix(count).enumerated().map { i, rider in
        RiderTerms(
          riderID: rider.id, share: shares[i], acceptedShare: rider.acceptedShare,
          soloFare: rider.soloFare, rideMeters: rider.rideMeters,
          rideSeconds: rider.rideSeconds, directMeters: rider.directMeters,
          directSeconds: rider.directSeconds, sharedRatio: 0)
      })
  }
}

extension RideLimits {
  /// The first limit of time that a rider's ride breaks, as the refusal that says so.
  ///
  /// - Parameters:
  ///   - riderID: Whose ride it is.
  ///   - party: Whose window and policy are in force.
  ///   - ride: Seconds aboard.
  ///   - direct: Of the direct ride.
  ///   - boarded: Seconds from the departure until the rider gets in.
  /// - Returns: Nil where the ride holds them all.
  func brokenTime(
    _ riderID: String, _ party: Party, ride: Double, direct: Double, boarded: Double = 0
  ) -> PartyError? {
    let detour = min(maxDetourSeconds ?? .infinity, party.policy.maxDetourSeconds ?? .infinity)
    if ride - direct > detour {
      return .detourTimeExceeded(
        riderID: riderID, detourSeconds: max(0, ride - direct), limitSeconds: detour)
    }
    if let most = maxRideSeconds, ride > most {
      return .rideTooLong(riderID: riderID, rideSeconds: ride, limitSeconds: most)
    }
    if let by = arriveBy {
      let arrival = party.window.time.advanced(
        milliseconds: TravelEstimator.milliseconds(boarded + ride))
      if arrival > by { return .arrivesTooLate(riderID: riderID, arrival: arrival, limit: by) }
    }
    return nil
  }
}
