#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Conservative bounds on the ellipsoid's distance, for pruning; never for answers.
///
/// The one distance function (``DistanceOrigin``) is the haversine angle times a mean of the
/// radii of curvature M and N. Over all latitudes these lie between M at the equator
/// (6,335,439.3 m) and a pole's 6,399,593.6 m, so with R1 = 6,371,008.8 m
/// `0.9944 x haversine <= distance <= 1.0045 x haversine` holds for any two points.
public enum HaversineBounds {
  /// 0.9944: distance / haversine is never below it.
  public static let minimumRatio = 0.9944
  /// 1.0045: distance / haversine is never above it.
  public static let maximumRatio = 1.0045

  /// Distance / haversine between points whose latitudes are within a reach of one: between M and N
  /// there, which grow towards the poles.
  ///
  /// - Parameters:
  ///   - latitude: Degrees.
  ///   - reachMeters: From there to the points at most; infinity for anywhere.
  /// - Returns: Bounds within ``minimumRatio`` and ``maximumRatio``.
  public static func ratios(latitude: Double, reachMeters: Double) -> ClosedRange<Double> {
    let degrees = reachMeters / (minimumRatio * Earth.meanRadiusMeters) * (180 / .pi) + 1e-6
    guard degrees < 90 else { return minimumRatio...maximumRatio }
    let least = max(0, latitude.magnitude - degrees)
    let most = min(90, latitude.magnitude + degrees)
    let meridional =
      Earth.curvatureRadii(sineOfLatitude: sin(least * (.pi / 180))).meridional
      / Earth.meanRadiusMeters
    let primeVertical =
      Earth.curvatureRadii(sineOfLatitude: sin(most * (.pi / 180))).primeVertical
      / Earth.meanRadiusMeters
    return max(minimumRatio, meridional - 1e-9)...min(maximumRatio, primeVertical + 1e-9)
  }

  /// A conservative lower bound of the distance, in meters.
  @inlinable
  public static func lowerMeters(haversineMeters: Double) -> Double {
    haversineMeters * minimumRatio
  }

  /// A conservative upper bound of the distance, in meters.
  @inlinable
  public static func upperMeters(haversineMeters: Double) -> Double {
    haversineMeters * maximumRatio
  }

  /// The haversine angle in radians beyond which nothing is within `radiusMeters`: a point whose
  /// angle is greater is outside; one whose angle is not must still be measured.
  @inlinable
  public static func maximumAngle(radiusMeters: Double) -> Double {
    radiusMeters / (minimumRatio * Earth.meanRadiusMeters)
  }
}
