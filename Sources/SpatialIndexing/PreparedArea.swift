import GeoMath

/// A ``SearchArea`` made ready for many questions: conservative intervals of Mercator units for
/// whole cells, and the exact test for points.
struct PreparedArea {
  enum Relation {
    case outside
    case mixed
    /// Every point of the cell is in the area.
    case inside
  }

  private struct Columns {
    var first: UInt32
    var last: UInt32
  }

  private let area: SearchArea
  private let polygon: PreparedPolygon?
  /// Columns that may hold points of the area: one to four runs, edges included.
  private var outer: [Columns] = []
  /// Columns and rows whose points are in a box for certain.
  private var inner: [Columns] = []
  private let outerRows: Columns
  private let innerRows: Columns?

  init(_ area: SearchArea) {
    self.area = area
    let bounds: GeoBox
    switch area {
    case .box(let box):
      bounds = box
      polygon = nil
    case .polygon(let corners):
      bounds = corners.bounds
      polygon = PreparedPolygon(corners)
    }
    let top = MercatorPoint.y(latitude: bounds.north)
    let bottom = MercatorPoint.y(latitude: bounds.south)
    outerRows = Columns(first: top == 0 ? 0 : top - 1, last: bottom == .max ? .max : bottom + 1)
    // Rows 0 and 2^32 - 1 hold clamped latitudes and are never taken for granted.
    innerRows =
      polygon == nil && bottom > 2 && top < bottom - 2
      ? Columns(first: max(1, top + 1), last: min(.max - 1, bottom - 1)) : nil
    for half in bounds.splitAtAntimeridian {
      let west = MercatorPoint.x(longitude: half.west)
      let east = MercatorPoint.x(longitude: half.east)
      outer.append(
        Columns(first: west == 0 ? 0 : west - 1, last: east == .max ? .max : east + 1))
      if east > west && east - west > 2 { inner.append(Columns(first: west + 1, last: east - 1)) }
    }
    // 180 and -180 are one meridian; polygons may also have been wrapped by rounding.
    if bounds.east >= 179.999_999 || bounds.crossesAntimeridian {
      outer.append(Columns(first: 0, last: 1))
    }
    if bounds.west <= -179.999_999 || bounds.crossesAntimeridian {
      outer.append(Columns(first: .max - 1, last: .max))
    }
  }

  /// How a cell of `side` units (up to 2^32) with its north-west corner at x, y lies to the area.
  func relation(x: UInt32, y: UInt32, side: UInt64) -> Relation {
    let right = UInt32(truncatingIfNeeded: UInt64(x) + side - 1)
    let bottom = UInt32(truncatingIfNeeded: UInt64(y) + side - 1)
    guard bottom >= outerRows.first && y <= outerRows.last else { return .outside }
    var touches = false
    for run in outer where right >= run.first && x <= run.last { touches = true }
    guard touches else { return .outside }
    if let polygon { return polygon.relation(x: x, y: y, right: right, bottom: bottom) }
    if let rows = innerRows, y >= rows.first && bottom <= rows.last {
      for run in inner where x >= run.first && right <= run.last { return .inside }
    }
    return .mixed
  }

  /// How a point's unit square lies to the area: settles nearly all points of a box.
  @inline(__always)
  func relation(of point: MercatorPoint) -> Relation {
    guard polygon == nil else { return .mixed }
    if let rows = innerRows, point.y >= rows.first && point.y <= rows.last {
      for run in inner where point.x >= run.first && point.x <= run.last { return .inside }
    }
    guard point.y >= outerRows.first && point.y <= outerRows.last else { return .outside }
    for run in outer where point.x >= run.first && point.x <= run.last { return .mixed }
    return .outside
  }

  /// The exact test.
  @inline(__always)
  func contains(latitude: Double, longitude: Double) -> Bool {
    switch area {
    case .box(let box): return box.contains(latitude: latitude, longitude: longitude)
    case .polygon:
      return unsafe polygon.unsafelyUnwrapped.contains(latitude: latitude, longitude: longitude)
    }
  }
}

extension PreparedPolygon {
  /// How a cell of Mercator units lies to the polygon.
  func relation(x: UInt32, y: UInt32, right: UInt32, bottom: UInt32) -> PreparedArea.Relation {
    // Clamped rows hold latitudes that the cell's edges do not tell.
    if y == 0 || bottom == .max { return .mixed }
    // A unit of slack on each side: rows and columns are rounded down.
    let box = GeoBox(
      uncheckedWest: MercatorPoint.longitude(x: Double(x) - 1),
      south: MercatorPoint.latitude(y: Double(bottom) + 2),
      east: MercatorPoint.longitude(x: Double(right) + 2),
      north: MercatorPoint.latitude(y: Double(y) - 1))
    switch coverage(of: box) {
    case .none: return .outside
    case .partial: return .mixed
    case .full: return .inside
    }
  }
}
