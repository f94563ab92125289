package import GeoMath

/// An area that is watched.
package enum WatchArea: Hashable, Sendable {
  /// The objects within a radius in whole millimetres, inclusive.
  case circle(center: Coordinate, radiusMillimeters: Int64)
  case box(GeoBox)
  case polygon(GeoPolygon)

  func addFingerprint(to fingerprint: inout QueryFingerprint) {
    switch self {
    case .circle(let center, let radius):
      fingerprint.add("circle")
      fingerprint.add(center.latitude)
      fingerprint.add(center.longitude)
      fingerprint.add(Int(radius))
    case .box(let box): SearchAreaFingerprint.add(box, to: &fingerprint)
    case .polygon(let polygon): SearchAreaFingerprint.add(polygon, to: &fingerprint)
    }
  }
}

private enum SearchAreaFingerprint {
  static func add(_ box: GeoBox, to fingerprint: inout QueryFingerprint) {
    fingerprint.add("box")
    for edge in [box.west, box.south, box.east, box.north] { fingerprint.add(edge) }
  }

  static func add(_ polygon: GeoPolygon, to fingerprint: inout QueryFingerprint) {
    fingerprint.add("polygon")
    fingerprint.add(polygon.corners.count)
    for corner in polygon.corners {
      fingerprint.add(corner.latitude)
      fingerprint.add(corner.longitude)
    }
  }
}

/// A small circle on the Mercator map, which decides for points well inside and well outside.
///
/// The scale of the map lies between its values at the ends of a band of latitudes around the
/// circle, and the ellipsoid's distance between 0.9944 and 1.0045 of the haversine distance
/// (``HaversineBounds``), so that only points in a thin ring need trigonometry.
private struct PlanarCircle: Sendable {
  private let center: MercatorPoint
  /// The squared distance in Mercator units below which a point is inside.
  private let insideBelow: Double
  private let outsideAbove: Double

  /// Prepares a circle; `nil` when it is too large or too near a pole.
  init?(_ center: Coordinate, radiusMeters: Double, bounds: GeoBox) {
    // Cells that cover the circle reach beyond it by less than its size.
    let height = max(bounds.north - bounds.south, 1e-6)
    let south = bounds.south - height
    let north = bounds.north + height
    guard radiusMeters < 50_000, south > -80, north < 80 else { return nil }
    let nearest = south <= 0 && north >= 0 ? 0 : min(south.magnitude, north.magnitude)
    let farthest = max(south.magnitude, north.magnitude)
    let sphere = Earth.meanRadiusMeters / Earth.semiMajorAxisMeters
    let most =
      MercatorPoint.metersPerUnit(latitude: nearest) * sphere * HaversineBounds.maximumRatio
    let least =
      MercatorPoint.metersPerUnit(latitude: farthest) * sphere * HaversineBounds.minimumRatio
    self.center = MercatorPoint(center)
    // Two units allow for the rounding of both points, half a millimetre for that of distances.
    let inside = max(0, (radiusMeters - 0.001) / most - 4)
    let outside = (radiusMeters + 0.001) / least + 4
    insideBelow = inside * inside
    outsideAbove = outside * outside
  }

  @inline(__always)
  func holds(_ point: MercatorPoint) -> Bool? {
    // The difference wraps at 180 degrees.
    let dx = Double(Int32(truncatingIfNeeded: point.x &- center.x))
    let dy = Double(Int32(truncatingIfNeeded: point.y &- center.y))
    let squared = dx * dx + dy * dy
    if squared < insideBelow { return true }
    return squared > outsideAbove ? false : nil
  }
}

/// A ``WatchArea`` prepared for many tests.
struct PreparedWatchArea: Sendable {
  private enum Form: Sendable {
    case circle(DistanceOrigin, radiusMillimeters: Int64, PruningBounds)
    case box(GeoBox)
    case polygon(PreparedPolygon)
  }

  enum Relation {
    case outside
    case mixed
    /// Every point of the cell is in the area.
    case inside
  }

