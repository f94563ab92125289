import ObjectModel
import RoutePlanning

/// The best way of one taxi from one pick-up: every order of drop-offs is tried.
///
/// Local index 0 is the rider at whose origin all get in. Distances are filled in by the caller,
/// who has them from the pairs.
struct GroupRoute {
  var count = 0
  /// Request indices by local index.
  var riders = InlineArray<4, Int>(repeating: 0)
  /// From the pick-up to each drop-off, meters.
  var fromPickUp = InlineArray<4, Double>(repeating: 0)
  /// Between drop-offs, row major, meters.
  var between = InlineArray<16, Double>(repeating: 0)
  /// All walks together, meters.
  var walkMeters = 0.0

  /// What ``best(_:)`` found: local indices in the order of getting out, two bits each, the first
  /// lowest.
  var order = 0
  var meters = 0.0
  var seconds = 0.0

  /// The departure as an index into ``BatchInstance/estimators``.
  func departureIndex(_ instance: BatchInstance) -> Int {
    var latest = 0
    var soonest = 0
    for local in 1..<max(count, 1) {
      if instance.times[riders[local]] > instance.times[riders[latest]] { latest = local }
      if instance.ends[riders[local]] < instance.ends[riders[soonest]] { soonest = local }
    }
    return instance.times[riders[latest]] <= instance.ends[riders[soonest]]
      ? 2 * riders[latest] : 2 * riders[soonest] + 1
  }

  /// The greatest saving over all orders within every rider's longest ride, which is counted from
  /// the pick-up as the rules of parties do; nil when there is no
  /// such order; -infinity when only the shared part of a ride is too small in all of them, which
  /// one more rider may mend. Equal fares: the shorter way, then the order that comes first.
  /// - Complexity: O(count!) sums at worst, one estimate a leg of an order that holds the limits.
  mutating func best(_ instance: BatchInstance) -> Double? {
    var limits = InlineArray<4, Double>(repeating: 0)
    var solo = 0.0
    for local in 0..<count {
      limits[local] = instance.limits[riders[local]].longestRideMeters(direct: fromPickUp[local])
      solo += instance.soloFares[riders[local]]
    }
    let departure = departureIndex(instance)
    var search = OrderSearch(
      departure: departure,
      foreign: instance.foreignEstimator(departure: departure, pickUp: riders[0]))
    extend(&search, limits, step: 0, left: (1 << count) - 1, at: 0, meters: 0, instance)
    guard search.isFound else { return search.isRideable ? -.infinity : nil }
    order = search.order
    meters = search.meters
    seconds = search.seconds
    return solo - search.fare - walkMeters * instance.options.pricing.walkCostPerMeter
  }

  /// The best order so far, and the one being built: two bits a rider, the first lowest.
  private struct OrderSearch {
    let departure: Int
    let foreign: TravelEstimator?
    var path = 0
    var isFound = false
    var isRideable = false
    var fare = Double.infinity
    var order = 0
    var meters = 0.0
    var seconds = 0.0

    /// Seconds of a leg (rows as in ``between``, those from the pick-up behind them), below 0
    /// where not yet asked for.
    var legSeconds = InlineArray<20, Double>(repeating: -1)

    init(departure: Int, foreign: TravelEstimator?) {
      self.departure = departure
      self.foreign = foreign
    }
  }

  /// Depth first in lexicographic order.
  private func extend(
    _ search: inout OrderSearch, _ limits: borrowing InlineArray<4, Double>, step: Int, left: Int,
    at: Int, meters: Double, _ instance: BatchInstance
  ) {
    for local in 0..<count where left >> local & 1 == 1 {
      let leg = step == 0 ? fromPickUp[local] : between[at * 4 + local]
      let ridden = meters + leg
      // A limit that is not a number holds for nothing.
      guard ridden <= limits[local] else { continue }
      let before = search.path
      search.path |= local << (2 * step)
      let rest = left & ~(1 << local)
      if rest != 0 {
        extend(&search, limits, step: step + 1, left: rest, at: local, meters: ridden, instance)
      } else {
        finish(&search, last: local, lastLeg: leg, meters: ridden, instance)
      }
      search.path = before
    }
  }

  private func finish(
    _ search: inout OrderSearch, last: Int, lastLeg: Double, meters: Double,
    _ instance: BatchInstance
  ) {
    search.isRideable = true
    // Everyone but the last to get out rides in company all the way.
    if meters - lastLeg < (instance.limits[riders[last]].minSharedRatio ?? 0) * meters { return }
    var at = search.path & 3
    var seconds = legSeconds(&search, 16 + at, fromPickUp[at], instance)
    for step in 1..<max(count, 1) {
      let next = search.path >> (2 * step) & 3
      seconds += legSeconds(&search, at * 4 + next, between[at * 4 + next], instance)
      at = next
    }
    let fare = instance.options.pricing.estimate(
      meters, seconds, instance.estimators[search.departure].departure)
    if !search.isFound || fare < search.fare || (fare == search.fare && meters < search.meters) {
      // A fare that is not a number is none.
      guard fare < .infinity else { return }
      search.fare = fare
      search.order = search.path
      search.meters = meters
      search.seconds = seconds
      search.isFound = true
    }
  }

  @inline(__always)
  private func legSeconds(
    _ search: inout OrderSearch, _ leg: Int, _ meters: Double, _ instance: BatchInstance
  ) -> Double {
    if search.legSeconds[leg] < 0 {
      search.legSeconds[leg] =
        search.foreign?.durationSeconds(roadMeters: meters)
        ?? instance.estimators[search.departure].durationSeconds(roadMeters: meters)
    }
    return search.legSeconds[leg]
  }
}
