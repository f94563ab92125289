/// Room to plan one ride after another without allocating. Row 0 is the origin, row p + 1 place p.
struct RideScratch {
  static let stride = RidePlan.maximumRiders + 1

  var plan = RidePlan()
  /// Row major, ``stride`` a row.
  var meters = InlineArray<81, Double>(repeating: 0)
  var seconds = InlineArray<81, Double>(repeating: 0)
  /// By place: the longest ride of those who get out there.
  var limitMeters = RidePlan.ByIndex<Double>(repeating: .infinity)
  var limitSeconds = RidePlan.ByIndex<Double>(repeating: .infinity)

  private var path = RidePlan.ByIndex<UInt8>(repeating: 0)
  private var bestSeconds = Double.infinity

  /// The order of drop-offs with the least duration in which no ride is longer than its limit;
  /// among equals the one that visits earlier places first. False: no order holds the limits.
  ///
  /// - Complexity: O(orders) at worst: 24 for 4 places.
  mutating func findOrder(enforcesLimits: Bool) -> Bool {
    let count = plan.placeCount
    bestSeconds = .infinity
    if count == 1 {
      guard !enforcesLimits || (meters[1] <= limitMeters[0] && seconds[1] <= limitSeconds[0])
      else { return false }
      plan.order[0] = 0
      return true
    }
    if count <= 3 {
      for first in 0..<count {
        extendShort(first, count, enforcesLimits)
      }
    } else {
      extend(
        at: 0, depth: 0, open: UInt8(truncatingIfNeeded: (1 << count) - 1), meters: 0, seconds: 0,
        enforcesLimits)
    }
    return bestSeconds < .infinity
  }

  /// The orders of two or three places that begin with one of them, as in ``extend``.
  @inline(__always)
  private mutating func extendShort(_ first: Int, _ count: Int, _ enforcesLimits: Bool) {
    let toFirst = meters[first + 1]
    let untilFirst = seconds[first + 1]
    if untilFirst >= bestSeconds { return }
    if enforcesLimits && !holds(first, toFirst, untilFirst) { return }
    for second in 0..<count where second != first {
      let cell = (first + 1) * Self.stride + second + 1
      let toSecond = toFirst + meters[cell]
      var until = untilFirst + seconds[cell]
      if until >= bestSeconds { continue }
      if enforcesLimits && !holds(second, toSecond, until) { continue }
      if count == 3 {
        let third = 3 - first - second
        let cell = (second + 1) * Self.stride + third + 1
        until += seconds[cell]
        if until >= bestSeconds { continue }
        if enforcesLimits && !holds(third, toSecond + meters[cell], until) { continue }
        plan.order[2] = UInt8(truncatingIfNeeded: third)
      }
      bestSeconds = until
      plan.order[0] = UInt8(truncatingIfNeeded: first)
      plan.order[1] = UInt8(truncatingIfNeeded: second)
    }
  }

  @inline(__always)
  private func holds(_ place: Int, _ meters: Double, _ seconds: Double) -> Bool {
    !(meters > limitMeters[place] || seconds > limitSeconds[place])
  }

  private mutating func extend(
    at row: Int, depth: Int, open: UInt8, meters soFar: Double, seconds elapsed: Double,
    _ enforcesLimits: Bool
  ) {
    var rest = open
    while rest != 0 {
      let place = rest.trailingZeroBitCount
      rest &= rest - 1
      let cell = row * Self.stride + place + 1
      let newSeconds = elapsed + seconds[cell]
      // Sums only grow, so an order that is not better now never will be.
      if newSeconds >= bestSeconds { continue }
      let newMeters = soFar + meters[cell]
      if enforcesLimits && !holds(place, newMeters, newSeconds) { continue }
      path[depth] = UInt8(place)
      let left = open & ~(1 << UInt8(place))
      if left == 0 {
        bestSeconds = newSeconds
        plan.order = path
      } else {
        extend(
          at: place + 1, depth: depth + 1, open: left, meters: newMeters, seconds: newSeconds,
          enforcesLimits)
      }
    }
  }
}
