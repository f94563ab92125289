package import GeoMath

/// An area that is watched.
package enum WatchArea: Hashable, Sendable {
  /// The radius is inclusive, in whole millimetres.
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

/// A small circle on the Mercator map: sure of points well inside and well outside.
///
/// The map's scale lies between its values at the ends of a band of latitudes around the circle, and
/// the ellipsoid's measure between 0.9944 and 1.0045 of the haversine distance
/// (``HaversineBounds``), so all but a thin ring needs no trigonometry.
private struct PlanarCircle: Sendable {
  private let center: MercatorPoint
  /// Squared Mercator units.
  private let insideBelow: Double
  private let outsideAbove: Double

  /// `nil` for circles too large, or too near a pole.
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
    // Two units for the rounding of both points, and half a millimetre for that of distances.
    let inside = max(0, (radiusMeters - 0.001) / most - 4)
    let outside = (radiusMeters + 0.001) / least + 4
    insideBelow = inside * inside
    outsideAbove = outside * outside
  }

  @inline(__always)
  func holds(_ point: MercatorPoint) -> Bool? {
    // Wraps at 180 degrees.
    let dx = Double(Int32(truncatingIfNeeded: point.x &- center.x))
    let dy = Double(Int32(truncatingIfNeeded: point.y &- center.y))
    let squared = dx * dx + dy * dy
    if squared < insideBelow { return true }
    return squared > outsideAbove ? false : nil
  }
}

/// A ``WatchArea`` made ready for many questions.
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
  /// Of a circle small enough to be measured on the map.
  private let planar: PlanarCircle?
  /// Holds every point of the area.
  let bounds: GeoBox

  init(_ area: WatchArea) {
    switch area {
    case .circle(let center, let radius):
      form = .circle(
        DistanceOrigin(center), radiusMillimeters: radius,
        PruningBounds(latitude: center.latitude, longitude: center.longitude))
      // Half a millimetre more, since distances are rounded to whole ones.
      bounds = GeoBox(covering: center, radiusMeters: (Double(radius) + 0.5) / 1000)
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

  /// The exact test, the same as that of queries.
  func contains(latitude: Double, longitude: Double) -> Bool {
    switch form {
    case .circle(let origin, let radius, _):
      origin.millimeters(latitude: latitude, longitude: longitude) <= radius
    case .box(let box): box.contains(latitude: latitude, longitude: longitude)
    case .polygon(let polygon): polygon.contains(latitude: latitude, longitude: longitude)
    }
  }

  /// Whether the area holds a point of the map, `nil` where only ``contains(latitude:longitude:)``
  /// can tell.
  @inline(__always)
  func holds(_ point: MercatorPoint) -> Bool? { planar?.holds(point) }

  /// How a cell of `side` Mercator units with its north-west corner at x, y lies to the area;
  /// `inside` and `outside` are certain.
  func relation(x: UInt32, y: UInt32, side: UInt64) -> Relation {
    let right = UInt64(x) + side
    let bottom = UInt64(y) + side
    // The first and last rows hold clamped latitudes, and the ends of longitude are one meridian.
    guard y > 0, bottom < 1 << 32, x > 0, right < 1 << 32 else { return .mixed }
    // A unit of slack on each side: rows and columns are rounded down.
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
      // A box around the world's back may hold both ends and not the middle.
      return isInside && box.longitudeSpan < 180 ? .inside : .mixed
    case .polygon(let polygon):
      switch polygon.coverage(of: cell) {
      case .none: return .outside
      case .partial: return .mixed
      case .full: return .inside
      }
    }
  }

  /// No point of a small cell is further away: distance grows with the difference in longitude,
  /// and along a meridian it has its greatest values at the ends; so it is greatest in a corner.
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
    // The ellipsoid's measure is not quite monotonous.
    return farthest * 1.001 + 0.1
  }
}
