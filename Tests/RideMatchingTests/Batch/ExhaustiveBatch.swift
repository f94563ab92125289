import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

@testable import RideMatching

/// The best sum of savings by trying everything: every set of up to four, every pick-up, every
/// order, every way to cut the requests into sets. None of the module's solver code.
struct ExhaustiveBatch {
  let requests: [RideRequest]
  let options: BatchOptions
  private let pricing: RidePricing
  private let profile: TrafficProfile
  /// By bit set of members.
  private(set) var savings: [Int: Double] = [:]

  init(_ requests: [RideRequest], _ options: BatchOptions) {
    self.requests = requests
    self.options = options
    guard case .list(let pricing, let profile) = options.pricing else {
      preconditionFailure("the exhaustive search knows price lists only")
    }
    self.pricing = pricing
    self.profile = profile
    for set in 1..<(1 << requests.count) where (2...4).contains(set.nonzeroBitCount) {
      let members = requests.indices.filter { set >> $0 & 1 == 1 }
      if let saving = saving(of: members), saving > 0 { savings[set] = saving }
    }
  }

  /// Over subsets: the lowest request rides alone or in one of the sets.
  var optimum: Double {
    let count = requests.count
    var bySet = Array(repeating: [(set: Int, saving: Double)](), count: count)
    for (set, saving) in savings { bySet[set.trailingZeroBitCount].append((set, saving)) }
    var best = Array(repeating: 0.0, count: 1 << count)
    for set in 1..<(1 << count) {
      let lowest = set.trailingZeroBitCount
      var value = best[set & (set - 1)]
      for group in bySet[lowest] where group.set & ~set == 0 {
        value = max(value, group.saving + best[set & ~group.set])
      }
      best[set] = value
    }
    return best[(1 << count) - 1]
  }

  private func saving(of members: [Int]) -> Double? {
    let riders = members.map { requests[$0] }
    guard riders.reduce(0, { $0 + $1.seats }) <= options.maxSeats else { return nil }
    let start = riders.map(\.window.start).max()!
    let end = riders.map(\.window.end).min()!
    guard start <= end else { return nil }
    let departure = min(riders.map(\.window.time).max()!, end)
    var solo = 0.0
    for rider in riders {
      let estimator = TravelEstimator(
        profile: profile, departure: rider.window.time, near: rider.origin.coordinate)
      let direct = estimator.estimate(
        from: rider.origin.coordinate, to: rider.destination.coordinate)
      solo += pricing.estimate(
        direct.distanceMeters, direct.durationSeconds, rider.window.time)
    }
    var best: Double?
    for host in riders {
      let pickUp = host.origin.coordinate
      let walks = riders.map { $0.origin.coordinate.distanceMeters(to: pickUp) }
      guard zip(walks, riders).allSatisfy({ $0 <= $1.limits.maxWalkMeters }) else { continue }
      let walkCost = walks.reduce(0, +) * pricing.walkCostPerMeter
      for order in Self.permutations(Array(riders.indices)) {
        guard let way = ride(from: pickUp, order.map { riders[$0] }, departure) else { continue }
        let fare = pricing.estimate(way.meters, way.seconds, departure)
        best = max(best ?? -.infinity, solo - fare - walkCost)
      }
    }
    return best
  }

  private func ride(
    from pickUp: Coordinate, _ riders: [RideRequest], _ departure: Instant
  ) -> (meters: Double, seconds: Double)? {
    let estimator = TravelEstimator(profile: profile, departure: departure, near: pickUp)
    var place = pickUp
    var meters = 0.0
    var seconds = 0.0
    for rider in riders {
      let leg = estimator.estimate(from: place, to: rider.destination.coordinate)
      meters += leg.distanceMeters
      seconds += leg.durationSeconds
      place = rider.destination.coordinate
      let direct = estimator.estimate(
        from: pickUp, to: rider.destination.coordinate)
      if meters > (1 + rider.limits.maxDetourRatio) * direct.distanceMeters + 300 { return nil }
    }
    return (meters, seconds)
  }

  private static func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.flatMap { first in
      permutations(items.filter { $0 != first }).map { [first] + $0 }
    }
  }
}
