import GeoMath
import RoutePlanning

/// The outlines of four rides of equally many halts.
struct FourOutlines {
  typealias Four = SIMD4<Float>
  typealias ByHalt<Element> = RideOutline.ByHalt<Element>

  /// Of each of the rides.
  let count: Int
  /// As in ``RideOutline``.
  private(set) var halts = ByHalt<Halts>(repeating: Halts())
  /// Whether someone got in there who gets out later, in any of the rides.
  private(set) var isBoarded = ByHalt<Bool>(repeating: false)
  /// The most of any of the rides.
  private(set) var riderCount = 0
  private(set) var riders = InlineArray<4, Riders>(repeating: Riders())

  /// One of each ride.
  struct Riders {
    var boards = Four.zero
    var alights = Four.zero
    var weight = Four.zero
    var accepted = Four(repeating: .infinity)
  }

  struct Halts {
    var place = FourPoints()
    var limitMeters = Four.zero
    var meters = Four.zero
    var seconds = Four.zero
    var aboard = Four.zero
    var boards = Four.zero
  }

  /// - Parameter count: Halts of each.
  init(count: Int) { self.count = count }

  /// Forgets the riders, before the rides are put in.
  mutating func clear() {
    riderCount = 0
    for halt in 0..<count { isBoarded[halt] = false }
  }

  /// Puts a ride in.
  @inline(__always)
  mutating func set(_ ride: Int, _ outline: borrowing RideOutline) {
    for halt in 0..<count {
      let place = outline.halts[halt].place
      let leg = outline.halts[halt].leg
      halts[halt].place.x[ride] = place.x
      halts[halt].place.y[ride] = place.y
      halts[halt].place.z[ride] = place.z
      halts[halt].limitMeters[ride] = place.w
      halts[halt].meters[ride] = leg.x
      halts[halt].seconds[ride] = leg.y
      halts[halt].aboard[ride] = leg.z
      halts[halt].boards[ride] = leg.w
      if leg.w > 0 { isBoarded[Int(leg.w)] = true }
    }
    let count = Int(outline.riderCount)
    while riderCount < count {
      riders[riderCount] = Riders()
      riderCount += 1
    }
    for rider in 0..<riderCount {
      let numbers = outline.riders[rider].numbers
      riders[rider].boards[ride] = numbers.x
      riders[rider].alights[ride] = numbers.y
      riders[rider].weight[ride] = numbers.z
      riders[rider].accepted[ride] = numbers.w
    }
  }

  /// Is rides of one rider each, from end to end. The leg between the two is not looked at, as every ride with
  /// a new rider parts it.
  @inline(__always)
  mutating func set(_ heads: FourHeads) {
    halts[0].place = heads.from
    halts[1].place = heads.to
    halts[0].aboard = heads.othersWeight
    halts[1].limitMeters = heads.limitMeters
    riderCount = 1
    // What the other counts by is rounded up, nothing as well: here it is to be a little less.
    riders[0] = Riders(
      boards: .zero, alights: Four(repeating: 1),
      weight: heads.othersWeight * 0.999_999 - .leastNormalMagnitude, accepted: heads.accepted)
  }

  /// The parties' own leg behind a halt, as precisely as it is kept.
  @inline(__always)
  func leg(_ number: Int) -> FourTravels {
    let meters = halts[number].meters
    let seconds = halts[number].seconds
    return FourTravels(
      leastMeters: meters - 0.01, mostMeters: meters + 0.01,
      leastSeconds: (seconds - 0.01).orMore(.zero), mostSeconds: seconds + 0.01)
  }
}
