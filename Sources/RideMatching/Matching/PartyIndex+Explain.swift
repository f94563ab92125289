import GeoMath
import ObjectModel

extension PartyIndex {
  /// Looks at every party, and at each by the rules in their order.
  func explainedMatch(
    _ query: MatchQuery, _ overlaps: OverlapRule, _ shouldStop: () -> Bool
  ) -> MatchAnswer {
    var steps = StepCounter()
    var evaluator = JoinEvaluator(query, pricing: pricing, overlaps)
    var onTheWay = BoardingEvaluator(query, overlaps)
    var explanation = MatchExplanation(
      considered: 0, matched: 0, removed: [:], relaxation: nil, relaxations: [])
    var counts = RuleCounts()
    var found: [RankedParty] = []
    visitConsidered(evaluator) { rows, i in
      if steps.take(1, shouldStop) { return }
      explanation.considered += 1
      if rows[i].boardsOnTheWay, evaluator.firstBrokenBeforeDetour(rows, i) == nil {
        switch onTheWay.outcome(rows[i].entry) {
        case .fits(let ranked): found.append(ranked.party)
        case .broken(let rule): counts.add(rule)
        }
        return
      }
      if let rule = evaluator.firstBroken(rows, i) {
        counts.add(rule)
      } else {
        let walk = evaluator.walkMeters(rows[i].ride)
        found.append(evaluator.ranked(rows[i].entry, walkMeters: walk))
      }
    }
    explanation.removed = counts.removed
    explanation.matched = found.count
    if found.isEmpty {
      explanation.relaxations = relaxations(&evaluator, &steps, shouldStop)
      explanation.relaxation = explanation.relaxations.min(by: MatchRelaxation.isSmaller)
    }
    found.sort(by: RankedParty.isBefore)
    var candidates: [MatchCandidate] = []
    for ranked in found.prefix(max(0, query.limit)) {
      if ranked.entry.boardsOnTheWay {
        if let candidate = onTheWay.candidate(ranked.entry) { candidates.append(candidate) }
      } else {
        candidates.append(evaluator.candidate(ranked))
      }
    }
    return MatchAnswer(
      candidates: candidates, explanation: explanation, isComplete: !steps.hasStopped)
  }

  /// Parties whose window has not ended, the rider's own aside.
  private func visitConsidered(_ evaluator: JoinEvaluator, _ body: ([PartyRow], Int) -> Void) {
    let now = evaluator.query.now.milliseconds
    let bit = PartyRow.bit(evaluator.query.riderID)
    for grid in grids {
      grid.visitAll { rows in
        for i in rows.indices where rows[i].end > now {
          if rows[i].riderBits & bit != 0 && evaluator.isAboard(rows[i].entry) { continue }
          body(rows, i)
        }
      }
    }
  }

  /// The smallest change of each rule by which some party matches, in the order of the rules.
  private func relaxations(
    _ evaluator: inout JoinEvaluator, _ steps: inout StepCounter, _ shouldStop: () -> Bool
  ) -> [MatchRelaxation] {
    var best: [MatchRule: MatchRelaxation] = [:]
    visitConsidered(evaluator) { rows, i in
      guard !steps.take(4, shouldStop), rows[i].isOpen, evaluator.mayRelax(rows, i, best),
        let change = evaluator.relaxation(rows[i].entry)
      else { return }
      if let known = best[change.rule], !MatchRelaxation.isLess(change, known) { return }
      best[change.rule] = change
    }
    return MatchRule.allCases.compactMap { best[$0] }
  }
}

extension MatchRelaxation {
  /// Of one rule. Where the rider states no limit, each party's own is in force: what counts is
  /// then the value to ask for, which holds for all parties, and not how far it is from that limit.
  static func isLess(_ a: MatchRelaxation, _ b: MatchRelaxation) -> Bool {
    switch a.rule {
    case .walk, .detour, .price:
      if a.value != b.value { return a.value < b.value }
    case .window, .seats, .state, .policy, .overlap:
      if a.amount != b.amount { return a.amount < b.amount }
    }
    return a.partyID.utf8.lexicographicallyPrecedes(b.partyID.utf8)
  }

