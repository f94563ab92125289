#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Conservative bounds on the distance from one origin, for skipping what cannot matter. Never for
/// answers.
public struct PruningBounds: Sendable {
  private let latitude: Double
  private let longitude: Double
  private let sinLatitude: Double
  private let cosLatitude: Double

  /// Makes the bounds around one point, in degrees.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
    sinLatitude = sin(latitude * (.pi / 180))
    cosLatitude = cos(latitude * (.pi / 180))
  }

  /// Meters that every point of a box is away at least, by the one distance function.
  ///
  /// The nearest point of a box on the sphere lies on one of its meridians (or straight north or
  /// south); the haversine distance to it is brought to the ellipsoid by ``HaversineBounds``.
  public func lowerMeters(to box: GeoBox) -> Double {
    let latitudeGap = max(box.south - latitude, latitude - box.north, 0)
    if box.longitudeSpan >= 360 || box.contains(latitude: box.south, longitude: longitude) {
      return lower(angle: latitudeGap * (.pi / 180))
    }
    let toWest = Self.turn(longitude - box.west)
    let toEast = Self.turn(longitude - box.east)
    let delta = min(toWest, toEast) * (.pi / 180)
    return lower(angle: angleToMeridian(delta: delta, south: box.south, north: box.north))
  }

  /// Degrees between two meridians, 0...180.
  private static func turn(_ delta: Double) -> Double {
    let turned = delta.magnitude.truncatingRemainder(dividingBy: 360)
    return turned > 180 ? 360 - turned : turned
  }

  /// The least angle to a stretch of the meridian `delta` radians away.
  private func angleToMeridian(delta: Double, south: Double, north: Double) -> Double {
    let cosDelta = cos(delta)
    // cos(angle) = sin a sin b + cos a cos b cos(delta) has one extremum over b in -90...90: its
    // greatest value when cos(delta) > 0.
    var best = max(cosine(to: south, cosDelta), cosine(to: north, cosDelta))
    let foot = atan2(sinLatitude, cosLatitude * cosDelta) * (180 / .pi)
    if foot > south && foot < north { best = max(best, cosine(to: foot, cosDelta)) }
    let angle = acos(max(-1, min(1, best)))
    // Near 0 the arc cosine loses half its digits: a microradian is 6 m.
    return max(0, angle - 1e-6)
  }

  private func cosine(to other: Double, _ cosDelta: Double) -> Double {
    let b = other * (.pi / 180)
    return sinLatitude * sin(b) + cosLatitude * cos(b) * cosDelta
  }

  private func lower(angle: Double) -> Double {
    HaversineBounds.lowerMeters(haversineMeters: angle * Earth.meanRadiusMeters) * (1 - 1e-9)
      - 0.001
  }
}
