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
  /// Of a polygon one of the two is there.
  private let rows: PolygonRows?
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
      rows = nil
      polygon = nil
    case .polygon(let corners):
      bounds = corners.bounds
      rows = PolygonRows(corners)
      polygon = rows == nil ? PreparedPolygon(corners) : nil
    }
    let isBox = rows == nil && polygon == nil
    let top = MercatorPoint.y(latitude: bounds.north)
    let bottom = MercatorPoint.y(latitude: bounds.south)
    outerRows = Columns(first: top == 0 ? 0 : top - 1, last: bottom == .max ? .max : bottom + 1)
    // Rows 0 and 2^32 - 1 hold clamped latitudes and are never taken for granted.
    innerRows =
      isBox && bottom > 2 && top < bottom - 2
      ? Columns(first: max(1, top + 1), last: min(.max - 1, bottom - 1)) : nil
    for half in bounds.splitAtAntimeridian {
      let west = MercatorPoint.x(longitude: half.west)
      let east = MercatorPoint.x(longitude: half.east)
      outer.append(
        Columns(first: west == 0 ? 0 : west - 1, last: east == .max ? .max : east + 1))
      if isBox && east > west && east - west > 2 {
        inner.append(Columns(first: west + 1, last: east - 1))
      }
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
    if let rows { return rows.relation(x: x, y: y, right: right, bottom: bottom) }
    if let polygon { return polygon.relation(x: x, y: y, right: right, bottom: bottom) }
    if let rows = innerRows, y >= rows.first && bottom <= rows.last {
      for run in inner where x >= run.first && right <= run.last { return .inside }
    }
    return .mixed
  }

  /// How the unit squares of eight points lie to the area: a ``PolygonRows/Mark`` each, of which the
  /// first `lanes` count.
  @inline(__always)
  func marks(_ x: SIMD8<UInt32>, _ y: SIMD8<UInt32>, lanes: Int) -> SIMD8<UInt32> {
    if let rows { return rows.marks(x, y, lanes: lanes) }
    if polygon != nil { return SIMD8(repeating: PolygonRows.Mark.unknown) }
    // Runs of rows and columns are tested by one unsigned comparison each.
    var isOuter = SIMDMask<SIMD8<Int32>>(repeating: false)
    for run in outer { isOuter = isOuter .| Self.holds(run, x) }
    isOuter = isOuter .& Self.holds(outerRows, y)
    var marks = SIMD8<UInt32>(repeating: PolygonRows.Mark.outside)
    marks.replace(with: PolygonRows.Mark.unknown, where: isOuter)
    if let innerRows {
      var isInner = SIMDMask<SIMD8<Int32>>(repeating: false)
      for run in inner { isInner = isInner .| Self.holds(run, x) }
      marks.replace(with: PolygonRows.Mark.inside, where: isInner .& Self.holds(innerRows, y))
    }
    return marks
  }

  /// Which of eight columns or rows are in a run.
  @inline(__always)
  private static func holds(_ run: Columns, _ at: SIMD8<UInt32>) -> SIMDMask<SIMD8<Int32>> {
    // Signed comparison after turning the sign around: what every processor has.
    let half = SIMD8<UInt32>(repeating: 1 << 31)
    let offset = SIMD8<Int32>(
      truncatingIfNeeded: (at &- SIMD8<UInt32>(repeating: run.first)) ^ half)
    let width = SIMD8<Int32>(
      truncatingIfNeeded: SIMD8<UInt32>(repeating: run.last - run.first) ^ half)
    let isWithin: SIMDMask<SIMD8<Int32>> = offset .<= width
    return isWithin
  }

  /// The exact test.
  @inline(__always)
  func contains(latitude: Double, longitude: Double) -> Bool {
    switch area {
    case .box(let box): return box.contains(latitude: latitude, longitude: longitude)
    case .polygon(let corners):
      return rows?.contains(latitude: latitude, longitude: longitude)
        ?? polygon?.contains(latitude: latitude, longitude: longitude)
        ?? corners.contains(latitude: latitude, longitude: longitude)
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