  private let form: Form
  /// The circle on the map, when it is small enough for that.
  private let planar: PlanarCircle?
  /// A box that holds every point of the area.
  let bounds: GeoBox

  init(_ area: WatchArea) {
    switch area {
    case .circle(let center, let radius):
      form = .circle(
        DistanceOrigin(center), radiusMillimeters: radius,
        PruningBounds(latitude: center.latitude, longitude: center.longitude))
      bounds = GeoBox(covering: center, radiusMillimeters: radius)
      planar = PlanarCircle(center, radiusMeters: Double(radius) / 1000, bounds: bounds)
    case .box(let box):
      form = .box(box)
      bounds = box
      planar = nil
    case .polygon(let polygon):
      form = .polygon(PreparedPolygon(polygon))
      bounds = polygon.bounds
      planar = nil
    }
  }

  /// Tests a point exactly, as queries do.
  func contains(latitude: Double, longitude: Double) -> Bool {
    switch form {
    case .circle(let origin, let radius, _):
      origin.millimeters(latitude: latitude, longitude: longitude) <= radius
    case .box(let box): box.contains(latitude: latitude, longitude: longitude)
    case .polygon(let polygon): polygon.contains(latitude: latitude, longitude: longitude)
    }
  }

  /// Returns whether the area holds a point of the map, `nil` where only
  /// ``contains(latitude:longitude:)`` can tell.
  @inline(__always)
  func holds(_ point: MercatorPoint) -> Bool? { planar?.holds(point) }

  /// Returns how a cell of `side` Mercator units, with its north-west corner at x, y, lies to the
  /// area. The answers `inside` and `outside` are certain.
  func relation(x: UInt32, y: UInt32, side: UInt64) -> Relation {
    let right = UInt64(x) + side
    let bottom = UInt64(y) + side
    // The first and last rows hold clamped latitudes, and the ends of longitude are one meridian.
    guard y > 0, bottom < 1 << 32, x > 0, right < 1 << 32 else { return .mixed }
    // Rows and columns are rounded down, so that each side gets a unit of slack.
    let cell = GeoBox(
      uncheckedWest: MercatorPoint.longitude(x: Double(x) - 1),
      south: MercatorPoint.latitude(y: Double(bottom) + 1),
      east: MercatorPoint.longitude(x: Double(right) + 1),
      north: MercatorPoint.latitude(y: Double(y) - 1))
    switch form {
    case .circle(let origin, let radius, let pruning):
      let meters = (Double(radius) + 0.5) / 1000
      if pruning.lowerMeters(to: cell) > meters { return .outside }
      return Self.farthestMeters(from: origin, to: cell) < meters ? .inside : .mixed
    case .box(let box):
      if !box.intersects(cell) { return .outside }
      let isInside =
        cell.south > box.south && cell.north < box.north
        && box.contains(latitude: cell.south, longitude: cell.west)
        && box.contains(latitude: cell.south, longitude: cell.east)
        && box.longitudeSpan > cell.longitudeSpan
      // A box across the antimeridian may hold both ends of a cell and not its middle.
      return isInside && box.longitudeSpan < 180 ? .inside : .mixed
    case .polygon(let polygon):
      switch polygon.coverage(of: cell) {
      case .none: return .outside
      case .partial: return .mixed
      case .full: return .inside
      }
    }
  }

  /// Returns a distance that no point of a small cell exceeds. Distance grows with the difference
  /// in longitude, and along a meridian it is greatest at an end, so that a corner is the farthest.
  private static func farthestMeters(from origin: DistanceOrigin, to cell: GeoBox) -> Double {
    guard cell.longitudeSpan < 1, (cell.west - origin.longitude).magnitude < 90 else {
      return .infinity
    }
    var farthest = 0.0
    for latitude in [cell.south, cell.north] {
      for longitude in [cell.west, cell.east] {
        farthest = max(farthest, origin.meters(latitude: latitude, longitude: longitude))
      }
    }
    // On the ellipsoid this holds only nearly.
    return farthest * 1.001 + 0.1
  }
}
