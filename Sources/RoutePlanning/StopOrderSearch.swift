extension StopOrderProblem {
  /// What is least in the best order.
  public enum Objective: Hashable, Sendable {
    case duration
    case distance
  }

  /// The order with the least total duration (or distance) in which everyone is picked up before
  /// being dropped off and no ride is longer than its limit; `nil` when no order holds the limits.
  ///
  /// Exact: enumeration, depth first, pruned by a lower bound that needs no triangle inequality
  /// (the cheapest way into each place still to visit). Among equals the order whose visits come
  /// first (pick-ups before drop-offs, then by rider) wins, so that the answer is deterministic.
  ///
  /// - Complexity: O(orders) at worst, 2,520 for four riders with pick-ups of their own.
  /// - Throws: ``StopOrderError/wrongMatrixSize(_:places:)``.
  public func best(
    _ matrix: TravelMatrix, objective: Objective = .duration
  ) throws(StopOrderError) -> StopOrder? {
    guard matrix.count == places.count else {
      throw .wrongMatrixSize(matrix.count, places: places.count)
    }
    var search = StopOrderSearch(problem: self, matrix: matrix, objective: objective)
    guard let rows = search.run() else { return nil }
    return order(rows: rows, matrix)
  }

  /// The best order with estimated legs.
  public func best(
    _ estimator: TravelEstimator, objective: Objective = .duration
  ) -> StopOrder? {
    var search = StopOrderSearch(
      problem: self, matrix: estimator.matrix(places), objective: objective)
    return search.run().map { order(rows: $0, search.matrix) }
  }

  private func order(rows: [Int], _ matrix: TravelMatrix) -> StopOrder {
    var visits: [StopOrder.Visit] = []
    var legs: [RouteLeg] = []
    var seconds = 0.0
    var meters = 0.0
    var startedAt = Array(repeating: (seconds: 0.0, meters: 0.0), count: riders.count)
    var rideSeconds = Array(repeating: 0.0, count: riders.count)
    var rideMeters = rideSeconds
    for (index, row) in rows.enumerated() {
      if index > 0 {
        let cell = rows[index - 1] * matrix.count + row
        legs.append(
          RouteLeg(distanceMeters: matrix.meters[cell], durationSeconds: matrix.seconds[cell]))
        seconds += matrix.seconds[cell]
        meters += matrix.meters[cell]
      }
      if pickUpRows.contains(row) {
        let waiting = riders.indices.filter { pickUpOfRider[$0] == row - pickUpRows.lowerBound }
        for rider in waiting { startedAt[rider] = (seconds, meters) }
        visits.append(.pickUp(riders: waiting))
      } else if dropOffRows.contains(row) {
        let rider = row - dropOffRows.lowerBound
        rideSeconds[rider] = seconds - startedAt[rider].seconds
        rideMeters[rider] = meters - startedAt[rider].meters
        visits.append(.dropOff(rider: rider))
      }
    }
    return StopOrder(
      visits: visits, rows: rows, legs: legs, rideSeconds: rideSeconds, rideMeters: rideMeters)
  }
}

/// The depth-first search. Rows are bits of a word: a problem has at most 12 places.
struct StopOrderSearch {
  let matrix: TravelMatrix
  private let cost: [Double]
  private let startRow: Int?
  private let endRow: Int?
  /// Rows to visit: pick-ups and drop-offs.
  private let visitMask: UInt32
  /// By row: what must have been visited before.
  private let before: [UInt32]
  /// By row of a drop-off: the row where the ride began, -1 elsewhere.
  private let rideStart: [Int]
  /// By row of a drop-off: the longest ride.
  private let limit: [Double]
  private let hasLimits: Bool
  /// By row: the cheapest way into it.
  private let cheapestIn: [Double]
  private let cheapestSecondsIn: [Double]

  private var path: [Int] = []
  private var arrival: [Double]
  private var bestPath: [Int]?
  private var bestCost = Double.infinity

