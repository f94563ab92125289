import GeoMath
import ObjectModel
import RoutePlanning

extension PartyIndex {
  /// The parties that a rider could join, best for them first: by their own saving, then walk, time
  /// gap, detour, id. Never drops what a look at every party would find.
  ///
  /// - Parameters:
  ///   - query: The rider's trip.
  ///   - claims: When people are busy in other parties, as in
  ///     ``PartyRules/join(_:_:requestID:now:claims:)``; asked of parties that hold all other rules. Nil:
  ///     overlaps are not looked at.
  ///   - overlappingParties: ``PartyConfiguration/overlappingParties``.
  ///   - shouldStop: Asked every few hundred parties, until it says so once; the answer is then not
  ///     complete.
  /// - Returns: The candidates, with an explanation if it is asked for.
  /// - Complexity: O(rows of the cells and slots in reach); with `explain`, O(parties).
  public func match(
    _ query: MatchQuery, claims: PartyRules.Claims? = nil,
    overlappingParties: Int = 1, shouldStop: () -> Bool = { false }
  ) -> MatchAnswer {
    let overlaps = OverlapRule(claims: claims, allowed: overlappingParties, query)
    if query.boarding != nil { return boardingMatch(query, overlaps, shouldStop) }
    if query.explain { return explainedMatch(query, overlaps, shouldStop) }
    var scan = MatchScan(query, self, overlaps)
    guard query.window.end >= query.now else {
      return MatchAnswer(candidates: [], explanation: nil)
    }
    for grid in grids where grid.count > 0 {
      scan.begin(maximumWalkMeters: query.wishes.maxWalkMeters ?? grid.maximumWalkMeters)
      grid.visit(
        near: query.origin, radiusMeters: scan.maximumWalkMeters,
        times: times(query.window, grid.maximumToleranceMilliseconds)
      ) { scan.look(at: $0, shouldStop) }
    }
    return MatchAnswer(candidates: scan.candidates(), isComplete: !scan.hasStopped)
  }

  /// Departure times whose windows, none wider than `tolerance`, may meet a window.
  private func times(_ window: DepartureWindow, _ tolerance: Int64) -> ClosedRange<Int64> {
    let from = window.start.advanced(milliseconds: -tolerance).milliseconds
    let to = window.end.advanced(milliseconds: tolerance).milliseconds
    return min(from, to)...max(from, to)
  }
}

/// One look through rows: cheap bounds first, the exact rules for what is left.
struct MatchScan {
  private var evaluator: JoinEvaluator
  private var onTheWay: BoardingEvaluator
  private let profiles: [TrafficProfile]
  private let start: Int64
  private let end: Int64
  private let now: Int64
  private let origin: SphereVector
  private let drop: SphereVector
  private let straightMeters: Double
  private let wishes: RideWishes
  private let seats: Int8
  private(set) var maximumWalkMeters = 0.0
  /// By profile: no direct route is longer, from any pick-up within ``maximumWalkMeters``.
  private var longestDirectMeters: [Double] = []
  private var best: BestParties
  private var steps = StepCounter()
  var hasStopped: Bool { steps.hasStopped }

  init(_ query: MatchQuery, _ index: PartyIndex, _ overlaps: OverlapRule) {
    evaluator = JoinEvaluator(query, pricing: index.pricing, overlaps)
    onTheWay = BoardingEvaluator(query, overlaps)
    profiles = index.profiles
    wishes = query.wishes
    best = BestParties(limit: query.limit)
    // Nobody has more free.
    seats = Int8(clamping: query.seats)
    start = query.window.start.milliseconds
    end = query.window.end.milliseconds
    now = query.now.milliseconds
    origin = SphereVector(query.origin)
    drop = SphereVector(query.destination.coordinate)
    straightMeters = query.origin.haversineMeters(to: query.destination.coordinate)
  }

  mutating func begin(maximumWalkMeters: Double) {
    self.maximumWalkMeters = maximumWalkMeters
    let walk = maximumWalkMeters / HaversineBounds.minimumRatio
    let most = HaversineBounds.upperMeters(haversineMeters: straightMeters + walk) + 1
    let least = max(0, HaversineBounds.lowerMeters(haversineMeters: straightMeters - walk) - 1)
    longestDirectMeters = profiles.map { profile in
      var circuity = max(
        profile.circuity.value(meters: least), profile.circuity.value(meters: most))
      for knot in profile.circuity.knots where knot.meters >= least && knot.meters <= most {
        circuity = max(circuity, knot.value)
      }
      return most * circuity
    }
  }

  mutating func look(at rows: [PartyRow], _ shouldStop: () -> Bool) {
    // A row that is passed by costs a fiftieth of one that is planned.
    if steps.take(1 + rows.count / 50, shouldStop) { return }
    for i in rows.indices {
      guard rows[i].isOpen, rows[i].start <= end, rows[i].end >= start, rows[i].end > now,
        rows[i].seatsFree >= seats
      else { continue }
      let walkLimit = min(wishes.maxWalkMeters ?? rows[i].walkLimit, rows[i].walkCap)
      guard origin.lowerMeters(to: rows[i].origin) <= walkLimit else { continue }
      // Neither order of the first rider and this one may hold both limits.
      let between = rows[i].drop.chordMeters(to: drop) * rows[i].roadPerChord
      let first = rows[i].origin.chordMeters(to: drop) * rows[i].roadPerChord
      if first + between > rows[i].longest + 0.01, Int(rows[i].profile) < longestDirectMeters.count
      {
        let ratio = min(wishes.maxDetourRatio ?? rows[i].detourRatio, rows[i].detourCap)
        let longest = RideLimits.longestRideMeters(
          direct: longestDirectMeters[Int(rows[i].profile)], maxDetourRatio: ratio)
        if rows[i].shortest + between > longest + 0.01 { continue }
      }
      if steps.take(1, shouldStop) { return }
      let walk = evaluator.walkMeters(rows[i].ride)
      if walk > walkLimit || !evaluator.mayRide(rows, i) { continue }
      if rows[i].boardsOnTheWay {
        if case .fits(let ranked) = onTheWay.outcome(rows[i].entry) { best.put(ranked.party) }
        continue
      }
      if evaluator.verdict(rows[i].ride, seats: Int(seats)) == .fits,
        !evaluator.overlaps(rows[i].entry)
      {
        best.put(evaluator.ranked(rows[i].entry, walkMeters: walk))
      }
    }
  }

  /// The best of those found.
  mutating func candidates() -> [MatchCandidate] {
    var answer: [MatchCandidate] = []
    for ranked in best.sorted() {
      if ranked.entry.boardsOnTheWay {
        if let candidate = onTheWay.candidate(ranked.entry) { answer.append(candidate) }
      } else {
        answer.append(evaluator.candidate(ranked))
      }
    }
    return answer
  }
}
