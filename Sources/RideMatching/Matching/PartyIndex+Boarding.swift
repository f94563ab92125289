import GeoMath
import ObjectModel

extension PartyIndex {
  /// The parties that a rider could board on the way, found by the corridors of their riders.
  ///
  /// - Complexity: O(rows of the cells around the rider), a search for each whose corridor serves
  ///   both places; with `explain`, O(parties) looks at rows.
  func boardingMatch(
    _ query: MatchQuery, _ overlaps: OverlapRule, _ shouldStop: () -> Bool
  ) -> MatchAnswer {
    var scan = BoardingScan(query, self, overlaps)
    if query.explain { return scan.explained(corridors, shouldStop) }
    guard query.window.end >= query.now else { return MatchAnswer(candidates: []) }
    corridors.visit(
      near: query.origin, walkMeters: query.wishes.maxWalkMeters ?? corridors.maximumWalkMeters,
      window: query.window
    ) { numbers in
      for number in numbers { scan.look(number, corridors, shouldStop) }
    }
    return MatchAnswer(
      candidates: scan.candidates(query.limit), isComplete: !scan.steps.hasStopped)
  }
}

/// One look through rows of corridors: cheap bounds first, the exact rules for what is left.
private struct BoardingScan {
  let query: MatchQuery
  private var evaluator: BoardingEvaluator
  private let common: JoinEvaluator
  private let place: SphereVector
  private let drop: SphereVector
  private let straightMeters: Double
  private let riderBit: UInt64
  private var seen: Set<ObjectIdentifier> = []
  private var found: [RankedParty] = []
  private(set) var steps = StepCounter()
  /// The longest walk that is worth telling of.
  private static let maximumToldWalkMeters = 3000.0
  /// The largest detour beyond the limit that is worth telling of.
  private static let maximumToldDetourRatio = 1.0

  init(_ query: MatchQuery, _ index: PartyIndex, _ overlaps: OverlapRule) {
    self.query = query
    evaluator = BoardingEvaluator(query, overlaps)
    common = JoinEvaluator(query, pricing: index.pricing, overlaps)
    place = SphereVector(query.origin)
    drop = SphereVector(query.destination.coordinate)
    straightMeters = query.origin.haversineMeters(to: query.destination.coordinate)
    riderBit = PartyRow.bit(query.riderID)
  }

  // MARK: Rules of a row

  private func walkLimit(_ row: CorridorRow) -> Double { row.walkLimit(query.wishes) }

  private func detourRatio(_ row: CorridorRow) -> Double { row.detourRatio(query.wishes) }

  private func isInTime(_ row: CorridorRow) -> Bool {
    row.isInTime(query.window) && query.window.end >= query.now
  }

  /// Whether straight lines allow it, for a walk of at most so many meters and such a detour.
  @inline(__always)
  private func mayServe(_ row: CorridorRow, walk: Double, ratio: Double) -> Bool {
    row.mayServe(place, drop, straightMeters: straightMeters, walk: walk, detourRatio: ratio)
  }

  mutating func look(_ number: UInt32, _ corridors: CorridorIndex, _ shouldStop: () -> Bool) {
    let row = corridors.row(number)
    guard row.isActive, Int(row.seatsFree) >= query.seats, isInTime(row),
      row.windowEnd > query.now.milliseconds
    else { return }
    guard mayServe(row, walk: walkLimit(row), ratio: detourRatio(row)),
      let entry = corridors.entry(number), seen.insert(ObjectIdentifier(entry)).inserted,
      // Many halts have many ways in between.
      !steps.take(1 + entry.boarding.halts.count / 4, shouldStop),
      !(row.riderBits & riderBit != 0 && entry.riderIDs.contains(query.riderID)),
      !row.hasAttributeRules || common.holdsPolicy(entry)
    else { return }
    if case .fits(let ranked) = evaluator.outcome(entry) { found.append(ranked.party) }
  }

  mutating func candidates(_ limit: Int) -> [MatchCandidate] {
    found.sort(by: RankedParty.isBefore)
    var answer: [MatchCandidate] = []
    for ranked in found.prefix(max(0, limit)) {
      if let candidate = evaluator.candidate(ranked.entry) { answer.append(candidate) }
    }
    return answer
  }

  // MARK: Explained

  mutating func explained(
    _ corridors: CorridorIndex, _ shouldStop: () -> Bool
  ) -> MatchAnswer {
    var explanation = MatchExplanation(
      considered: 0, matched: 0, removed: [:], relaxation: nil, relaxations: [])
    visitConsidered(corridors) { scan, row, entry in
      if scan.steps.take(1, shouldStop) { return }
      explanation.considered += 1
      if let rule = scan.firstBroken(row, entry) { explanation.removed[rule, default: 0] += 1 }
    }
    explanation.matched = found.count
    if found.isEmpty {
      explanation.relaxations = relaxations(corridors, shouldStop)
      explanation.relaxation = explanation.relaxations.min(by: MatchRelaxation.isSmaller)
    }
    return MatchAnswer(
      candidates: candidates(query.limit), explanation: explanation,
      isComplete: !steps.hasStopped)
  }

  /// Each party once, whose window has not ended, the rider's own aside.
  private mutating func visitConsidered(
    _ corridors: CorridorIndex,
    _ body: (inout BoardingScan, CorridorRow, IndexedParty) -> Void
  ) {
    let now = query.now.milliseconds
    corridors.visitAll { _, row, entry in
      guard row.isFirst, row.windowEnd > now else { return }
      if row.riderBits & riderBit != 0 && entry.riderIDs.contains(query.riderID) { return }
      body(&self, row, entry)
    }
  }

