import GeoMath
import HeapModule
import ObjectModel

extension PartyIndex {
  /// The parties that a rider could board on the way, found by the corridors of their riders.
  ///
  /// - Complexity: O(rows of the cells around the rider) bounds, and a search for each party that, as
  ///   far as bounds tell, saves as much as the last of the answer; with `explain`, O(parties).
  func boardingMatch(
    _ query: MatchQuery, _ overlaps: OverlapRule, _ shouldStop: () -> Bool
  ) -> MatchAnswer {
    var scan = BoardingScan(query, self, overlaps)
    if query.explain { return scan.explained(shouldStop) }
    guard query.window.end >= query.now else { return MatchAnswer(candidates: []) }
    corridors.visit(
      near: query.origin, walkMeters: query.wishes.maxWalkMeters ?? corridors.maximumWalkMeters,
      window: query.window
    ) { scan.mark($0, shouldStop) }
    scan.look(shouldStop)
    scan.tryPromising(shouldStop)
    return MatchAnswer(candidates: scan.candidates(), isComplete: !scan.steps.hasStopped)
  }
}

/// One look through rows of corridors: bounds first, then the exact rules for what may be among the
/// best.
private struct BoardingScan {
  /// A row whose party saves the rider so much at most.
  private struct Promise: Comparable {
    var saving: Double
    var number: UInt32
    /// Whether a closer bound was asked for.
    var isClose = false

    static func < (a: Promise, b: Promise) -> Bool { a.saving < b.saving }
  }

  let query: MatchQuery
  private let corridors: CorridorIndex
  private let bounds: BoardingBounds
  private var evaluator: BoardingEvaluator
  private let common: JoinEvaluator
  private let riderBits: UInt32
  /// A bit for each row to look at: most stand in several cells.
  private var marked: [UInt64]
  private var promises: [Promise] = []
  private var best: BestParties
  private(set) var steps = StepCounter()
  /// The longest walk that is worth telling of.
  private static let maximumToldWalkMeters = 3000.0
  /// The largest detour beyond the limit that is worth telling of.
  private static let maximumToldDetourRatio = 1.0

  init(_ query: MatchQuery, _ index: PartyIndex, _ overlaps: OverlapRule) {
    self.query = query
    corridors = index.corridors
    bounds = BoardingBounds(query, index)
    evaluator = BoardingEvaluator(query, overlaps)
    common = JoinEvaluator(query, pricing: index.pricing, overlaps)
    riderBits = CorridorRow.bits(query.riderID)
    marked = Array(repeating: 0, count: (index.corridors.numberBound + 63) / 64)
    best = BestParties(limit: query.limit)
  }

  // MARK: The best

  mutating func mark(_ numbers: [UInt32], _ shouldStop: () -> Bool) {
    // A row that is passed by costs a fiftieth of one that is planned.
    if steps.take(1 + numbers.count / 50, shouldStop) { return }
    for number in numbers { marked[Int(number >> 6)] |= 1 << UInt64(number & 63) }
  }

  /// Looks at the rows marked, as they lie in memory, and keeps what they promise.
  mutating func look(_ shouldStop: () -> Bool) {
    let (bounds, corridors) = (bounds, corridors)
    var found: [Promise] = []
    visitServing(
      shouldStop,
      alone: { number in
        if let saving = bounds.mostSavedBesideMany(corridors.row(number), number),
          saving >= Double(bounds.leastOffered)
        {
          found.append(Promise(saving: saving, number: number, isClose: true))
        }
      },
      together: { rides in
        let mayBeCloser = bounds.set(rides)
        let saved = rides.mostSaved(atLeast: bounds.leastOffered)
        for i in 0..<rides.count where saved[i] > -.infinity {
          found.append(
            Promise(
              saving: Double(saved[i]), number: rides.numbers[i], isClose: !mayBeCloser[i]))
        }
      })
    promises = found
  }

  /// Visits the rows marked in which somebody may be met, as far as their heads and seats tell.
  ///
  /// - Parameters:
  ///   - shouldStop: As in ``StepCounter``.
  ///   - alone: Takes the number of a row that has no ``BoardingBounds/rides(_:)``.
  ///   - together: Takes the numbers of up to four of one kind.
  private mutating func visitServing(
    _ shouldStop: () -> Bool, alone: (UInt32) -> Void, together: (FourRides) -> Void
  ) {
    let (bounds, corridors) = (bounds, corridors)
    var steps = steps
    defer { self.steps = steps }
    let seats = min(query.seats, CorridorHead.Traits.mostSeats)
    let serving = corridors.serving(marked, bounds.question) { steps.take(4, shouldStop) }
    for i in serving.indices {
      if steps.take(1, shouldStop) { break }
      // The halts of the next ones are on their way meanwhile.
      if i + 8 < serving.count, !serving[i + 8].traits.kind.isOfOne {
        corridors.prefetchOutline(serving[i + 8].number)
      }
      let (number, traits) = (serving[i].number, serving[i].traits)
      guard traits.seatsFree >= seats else { continue }
      guard let rides = bounds.rides(traits.kind) else {
        alone(number)
        continue
      }
      guard rides.add(number) else { continue }
      together(rides)
      rides.clear()
    }
    for rides in bounds.allRides where rides.count > 0 {
      together(rides)
      rides.clear()
    }
  }

