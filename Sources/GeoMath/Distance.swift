#if canImport(Glibc)
  public import Glibc
#elseif canImport(Darwin)
  public import Darwin
#endif

/// The figure of the Earth, in meters.
public enum Earth {
  /// WGS 84 semi-major axis (EPSG:7030).
  public static let semiMajorAxisMeters = 6_378_137.0
  /// WGS 84 flattening (EPSG:7030).
  public static let flattening = 1 / 298.257223563
  /// First eccentricity squared, f (2 - f).
  public static let eccentricitySquared = flattening * (2 - flattening)
  /// Mean radius R1, 6,371,008.8 m (IUGG).
  public static let meanRadiusMeters = 6_371_008.8

  /// The radii of curvature of the ellipsoid, meters: M along the meridian and N across it.
  ///
  /// - Parameter sine: Of the latitude.
  /// - Returns: M and N.
  @inlinable
  @inline(__always)
  public static func curvatureRadii(
    sineOfLatitude sine: Double
  ) -> (meridional: Double, primeVertical: Double) {
    let w = 1 - eccentricitySquared * (sine * sine)
    let primeVertical = semiMajorAxisMeters / w.squareRoot()
    return (primeVertical * (1 - eccentricitySquared) / w, primeVertical)
  }
}

/// The distances from one origin, with the origin's trigonometry worked out once.
///
/// ``meters(latitude:longitude:)`` is the one distance function of Moyeo: the haversine angle
/// times sqrt(M^2 c^2 + N^2 (1 - c^2)), where c is latitude difference / angle and M, N are the
/// WGS 84 meridional and prime-vertical radii at the mean latitude. Below 1e-6 off the geodesic
/// at 50 km anywhere on the ellipsoid (held against PROJ in the tests).
public struct DistanceOrigin: Sendable {
  /// Degrees, in the range of a ``Coordinate``.
  public let latitude: Double
  /// Degrees, in the range of a ``Coordinate``.
  public let longitude: Double
  @usableFromInline let cosLatitude: Double

  /// Makes the distances from one point.
  @inlinable
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
    cosLatitude = cos(latitude * (.pi / 180))
  }

  /// Makes the distances from a coordinate.
  @inlinable
  public init(_ coordinate: Coordinate) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// Meters to a point given in degrees. Symmetric, zero for identical points.
  @inlinable
  public func meters(latitude other: Double, longitude otherLongitude: Double) -> Double {
    meters(other, haversineAngle(latitude: other, longitude: otherLongitude))
  }

  /// The same to the last bit, with the other point's trigonometry worked out too.
  @inlinable
  public func meters(to other: DistanceOrigin) -> Double {
    meters(other.latitude, haversineAngle(other.latitude, other.longitude, other.cosLatitude))
  }

  @inlinable
  @inline(__always)
  func meters(_ other: Double, _ angle: Double) -> Double {
    guard angle > 0 else { return 0 }
    let c = (other - latitude) * (.pi / 180) / angle
    let cSquared = min(c * c, 1)
    let (meridional, primeVertical) = Earth.curvatureRadii(
      sineOfLatitude: sin((other + latitude) * (.pi / 360)))
    return angle
      * (meridional * meridional * cSquared + primeVertical * primeVertical * (1 - cSquared))
      .squareRoot()
  }

  /// ``meters(latitude:longitude:)`` in whole millimetres, the unit in which hits are ordered and
  /// radii are compared.
  @inlinable
  public func millimeters(latitude other: Double, longitude otherLongitude: Double) -> Int64 {
    Int64((meters(latitude: other, longitude: otherLongitude) * 1000).rounded())
  }

  /// Haversine angle in radians, 0...pi.
  @inlinable
  public func haversineAngle(latitude other: Double, longitude otherLongitude: Double) -> Double {
    haversineAngle(other, otherLongitude, cos(other * (.pi / 180)))
  }

  @inlinable
  @inline(__always)
  func haversineAngle(_ other: Double, _ otherLongitude: Double, _ cosOther: Double) -> Double {
    let sinHalfLatitude = sin((other - latitude) * (.pi / 360))
    let sinHalfLongitude = sin((otherLongitude - longitude) * (.pi / 360))
    let h =
      sinHalfLatitude * sinHalfLatitude
      + cosLatitude * cosOther * (sinHalfLongitude * sinHalfLongitude)
    return 2 * asin(min(h, 1).squareRoot())
  }
}

extension Coordinate {
  /// Meters to another coordinate, by the one distance function (see ``DistanceOrigin``).
  @inlinable
  public func distanceMeters(to other: Coordinate) -> Double {
    DistanceOrigin(self).meters(latitude: other.latitude, longitude: other.longitude)
  }

  /// Great-circle meters on the sphere of radius R1; for bounds, not for answers.
  @inlinable
  public func haversineMeters(to other: Coordinate) -> Double {
    DistanceOrigin(self).haversineAngle(latitude: other.latitude, longitude: other.longitude)
      * Earth.meanRadiusMeters
  }

  /// Initial great-circle bearing in degrees clockwise from north, 0..<360; 0 for the same point.
  @inlinable
  public func bearingDegrees(to other: Coordinate) -> Double {
    BearingOrigin(self).degrees(latitude: other.latitude, longitude: other.longitude)
  }

