import GeoMath

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Measures like `DistanceOrigin.millimeters`, bit for bit, several times as fast for points
/// nearby.
///
/// It is the same formula with short series for the trigonometry of small differences. Its relative
/// error is below 1e-11. Where the millimetre could come out differently (at a distance that close
/// to a half millimetre), far away or near a pole, the exact function decides.
struct SurfaceDistance {
  let origin: DistanceOrigin
  private let sinLatitude: Double
  private let cosLatitude: Double
  /// Whether the series may be used around the origin, which is not near a pole.
  private let usesSeries: Bool

  init(latitude: Double, longitude: Double) {
    origin = DistanceOrigin(latitude: latitude, longitude: longitude)
    sinLatitude = sin(latitude * (.pi / 180))
    cosLatitude = cos(latitude * (.pi / 180))
    usesSeries = latitude.magnitude < 86
  }

  /// The planar bounds around the origin.
  var planarScale: PlanarScale { PlanarScale(sine: sinLatitude, cosine: cosLatitude) }

  @inline(__always)
  func millimeters(latitude: Double, longitude: Double) -> Int64 {
    // Halves of the differences in radians.
    let a = (latitude - origin.latitude) * (.pi / 360)
    let b = (longitude - origin.longitude) * (.pi / 360)
    let a2 = a * a
    let b2 = b * b
    // 0.01 rad of difference is 63 km: the first omitted terms are below 1e-16 relative.
    guard usesSeries && a2 < 0.000025 && b2 < 0.000025 && a2 + b2 > 1e-30 else {
      return origin.millimeters(latitude: latitude, longitude: longitude)
    }
    let sinA = a * (1 - a2 * (1.0 / 6 - a2 * (1.0 / 120 - a2 * (1.0 / 5040))))
    let cosA = 1 - a2 * (0.5 - a2 * (1.0 / 24 - a2 * (1.0 / 720)))
    let sinB = b * (1 - b2 * (1.0 / 6 - b2 * (1.0 / 120 - b2 * (1.0 / 5040))))
    // The sine of the mean latitude, and the cosine of the other latitude.
    let sinMean = sinLatitude * cosA + cosLatitude * sinA
    let sin2A = 2 * sinA * cosA
    let cos2A = 1 - 2 * (sinA * sinA)
    let cosOther = cosLatitude * cos2A - sinLatitude * sin2A
    let h = sinA * sinA + cosLatitude * cosOther * (sinB * sinB)
    // (2 asin sqrt h)^2 = 4 h (1 + h/3 + 8 h^2/45 + 4 h^3/35 + ...)
    let angle2 = 4 * h * (1 + h * (1.0 / 3 + h * (8.0 / 45 + h * (4.0 / 35))))
    let cSquared = min(4 * a2 / angle2, 1)
    let w = 1 - Earth.eccentricitySquared * (sinMean * sinMean)
    // The radii of curvature are N^2 = a^2 / w and M = N (1 - e^2) / w.
    let flat = (1 - Earth.eccentricitySquared) / w
    let radius2 =
      Earth.semiMajorAxisMeters * Earth.semiMajorAxisMeters / w
      * (1 - cSquared + flat * flat * cSquared)
    let exact = (angle2 * radius2).squareRoot() * 1000
    // Safe: the distance is below 1e8 millimetres.
    let whole = Int64(exact)
    let fraction = exact - Double(whole)
    // The error of 1e-11 over 63 km is 6e-4 mm.
    if (fraction - 0.5).magnitude < 0.002 {
      return origin.millimeters(latitude: latitude, longitude: longitude)
    }
    return fraction > 0.5 ? whole + 1 : whole
  }
}
