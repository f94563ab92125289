#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A point in 32-bit Web Mercator fixed point: the whole world is 2^32 x 2^32 units.
///
/// `x` grows east from 180 degrees west, `y` grows south from 85.0511 degrees north, as tile
/// addresses do. One unit is under 1 cm on the ground everywhere. Latitudes beyond the Mercator
/// limit are clamped (`y` 0 or 2^32 - 1); longitude 180 is clamped to 2^32 - 1.
public struct MercatorPoint: Hashable, Sendable {
  /// Units east of 180 degrees west.
  public var x: UInt32
  /// Units south of 85.0511 degrees north.
  public var y: UInt32

  /// Makes a point of its units.
  @inlinable
  public init(x: UInt32, y: UInt32) {
    self.x = x
    self.y = y
  }

  /// Projects a position in degrees; what is past the projection's edge is clamped.
  public init(latitude: Double, longitude: Double) {
    x = Self.x(longitude: longitude)
    y = Self.y(latitude: latitude)
  }

  /// Projects a coordinate; latitudes past the projection's edge are clamped.
  public init(_ coordinate: Coordinate) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// 85.051128779806592, where the projection's square ends.
  public static let latitudeLimit = 85.051128779806592
  /// 2^32.
  @usableFromInline static let worldUnits = 4_294_967_296.0

  /// Returns the column of a longitude in degrees, clamped.
  public static func x(longitude: Double) -> UInt32 {
    // Dividing first keeps the edges of units exact: (360 x / 2^32) / 360 has no rounding.
    clamped((longitude + 180) / 360 * worldUnits)
  }

  /// Returns the row of a latitude in degrees, clamped.
  public static func y(latitude: Double) -> UInt32 {
    if latitude >= latitudeLimit { return 0 }
    if latitude <= -latitudeLimit { return .max }
    return clamped((0.5 - atanh(sin(latitude * (.pi / 180))) / (2 * .pi)) * worldUnits)
  }

  @inline(__always)
  private static func clamped(_ value: Double) -> UInt32 {
    // NaN fails the first comparison and becomes 0.
    value > 0 ? (value >= worldUnits - 1 ? .max : UInt32(value)) : 0
  }

  /// Degrees of the western edge of a column, -180..<180.
  @inlinable
  public static func longitude(x: Double) -> Double { x * (360 / worldUnits) - 180 }

  /// Degrees of the northern edge of a row.
  public static func latitude(y: Double) -> Double {
    asin(tanh((0.5 - y / worldUnits) * (2 * .pi))) * (180 / .pi)
  }

  /// The north-west corner of this unit square.
  public var coordinate: Coordinate {
    Coordinate(
      uncheckedLatitude: Self.latitude(y: Double(y)), longitude: Self.longitude(x: Double(x)))
  }

  /// Ground meters of one unit at a latitude (the projection's scale on the WGS 84 equator).
  public static func metersPerUnit(latitude: Double) -> Double {
    cos(latitude * (.pi / 180)) * (2 * .pi * Earth.semiMajorAxisMeters / worldUnits)
  }
}
