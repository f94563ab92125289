import GeoMath
import ObjectModel
import Testing

@testable import RoutePlanning

@Suite struct StopOrderTests {
  static func place(_ random: inout SplitMix64) -> Coordinate {
    Coordinate(
      uncheckedLatitude: .random(in: 37.45...37.60, using: &random),
      longitude: .random(in: 126.85...127.10, using: &random))
  }

  /// Every permutation of the visits, in lexicographic order of rows; no pruning at all.
  static func bruteForce(
    _ problem: StopOrderProblem, _ matrix: TravelMatrix, distance: Bool
  ) -> (cost: Double, rows: [Int])? {
    let visits = Array(problem.pickUpRows) + Array(problem.dropOffRows)
    let cost = distance ? matrix.meters : matrix.seconds
    var best: (cost: Double, rows: [Int])?
    func visit(_ order: [Int]) {
      if order.count < visits.count {
        for row in visits where !order.contains(row) { visit(order + [row]) }
        return
      }
      var rows = order
      if problem.start != nil { rows.insert(0, at: 0) }
      if problem.end != nil { rows.append(matrix.count - 1) }
      var seconds = Array(repeating: 0.0, count: matrix.count)
      var (clock, total) = (0.0, 0.0)
      for i in rows.indices {
        if i > 0 {
          clock += matrix.seconds[rows[i - 1] * matrix.count + rows[i]]
          total += cost[rows[i - 1] * matrix.count + rows[i]]
        }
        seconds[rows[i]] = clock
      }
      for (rider, row) in problem.dropOffRows.enumerated() {
        var from = 0.0
        if let pickUp = problem.pickUpOfRider[rider] {
          let start = problem.pickUpRows.lowerBound + pickUp
          guard rows.firstIndex(of: start)! < rows.firstIndex(of: row)! else { return }
          from = seconds[start]
        }
        guard seconds[row] - from <= problem.riders[rider].maxRideSeconds else { return }
      }
      if total < best?.cost ?? .infinity { best = (total, rows) }
    }
    visit([])
    return best
  }

  @Test(arguments: 0..<60) func agreesWithEveryPermutation(seed: UInt64) throws {
    var random = SplitMix64(seed: seed &* 977 &+ 3)
    var (feasible, infeasible) = (0, 0)
    for _ in 0..<4 {
      let riderCount = Int.random(in: 1...3, using: &random)
      let hasStart = Bool.random(using: &random)
      let shared = Self.place(&random)
      let riders = (0..<riderCount).map { _ in
        let kind = Int.random(in: hasStart ? 0...2 : 1...2, using: &random)
        return StopOrderRider(
          pickUp: kind == 0 ? nil : (kind == 1 ? shared : Self.place(&random)),
          dropOff: Self.place(&random),
          maxRideSeconds: Bool.random(using: &random)
            ? .infinity : .random(in: 600...6_000, using: &random))
      }
      let problem = try StopOrderProblem(
        riders: riders, start: hasStart ? Self.place(&random) : nil,
        end: Bool.random(using: &random) ? Self.place(&random) : nil)
      // Also costs without symmetry, triangle inequality or agreement of time and distance.
      let wild = Bool.random(using: &random)
      let count = problem.places.count
      let matrix =
        wild
        ? try TravelMatrix(
          count: count,
          meters: (0..<count * count).map { _ in .random(in: 0...9, using: &random) },
          seconds: (0..<count * count).map { _ in .random(in: 0...2_000, using: &random) })
        : TravelEstimator(profile: .seoul, departure: fridayNight, near: shared)
          .matrix(problem.places)
      let byDistance = Bool.random(using: &random)
      let found = try problem.best(matrix, objective: byDistance ? .distance : .duration)
      let oracle = Self.bruteForce(problem, matrix, distance: byDistance)
      #expect(found?.rows == oracle?.rows)
      guard let found else {
        infeasible += 1
        continue
      }
      feasible += 1
      Self.check(found, problem, matrix)
    }
    #expect(feasible + infeasible == 4)
  }

