public import GeoMath

/// An area that is watched.
public enum WatchArea: Hashable, Sendable {
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
    case .box(let box):
      form = .box(box)
      bounds = box
    case .polygon(let polygon):
      form = .polygon(PreparedPolygon(polygon))
      bounds = polygon.bounds
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