  /// Tries the most promising parties first, until no other may be among the best.
  mutating func tryPromising(_ shouldStop: () -> Bool) {
    var left = Heap(promises)
    // Those whose turn comes next: their memory is asked for first as rows and then, for some, as parties.
    var next: [Promise] = []
    var tried: Set<ObjectIdentifier> = []
    while true {
      while next.count < Self.rowsAhead, let promise = left.max,
        best.mayHold(saving: promise.saving)
      {
        left.removeMax()
        guard promise.isClose else {
          if steps.take(1, shouldStop) { return }
          if let closer = closer(promise) { left.insert(closer) }
          continue
        }
        corridors.prefetchRow(promise.number)
        next.append(promise)
        if next.count <= Self.partiesAhead { corridors.prefetchParty(promise.number) }
      }
      guard let promise = next.first, best.mayHold(saving: promise.saving) else { return }
      next.removeFirst()
      if next.count >= Self.partiesAhead {
        corridors.prefetchParty(next[Self.partiesAhead - 1].number)
      }
      let row = corridors.row(promise.number)
      guard let entry = corridors.entry(promise.number),
        row.isOnly || tried.insert(ObjectIdentifier(entry)).inserted
      else { continue }
      // Many halts have many ways in between.
      if steps.take(1 + entry.boarding.halts.count / 4, shouldStop) { return }
      guard !(row.mayHold(riderBits) && entry.riderIDs.contains(query.riderID)),
        entry.windowEnd > query.now, !row.hasAttributeRules || common.holdsPolicy(entry)
      else { continue }
      if case .fits(let ranked) = evaluator.outcome(entry) { best.put(ranked.party) }
    }
  }

  private static let rowsAhead = 8
  private static let partiesAhead = 3

  /// What a row promises by a closer look; nil where it is nothing.
  private func closer(_ promise: Promise) -> Promise? {
    let saving = min(promise.saving, Double(bounds.mostSavedBesidePath(promise.number)))
    guard saving > -.infinity else { return nil }
    return Promise(saving: saving, number: promise.number, isClose: true)
  }

  mutating func candidates() -> [MatchCandidate] {
    best.sorted().compactMap { evaluator.candidate($0.entry) }
  }

  // MARK: Rules of a row, inline: a call would copy all of the scan.

  @inline(__always)
  private func walkLimit(_ row: CorridorRow) -> Double { row.walkLimit(query.wishes) }

  @inline(__always)
  private func detourRatio(_ row: CorridorRow) -> Double { row.detourRatio(query.wishes) }

  @inline(__always)
  private func isInTime(_ row: CorridorRow) -> Bool {
    row.isInTime(query.window) && query.window.end >= query.now
  }

  /// Whether straight lines allow it, for a walk of at most so many meters and such a detour.
  @inline(__always)
  private func mayServe(
    _ row: CorridorRow, _ number: UInt32, walk: Double, ratio: Double
  ) -> Bool {
    bounds.mayServe(row, number, walk: walk, detourRatio: ratio)
  }

  // MARK: Explained

  mutating func explained(_ shouldStop: () -> Bool) -> MatchAnswer {
    var explanation = MatchExplanation(
      considered: 0, matched: 0, removed: [:], relaxation: nil, relaxations: [])
    var counts = RuleCounts()
    let numbers = corridors.numbers
    mark(numbers, { false })
    let served = served(shouldStop)
    for number in numbers {
      let row = corridors.row(number)
      guard isConsidered(row, number) else { continue }
      if steps.take(1, shouldStop) { break }
      explanation.considered += 1
      let mayBeServed = !row.isOnly || served[Int(number >> 6)] >> UInt64(number & 63) & 1 == 1
      if let rule = firstBroken(row, number, mayBeServed: mayBeServed) { counts.add(rule) }
    }
    explanation.removed = counts.removed
    explanation.matched = best.count
    if best.isEmpty {
      explanation.relaxations = relaxations(shouldStop)
      explanation.relaxation = explanation.relaxations.min(by: MatchRelaxation.isSmaller)
    }
    return MatchAnswer(
      candidates: candidates(), explanation: explanation,
      isComplete: !steps.hasStopped)
  }

