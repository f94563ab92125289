import GeoMath

/// A ``SearchArea`` prepared for many tests: conservative intervals of Mercator units for whole
/// cells, and the exact test for points.
struct PreparedArea {
  enum Relation {
    case outside
    case mixed
    /// Every point of the cell is in the area.
    case inside
  }

  /// A run of columns or rows, both ends included. It is empty when `first` is greater than `last`.
  private struct Run {
    var first: UInt32
    var last: UInt32

    static let none = Run(first: .max, last: 0)

    @inline(__always)
    func touches(_ start: UInt32, _ end: UInt32) -> Bool { end >= first && start <= last }

    @inline(__always)
    func holds(_ start: UInt32, _ end: UInt32) -> Bool { start >= first && end <= last }

    /// Returns which of eight columns or rows are in the run, by one unsigned comparison.
    @inline(__always)
    func holds(_ at: SIMD8<UInt32>) -> SIMDMask<SIMD8<Int32>> {
      // The sign bit is flipped, so that a signed comparison, which every processor has, will do.
      let half = SIMD8<UInt32>(repeating: 1 << 31)
      let offset = SIMD8<Int32>(truncatingIfNeeded: (at &- SIMD8<UInt32>(repeating: first)) ^ half)
      let width = SIMD8<Int32>(
        truncatingIfNeeded: SIMD8<UInt32>(repeating: last &- first) ^ half)
      let isWithin: SIMDMask<SIMD8<Int32>> = offset .<= width
      return isWithin
    }
  }

  private let area: SearchArea
  /// A polygon has either its rows or, where they cannot be used, itself.
  private let rows: PolygonRows?
  private let polygon: PreparedPolygon?
  /// The columns that may hold points of the area, its edges included.
  private let outerColumns: Run
  private let outerRows: Run
  /// The columns and rows whose points are certainly in a box.
  private let innerColumns: Run
  private let innerRows: Run
  /// Up to three further runs of columns of an area at 180 degrees; other areas have none.
  private var otherOuter: [Run] = []
  private var otherInner: [Run] = []

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
    outerRows = Run(first: top == 0 ? 0 : top - 1, last: bottom == .max ? .max : bottom + 1)
    // Rows 0 and 2^32 - 1 hold clamped latitudes, so that only the exact test decides there.
    innerRows =
      isBox && bottom > 2 && top < bottom - 2
      ? Run(first: max(1, top + 1), last: min(.max - 1, bottom - 1)) : .none
    let isDivided = bounds.crossesAntimeridian
    (outerColumns, innerColumns) = Self.columns(
      west: bounds.west, east: isDivided ? 180 : bounds.east, isBox: isBox)
    if isDivided {
      let (outer, inner) = Self.columns(west: -180, east: bounds.east, isBox: isBox)
      otherOuter.append(outer)
      otherInner.append(inner)
    }
    // 180 and -180 are one meridian; polygons may also have been wrapped by rounding.
    if bounds.east >= 179.999_999 || isDivided { otherOuter.append(Run(first: 0, last: 1)) }
    if bounds.west <= -179.999_999 || isDivided {
      otherOuter.append(Run(first: .max - 1, last: .max))
    }
  }

  /// Returns the columns that may lie between two longitudes, and those of a box that certainly do.
  private static func columns(
    west: Double, east: Double, isBox: Bool
  ) -> (outer: Run, inner: Run) {
    let first = MercatorPoint.x(longitude: west)
    let last = MercatorPoint.x(longitude: east)
    return (
      Run(first: first == 0 ? 0 : first - 1, last: last == .max ? .max : last + 1),
      isBox && last > first && last - first > 2 ? Run(first: first + 1, last: last - 1) : .none
    )
  }

  /// Returns how a cell of `side` units (up to 2^32), with its north-west corner at x, y, lies to
  /// the area.
  func relation(x: UInt32, y: UInt32, side: UInt64) -> Relation {
    let right = UInt32(truncatingIfNeeded: UInt64(x) &+ side &- 1)
    let bottom = UInt32(truncatingIfNeeded: UInt64(y) &+ side &- 1)
    guard outerRows.touches(y, bottom) else { return .outside }
    guard
      outerColumns.touches(x, right)
        || (!otherOuter.isEmpty && otherOuter.contains { $0.touches(x, right) })
    else { return .outside }
    if let rows { return rows.relation(x: x, y: y, right: right, bottom: bottom) }
    if let polygon { return polygon.relation(x: x, y: y, right: right, bottom: bottom) }
    let isInside =
      innerRows.holds(y, bottom)
      && (innerColumns.holds(x, right)
        || (!otherInner.isEmpty && otherInner.contains { $0.holds(x, right) }))
    return isInside ? .inside : .mixed
  }

  /// Returns for each of a block's points how its unit square lies to the area, as a
  /// ``PolygonRows/Mark``. Only the first `lanes` marks count.
  @inline(__always)
  func mark(
    _ block: UnsafePointer<PointBlock>, lanes: Int, into marks: UnsafeMutablePointer<UInt32>
  ) {
    if let rows { return unsafe rows.mark(UnsafeRawPointer(block), lanes: lanes, into: marks) }
    let eight =
      unsafe polygon != nil
      ? SIMD8(repeating: PolygonRows.Mark.unknown) : boxMarks(block.pointee.x, block.pointee.y)
    unsafe UnsafeMutableRawPointer(marks).storeBytes(of: eight, as: SIMD8<UInt32>.self)
  }

  @inline(__always)
  private func boxMarks(_ x: SIMD8<UInt32>, _ y: SIMD8<UInt32>) -> SIMD8<UInt32> {
    var isOuter = outerColumns.holds(x)
    for run in otherOuter { isOuter = isOuter .| run.holds(x) }
    isOuter = isOuter .& outerRows.holds(y)
    var marks = SIMD8<UInt32>(repeating: PolygonRows.Mark.outside)
    marks.replace(with: PolygonRows.Mark.unknown, where: isOuter)
    // An empty run would be read as one that holds every column.
    guard innerRows.first <= innerRows.last else { return marks }
    var isInner = SIMDMask<SIMD8<Int32>>(repeating: false)
    if innerColumns.first <= innerColumns.last { isInner = innerColumns.holds(x) }
    for run in otherInner where run.first <= run.last { isInner = isInner .| run.holds(x) }
    marks.replace(with: PolygonRows.Mark.inside, where: isInner .& innerRows.holds(y))
    return marks
  }

  /// Tests a point exactly.
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
  /// Returns how a cell of Mercator units lies to the polygon.
  func relation(x: UInt32, y: UInt32, right: UInt32, bottom: UInt32) -> PreparedArea.Relation {
    // Clamped rows hold latitudes that the cell's edges do not tell.
    if y == 0 || bottom == .max { return .mixed }
    // Rows and columns are rounded down, so that each side gets a unit of slack.
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