  init(
    problem: StopOrderProblem, matrix: TravelMatrix, objective: StopOrderProblem.Objective
  ) {
    let count = matrix.count
    self.matrix = matrix
    cost = objective == .duration ? matrix.seconds : matrix.meters
    startRow = problem.start == nil ? nil : 0
    endRow = problem.end == nil ? nil : count - 1
    var mask: UInt32 = 0
    for row in problem.pickUpRows.lowerBound..<problem.dropOffRows.upperBound { mask |= 1 << row }
    visitMask = mask
    var before = Array(repeating: UInt32(0), count: count)
    var rideStart = Array(repeating: -1, count: count)
    var limit = Array(repeating: Double.infinity, count: count)
    for (rider, row) in problem.dropOffRows.enumerated() {
      if let pickUp = problem.pickUpOfRider[rider] {
        let from = problem.pickUpRows.lowerBound + pickUp
        before[row] = 1 << from
        rideStart[row] = from
      } else {
        rideStart[row] = 0
      }
      limit[row] = problem.riders[rider].maxRideSeconds
    }
    self.before = before
    self.rideStart = rideStart
    self.limit = limit
    hasLimits = problem.riders.contains { $0.maxRideSeconds < .infinity }
    func cheapest(_ values: [Double]) -> [Double] {
      (0..<count).map { to in
        var least = Double.infinity
        for from in 0..<count where from != to { least = min(least, values[from * count + to]) }
        return least.isFinite ? least : 0
      }
    }
    cheapestIn = cheapest(cost)
    cheapestSecondsIn = objective == .duration ? cheapestIn : cheapest(matrix.seconds)
    arrival = Array(repeating: 0, count: count)
    path.reserveCapacity(count)
  }

  /// The rows of the best order, start and end included.
  mutating func run() -> [Int]? {
    var bound = 0.0
    for row in 0..<matrix.count where visitMask >> row & 1 == 1 || row == endRow {
      bound += cheapestIn[row]
    }
    if let startRow {
      path.append(startRow)
      extend(at: startRow, visited: 0, cost: 0, seconds: 0, remaining: bound)
    } else {
      // Only pick-ups can come first: everyone has one when there is no start.
      for row in 0..<matrix.count where visitMask >> row & 1 == 1 && before[row] == 0 {
        path.append(row)
        arrival[row] = 0
        extend(
          at: row, visited: 1 << row, cost: 0, seconds: 0, remaining: bound - cheapestIn[row])
        path.removeLast()
      }
    }
    return bestPath
  }

  private mutating func extend(
    at current: Int, visited: UInt32, cost soFar: Double, seconds: Double, remaining: Double
  ) {
    if visited == visitMask {
      finish(at: current, cost: soFar)
      return
    }
    // Rounding of the sums must not cut off an order that is as good.
    if (soFar + remaining) * (1 - 1e-12) >= bestCost { return }
    if hasLimits && breaksLimit(visited: visited, seconds: seconds) { return }
    let base = current * matrix.count
    var open = visitMask & ~visited
    while open != 0 {
      let row = open.trailingZeroBitCount
      open &= open - 1
      guard before[row] & ~visited == 0 else { continue }
      let newSeconds = seconds + matrix.seconds[base + row]
      if rideStart[row] >= 0 && newSeconds - arrival[rideStart[row]] > limit[row] { continue }
      // Read only below this visit, so it needs no undoing.
      arrival[row] = newSeconds
      path.append(row)
      extend(
        at: row, visited: visited | 1 << row, cost: soFar + cost[base + row], seconds: newSeconds,
        remaining: remaining - cheapestIn[row])
      path.removeLast()
    }
  }

  private mutating func finish(at current: Int, cost soFar: Double) {
    let total = endRow.map { soFar + cost[current * matrix.count + $0] } ?? soFar
    if total < bestCost {
      bestCost = total
      bestPath = path + (endRow.map { [$0] } ?? [])
    }
  }

  /// Whether someone aboard can no longer get out in time, however the taxi goes on.
  private func breaksLimit(visited: UInt32, seconds: Double) -> Bool {
    var open = visitMask & ~visited
    while open != 0 {
      let row = open.trailingZeroBitCount
      open &= open - 1
      guard rideStart[row] >= 0, before[row] & ~visited == 0 else { continue }
      let soonest = seconds + cheapestSecondsIn[row]
      if (soonest - arrival[rideStart[row]]) * (1 - 1e-12) > limit[row] { return true }
    }
    return false
  }
}
