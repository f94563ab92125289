import GeoMath
import ObjectModel

/// Tries one rider in one party after another where somebody gets in on the way, that rider or
/// someone aboard: the arithmetic of ``PartyRules/join(_:_:requestID:now:claims:)``.
struct BoardingEvaluator {
  enum Outcome {
    case fits(RankedBoarding)
    case broken(MatchRule)
  }

  let query: MatchQuery
  private let command: JoinParty
  private let overlapRule: OverlapRule
  private let from: DistanceOrigin
  private let dropHere: DistanceOrigin
  private let eastScale: Double
  /// Of the place asked for and of the drop-off, from the first party on to which areas matter.
  private var areas: (asked: PlaceAreas?, drop: PlaceAreas)?
  private var search = BoardingSearch()
  /// Of the party tried last.
  private var plan = BoardingPlan()

  init(_ query: MatchQuery, _ overlaps: OverlapRule) {
    self.query = query
    eastScale = query.boarding.map { PathGeometry.eastScale($0.coordinate) } ?? 1
    command = query.join
    overlapRule = overlaps
    from = DistanceOrigin(query.origin)
    dropHere = DistanceOrigin(query.destination.coordinate)
  }

  /// The rider as the party's rules would see them.
  mutating func joiner(_ entry: IndexedParty) -> BoardingJoiner {
    let ride = entry.boarding
    var joiner = BoardingJoiner(
      from: from, asked: query.boarding?.coordinate, drop: query.destination.coordinate,
      dropHere: dropHere, seats: query.seats, weight: query.weight ?? 1,
      limits: ride.policy.bounding(query.wishes.limits(else: ride.limits)),
      window: command.window, now: query.boarding == nil ? nil : query.now, eastScale: eastScale)
    guard ride.ride.areaRules.tariffMinds else { return joiner }
    let pricing = ride.ride.pricing
    let known =
      areas ?? (joiner.asked.map(pricing.placeAreas), pricing.placeAreas(joiner.drop))
    areas = known
    joiner.askedAreas = known.asked
    joiner.dropAreas = known.drop
    return joiner
  }

  /// The rules from the insertion on, asked of a party that holds those before.
  mutating func outcome(_ entry: IndexedParty) -> Outcome {
    outcome(entry, joiner(entry))
  }

  /// The same of another joiner; `checksMaxShare` says whether the rider's own largest share binds.
  mutating func outcome(
    _ entry: IndexedParty, _ joiner: BoardingJoiner, checksMaxShare: Bool = true
  ) -> Outcome {
    let ride = entry.boarding
    guard let found = search.best(joiner, ride, .all) else {
      return .broken(hasSeats(entry, joiner) ? .detour : .seats)
    }
    guard ride.plan(found, joiner, into: &plan), sharesEnough(plan, entry, joiner) else {
      return .broken(.detour)
    }
    let me = plan.parts.count - 1
    if !ride.allowsRaisedShares {
      for i in 0..<me where plan.parts[i].share > ride.riders[i].acceptedShare {
        return .broken(.price)
      }
    }
    let share = plan.parts[me].share
    // Unknown where no tariff says it.
    let alone = ride.ride.knowsSoloFares ? plan.parts[me].fare.amount : nil
    if checksMaxShare && share > query.maxShare ?? alone ?? .max { return .broken(.price) }
    if overlapRule.isBroken(by: entry, rideSeconds: plan.totalSeconds) { return .broken(.overlap) }
    let boarded = BoardingSearch.milliseconds(plan.boardedSeconds(me))
    let gap = entry.departure.advanced(milliseconds: boarded).milliseconds(since: query.window.time)
    let walk = joiner.asked == nil ? from.meters(to: entry.ride.distanceOrigin) : found.walkMeters
    return .fits(
      RankedBoarding(
        party: RankedParty(
          saving: (alone ?? 0) - share, walkMeters: walk,
          timeGapMilliseconds: gap == .min ? .max : abs(gap),
          detourSeconds: plan.detourSeconds(me), entry: entry),
        insertion: found, share: share, soloFare: alone, amount: plan.amount))
  }

  /// Whether some insertion holds walk and seats, whatever the limits.
  mutating func hasSeats(_ entry: IndexedParty, _ joiner: BoardingJoiner) -> Bool {
    // Where the fullest leg has room, all have.
    if entry.seatsFree >= joiner.seats { return true }
    return search.best(joiner, entry.boarding, [.walk, .seats]) != nil
  }

  private func sharesEnough(
    _ plan: BoardingPlan, _ entry: IndexedParty, _ joiner: BoardingJoiner
  ) -> Bool {
    guard plan.parts.count > 1 else { return true }
    for i in plan.parts.indices {
      let limits = i < entry.boarding.riders.count ? entry.boarding.riders[i].limits : joiner.limits
      if let least = limits.minSharedRatio, plan.sharedRatio(i) < least { return false }
    }
    return true
  }

  /// The candidate with everything that its answer shows; nil where the party does not fit.
  mutating func candidate(_ entry: IndexedParty) -> MatchCandidate? {
    let joiner = joiner(entry)
    guard case .fits(let ranked) = outcome(entry, joiner) else { return nil }
    let me = plan.parts.count - 1
    return MatchCandidate(
      party: entry.party, walkMeters: ranked.party.walkMeters,
      detourSeconds: ranked.party.detourSeconds, sharedRatio: plan.sharedRatio(me),
      timeGapMilliseconds: ranked.party.timeGapMilliseconds,
      route: entry.boarding.route(plan, ids: entry.riderIDs + [query.riderID]),
      yourFare: ranked.share, yourSaving: ranked.soloFare == nil ? 0 : ranked.party.saving,
      boarding: entry.boarding.boarding(ranked.insertion, command))
  }

  mutating func detourRatios(_ entry: IndexedParty, _ joiner: BoardingJoiner) -> [Double] {
    search.detourRatios(joiner, entry.boarding)
  }
}

/// A party that fits, with where the rider gets in and out.
struct RankedBoarding {
  var party: RankedParty
  var insertion: BoardingInsertion
  var share: Int64
  /// Nil where no tariff says it.
  var soloFare: Int64?
  /// The fare of the whole ride with the rider in it.
  var amount: Int64
}
