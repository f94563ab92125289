import GeoMath
import ObjectModel
import RoutePlanning

extension PartyIndex {
  /// The parties that a rider could join, best for them first: by their own saving, then walk, time
  /// gap, detour, id. Never drops what a look at every party would find.
  ///
  /// - Complexity: O(rows of the cells and slots in reach); with `explain`, O(parties).
  public func match(_ query: MatchQuery) -> MatchAnswer {
    if query.explain { return explainedMatch(query) }
    var scan = MatchScan(query, self)
    for grid in grids where grid.count > 0 {
      scan.begin(widestWalk: query.wishes.maxWalkMeters ?? grid.widestWalk)
      grid.visit(
        near: query.origin, radiusMeters: scan.widestWalk,
        times: times(query.window, grid.widestTolerance)
      ) { scan.look(at: $0) }
    }
    return MatchAnswer(candidates: scan.candidates(), explanation: nil)
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
  private let profiles: [TrafficProfile]
  private let start: Int64
  private let end: Int64
  private let now: Int64
  private let origin: SphereVector
  private let drop: SphereVector
  private let straightMeters: Double
  private(set) var widestWalk = 0.0
  /// By profile: no way alone is longer, from any pick-up within ``widestWalk``.
  private var longestDirect: [Double] = []
  private(set) var found: [RankedParty] = []

  init(_ query: MatchQuery, _ index: PartyIndex) {
    evaluator = JoinEvaluator(query, pricing: index.pricing)
    profiles = index.profiles
    start = query.window.start.milliseconds
    end = query.window.end.milliseconds
    now = query.now.milliseconds
    origin = SphereVector(query.origin)
    drop = SphereVector(query.destination.coordinate)
    straightMeters = query.origin.haversineMeters(to: query.destination.coordinate)
  }

  mutating func begin(widestWalk: Double) {
    self.widestWalk = widestWalk
    let walk = widestWalk / HaversineBounds.minimumRatio
    let most = HaversineBounds.upperMeters(haversineMeters: straightMeters + walk) + 1
    let least = max(0, HaversineBounds.lowerMeters(haversineMeters: straightMeters - walk) - 1)
    longestDirect = profiles.map { profile in
      var circuity = max(
        profile.circuity.value(meters: least), profile.circuity.value(meters: most))
      for knot in profile.circuity.knots where knot.meters >= least && knot.meters <= most {
        circuity = max(circuity, knot.value)
      }
      return most * circuity
    }
  }

  mutating func look(at rows: [PartyRow]) {
    let query = evaluator.query
    for i in rows.indices {
      guard rows[i].isOpen, rows[i].start <= end, rows[i].end >= start, rows[i].end > now,
        end >= now, Int(rows[i].seatsFree) >= query.seats
      else { continue }
      let walkLimit = min(query.wishes.maxWalkMeters ?? rows[i].walkLimit, rows[i].walkCap)
      guard origin.lowerMeters(to: rows[i].origin) <= walkLimit, mayHoldDetour(rows[i]) else {
        continue
      }
      consider(rows[i].entry, walkLimit)
    }
  }

  /// False only where neither order of the first rider and this one holds both limits.
  private func mayHoldDetour(_ row: PartyRow) -> Bool {
    let between = row.drop.chordMeters(to: drop) * row.roadPerChord
    // This rider first, or the other.
    if row.origin.chordMeters(to: drop) * row.roadPerChord + between <= row.longest + 0.01 {
      return true
    }
    guard Int(row.profile) < longestDirect.count else { return true }
    let ratio = min(evaluator.query.wishes.maxDetourRatio ?? row.detourRatio, row.detourCap)
    let longest =
      (1 + ratio) * longestDirect[Int(row.profile)] + RideLimits.detourAllowanceMeters
    return row.shortest + between <= longest + 0.01
  }

  private mutating func consider(_ entry: PartyEntry, _ walkLimit: Double) {
    let walk = evaluator.walkMeters(entry)
    guard walk <= walkLimit, evaluator.holdsPolicy(entry), !evaluator.isAboard(entry),
      evaluator.verdict(entry, seats: evaluator.query.seats) == .fits
    else { return }
    found.append(evaluator.ranked(entry, walkMeters: walk))
  }

  /// The best of those found.
  mutating func candidates() -> [MatchCandidate] {
    found.sort(by: RankedParty.isBefore)
    var answer: [MatchCandidate] = []
    for ranked in found.prefix(max(0, evaluator.query.limit)) {
      answer.append(evaluator.candidate(ranked))
    }
    return answer
  }
}
