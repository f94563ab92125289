#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
public import GeoMath
public import ObjectModel

/// A square of a ``ProtectionGrid``.
public struct ProtectedCell: Hashable, Sendable {
  /// How often the side of the smallest cell is doubled, from 0 on.
  public var level: Int
  /// Rows of this level from the south pole on.
  public var row: Int
  /// Columns of this level from 180 degrees west on.
  public var column: Int

  /// Makes the address of a cell.
  public init(level: Int, row: Int, column: Int) {
    self.level = level
    self.row = row
    self.column = column
  }

  /// The same as one number: no row or column of a grid reaches 2^29.
  package var key: UInt64 {
    UInt64(truncatingIfNeeded: level) << 58 | UInt64(truncatingIfNeeded: row) << 29
      | UInt64(truncatingIfNeeded: column)
  }
}

/// Nested cells of equal size in meters all over the Earth.
///
/// ```
/// band (a row of the largest cells): its own number of columns, by the circumference at its middle
///   └── 2 x 2 cells of the next level ── 2 x 2 ── … ── smallest cells
/// ```
/// The four children of a cell fill it exactly, so whoever learns cells of several levels learns
/// the smallest of them and nothing more.
public struct ProtectionGrid: Hashable, Sendable {
  /// What the cells are made by.
  public let settings: ProtectionSettings
  /// The largest level.
  public let maximumLevel: Int
  /// Degrees of latitude along the side of a smallest cell.
  private let rowDegrees: Double
  private let marginKey: HashKey

  private static let metersPerDegree = Earth.meanRadiusMeters * .pi / 180

  /// Makes the grid of some settings.
  ///
  /// - Parameters:
  ///   - settings: How far positions are blurred.
  ///   - marginKey: A secret. Each person leaves each cell at another distance beyond it, between
  ///     the margin and a whole cell more; who watches a point move cannot know which.
  public init(settings: ProtectionSettings = ProtectionSettings(), marginKey: HashKey) {
    precondition(settings.cellMeters >= 1, "a cell has at least one meter")
    self.settings = settings
    self.marginKey = marginKey
    maximumLevel = settings.doublings
    rowDegrees = settings.cellMeters / Self.metersPerDegree
  }

  /// Returns the cell of a level that holds a place.
  /// - Complexity: O(1).
  public func cell(of place: Coordinate, level: Int) -> ProtectedCell {
    let row = min(rowCount - 1, max(0, Int((place.latitude + 90) / rowDegrees)))
    let columns = columnCount(band: row >> maximumLevel)
    let column = Int((place.longitude + 180) / 360 * Double(columns))
    return ProtectedCell(
      level: level, row: row >> level, column: (column >= columns ? 0 : column) >> level)
  }

  /// Returns the point at which everyone in a cell is shown.
  public func center(of cell: ProtectedCell) -> Coordinate {
    let side = 1 << cell.level
    let latitude = (Double(cell.row * side) + Double(side) / 2) * rowDegrees - 90
    let columns = columnCount(band: (cell.row << cell.level) >> maximumLevel)
    let longitude = (Double(cell.column * side) + Double(side) / 2) / Double(columns) * 360 - 180
    return Coordinate(
      uncheckedLatitude: min(90, max(-90, latitude)),
      longitude: Coordinate.wrappedLongitude(longitude))
  }

  /// Returns the cell in whose middle a point is, to 1e-6 degrees; nil: nobody is shown there.
  ///
  /// The middle of a cell is the middle of no other: it lies on a corner of the smaller ones.
  public func cell(shownAt point: Coordinate) -> ProtectedCell? {
    for level in 0...maximumLevel {
      let cell = cell(of: point, level: level)
      let middle = center(of: cell)
      if abs(middle.latitude - point.latitude) < 1e-6,
        abs(Coordinate.wrappedLongitude(middle.longitude - point.longitude)) < 1e-6
      {
        return cell
      }
    }
    return nil
  }

  /// Returns the place snapped to the smallest cell: what searches look from.
  public func snapped(_ place: Coordinate) -> Coordinate { center(of: cell(of: place, level: 0)) }

  /// Returns the cell twice as wide that holds a cell; a largest cell has none.
  public func parent(of cell: ProtectedCell) -> ProtectedCell? {
    guard cell.level < maximumLevel else { return nil }
    return ProtectedCell(level: cell.level + 1, row: cell.row >> 1, column: cell.column >> 1)
  }

  /// Meters along the side of a cell.
  public func sideMeters(of cell: ProtectedCell) -> Double {
    settings.cellMeters * Double(1 << cell.level)
  }

  /// Returns where a person is shown.
  ///
  /// The old cell stays as long as they are in it or not far enough beyond it. Otherwise the
  /// smallest cell is doubled until it holds ``ProtectionSettings/people``, at most to the largest.
  /// Who begins to wait anew gets a cell of the size that holds enough people now, by the same
  /// margin: what is shown over days does not tell on which side of a border they are.
  ///
  /// - Parameters:
  ///   - place: Where they are.
  ///   - userID: Who they are; their margins are their own.
  ///   - old: Where they were shown last.
  ///   - isStillShown: Whether they are shown there now.
  ///   - othersIn: How many other people are in a cell.
  /// - Returns: The old cell, or a new one that holds `place`.
  public func protect(
    _ place: Coordinate, userID: String, old: ProtectedCell?, isStillShown: Bool,
    othersIn: (ProtectedCell) -> Int
  ) -> ProtectedCell {
    var found = cell(of: place, level: 0)
    if let old, old.level <= maximumLevel {
      let beyond = metersBeyond(old, place)
      // Who is inside needs no margin, which is a hash.
      if beyond == 0 || beyond <= margin(userID: userID, cell: old) {
        if isStillShown { return old }
        if old.level == 0 || beyond > 0 { found = old }
      }
    }
    while let wider = parent(of: found), othersIn(found) + 1 < settings.people { found = wider }
    return found
  }

