import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares

/// By what a rider who finds several parties picks one.
enum ReplayChoice: String, CaseIterable {
  /// The rider's own saving, as Match ranks.
  case own
  /// What all aboard save together: the fares of the rider alone and of the party without them, less
  /// that of the party with them.
  case total
}

/// A way of matching that a replay runs.
enum ReplayPolicy: String, CaseIterable {
  /// Each request at once: joins the best party there is, or opens one.
  case online
  /// The same; riders get in on the way as well.
  case boarding
  /// Sorted every so often into groups, which leave at once.
  case batched
  /// Sorted anew every so often until a group is full or somebody in it has waited long enough.
  case rematched
}

/// What both ways of matching are run with.
struct ReplaySettings {
  var tariff: Tariff
  var profile: TrafficProfile
  var limits: RideLimits
  var maxSeats: Int
  /// How long a request may be kept waiting.
  var patienceSeconds: Int
  var intervalSeconds: Int
  var iterations: Int
  var seed: UInt64
  /// Groups of a batch do not wait for more.
  var leavesAtOnce: Bool
  /// Of the online way.
  var choice = ReplayChoice.own
  /// A group that is sorted anew leaves once somebody in it has waited so long; nil: as long as all can.
  var holdSeconds: Int?
  /// Online, riders may get in on the way of a party.
  var boardsOnTheWay = false

  var patience: Int64 { Int64(patienceSeconds) * 1000 }

  /// The direct way from the rider's own door, meters.
  func aloneMeters(_ request: RideRequest, at departure: Instant) -> Double {
    let origin = request.origin.coordinate
    return TravelEstimator(profile: profile, departure: departure, near: origin)
      .estimate(from: origin, to: request.destination.coordinate).distanceMeters
  }

  /// What a ride costs alone, from the rider's own door; nil beyond what the meter takes.
  func soloFare(_ request: RideRequest, at departure: Instant) -> Int64? {
    let origin = request.origin.coordinate
    let way = TravelEstimator(profile: profile, departure: departure, near: origin)
      .estimate(from: origin, to: request.destination.coordinate)
    let trip = Trip(
      .totals(distanceMeters: way.distanceMeters, durationSeconds: way.durationSeconds),
      departure: departure)
    return try? tariff.breakdown(for: trip).total
  }
}

/// A request of a file, before its window is known to the matching.
struct ReplayRequest {
  var at: Instant
  var request: RideRequest
}

/// Wall time of the matching alone.
enum ReplayClock {
  static func measure<T>(_ seconds: inout Double, _ body: () throws -> T) rethrows -> T {
    let clock = ContinuousClock()
    let begin = clock.now
    defer { seconds += (clock.now - begin) / .seconds(1) }
    return try body()
  }
}