  /// A bit for each open row in which straight lines allow it that the rider is met and let out within all limits
  /// and windows.
  private mutating func served(_ shouldStop: () -> Bool) -> [UInt64] {
    let (bounds, corridors) = (bounds, corridors)
    var served = [UInt64](repeating: 0, count: marked.count)
    func put(_ number: UInt32) { served[Int(number >> 6)] |= 1 << UInt64(number & 63) }
    visitServing(
      shouldStop,
      alone: { number in
        if bounds.mostSavedBesideMany(corridors.row(number), number) != nil { put(number) }
      },
      together: { rides in
        _ = bounds.set(rides)
        let served = rides.mostSaved(atLeast: nil)
        for i in 0..<rides.count where served[i] == 0 { put(rides.numbers[i]) }
      })
    return served
  }

  /// Each party once, whose window has not ended, the rider's own aside.
  @inline(__always)
  private func isConsidered(_ row: CorridorRow, _ number: UInt32) -> Bool {
    let now = query.now
    guard row.isFirst, row.mayEnd(after: now.milliseconds), corridors.isUsed(number) else {
      return false
    }
    guard row.mayHold(riderBits) || row.windowMilliseconds == .max,
      let entry = corridors.entry(number)
    else { return true }
    return !entry.riderIDs.contains(query.riderID) && entry.windowEnd > now
  }

  /// Asks a row what it knows, and its party the rest: most are far from where this one was.
  private mutating func firstBroken(
    _ row: CorridorRow, _ number: UInt32, mayBeServed: Bool
  ) -> MatchRule? {
    if !row.isActive { return .state }
    if row.isOnly && !isInTime(row) { return .window }
    if Int(row.seatsFree) < query.seats { return .seats }
    let limit = walkLimit(row)
    // Mostly the place itself is where the rider stands, and nobody asks who they are.
    let isAtPlace = query.boarding?.coordinate == query.origin && limit >= 0
    if isAtPlace && !row.hasAttributeRules && !mayBeServed
      && Int(row.seatsFreeAllTheWay) >= query.seats
    {
      return .detour
    }
    guard let entry = corridors.entry(number) else { return .state }
    if row.hasAttributeRules && !common.holdsPolicy(entry) { return .policy }
    if !isAtPlace {
      let joiner = evaluator.joiner(entry)
      guard entry.boarding.leastWalk(joiner) <= joiner.limits.maxWalkMeters else { return .walk }
    }
    if !mayBeServed {
      guard entry.seatsFree < query.seats else { return .detour }
      let joiner = evaluator.joiner(entry)
      return evaluator.hasSeats(entry, joiner) ? .detour : .seats
    }
    switch evaluator.outcome(entry) {
    case .broken(let rule): return rule
    case .fits(let ranked):
      best.put(ranked.party)
      return nil
    }
  }

  /// The smallest change of each rule by which some party matches, in the order of the rules.
  private mutating func relaxations(_ shouldStop: () -> Bool) -> [MatchRelaxation] {
    var best: [MatchRule: MatchRelaxation] = [:]
    for number in corridors.numbers {
      let row = corridors.row(number)
      guard isConsidered(row, number), row.isActive, row.seatsFree > 0,
        isInTime(row) || !row.isOnly
      else { continue }
      func take(_ change: MatchRelaxation?) {
        guard let change else { return }
        if let known = best[change.rule], !MatchRelaxation.isLess(change, known) { return }
        best[change.rule] = change
      }
      let limit = walkLimit(row)
      let ratio = detourRatio(row)
      let walk = max(limit, best[.walk]?.value ?? Self.maximumToldWalkMeters)
      let detour = max(ratio, best[.detour]?.value ?? ratio + Self.maximumToldDetourRatio)
      func mayServe(_ walk: Double, _ ratio: Double) -> Bool {
        !row.isOnly || self.mayServe(row, number, walk: walk, ratio: ratio)
      }
      let isWithin = mayServe(limit, ratio)
      let isFurther = walk > limit && mayServe(walk, ratio)
      let isLonger = detour > ratio && mayServe(limit, detour)
      guard isWithin || isFurther || isLonger, let entry = corridors.entry(number),
        !row.hasAttributeRules || common.holdsPolicy(entry)
      else { continue }
      if isWithin {
        if steps.take(4, shouldStop) { break }
        take(fewerSeats(entry))
        take(higherShare(entry))
      }
      if isFurther {
        if steps.take(2, shouldStop) { break }
        take(furtherWalk(entry, atMost: walk))
      }
      if isLonger {
        if steps.take(2, shouldStop) { break }
        take(longerRide(entry, atMost: detour))
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