  static func check(_ order: StopOrder, _ problem: StopOrderProblem, _ matrix: TravelMatrix) {
    #expect(order.legs.count == order.rows.count - 1)
    for (rider, limits) in problem.riders.enumerated() {
      #expect(order.rideSeconds[rider] <= limits.maxRideSeconds)
      #expect(order.rideSeconds[rider] <= order.durationSeconds + 1e-9)
      let out = order.visits.firstIndex(of: .dropOff(rider: rider))
      let into = order.visits.firstIndex {
        if case .pickUp(let riders) = $0 { riders.contains(rider) } else { false }
      }
      #expect(out != nil)
      #expect((into == nil) == (limits.pickUp == nil))
      if let into, let out { #expect(into < out) }
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4]) func fourRidersWithPickUpsOfTheirOwn(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let riders = (0..<4).map { _ in
      StopOrderRider(
        pickUp: Self.place(&random), dropOff: Self.place(&random),
        maxRideSeconds: seed % 2 == 0 ? .infinity : 4_500)
    }
    let problem = try StopOrderProblem(riders: riders)
    let estimator = TravelEstimator(profile: .seoul, departure: fridayNight, near: seoulStation)
    let matrix = estimator.matrix(problem.places)
    let oracle = Self.orders(problem, matrix)
    #expect(oracle.count == 2_520)
    let best = oracle.filter(\.holds).min { $0.seconds < $1.seconds }
    let found = problem.best(estimator)
    #expect((found == nil) == (best == nil))
    if let found, let best {
      #expect((found.durationSeconds - best.seconds).magnitude < 1e-6)
      Self.check(found, problem, matrix)
    }
  }

  /// All valid orders of pick-ups and drop-offs with their total time.
  static func orders(
    _ problem: StopOrderProblem, _ matrix: TravelMatrix
  ) -> [(seconds: Double, holds: Bool)] {
    var out: [(Double, Bool)] = []
    let count = problem.riders.count
    func extend(_ rows: [Int], _ clock: [Double]) {
      if rows.count == 2 * count {
        let holds = (0..<count).allSatisfy { rider in
          let a = rows.firstIndex(of: rider)!
          let b = rows.firstIndex(of: count + rider)!
          return clock[b] - clock[a] <= problem.riders[rider].maxRideSeconds
        }
        out.append((clock.last!, holds))
        return
      }
      for row in 0..<2 * count where !rows.contains(row) {
        if row >= count && !rows.contains(row - count) { continue }
        let leg = rows.last.map { matrix.seconds[$0 * matrix.count + row] } ?? 0
        extend(rows + [row], clock + [(clock.last ?? 0) + leg])
      }
    }
    extend([], [])
    return out
  }

  @Test func onePickUpIsOneVisit() throws {
    let riders = [gangnam, seoulStation].map { StopOrderRider(pickUp: seoulStation, dropOff: $0) }
    let problem = try StopOrderProblem(riders: riders)
    #expect(problem.places.count == 3)
    let order = try #require(
      problem.best(TravelEstimator(profile: .seoul, departure: fridayNight, near: gangnam)))
    #expect(order.visits.first == .pickUp(riders: [0, 1]))
    #expect(order.visits.count == 3 && order.legs.count == 2)
    #expect(order.rideSeconds[1] == 0 && order.rideMeters[0] > 9_000)
  }

  @Test func equalCostsAreDecidedByRider() throws {
    let riders = (0..<4).map { _ in StopOrderRider(pickUp: seoulStation, dropOff: gangnam) }
    let problem = try StopOrderProblem(riders: riders)
    let order = try #require(
      problem.best(TravelEstimator(profile: .seoul, departure: fridayNight, near: gangnam)))
    #expect(order.rows == [0, 1, 2, 3, 4])
  }

  @Test func limitsThatCannotHoldGiveNil() throws {
    let rider = StopOrderRider(pickUp: seoulStation, dropOff: gangnam, maxRideSeconds: 60)
    let problem = try StopOrderProblem(riders: [rider])
    #expect(
      problem.best(TravelEstimator(profile: .seoul, departure: fridayNight, near: gangnam)) == nil)
  }

  @Test func badProblemsAreRefused() throws {
    let rider = StopOrderRider(pickUp: seoulStation, dropOff: gangnam)
    #expect(throws: StopOrderError.noRiders) { try StopOrderProblem(riders: []) }
    #expect(throws: StopOrderError.tooManyRiders(50, maximum: 10)) {
      try StopOrderProblem(riders: Array(repeating: rider, count: 50))
    }
    #expect(throws: StopOrderError.tooManyVisits(12, maximum: 10)) {
      var random = SplitMix64(seed: 1)
      return try StopOrderProblem(
        riders: (0..<6).map { _ in
          StopOrderRider(pickUp: Self.place(&random), dropOff: gangnam)
        })
    }
    for bad in [-1.0, -.infinity] {
      #expect(throws: StopOrderError.badLimit(rider: 0, seconds: bad)) {
        try StopOrderProblem(riders: [
          StopOrderRider(pickUp: seoulStation, dropOff: gangnam, maxRideSeconds: bad)
        ])
      }
    }
    #expect(throws: StopOrderError.self) {
      try StopOrderProblem(riders: [
        StopOrderRider(pickUp: seoulStation, dropOff: gangnam, maxRideSeconds: .nan)
      ])
    }
    #expect(throws: StopOrderError.aboardWithoutStart(rider: 0)) {
      try StopOrderProblem(riders: [StopOrderRider(pickUp: nil, dropOff: gangnam)])
    }
    for bad in [-1.0, .nan, .infinity] {
      #expect(throws: StopOrderError.badMatrix) {
        try TravelMatrix(count: 1, meters: [bad], seconds: [0])
      }
    }
    #expect(throws: StopOrderError.badMatrix) {
      try TravelMatrix(count: 2, meters: [0], seconds: [0])
    }
    #expect(throws: StopOrderError.wrongMatrixSize(1, places: 2)) {
      try StopOrderProblem(riders: [rider]).best(
        TravelMatrix(count: 1, meters: [0], seconds: [0]))
    }
  }

  /// A count of work would be better than a clock; the bound is loose enough for a debug build.
  @Test func fourRidersTakeLittleTime() throws {
    let clock = ContinuousClock()
    let estimator = TravelEstimator(profile: .seoul, departure: fridayNight, near: seoulStation)
    var times: [Duration] = []
    for seed in UInt64(0)..<21 {
      var random = SplitMix64(seed: seed)
      let problem = try StopOrderProblem(
        riders: (0..<4).map { _ in
          StopOrderRider(pickUp: Self.place(&random), dropOff: Self.place(&random))
        })
      times.append(clock.measure { _ = problem.best(estimator) })
    }
    let median = times.sorted()[10]
    #expect(median < .milliseconds(30), "\(median)")
  }
}