  /// Of different rules.
  static func isSmaller(_ a: MatchRelaxation, _ b: MatchRelaxation) -> Bool {
    if a.effort != b.effort { return a.effort < b.effort }
    return a.partyID.utf8.lexicographicallyPrecedes(b.partyID.utf8)
  }
}

extension JoinEvaluator {
  /// The first rule that the party fails, nil where it fits; the plan is then in the scratch.
  mutating func firstBroken(_ rows: [PartyRow], _ i: Int) -> MatchRule? {
    if let rule = firstBrokenBeforeDetour(rows, i) { return rule }
    switch verdict(rows[i].ride, seats: query.seats) {
    case .fits: return overlaps(rows[i].entry) ? .overlap : nil
    case .detour: return .detour
    case .price: return .price
    }
  }

  /// The same of the rules that need no route. Mutating for the reason of ``ranked(_:walkMeters:)``.
  mutating func firstBrokenBeforeDetour(_ rows: [PartyRow], _ i: Int) -> MatchRule? {
    if !rows[i].isOpen { return .state }
    if missingTolerance(rows, i) > 0 { return .window }
    if Int(rows[i].seatsFree) < query.seats { return .seats }
    if rows[i].hasAttributeRules && !holdsPolicy(rows[i].entry) { return .policy }
    let limit = min(query.wishes.maxWalkMeters ?? rows[i].walkLimit, rows[i].walkCap)
    if originVector.lowerMeters(to: rows[i].origin) > limit { return .walk }
    // Not <=: a limit that is no number holds nothing.
    return walkMeters(rows[i].ride) <= limit ? nil : .walk
  }

  /// False where more than one wish is broken for sure, or one by more than is known to help. Mutating for
  /// the reason of ``ranked(_:walkMeters:)``.
  mutating func mayRelax(_ rows: [PartyRow], _ i: Int, _ best: [MatchRule: MatchRelaxation]) -> Bool
  {
    let late = missingTolerance(rows, i)
    let limit = min(query.wishes.maxWalkMeters ?? rows[i].walkLimit, rows[i].walkCap)
    let walk = originVector.lowerMeters(to: rows[i].origin)
    let far = walk - limit
    let seats = query.seats - Int(rows[i].seatsFree)
    if (late > 0 ? 1 : 0) + (far > 0 ? 1 : 0) + (seats > 0 ? 1 : 0) > 1 { return false }
    if late > 0, let known = best[.window], Double(late) / 1000 > known.amount { return false }
    if far > 0, let known = best[.walk], walk > known.value { return false }
    return true
  }

  /// By how many milliseconds the rider's window must grow both ways to meet the party's in a
  /// moment from now on.
  private func missingTolerance(start: Instant, end: Instant) -> Int64 {
    let window = query.window
    return max(
      0, start.milliseconds(since: window.end), window.start.milliseconds(since: end),
      query.now.milliseconds(since: window.end))
  }

  private func missingTolerance(_ rows: [PartyRow], _ i: Int) -> Int64 {
    missingTolerance(
      start: Instant(milliseconds: rows[i].start), end: Instant(milliseconds: rows[i].end))
  }

  /// The least change of one wish by which the party fits, if exactly one rule is broken and the
  /// wish can mend it: policies, others' limits and others' prices cannot be wished away.
  mutating func relaxation(_ entry: IndexedParty) -> MatchRelaxation? {
    let party = entry.party
    guard party.state == .open, !entry.boardsOnTheWay, holdsPolicy(entry) else { return nil }
    let late = missingTolerance(start: party.window.start, end: party.window.end)
    let seats = query.seats - party.seatsFree
    let walk = walkMeters(entry.ride)
    let isFar = walk > walkLimit(entry.ride)
    let broken = (late > 0 ? 1 : 0) + (seats > 0 ? 1 : 0) + (isFar ? 1 : 0)
    guard broken <= 1, party.seatsFree > 0 else { return nil }
    if broken == 1 {
      if isFar, walk > party.policy.maxWalkMeters ?? .infinity { return nil }
      guard verdict(entry.ride, seats: min(query.seats, party.seatsFree)) == .fits,
        !overlaps(entry)
      else { return nil }
      if late > 0 {
        return change(
          .window, by: Double(late) / 1000, from: Double(query.window.toleranceMilliseconds) / 1000,
          usual: 600, party)
      }
      if isFar {
        return change(
          .walk, by: walk - walkLimit(entry.ride), from: walkLimit(entry.ride), usual: 300, party,
          exactly: walk)
      }
      return change(.seats, by: Double(seats), from: Double(query.seats), usual: 1, party)
    }
    return longerRide(entry) ?? higherShare(entry)
  }

