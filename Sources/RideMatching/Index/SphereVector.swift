import GeoMath

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A place as a point of the sphere of radius R1, in meters: the straight line through the Earth
/// between two of them is a lower bound of the way on the ground that costs no trigonometry.
struct SphereVector: Hashable, Sendable {
  var x: Double
  var y: Double
  var z: Double

  init(_ place: Coordinate) {
    let latitude = place.latitude * (.pi / 180)
    let longitude = place.longitude * (.pi / 180)
    x = Earth.meanRadiusMeters * cos(latitude) * cos(longitude)
    y = Earth.meanRadiusMeters * cos(latitude) * sin(longitude)
    z = Earth.meanRadiusMeters * sin(latitude)
  }

  /// Through the Earth; a millimeter less than rounding could make it too long.
  @inline(__always)
  func chordMeters(to other: SphereVector) -> Double {
    let dx = x - other.x
    let dy = y - other.y
    let dz = z - other.z
    return max(0, (dx * dx + dy * dy + dz * dz).squareRoot() - 0.001)
  }

  /// Never above the distance (``HaversineBounds``).
  @inline(__always)
  func lowerMeters(to other: SphereVector) -> Double {
    chordMeters(to: other) * HaversineBounds.minimumRatio
  }
}