  /// Meters from the border of a cell to a place outside; 0 inside.
  public func metersBeyond(_ cell: ProtectedCell, _ place: Coordinate) -> Double {
    let side = Double(1 << cell.level)
    let south = Double(cell.row) * side * rowDegrees - 90
    let north = south + side * rowDegrees
    let middle = center(of: cell)
    let columns = columnCount(band: (cell.row << cell.level) >> maximumLevel)
    let halfWidth = side / Double(columns) * 180
    let turn = abs(Coordinate.wrappedLongitude(place.longitude - middle.longitude))
    let east = max(0, turn - halfWidth) * Self.metersPerDegree * cos(middle.latitude * .pi / 180)
    let up = max(0, south - place.latitude, place.latitude - north) * Self.metersPerDegree
    return (east * east + up * up).squareRoot()
  }

  /// How far beyond a cell this person is when it is left: from the margin on, up to a side more.
  func margin(userID: String, cell: ProtectedCell) -> Double {
    var bytes = Array(userID.utf8)
    for number in [cell.level, cell.row, cell.column] {
      withUnsafeBytes(of: Int64(number).littleEndian) { bytes.append(contentsOf: $0) }
    }
    let word = bytes.withUnsafeBytes { KeyedHash(key: marginKey)($0) }
    return settings.marginMeters + Double(word >> 11) * 0x1p-53 * settings.cellMeters
  }

  // MARK: Rows and columns

  private var rowCount: Int {
    let smallest = Int((180 / rowDegrees).rounded(.up))
    let side = 1 << maximumLevel
    return (smallest + side - 1) / side * side
  }

  /// Smallest cells around the Earth in a band; a multiple of a largest cell's side.
  private func columnCount(band: Int) -> Int {
    let side = 1 << maximumLevel
    let latitude = min(90, (Double(band) + 0.5) * Double(side) * rowDegrees - 90)
    let around = 360 / rowDegrees * cos(latitude * .pi / 180)
    return max(1, Int(around / Double(side))) * side
  }

  /// Neighbouring cells of one row.
  package struct Run {
    package let level: Int
    package let row: Int
    package let columns: Range<Int>
  }

  /// Returns all cells of a level whose centre may lie within a distance of a place, and a few more.
  ///
  /// - Parameters:
  ///   - level: Of the cells.
  ///   - place: Where is measured from.
  ///   - radiusMeters: By the ellipsoid's measure.
  ///   - slackSides: By how many sides of a cell the distance is exceeded: 0 for centres, 1.5 for
  ///     whatever is in a cell.
  /// - Returns: The runs of cells, south to north.
  /// - Complexity: O(rows).
  package func runs(
    level: Int, around place: Coordinate, radiusMeters: Double, slackSides: Double = 0
  ) -> [Run] {
    let side = 1 << level
    let height = Double(side) * rowDegrees
    // The measure of the ellipsoid is within 0.6 % of the sphere's.
    let meters = radiusMeters * 1.01 + slackSides * settings.cellMeters * Double(side) + 0.01
    let reach = meters / Self.metersPerDegree
    let first = max(0, Int(((place.latitude + 90 - reach) / height - 0.5).rounded(.down)))
    let last = min(
      rowCount / side - 1, Int(((place.latitude + 90 + reach) / height - 0.5).rounded(.up)))
    guard first <= last else { return [] }
    let far = min(.pi / 2, reach * .pi / 360)
    var runs: [Run] = []
    for row in first...last {
      let columns = columnCount(band: (row << level) >> maximumLevel) / side
      let latitude = min(90, max(-90, (Double(row) + 0.5) * height - 90))
      // The haversine law, solved for the turn: hav(d) = hav(north) + cos cos hav(turn).
      let north = sin((latitude - place.latitude) * .pi / 360)
      let left = sin(far) * sin(far) - north * north
      let shrink = cos(latitude * .pi / 180) * cos(place.latitude * .pi / 180)
      guard left >= 0 || slackSides > 0 else { continue }
      let share = shrink > 1e-9 ? max(0, left) / shrink : 1
      let turn = share < 1 ? asin(share.squareRoot()) * 360 / .pi : 180
      let middle = (place.longitude + 180) / 360 * Double(columns)
      let half = turn / 360 * Double(columns) + 0.5 + 1e-6
      let from = Int((middle - half).rounded(.down))
      let through = Int((middle + half).rounded(.down))
      if through - from + 1 >= columns {
        runs.append(Run(level: level, row: row, columns: 0..<columns))
      } else {
        let start = ((from % columns) + columns) % columns
        let end = start + through - from + 1
        runs.append(Run(level: level, row: row, columns: start..<min(end, columns)))
        if end > columns { runs.append(Run(level: level, row: row, columns: 0..<end - columns)) }
      }
    }
    return runs
  }
}
