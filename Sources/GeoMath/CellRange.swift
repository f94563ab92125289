/// A square cell of a quadtree over the 2^32 x 2^32 plane: 2^level columns and rows.
public struct CellAddress: Hashable, Sendable {
  /// The level of the grid, 0...31: it has 2^level cells on a side.
  public let level: UInt8
  /// 0..<2^level, growing eastwards.
  public let column: UInt32
  /// 0..<2^level, growing southwards.
  public let row: UInt32

  /// Names a cell; the column and row must lie in the level's range.
  @inlinable
  public init(level: UInt8, column: UInt32, row: UInt32) {
    self.level = level
    self.column = column
    self.row = row
  }
}

/// A rectangle of cells, the snapped form of a viewport: viewports that differ by less than a cell
/// become the same key, and each caller filters the shared superset down to its own.
///
/// The plane is a cylinder, as Web Mercator is: columns wrap, rows do not.
public struct CellRange: Hashable, Sendable {
  /// The level of the grid, 0...31: it has 2^level cells on a side.
  public let level: UInt8
  /// The westmost column.
  public let column: UInt32
  /// The northmost row.
  public let row: UInt32
  /// 1...2^level, going east and round.
  public let columns: UInt32
  /// 1...2^level - row.
  public let rows: UInt32

  @usableFromInline
  init(level: UInt8, column: UInt32, row: UInt32, columns: UInt32, rows: UInt32) {
    self.level = level
    self.column = column
    self.row = row
    self.columns = columns
    self.rows = rows
  }

  /// The smallest range that covers a box at the finest level at which it spans at most
  /// `cellsAcross` columns and rows: up to twice the box's larger side, and typically 1.2 to 1.5
  /// times each side.
  ///
  /// - Parameters:
  ///   - west: The first column of the plane, inside.
  ///   - north: The first row, inside.
  ///   - east: The last column, inside; `west > east` wraps.
  ///   - south: The last row, inside.
  ///   - cellsAcross: The most columns and rows, 2...64.
  /// - Precondition: `north <= south`.
  public init(
    west: UInt32, north: UInt32, east: UInt32, south: UInt32, cellsAcross: Int = 8
  ) {
    precondition(north <= south, "rows grow southwards")
    precondition((2...64).contains(cellsAcross), "a range has 2 to 64 cells across")
    let limit = UInt64(cellsAcross)
    for level in stride(from: 31, through: 1, by: -1) as StrideThrough<UInt32> {
      let shift = 32 - level
      let (first, last) = (west >> shift, east >> shift)
      let mask = UInt64(1) << UInt64(level) - 1
      // A box that wraps into its own first column covers the whole round.
      let columns =
        first == last && west > east ? mask + 1 : (UInt64(last) &- UInt64(first)) & mask + 1
      let rows = UInt64(south >> shift - north >> shift) + 1
      guard columns <= limit, rows <= limit else { continue }
      self.init(
        level: UInt8(level), column: first, row: north >> shift, columns: UInt32(columns),
        rows: UInt32(rows))
      return
    }
    self.init(level: 0, column: 0, row: 0, columns: 1, rows: 1)
  }

  /// First column of the plane.
  public var west: UInt32 { UInt32(truncatingIfNeeded: UInt64(column) << UInt64(32 - level)) }
  /// First row of the plane.
  public var north: UInt32 { UInt32(truncatingIfNeeded: UInt64(row) << UInt64(32 - level)) }
  /// Columns of the plane covered, up to 2^32.
  public var width: UInt64 { UInt64(columns) << UInt64(32 - level) }
  /// Rows of the plane covered, up to 2^32.
  public var height: UInt64 { UInt64(rows) << UInt64(32 - level) }
  /// The number of cells.
  public var count: Int { Int(columns) * Int(rows) }

  /// Whether every point of another range, of any level, lies in this one.
  public func contains(_ other: CellRange) -> Bool {
    guard other.north >= north,
      UInt64(other.north) + other.height <= UInt64(north) + height
    else { return false }
    if width == 1 << 32 { return true }
    let offset = UInt64(other.west &- west)
    return offset + other.width <= width
  }

  /// Whether a point of the plane lies in it.
  public func contains(x: UInt32, y: UInt32) -> Bool {
    y >= north && UInt64(y) < UInt64(north) + height && UInt64(x &- west) < width
  }

  /// The cells of the range, row by row from the north-west.
  public var cells: [CellAddress] {
    let mask = UInt32(truncatingIfNeeded: UInt64(1) << UInt64(level) - 1)
    return (0..<rows).flatMap { down in
      (0..<columns).map { along in
        CellAddress(level: level, column: (column &+ along) & mask, row: row + down)
      }
    }
  }

  /// The range that is one cell.
  public init(_ cell: CellAddress) {
    self.init(level: cell.level, column: cell.column, row: cell.row, columns: 1, rows: 1)
  }
}
