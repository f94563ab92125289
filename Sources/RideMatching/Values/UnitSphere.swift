import GeoMath

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Places as points of the unit sphere.
enum UnitSphere {
  static func vector(_ place: Coordinate) -> SIMD3<Double> {
    let latitude = place.latitude * (.pi / 180)
    let longitude = place.longitude * (.pi / 180)
    return SIMD3(
      cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
  }

  /// The one distance function of GeoMath (see `DistanceOrigin`) without trigonometry, for two
  /// points below about 120 km apart; nil beyond. Within 1e-8 m + 1e-12 of it there.
  ///
  /// The chord gives the angle by the series of the arc sine, and the sines of the latitudes, which
  /// are the points' z, that of the mean latitude.
  @inline(__always)
  static func meters(
    _ a: SIMD3<Double>, latitudeA: Double, b: SIMD3<Double>, latitudeB: Double
  ) -> Double? {
    let d = a - b
    let squared = (d * d).sum()
    guard squared < 3.6e-4 else { return nil }
    // angle = 2 asin(chord / 2); x is the square of half the chord, below 9e-5.
    let x = squared / 4
    let angle =
      squared.squareRoot() * (1 + x * (1.0 / 6 + x * (3.0 / 40 + x * (15.0 / 336 + x * 0.03038))))
    guard angle > 0 else { return 0 }
    let apart = latitudeB - latitudeA
    let c = apart / angle
    let cSquared = min(c * c, 1)
    // (sin p + sin q) / 2 = sin((p + q) / 2) cos((p - q) / 2)
    let half = apart * apart / 4
    let s = (a.z + b.z) / 2 / (1 - half * (0.5 - half * (1.0 / 24 - half / 720)))
    let (meridional, primeVertical) = Earth.curvatureRadii(sineOfLatitude: s)
    return angle
      * (meridional * meridional * cSquared + primeVertical * primeVertical * (1 - cSquared))
      .squareRoot()
  }
}
