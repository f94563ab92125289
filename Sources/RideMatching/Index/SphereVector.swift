import GeoMath

/// A place as a point of the sphere of radius R1, in meters: the straight line through the Earth
/// between two of them is a lower bound of the distance on the ground that costs no trigonometry.
struct SphereVector: Hashable, Sendable {
  var x: Double
  var y: Double
  var z: Double

  init(_ place: Coordinate) {
    let unit = UnitSphere.vector(place)
    x = Earth.meanRadiusMeters * unit.x
    y = Earth.meanRadiusMeters * unit.y
    z = Earth.meanRadiusMeters * unit.z
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
