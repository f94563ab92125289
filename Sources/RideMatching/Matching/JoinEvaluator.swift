import GeoMath
import ObjectModel
import TaxiFares

/// Tries one rider in one party after another, without allocating (but for parties that share
/// `byLeg` or `shapley`): the arithmetic of ``PartyRules/join(_:_:requestID:now:claims:)``.
struct JoinEvaluator {
  enum Verdict {
    case fits
    case detour
    case price
  }

  let query: MatchQuery
  private let drop: Coordinate
  private let pricing: PartyPricing
  private let wishes: RideWishes
  /// Nil: what the rider pays alone.
  private let maxShare: Int64?
  private let overlapRule: OverlapRule
  private let areas: PlaceAreas
  private let riderBit: UInt64
  private let origin: DistanceOrigin
  let originVector: SphereVector
  private let someone: PreparedRide.Joiner
  var scratch = RideScratch()

  init(_ query: MatchQuery, pricing: PartyPricing, _ overlaps: OverlapRule) {
    self.query = query
    self.pricing = pricing
    drop = query.destination.coordinate
    wishes = query.wishes
    riderBit = PartyRow.bit(query.riderID)
    maxShare = query.maxShare
    overlapRule = overlaps
    areas = pricing.placeAreas(drop)
    origin = DistanceOrigin(query.origin)
    originVector = SphereVector(query.origin)
    someone = PreparedRide.Joiner(
      drop, here: DistanceOrigin(drop), seats: query.seats, weight: query.weight ?? 1)
  }

  /// The rules from detour on, asked of a party with a seat free; the plan is left in the scratch.
  /// `longestRideMeters` stands in place of the rider's limit in force.
  mutating func verdict(
    _ ride: PreparedRide, seats: Int, longestRideMeters: Double? = nil,
    checksMaxShare: Bool = true
  ) -> Verdict {
    ride.load(&scratch)
    let riders = scratch.plan.riderCount
    guard riders < RidePlan.maximumRiders else { return .detour }
    let joiner = joiner(ride, seats: seats)
    ride.add(joiner, to: &scratch)
    if let longestRideMeters {
      let place = scratch.plan.place(riders)
      let others = place < ride.stops.count ? ride.stops[place].limitMeters : .infinity
      scratch.limitMeters[place] = min(others, longestRideMeters)
    }
    guard ride.findRoute(&scratch, joining: drop, enforcesLimits: true) else { return .detour }
    for i in 0...riders where scratch.plan.minShared[i] > 0 {
      if scratch.plan.sharedRatio(i) < scratch.plan.minShared[i] { return .detour }
    }
    guard ride.priceJoiner(joiner, areas, &scratch.plan), ride.priceRoute(&scratch.plan) else {
      return .detour
    }
    ride.split(&scratch.plan, joining: drop)
    if !ride.allowsRaisedShares {
      for i in 0..<riders where scratch.plan.shares[i] > ride.riders[i].acceptedShare {
        return .price
      }
    }
    if checksMaxShare && scratch.plan.shares[riders] > mostShare(ride, riders) { return .price }
    return .fits
  }

  /// The largest share that the rider of a plan is offered.
  @inline(__always)
  func mostShare(_ ride: PreparedRide, _ rider: Int) -> Int64 {
    maxShare ?? (ride.knowsSoloFares ? scratch.plan.soloFare(rider) : .max)
  }

  func joiner(_ ride: PreparedRide, seats: Int) -> PreparedRide.Joiner {
    var joiner = someone
    joiner.seats = seats
    joiner.take(wishes, ride)
    return joiner
  }

  func walkMeters(_ ride: PreparedRide) -> Double {
    origin.meters(to: ride.distanceOrigin)
  }

  func walkLimit(_ ride: PreparedRide) -> Double {
    min(wishes.maxWalkMeters ?? ride.limits.maxWalkMeters, ride.walkCap)
  }

  @inline(__always)
  func holdsPolicy(_ entry: IndexedParty) -> Bool {
    guard entry.ride.hasAttributeRules else { return true }
    return entry.party.policy.conflict(
      host: entry.party.riders.first?.attributes ?? [:], other: query.attributes) == nil
  }

  /// The policy, and not aboard already. Rows are read in place: a copy would count references.
  func mayRide(_ rows: [PartyRow], _ i: Int) -> Bool {
    if rows[i].riderBits & riderBit != 0 && isAboard(rows[i].entry) { return false }
    return !rows[i].hasAttributeRules || holdsPolicy(rows[i].entry)
  }

  /// Whether the ride planned in the scratch takes someone's time who has none left.
  mutating func overlaps(_ entry: IndexedParty) -> Bool {
    overlapRule.isBroken(by: entry, rideSeconds: scratch.plan.totalSeconds)
  }

  func isAboard(_ entry: IndexedParty) -> Bool {
    entry.riderIDs.contains(query.riderID)
  }

  /// What the plan in the scratch means for the rider, as it ranks. Mutating so that no copy of the
  /// scratch is handed over.
  mutating func ranked(_ entry: IndexedParty, walkMeters: Double) -> RankedParty {
    let me = scratch.plan.riderCount - 1
    let gap = entry.departure.milliseconds(since: query.window.time)
    return RankedParty(
      saving: (entry.ride.knowsSoloFares ? scratch.plan.soloFare(me) : 0)
        - scratch.plan.shares[me], walkMeters: walkMeters,
      timeGapMilliseconds: gap == .min ? .max : abs(gap),
      detourSeconds: scratch.plan.detourSeconds(me), entry: entry)
  }

  /// The candidate with everything that its answer shows.
  mutating func candidate(_ ranked: RankedParty) -> MatchCandidate {
    _ = verdict(ranked.entry.ride, seats: query.seats)
    let plan = scratch.plan
    let me = plan.riderCount - 1
    let party = ranked.entry.party
    var drops = party.riders.map { ($0.dropOff ?? party.destination).coordinate }
    drops.append(drop)
    return MatchCandidate(
      party: party, walkMeters: ranked.walkMeters, detourSeconds: ranked.detourSeconds,
      sharedRatio: plan.sharedRatio(me), timeGapMilliseconds: ranked.timeGapMilliseconds,
      route: ranked.entry.ride.route(
        plan, ids: party.riders.map(\.id) + [query.riderID], drops: drops),
      yourFare: plan.shares[me],
      yourSaving: ranked.entry.ride.knowsSoloFares ? ranked.saving : 0)
  }
}

/// A party that fits, by what candidates are ranked.
struct RankedParty {
  /// Where no tariff says what the rider would pay alone, that counts as nothing: of such parties the
  /// cheapest is the best, and one without a price before one with a price.
  var saving: Int64
  var walkMeters: Double
  var timeGapMilliseconds: Int64
  var detourSeconds: Double
  var entry: IndexedParty

  static func isBefore(_ a: RankedParty, _ b: RankedParty) -> Bool {
    if a.saving != b.saving { return a.saving > b.saving }
    if a.walkMeters != b.walkMeters { return a.walkMeters < b.walkMeters }
    if a.timeGapMilliseconds != b.timeGapMilliseconds {
      return a.timeGapMilliseconds < b.timeGapMilliseconds
    }
    if a.detourSeconds != b.detourSeconds { return a.detourSeconds < b.detourSeconds }
    return a.entry.party.id.utf8.lexicographicallyPrecedes(b.entry.party.id.utf8)
  }
}
