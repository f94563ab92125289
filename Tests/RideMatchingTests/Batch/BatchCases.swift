import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

@testable import RideMatching

/// Made-up requests, by seed.
struct BatchCases {
  var random: SplitMix64
  var center = Coordinate(uncheckedLatitude: 37.5, longitude: 127.0)
  /// Half the side of the area of origins, of destinations, meters.
  var originMeters = 400.0
  var destinationMeters = 3_000.0
  var maxWalk = 50.0...500
  var maxDetour = 0.1...0.6
  var windowSeconds = 900

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  static let start = Instant(seconds: 1_767_200_000)

  static let pricing = RidePricing.linear(
    base: 4800, baseMeters: 1600, perMeter: 0.763, perSecond: 0.4)

  mutating func place(within meters: Double, of center: Coordinate) -> Coordinate {
    let bearing = random.unit() * 360
    return center.destination(
      bearingDegrees: bearing, meters: meters * random.unit().squareRoot())
  }

  mutating func requests(_ count: Int) -> [RideRequest] {
    let far = center.destination(bearingDegrees: random.unit() * 360, meters: 4_000)
    return (0..<count).map { index in
      let origin = place(within: originMeters, of: center)
      let destination = place(within: destinationMeters, of: far)
      let limits = RideLimits(
        maxWalkMeters: maxWalk.lowerBound
          + random.unit() * (maxWalk.upperBound - maxWalk.lowerBound),
        maxDetourRatio: maxDetour.lowerBound
          + random.unit() * (maxDetour.upperBound - maxDetour.lowerBound))
      return RideRequest(
        riderID: "r\(index)", origin: RidePlace(coordinate: origin),
        destination: RidePlace(coordinate: destination),
        window: DepartureWindow(
          time: Self.start.advanced(milliseconds: Int64(random.below(windowSeconds)) * 1000),
          toleranceMilliseconds: Int64(random.below(600)) * 1000),
        limits: limits, seats: random.below(6) == 0 ? 2 : 1)
    }
  }
}
