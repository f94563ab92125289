import CSpatiaLite
import Foundation
import GeoMath

func arcSine(_ value: Double) -> Double { Foundation.asin(value) }

/// PROJ's geodesic on WGS 84 (C. Karney, "Algorithms for geodesics", 2013).
struct GeodesicOracle {
  private var geodesic = geod_geodesic()

  init() { geod_init(&geodesic, 6_378_137, 1 / 298.257223563) }

  mutating func meters(_ a: Coordinate, _ b: Coordinate) -> Double {
    var meters = 0.0
    geod_inverse(
      &geodesic, a.latitude, a.longitude, b.latitude, b.longitude, &meters, nil, nil)
    return meters
  }

  mutating func destination(
    _ start: Coordinate, bearingDegrees: Double, meters: Double
  ) -> Coordinate {
    var latitude = 0.0
    var longitude = 0.0
    geod_direct(
      &geodesic, start.latitude, start.longitude, bearingDegrees, meters, &latitude, &longitude,
      nil)
    return Coordinate(
      uncheckedLatitude: latitude, longitude: Coordinate.wrappedLongitude(longitude))
  }
}

func sineAndCosine(degrees: Double) -> (Double, Double) {
  (Foundation.sin(degrees * .pi / 180), Foundation.cos(degrees * .pi / 180))
}

func angle(y: Double, x: Double) -> Double { Foundation.atan2(y, x) }
