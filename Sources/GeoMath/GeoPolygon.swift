/// A simple closed area given by its corners, in degrees.
///
/// It closes by itself. Edges are straight in degrees and go the short way round in longitude, so
/// a polygon may cross 180 degrees. Inside is decided by the even-odd rule; each edge belongs to
/// one side only, so that polygons that share an edge never both hold a point of it.
public struct GeoPolygon: Hashable, Sendable {
  /// Corners as given, without a repeated last one.
  public let corners: [Coordinate]
  /// Longitudes unwrapped along the ring: each is within 180 degrees of the one before.
  public let unwrappedLongitudes: [Double]
  /// Bounds in unwrapped degrees: `west <= east`, and either may lie outside -180...180.
  public let unwrappedWest: Double
  /// Degrees; past 180 where the polygon goes over 180 degrees.
  public let unwrappedEast: Double
  /// The least latitude, degrees.
  public let south: Double
  /// The greatest latitude, degrees.
  public let north: Double

  /// - Throws: ``GeoPolygonError``.
  public init(_ points: [Coordinate]) throws(GeoPolygonError) {
    var corners = points
    if corners.count > 1, corners.first == corners.last { corners.removeLast() }
    guard Set(corners).count >= 3 else { throw .tooFewCorners(Set(corners).count) }
    var unwrapped = [corners[0].longitude]
    unwrapped.reserveCapacity(corners.count)
    for i in 1..<corners.count {
      unwrapped.append(
        unwrapped[i - 1] + Self.shortWay(corners[i].longitude - corners[i - 1].longitude))
    }
    let last = corners.count - 1
    let closing =
      unwrapped[last] + Self.shortWay(corners[0].longitude - corners[last].longitude)
    guard (closing - unwrapped[0]).magnitude < 180 else { throw .enclosesPole }
    let west = unwrapped.min() ?? 0
    let east = unwrapped.max() ?? 0
    guard east - west <= 360 else { throw .overlapsItself }
    self.corners = corners
    unwrappedLongitudes = unwrapped
    unwrappedWest = west
    unwrappedEast = east
    south = corners.map(\.latitude).min() ?? 0
    north = corners.map(\.latitude).max() ?? 0
  }

  /// A difference of longitudes brought into -180...180 (exactly 180 stays as given).
  @inlinable
  static func shortWay(_ delta: Double) -> Double {
    if delta > 180 { return delta - 360 }
    if delta < -180 { return delta + 360 }
    return delta
  }

  /// - Complexity: O(corners).
  public func contains(latitude: Double, longitude: Double) -> Bool {
    guard latitude >= south && latitude <= north else { return false }
    var inside = false
    // The same meridian, a turn to the west or east, may lie in the unwrapped ring.
    for turn in [-360.0, 0, 360] {
      let x = longitude + turn
      guard x >= unwrappedWest && x <= unwrappedEast else { continue }
      if evenOdd(x: x, y: latitude) { inside.toggle() }
    }
    return inside
  }

  /// Whether a coordinate lies inside.
  @inlinable
  public func contains(_ coordinate: Coordinate) -> Bool {
    contains(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// Ray casting (W. R. Franklin, PNPOLY).
  private func evenOdd(x: Double, y: Double) -> Bool {
    var inside = false
    var j = corners.count - 1
    for i in corners.indices {
      let yi = corners[i].latitude
      let yj = corners[j].latitude
      if (yi > y) != (yj > y) {
        let xi = unwrappedLongitudes[i]
        let xj = unwrappedLongitudes[j]
        if x < (xj - xi) * (y - yi) / (yj - yi) + xi { inside.toggle() }
      }
      j = i
    }
    return inside
  }

  /// The smallest box around it in wrapped degrees; crosses 180 degrees when the polygon does.
  public var bounds: GeoBox {
    if unwrappedEast - unwrappedWest >= 360 {
      return GeoBox(uncheckedWest: -180, south: south, east: 180, north: north)
    }
    return GeoBox(
      uncheckedWest: Coordinate.wrappedLongitude(unwrappedWest), south: south,
      east: Coordinate.wrappedLongitude(unwrappedEast), north: north)
  }
}

/// Why a ring of coordinates is not a polygon.
public enum GeoPolygonError: Error, Hashable, Sendable {
  /// Fewer than three different corners.
  case tooFewCorners(Int)
  /// The ring winds around a pole, so that inside and outside are not told apart.
  case enclosesPole
  /// The ring spans more than a whole turn of longitude.
  case overlapsItself
}
