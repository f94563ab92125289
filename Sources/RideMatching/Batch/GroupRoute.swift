import ObjectModel
import RoutePlanning

/// The best route of one taxi from one pick-up: every order of drop-offs is tried.
///
/// Local index 0 is the rider at whose origin all get in. Figures are filled in by the caller, who
/// has them from the pairs. *Work* is the time over a road in an hour of factor 1.
struct GroupRoute {
  var count = 0
  /// Request indices by local index.
  var riders = InlineArray<4, Int>(repeating: 0)
  /// From the pick-up to each drop-off: meters and work.
  var fromPickUp = InlineArray<4, Double>(repeating: 0)
  var fromPickUpWork = InlineArray<4, Double>(repeating: 0)
  /// Between drop-offs, row major: meters and work.
  var between = InlineArray<16, Double>(repeating: 0)
  var betweenWork = InlineArray<16, Double>(repeating: 0)
  /// What the work takes at the departure.
  private var fromPickUpSeconds = InlineArray<4, Double>(repeating: 0)
  private var betweenSeconds = InlineArray<16, Double>(repeating: 0)
  /// The longest ride of each at the departure; infinite where nobody states one.
  private var longestSeconds = InlineArray<4, Double>(repeating: .infinity)
  /// The longest ride of each, counted from the pick-up as the rules of parties do, meters.
  var limits = InlineArray<4, Double>(repeating: 0)

  /// What ``findBest(_:)`` found: local indices in the order of getting out, two bits each, the
  /// first lowest.
  private(set) var order = 0
  private(set) var meters = 0.0
  private(set) var seconds = 0.0
  private(set) var fare = Double.infinity
  private(set) var outcome = Outcome.none

  enum Outcome {
    /// No order holds the limits.
    case none
    /// Only the shared part of a ride is too small in all of them, which one more rider may mend;
    /// or the route has no price.
    case tooLittleShared
    case found
  }

  @inline(__always)
  mutating func setLeg(_ a: Int, _ b: Int, meters: Double, work: Double) {
    between[a * 4 + b] = meters
    between[b * 4 + a] = meters
    betweenWork[a * 4 + b] = work
    betweenWork[b * 4 + a] = work
  }

  /// The departure as an index into ``BatchInstance/estimators``.
  @inline(__always)
  func departureIndex(_ instance: BatchInstance) -> Int {
    var latest = riders[0]
    var soonest = riders[0]
    for local in 1..<max(count, 1) {
      let rider = riders[local]
      if instance.times[rider] > instance.times[latest] { latest = rider }
      if instance.ends[rider] < instance.ends[soonest] { soonest = rider }
    }
    return instance.times[latest] <= instance.ends[soonest] ? 2 * latest : 2 * soonest + 1
  }

  /// Looks for the least fare over all orders within every rider's longest ride. Equal fares: the
  /// shorter route, then the order that comes first. An order that is neither shorter nor faster than
  /// the best so far is not priced.
  ///
  /// - Complexity: O(count!) sums at worst, 24 for 4 riders; one or two fares.
  mutating func findBest(_ instance: BatchInstance) {
    outcome = .none
    fare = .infinity
    meters = .infinity
    seconds = .infinity
    let departure = departureIndex(instance)
    setSeconds(departure, instance)
    if instance.limitsSeconds { limitSeconds(departure, instance) }
    for a in 0..<count {
      let toA = fromPickUp[a]
      // A limit that is not a number holds for nothing.
      guard toA <= limits[a] else { continue }
      let untilA = fromPickUpSeconds[a]
      guard untilA <= longestSeconds[a] else { continue }
      for b in 0..<count where b != a {
        let toB = toA + between[a * 4 + b]
        let untilB = untilA + betweenSeconds[a * 4 + b]
        guard toB <= limits[b], untilB <= longestSeconds[b] else { continue }
        let pathB = a | b << 2
        if count == 2 {
          finish(
            pathB, last: b, shared: toA, newMeters: toB, newSeconds: untilB, departure: departure,
            instance: instance)
          continue
        }
        if toB >= meters && untilB >= seconds { continue }
        for c in 0..<count where c != a && c != b {
          let toC = toB + between[b * 4 + c]
          let untilC = untilB + betweenSeconds[b * 4 + c]
          guard toC <= limits[c], untilC <= longestSeconds[c] else { continue }
          let pathC = pathB | c << 4
          if count == 3 {
            finish(
              pathC, last: c, shared: toB, newMeters: toC, newSeconds: untilC, departure: departure,
              instance: instance)
            continue
          }
          let d = 6 - a - b - c
          let toD = toC + between[c * 4 + d]
          let untilD = untilC + betweenSeconds[c * 4 + d]
          guard toD <= limits[d], untilD <= longestSeconds[d] else { continue }
          finish(
            pathC | d << 6, last: d, shared: toC, newMeters: toD, newSeconds: untilD,
            departure: departure, instance: instance)
        }
      }
    }
  }

  /// Takes in a whole order. `shared` is how many meters are driven until only the last rider is
  /// aboard: everyone else rides in company all the way.
  @inline(__always)
  private mutating func finish(
    _ path: Int, last: Int, shared: Double, newMeters: Double, newSeconds: Double,
    departure: Int, instance: BatchInstance
  ) {
    if newMeters >= meters && newSeconds >= seconds { return }
    if outcome == .none { outcome = .tooLittleShared }
    if shared < instance.minSharedRatios[riders[last]] * newMeters { return }
    price(
      path, newMeters: newMeters, newSeconds: newSeconds, departure: departure, instance: instance)
  }

  @inline(never)
  private mutating func price(
    _ path: Int, newMeters: Double, newSeconds: Double, departure: Int,
    instance: BatchInstance
  ) {
    let newFare = instance.markets.fare(
      riders, count: count, meters: newMeters, seconds: newSeconds,
      departure: instance.estimators[departure].departure)
    // A fare that is not a number is none.
    guard newFare < .infinity, newFare < fare || (newFare == fare && newMeters < meters)
    else { return }
    outcome = .found
    fare = newFare
    order = path
    meters = newMeters
    seconds = newSeconds
  }

  private mutating func limitSeconds(_ departure: Int, _ instance: BatchInstance) {
    for a in 0..<count {
      longestSeconds[a] = instance.limits[riders[a]].longestRideSeconds(
        direct: fromPickUpSeconds[a], departure: instance.estimators[departure].departure)
    }
  }

  /// Every leg takes what it would at the departure.
  @inline(__always)
  private mutating func setSeconds(_ departure: Int, _ instance: BatchInstance) {
    if instance.zones[departure >> 1] == instance.zones[riders[0]] {
      setSeconds { instance.estimators[departure].durationSeconds(atFactorOne: $0) }
    } else {
      let estimator = instance.estimator(departure: departure, pickUp: riders[0])
      setSeconds { estimator.durationSeconds(atFactorOne: $0) }
    }
  }

  @inline(__always)
  private mutating func setSeconds(_ duration: (Double) -> Double) {
    for a in 0..<count {
      fromPickUpSeconds[a] = duration(fromPickUpWork[a])
      for b in 0..<a {
        let leg = duration(betweenWork[a * 4 + b])
        betweenSeconds[a * 4 + b] = leg
        betweenSeconds[b * 4 + a] = leg
      }
    }
  }
}