  private mutating func firstBroken(_ row: CorridorRow, _ entry: IndexedParty) -> MatchRule? {
    if !row.isActive { return .state }
    if row.isOnly && !isInTime(row) { return .window }
    if Int(row.seatsFree) < query.seats { return .seats }
    if row.hasAttributeRules && !common.holdsPolicy(entry) { return .policy }
    let limit = walkLimit(row)
    // Mostly the place itself is where the rider stands.
    if !(query.boarding?.coordinate == query.origin && limit >= 0) {
      let joiner = evaluator.joiner(entry)
      guard entry.boarding.leastWalk(joiner) <= limit else { return .walk }
    }
    if row.isOnly, !mayServe(row, walk: limit, ratio: detourRatio(row)) {
      guard entry.party.seatsFree < query.seats else { return .detour }
      let joiner = evaluator.joiner(entry)
      return evaluator.hasSeats(entry, joiner) ? .detour : .seats
    }
    switch evaluator.outcome(entry) {
    case .broken(let rule): return rule
    case .fits(let ranked):
      found.append(ranked.party)
      return nil
    }
  }

  /// The smallest change of each rule by which some party matches, in the order of the rules.
  private mutating func relaxations(
    _ corridors: CorridorIndex, _ shouldStop: () -> Bool
  ) -> [MatchRelaxation] {
    var best: [MatchRule: MatchRelaxation] = [:]
    visitConsidered(corridors) { scan, row, entry in
      guard row.isActive, row.seatsFree > 0, scan.isInTime(row) || !row.isOnly else { return }
      guard !row.hasAttributeRules || scan.common.holdsPolicy(entry) else { return }
      func take(_ change: MatchRelaxation?) {
        guard let change else { return }
        if let known = best[change.rule], !MatchRelaxation.isLess(change, known) { return }
        best[change.rule] = change
      }
      let limit = scan.walkLimit(row)
      let ratio = scan.detourRatio(row)
      if !row.isOnly || scan.mayServe(row, walk: limit, ratio: ratio) {
        if scan.steps.take(4, shouldStop) { return }
        take(scan.fewerSeats(entry))
        take(scan.higherShare(entry))
      }
      let walk = best[.walk]?.value ?? Self.maximumToldWalkMeters
      if walk > limit, !row.isOnly || scan.mayServe(row, walk: walk, ratio: ratio) {
        if scan.steps.take(2, shouldStop) { return }
        take(scan.furtherWalk(entry, atMost: walk))
      }
      let detour = best[.detour]?.value ?? ratio + Self.maximumToldDetourRatio
      if detour > ratio, !row.isOnly || scan.mayServe(row, walk: limit, ratio: detour) {
        if scan.steps.take(2, shouldStop) { return }
        take(scan.longerRide(entry, atMost: detour))
      }
    }
    return MatchRule.allCases.compactMap { best[$0] }
  }

  private mutating func fewerSeats(_ entry: IndexedParty) -> MatchRelaxation? {
    guard query.seats > 1 else { return nil }
    var joiner = evaluator.joiner(entry)
    for seats in (1..<query.seats).reversed() {
      joiner.seats = seats
      if case .fits = evaluator.outcome(entry, joiner) {
        let amount = Double(query.seats - seats)
        return MatchRelaxation(
          rule: .seats, amount: amount, value: Double(seats), partyID: entry.party.id,
          effort: amount)
      }
    }
    return nil
  }

  /// Getting in further on: the shortest walk beyond the limit to a meeting point that serves.
  private mutating func furtherWalk(
    _ entry: IndexedParty, atMost: Double
  ) -> MatchRelaxation? {
    var joiner = evaluator.joiner(entry)
    let limit = joiner.limits.maxWalkMeters
    let cap = min(atMost, entry.party.policy.maxWalkMeters ?? .infinity)
    let points = BoardingSearch.meetingPoints(entry.boarding, joiner)
    var walks: [Double] = []
    for i in points.indices {
      let walk = joiner.from.meters(to: DistanceOrigin(points[i]))
      if walk > limit && walk <= cap { walks.append(walk) }
    }
    for walk in walks.sorted() {
      joiner.limits.maxWalkMeters = walk
      guard case .fits(let ranked) = evaluator.outcome(entry, joiner) else { continue }
      return MatchRelaxation(
        rule: .walk, amount: walk - limit, value: walk, partyID: entry.party.id,
        effort: (walk - limit) / 300, boarding: ranked.insertion.meetingPoint)
    }
    return nil
  }

  private mutating func longerRide(
    _ entry: IndexedParty, atMost: Double
  ) -> MatchRelaxation? {
    var joiner = evaluator.joiner(entry)
    let ridden = joiner.limits.maxDetourRatio
    let cap = min(atMost, entry.party.policy.maxDetourRatio ?? .infinity)
    for ratio in evaluator.detourRatios(entry, joiner) where ratio > ridden && ratio <= cap {
      joiner.limits.maxDetourRatio = ratio
      if case .fits = evaluator.outcome(entry, joiner) {
        return MatchRelaxation(
          rule: .detour, amount: ratio - ridden, value: ratio, partyID: entry.party.id,
          effort: (ratio - ridden) / 0.25)
      }
    }
    return nil
  }

  private mutating func higherShare(_ entry: IndexedParty) -> MatchRelaxation? {
    let joiner = evaluator.joiner(entry)
    guard case .fits(let ranked) = evaluator.outcome(entry, joiner, checksMaxShare: false) else {
      return nil
    }
    guard let most = query.maxShare ?? ranked.soloFare, ranked.share > most else { return nil }
    let amount = Double(ranked.share - most)
    return MatchRelaxation(
      rule: .price, amount: amount, value: Double(ranked.share), partyID: entry.party.id,
      effort: amount / max(1, Double(ranked.soloFare ?? ranked.share) / 10))
  }
}
