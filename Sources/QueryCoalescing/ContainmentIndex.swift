/// Finds a larger question, cached or in flight, whose answer contains that of a smaller one.
///
/// `Filter` is everything about a question but its viewport: layer, tags, conditions. Only answers
/// that are complete for their range belong here, never ones cut off by a limit.
/// Bounded: the least recently used range leaves first.
public struct ContainmentIndex<Filter: Hashable, Answer> {
  @usableFromInline
  struct Item {
    @usableFromInline let range: CellRange
    @usableFromInline var answer: Answer
    @usableFromInline var reading: Reading?
    @usableFromInline var usedAt: UInt64
  }

  /// Ranges kept for one filter; a search looks at all of them.
  public let rangesPerFilter: Int
  public let filters: Int
  private var items: [Filter: [Item]] = [:]
  private var clock: UInt64 = 0

  public init(rangesPerFilter: Int = 32, filters: Int = 1_024) {
    precondition(rangesPerFilter > 0 && filters > 0)
    self.rangesPerFilter = rangesPerFilter
    self.filters = filters
  }

  /// Ranges held.
  public var count: Int { items.values.reduce(0) { $0 + $1.count } }

  /// Enters an answer, or the handle of one in flight (`reading` `nil`: it has not read yet), in
  /// the place of one for the same range and filter.
  /// - Complexity: O(`rangesPerFilter`); O(`filters`) when a filter must leave.
  public mutating func insert(
    _ answer: Answer, for filter: Filter, range: CellRange, reading: Reading?
  ) {
    clock += 1
    if items[filter] == nil, items.count >= filters {
      let oldest = items.min { a, b in lastUse(a.value) < lastUse(b.value) }
      if let oldest { items[oldest.key] = nil }
    }
    var list = items[filter] ?? []
    list.removeAll { $0.range == range }
    if list.count >= rangesPerFilter,
      let oldest = list.indices.min(by: { list[$0].usedAt < list[$1].usedAt })
    {
      list.remove(at: oldest)
    }
    list.append(Item(range: range, answer: answer, reading: reading, usedAt: clock))
    items[filter] = list
  }

  /// The smallest range that contains another and that the caller may have.
  /// - Complexity: O(`rangesPerFilter`).
  public mutating func find(
    _ filter: Filter, containing range: CellRange, freshness: Freshness, at now: Nanoseconds
  ) -> (answer: Answer, range: CellRange, reading: Reading?)? {
    guard let list = items[filter] else { return nil }
    var best: Int?
    for (index, item) in list.enumerated() where item.range.contains(range) {
      guard item.reading.map({ freshness.accepts($0, at: now) }) ?? true else { continue }
      if let known = best, area(list[known].range) <= area(item.range) { continue }
      best = index
    }
    guard let best else { return nil }
    clock += 1
    items[filter]?[best].usedAt = clock
    return (list[best].answer, list[best].range, list[best].reading)
  }

  /// Forgets a range, for instance when its flight failed.
  public mutating func remove(_ filter: Filter, range: CellRange) {
    items[filter]?.removeAll { $0.range == range }
    if items[filter]?.isEmpty == true { items[filter] = nil }
  }

  /// Forgets what a predicate names, for instance all of one layer.
  public mutating func removeAll(where isDead: (Filter) -> Bool) {
    items = items.filter { !isDead($0.key) }
  }

  private func lastUse(_ list: [Item]) -> UInt64 { list.reduce(0) { max($0, $1.usedAt) } }

  private func area(_ range: CellRange) -> Double { Double(range.width) * Double(range.height) }
}

/// A viewport put together from tiles at hand, and what has to be asked for.
///
/// Tiles read at different times may miss or repeat an object that moved between them, within the
/// bound the caller accepted. ``isOneState`` tells when that cannot be.
public struct TileAssembly<Tile> {
  /// Accepted tiles with their readings.
  public private(set) var found: [(cell: CellAddress, tile: Tile, reading: Reading)] = []
  /// Cells to be worked out, as few rectangles that do not overlap.
  public private(set) var missing: [CellRange] = []
  /// Whether all found tiles show the version the caller called sufficient, or there are none.
  public private(set) var isOneState = true

  /// Looks at each cell of a range once.
  /// - Complexity: O(cells).
  public init(
    _ range: CellRange, freshness: Freshness, at now: Nanoseconds,
    lookup: (CellAddress) -> (tile: Tile, reading: Reading)?
  ) {
    var gaps: [CellRange] = []
    var cells = range.cells[...]
    for row in 0..<range.rows {
      var start: UInt32?
      let line = cells.prefix(Int(range.columns))
      cells = cells.dropFirst(Int(range.columns))
      for (along, cell) in zip(UInt32(0)..., line) {
        if let (tile, reading) = lookup(cell), freshness.accepts(reading, at: now) {
          found.append((cell, tile, reading))
          if !freshness.isSatisfiedByVersion(of: reading) { isOneState = false }
          if let first = start { gaps.append(range.part(row, first, along)) }
          start = nil
        } else if start == nil {
          start = along
        }
      }
      if let first = start { gaps.append(range.part(row, first, range.columns)) }
    }
    missing = Self.merged(gaps)
  }

  /// The oldest reading found; `nil` if none was.
  public var oldest: Reading? {
    found.map(\.reading).min { $0.time < $1.time }
  }

  /// Joins runs that stand exactly on top of each other.
  private static func merged(_ runs: [CellRange]) -> [CellRange] {
    var rectangles: [CellRange] = []
    for run in runs {
      if let above = rectangles.firstIndex(where: {
        $0.column == run.column && $0.columns == run.columns && $0.row + $0.rows == run.row
      }) {
        rectangles[above] = rectangles[above].extendedByARow
      } else {
        rectangles.append(run)
      }
    }
    return rectangles
  }
}

extension CellRange {
  /// Columns `first ..< end` of one row, counted from the range's corner.
  fileprivate func part(_ down: UInt32, _ first: UInt32, _ end: UInt32) -> CellRange {
    let mask = UInt32(truncatingIfNeeded: UInt64(1) << UInt64(level) - 1)
    return CellRange(
      level: level, column: (column &+ first) & mask, row: row + down, columns: end - first,
      rows: 1)
  }

  fileprivate var extendedByARow: CellRange {
    CellRange(level: level, column: column, row: row, columns: columns, rows: rows + 1)
  }
}