  private func change(
    _ rule: MatchRule, by amount: Double, from wish: Double, usual: Double, _ party: Party,
    exactly value: Double? = nil
  ) -> MatchRelaxation {
    MatchRelaxation(
      rule: rule, amount: amount, value: value ?? (rule == .seats ? wish - amount : wish + amount),
      partyID: party.id, effort: amount / usual)
  }

  /// Tries the lengths of the rider's own ride in every order that the others accept.
  private mutating func longerRide(_ entry: IndexedParty) -> MatchRelaxation? {
    guard verdict(entry.ride, seats: query.seats) == .detour else { return nil }
    let joiner = joiner(entry.ride, seats: query.seats)
    entry.ride.load(&scratch)
    guard scratch.plan.riderCount < RidePlan.maximumRiders else { return nil }
    entry.ride.add(joiner, to: &scratch)
    let place = scratch.plan.place(scratch.plan.riderCount - 1)
    let direct = scratch.plan.directMeters[place]
    scratch.limitMeters[place] =
      place < entry.ride.stops.count ? entry.ride.stops[place].limitMeters : .infinity
    let ridden = joiner.maxDetourRatio
    let cap = entry.party.policy.maxDetourRatio ?? .infinity
    guard direct > 0 else { return nil }
    for meters in scratch.rideLengths(to: place).sorted() {
      var ratio = (meters - RideLimits.detourAllowanceMeters) / direct - 1
      // Asked for, it must allow this very ride.
      while (1 + ratio) * direct + RideLimits.detourAllowanceMeters < meters {
        ratio += max(ratio.ulp, .ulpOfOne)
      }
      guard ratio > ridden, ratio <= cap else { continue }
      if verdict(entry.ride, seats: query.seats, longestRideMeters: meters) == .fits,
        !overlaps(entry)
      {
        return change(
          .detour, by: ratio - ridden, from: ridden, usual: 0.25, entry.party, exactly: ratio)
      }
    }
    return nil
  }

  private mutating func higherShare(_ entry: IndexedParty) -> MatchRelaxation? {
    guard verdict(entry.ride, seats: query.seats, checksMaxShare: false) == .fits,
      !overlaps(entry)
    else { return nil }
    let me = scratch.plan.riderCount - 1
    let most = mostShare(entry.ride, me)
    let share = scratch.plan.shares[me]
    guard share > most else { return nil }
    let alone = entry.ride.knowsSoloFares ? scratch.plan.soloFare(me) : share
    let usual = max(1, Double(alone) / 10)
    return change(
      .price, by: Double(share - most), from: Double(most), usual: usual, entry.party)
  }
}

extension RideScratch {
  /// The lengths of the ride to a place in every order that holds all limits. - Complexity: O(orders).
  func rideLengths(to place: Int) -> Set<Double> {
    var lengths: Set<Double> = []
    collect(
      at: 0, open: UInt8(truncatingIfNeeded: (1 << plan.placeCount) - 1), meters: 0, seconds: 0,
      reached: nil, place, &lengths)
    return lengths
  }

  private func collect(
    at row: Int, open: UInt8, meters soFar: Double, seconds elapsed: Double, reached: Double?,
    _ place: Int, _ lengths: inout Set<Double>
  ) {
    if open == 0, let reached { lengths.insert(reached) }
    var rest = open
    while rest != 0 {
      let next = rest.trailingZeroBitCount
      rest &= rest - 1
      let cell = row * Self.stride + next + 1
      let meters = soFar + self.meters[cell]
      let seconds = elapsed + self.seconds[cell]
      guard meters <= limitMeters[next], seconds <= limitSeconds[next] else { continue }
      collect(
        at: next + 1, open: open & ~(1 << UInt8(next)), meters: meters, seconds: seconds,
        reached: next == place ? meters : reached, place, &lengths)
    }
  }
}