  /// The point reached by going `meters` along a great circle of the mean sphere.
  ///
  /// Within 0.56 % of the distance asked for by the ellipsoid's measure.
  public func destination(bearingDegrees: Double, meters: Double) -> Coordinate {
    let angle = meters / Earth.meanRadiusMeters
    let bearing = bearingDegrees * (.pi / 180)
    let lat1 = latitude * (.pi / 180)
    let sinLat2 = sin(lat1) * cos(angle) + cos(lat1) * sin(angle) * cos(bearing)
    let lat2 = asin(max(-1, min(1, sinLat2)))
    let y = sin(bearing) * sin(angle) * cos(lat1)
    let x = cos(angle) - sin(lat1) * sinLat2
    let lon2 = longitude + atan2(y, x) * (180 / .pi)
    return Coordinate(
      uncheckedLatitude: max(-90, min(90, lat2 * (180 / .pi))),
      longitude: Coordinate.wrappedLongitude(lon2))
  }

  /// Brings any finite longitude into -180...180; values already in range stay as they are.
  @inlinable
  public static func wrappedLongitude(_ longitude: Double) -> Double {
    if longitude >= -180 && longitude <= 180 { return longitude }
    let turned = (longitude + 180).truncatingRemainder(dividingBy: 360)
    return turned < 0 ? turned + 180 : turned - 180
  }
}

/// The bearings from one origin, with the origin's trigonometry worked out once.
public struct BearingOrigin: Sendable {
  @usableFromInline let latitude: Double
  @usableFromInline let longitude: Double
  @usableFromInline let sinLatitude: Double
  @usableFromInline let cosLatitude: Double

  /// Makes the function for one point.
  @inlinable
  public init(_ origin: Coordinate) {
    latitude = origin.latitude
    longitude = origin.longitude
    sinLatitude = sin(origin.latitude * (.pi / 180))
    cosLatitude = cos(origin.latitude * (.pi / 180))
  }

  /// Initial great-circle bearing in degrees clockwise from north, 0..<360; 0 for the same point.
  ///
  /// Points within 1.1 degrees take series that end below a double's last bit, and no difference
  /// of nearly equal products: within 1e-11 degrees of the exact bearing. For others the textbook
  /// formula does.
  @inlinable
  public func degrees(latitude other: Double, longitude otherLongitude: Double) -> Double {
    if other == latitude && otherLongitude == longitude { return 0 }
    let deltaLatitude = (other - latitude) * (.pi / 180)
    let deltaLongitude = (otherLongitude - longitude) * (.pi / 180)
    let y: Double
    let x: Double
    if abs(deltaLatitude) <= Self.near && abs(deltaLongitude) <= Self.near && cosLatitude > 0.1 {
      let (sinDelta, versineDelta) = Self.ofSmall(deltaLatitude)
      let (sinTurn, versineTurn) = Self.ofSmall(deltaLongitude)
      let cosOther = cosLatitude * (1 - versineDelta) - sinLatitude * sinDelta
      y = sinTurn * cosOther
      // cos a sin b - sin a cos b cos t = sin(b - a) + sin a cos b (1 - cos t)
      x = sinDelta + sinLatitude * cosOther * versineTurn
    } else {
      let lat2 = other * (.pi / 180)
      y = sin(deltaLongitude) * cos(lat2)
      x = cosLatitude * sin(lat2) - sinLatitude * cos(lat2) * cos(deltaLongitude)
    }
    let degrees = Self.angle(y: y, x: x) * (180 / .pi)
    let positive = degrees < 0 ? degrees + 360 : degrees
    return positive >= 360 ? 0 : positive
  }

  /// `atan2` to 1e-15 radians, at half its cost: one division and the approximation of atan in
  /// S. Moshier, Cephes (atan.c), after a turn by a quarter of pi where the quotient is above 0.66.
  @inlinable
  @inline(__always)
  static func angle(y: Double, x: Double) -> Double {
    let high = max(abs(x), abs(y))
    let low = min(abs(x), abs(y))
    guard high > 0 else { return 0 }
    let isTurned = low > 0.66 * high
    let t = (isTurned ? low - high : low) / (isTurned ? low + high : high)
    let z = t * t
    let p =
      (((-8.750608600031904122785e-1 * z - 1.615753718733365076637e1) * z
        - 7.500855792314704667340e1) * z - 1.228866684490136173410e2) * z
      - 6.485021904942025371773e1
    let q =
      ((((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z
        + 4.328810604912902668951e2) * z + 4.853903996359136964868e2) * z
      + 1.945506571482613964425e2
    let first = (isTurned ? .pi / 4 : 0) + (t + t * (z * p / q))
    let upper = abs(y) > abs(x) ? .pi / 2 - first : first
    let half = x < 0 ? .pi - upper : upper
    return y < 0 ? -half : half
  }

  /// 1.1 degrees, in radians.
  @usableFromInline static var near: Double { 0.02 }

  /// Sine, and 1 - cosine, of an angle up to ``near``: the terms left out are below 1e-17 of them.
  @inlinable
  @inline(__always)
  static func ofSmall(_ radians: Double) -> (sine: Double, versine: Double) {
    let square = radians * radians
    return (
      radians * (1 - square * (1.0 / 6 - square * (1.0 / 120 - square * (1.0 / 5040)))),
      square * (0.5 - square * (1.0 / 24 - square * (1.0 / 720 - square * (1.0 / 40_320))))
    )
  }
}
