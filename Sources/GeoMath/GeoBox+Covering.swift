#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension GeoBox {
  /// A conservative box around a circle: every point within `radiusMeters` of `center` by the one
  /// distance function is inside; points further away may be too.
  ///
  /// It crosses 180 degrees when the circle does and spans all longitudes when the circle reaches
  /// a pole. A radius that is negative or not a number is taken as 0.
  public init(covering center: Coordinate, radiusMeters: Double) {
    let radius = radiusMeters > 0 ? radiusMeters : 0
    let angle = HaversineBounds.maximumAngle(radiusMeters: radius)
    // A nanodegree on each side pays for the rounding of the trigonometry.
    let slack = 1e-9
    let degrees = angle * (180 / .pi) + slack
    let south = center.latitude - degrees
    let north = center.latitude + degrees
    guard south > -90 && north < 90 else {
      self.init(uncheckedWest: -180, south: max(south, -90), east: 180, north: min(north, 90))
      return
    }
    // Half the width of a spherical cap: sin(width) = sin(angle) / cos(latitude).
    let ratio = sin(degrees * (.pi / 180)) / cos(center.latitude * (.pi / 180))
    let halfWidth = ratio < 1 ? asin(ratio) * (180 / .pi) + slack : 180
    guard halfWidth < 180 else {
      self.init(uncheckedWest: -180, south: south, east: 180, north: north)
      return
    }
    self.init(
      uncheckedWest: Coordinate.wrappedLongitude(center.longitude - halfWidth), south: south,
      east: Coordinate.wrappedLongitude(center.longitude + halfWidth), north: north)
  }

  /// Makes a box that covers every point within a distance in whole millimetres.
  ///
  /// - Parameters:
  ///   - center: The middle of the circle.
  ///   - radiusMillimeters: Inclusive. Half a millimetre more is covered, since distances are rounded.
  public init(covering center: Coordinate, radiusMillimeters: Int64) {
    self.init(covering: center, radiusMeters: (Double(radiusMillimeters) + 0.5) / 1000)
  }

  /// Whether two boxes share a point; edges count, and 180 and -180 are one meridian.
  public func intersects(_ other: GeoBox) -> Bool {
    guard south <= other.north && other.south <= north else { return false }
    // `a` meets `b` when either one's western edge lies in the other.
    return containsLongitude(other.west) || other.containsLongitude(west)
      || containsLongitude(other.east) || other.containsLongitude(east)
  }

  private func containsLongitude(_ longitude: Double) -> Bool {
    contains(latitude: south, longitude: longitude)
  }
}
