/// Room to plan one ride after another without allocating. Row 0 is the origin, row p + 1 place p.
struct RideScratch {
  static let stride = RidePlan.maximumRiders + 1

  var plan = RidePlan()
  var meters = [Double](repeating: 0, count: stride * stride)
  var seconds = [Double](repeating: 0, count: stride * stride)
  /// By place: the longest ride of those who get out there.
  var limitMeters = SIMD8<Double>(repeating: .infinity)
  var limitSeconds = SIMD8<Double>(repeating: .infinity)

  private var path = SIMD8<UInt8>()
  private var best = SIMD8<UInt8>()
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
      plan.order = SIMD8()
      return true
    }
    extend(
      at: 0, depth: 0, open: UInt8(truncatingIfNeeded: (1 << count) - 1), meters: 0, seconds: 0,
      enforcesLimits)
    guard bestSeconds < .infinity else { return false }
    plan.order = best
    return true
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
      if enforcesLimits
        && (newMeters > limitMeters[place] || newSeconds > limitSeconds[place])
      {
        continue
      }
      path[depth] = UInt8(place)
      let left = open & ~(1 << UInt8(place))
      if left == 0 {
        bestSeconds = newSeconds
        best = path
      } else {
        extend(
          at: place + 1, depth: depth + 1, open: left, meters: newMeters, seconds: newSeconds,
          enforcesLimits)
      }
    }
  }
}
