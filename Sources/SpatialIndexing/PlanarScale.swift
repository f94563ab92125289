import GeoMath

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bounds between Mercator units and meters around one origin.
///
/// On the sphere the angle between two points lies between the smallest and the greatest
/// cos(latitude) near the origin times their planar distance in radians. Over `u` radians of
/// planar distance these differ from the origin's by less than a factor 1 ± 3u (u <= 0.02). The
/// distance function multiplies the angle by a mean of the radii of curvature M and N.
struct PlanarScale {
  /// The planar distance in units beyond which the bounds are not used: 0.02 rad, about 100 km at
  /// Seoul.
  static let maximumUnits = 0.02 / unit
  /// The radians of a unit.
  private static let unit = 2 * Double.pi / 4_294_967_296
  /// The error in units from rounding both ends and from the clamped last column.
  static let slackUnits = 3.0

  private let meridional: Double
  private let primeVertical: Double
  /// How far the distance by which points are near or far is from the distance function.
  var slack = DistanceSlack.none

  init(latitude: Double) {
    let phi = latitude * (.pi / 180)
    self.init(sine: sin(phi), cosine: cos(phi))
  }

  /// Makes a scale from the sine and cosine of the origin's latitude.
  init(sine: Double, cosine: Double) {
    let radii = Earth.curvatureRadii(sineOfLatitude: sine)
    primeVertical = radii.primeVertical * cosine * Self.unit
    meridional = radii.meridional * cosine * Self.unit
  }

  /// Returns the fewest meters that a unit may be, within `units` of the origin.
  @inline(__always)
  func least(within units: Double) -> Double { meridional * (1 - 3 * units * Self.unit) }

  /// Returns the most meters that a unit may be, within `units` of the origin.
  @inline(__always)
  func most(within units: Double) -> Double { primeVertical * (1 + 3 * units * Self.unit) }

  /// Returns the planar distance beyond which every point is further away, by the distance
  /// function or what ``slack`` bounds, than a point at `units` may be. It allows for the rounding
  /// of 32-bit floats.
  @inline(__always)
  func inflated(_ units: Double) -> Double {
    let near = units + Self.slackUnits
    let meters = most(within: near) * near
    // Once from the distance function to the other, and back for whatever is as near by that.
    let reach = (meters * slack.ratio + slack.meters) * slack.ratio + slack.meters
    let within = max(2 * near, reach / least(within: Self.maximumUnits))
    return reach / least(within: within) * (1 + 1e-6) + Self.slackUnits
  }

  /// Returns the planar distance beyond which everything is further away than `meters`, `nil` if
  /// that is beyond ``maximumUnits``.
  func unitsBeyond(meters: Double) -> Double? {
    let units =
      meters / least(within: Self.maximumUnits) * (1 + 1e-6) + Self.slackUnits
    return units <= Self.maximumUnits ? units : nil
  }

  /// Returns whether the bounds hold for everything within a planar distance.
  static func isTrusted(_ center: MercatorPoint, square: Float) -> Bool {
    let reach = Double(square).squareRoot() + 2 * slackUnits
    return reach <= maximumUnits && Double(center.y) > reach
      && Double(center.y) + reach < 4_294_967_294
  }

  /// Returns the planar distance below which everything is nearer than `meters`.
  func unitsBelow(meters: Double) -> Double {
    max(0, meters / most(within: Self.maximumUnits) * (1 - 1e-6) - Self.slackUnits)
  }
}
