/// A box of longitudes and latitudes in degrees, edges included.
///
/// It runs from `west` eastwards to `east`; `west > east` means that it crosses 180 degrees.
public struct GeoBox: Hashable, Sendable {
  /// Degrees, -180...180; greater than ``east`` where the box goes over 180 degrees.
  public let west: Double
  /// Degrees north of the equator, -90...90.
  public let south: Double
  /// Degrees east of Greenwich, -180...180.
  public let east: Double
  /// Degrees north of the equator, -90...90.
  public let north: Double

  /// - Throws: ``GeoBoxError``.
  public init(west: Double, south: Double, east: Double, north: Double) throws(GeoBoxError) {
    for longitude in [west, east] where !(longitude >= -180 && longitude <= 180) {
      throw .longitudeOutOfRange(longitude)
    }
    for latitude in [south, north] where !(latitude >= -90 && latitude <= 90) {
      throw .latitudeOutOfRange(latitude)
    }
    guard south <= north else { throw .southAboveNorth(south: south, north: north) }
    self.init(uncheckedWest: west, south: south, east: east, north: north)
  }

  /// Makes a box of values that are known to be in range.
  @inlinable
  public init(uncheckedWest west: Double, south: Double, east: Double, north: Double) {
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }

  /// The box that holds every coordinate.
  public static let world = GeoBox(uncheckedWest: -180, south: -90, east: 180, north: 90)

  /// Whether the box goes over 180 degrees.
  @inlinable public var crossesAntimeridian: Bool { west > east }

  /// Degrees from west to east, 0...360.
  @inlinable
  public var longitudeSpan: Double { crossesAntimeridian ? east - west + 360 : east - west }

  /// Whether a point lies inside or on an edge. 180 and -180 are the same meridian.
  @inlinable
  public func contains(latitude: Double, longitude: Double) -> Bool {
    guard latitude >= south && latitude <= north else { return false }
    if crossesAntimeridian { return longitude >= west || longitude <= east }
    if longitude >= west && longitude <= east { return true }
    return (longitude == -180 && east == 180) || (longitude == 180 && west == -180)
  }

  /// Whether a coordinate lies inside, edges included.
  @inlinable
  public func contains(_ coordinate: Coordinate) -> Bool {
    contains(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// One box, or the two halves of a box that crosses 180 degrees; none of them crosses.
  public var splitAtAntimeridian: [GeoBox] {
    guard crossesAntimeridian else { return [self] }
    return [
      GeoBox(uncheckedWest: west, south: south, east: 180, north: north),
      GeoBox(uncheckedWest: -180, south: south, east: east, north: north),
    ]
  }
}

/// Why four numbers are not a box.
public enum GeoBoxError: Error, Hashable, Sendable {
  /// Not finite, or outside -180...180.
  case longitudeOutOfRange(Double)
  /// Not finite, or outside -90...90.
  case latitudeOutOfRange(Double)
  /// The southern edge lies north of the northern one.
  case southAboveNorth(south: Double, north: Double)
}
