import GeoMath
import ObjectModel
import TaxiFares

/// Tries one rider in one party after another, without allocating (but for parties that share
/// `byLeg` or `shapley`): the arithmetic of ``PartyRules/join(_:_:now:claims:)``.
struct JoinEvaluator {
  enum Verdict {
    case fits
    case detour
    case price
  }

  let query: MatchQuery
  private let drop: Coordinate
  private let pricing: PartyPricing
  private var areas: PlaceAreas?
  var scratch = RideScratch()

  init(_ query: MatchQuery, pricing: PartyPricing) {
    self.query = query
    self.pricing = pricing
    drop = query.destination.coordinate
  }

  /// The rules from detour on, asked of a party with a seat free; the plan is left in the scratch.
  /// - Parameter longestRideMeters: Of the rider, in place of the limit in force.
  mutating func verdict(
    _ entry: PartyEntry, seats: Int, longestRideMeters: Double? = nil, checksMaxShare: Bool = true
  ) -> Verdict {
    let ride = entry.ride
    let joiner = joiner(entry, seats: seats)
    ride.load(&scratch)
    let riders = scratch.plan.riderCount
    guard riders < RidePlan.maximumRiders, ride.add(joiner, to: &scratch) else { return .detour }
    if let longestRideMeters {
      let place = scratch.plan.place(riders)
      let others = place < ride.places.count ? ride.limitMeters[place] : .infinity
      scratch.limitMeters[place] = min(others, longestRideMeters)
    }
    guard ride.findRoute(&scratch, joining: drop, enforcesLimits: true) else { return .detour }
    for i in 0...riders where scratch.plan.minShared[i] > 0 {
      if scratch.plan.sharedRatio(i) < scratch.plan.minShared[i] { return .detour }
    }
    guard ride.priceRoute(&scratch.plan) else { return .detour }
    ride.split(&scratch.plan, joining: drop)
    if !entry.party.allowsRaisedShares {
      for i in 0..<riders where scratch.plan.shares[i] > ride.acceptedShares[i] { return .price }
    }
    if checksMaxShare, let most = query.maxShare, scratch.plan.shares[riders] > most {
      return .price
    }
    return .fits
  }

  mutating func joiner(_ entry: PartyEntry, seats: Int) -> PreparedRide.Joiner {
    if entry.ride.areaRules.matter && areas == nil { areas = pricing.placeAreas(drop) }
    let policy = entry.party.policy
    return PreparedRide.Joiner(
      drop: drop, seats: seats,
      limits: policy.bounding(query.wishes.limits(else: entry.party.limits)),
      maxDetourSeconds: policy.maxDetourSeconds, weight: query.weight ?? 1,
      areas: areas ?? PlaceAreas())
  }

  func walkMeters(_ entry: PartyEntry) -> Double {
    query.origin.distanceMeters(to: entry.party.origin.coordinate)
  }

  func walkLimit(_ entry: PartyEntry) -> Double {
    min(
      query.wishes.maxWalkMeters ?? entry.party.limits.maxWalkMeters,
      entry.party.policy.maxWalkMeters ?? .infinity)
  }

  func holdsPolicy(_ entry: PartyEntry) -> Bool {
    entry.party.policy.sameAttributes.isEmpty
      || entry.party.policy.conflict(
        host: entry.party.riders.first?.attributes ?? [:], other: query.attributes) == nil
  }

  func isAboard(_ entry: PartyEntry) -> Bool {
    entry.party.riders.contains { $0.id == query.riderID }
  }

  /// What the plan in the scratch means for the rider, as it ranks.
  func ranked(_ entry: PartyEntry, walkMeters: Double) -> RankedParty {
    let plan = scratch.plan
    let me = plan.riderCount - 1
    let gap = entry.party.window.time.milliseconds(since: query.window.time)
    return RankedParty(
      saving: plan.soloFare(me) - plan.shares[me], walkMeters: walkMeters,
      timeGapMilliseconds: gap == .min ? .max : abs(gap), detourSeconds: plan.detourSeconds(me),
      entry: entry)
  }

  /// The candidate with everything that its answer shows.
  mutating func candidate(_ ranked: RankedParty) -> MatchCandidate {
    _ = verdict(ranked.entry, seats: query.seats)
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
      yourFare: plan.shares[me], yourSaving: ranked.saving)
  }
}

/// A party that fits, by what candidates are ranked.
struct RankedParty {
  var saving: Int64
  var walkMeters: Double
  var timeGapMilliseconds: Int64
  var detourSeconds: Double
  var entry: PartyEntry

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
