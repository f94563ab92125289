/// A place on the WGS 84 ellipsoid, in degrees.
///
/// Values made through ``init(latitude:longitude:)`` are finite and in range.
public struct Coordinate: Hashable, Sendable {
  /// Degrees north, -90...90.
  public let latitude: Double
  /// Degrees east, -180...180.
  public let longitude: Double

  /// - Throws: ``CoordinateError`` when a value is not finite or out of range.
  @inlinable
  public init(latitude: Double, longitude: Double) throws(CoordinateError) {
    // NaN fails both comparisons, infinities fail one of them.
    guard latitude >= -90 && latitude <= 90 else {
      throw CoordinateError.latitudeOutOfRange(latitude)
    }
    guard longitude >= -180 && longitude <= 180 else {
      throw CoordinateError.longitudeOutOfRange(longitude)
    }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// For values already checked (stored, decoded from an index) or known constants.
  @inlinable
  public init(uncheckedLatitude latitude: Double, longitude: Double) {
    assert(latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180)
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Exactly 0, 0: what clients send when they have no position.
  @inlinable
  public var isNullIsland: Bool { latitude == 0 && longitude == 0 }
}

/// Why a pair of numbers is not a coordinate.
public enum CoordinateError: Error, Hashable, Sendable {
  /// Not finite, or outside -90...90.
  case latitudeOutOfRange(Double)
  /// Not finite, or outside -180...180.
  case longitudeOutOfRange(Double)
}
