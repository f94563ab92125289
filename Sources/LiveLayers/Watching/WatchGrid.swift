import GeoMath

/// Finds the areas that may hold a point. Each area is entered under the quadtree cells that cover
/// it, at the level where it spans a few cells.
///
/// ```
/// level 14 ── cell (x, y) ──> area 3 (inside) -> area 17 -> nil
/// level 11 ── cell (x, y) ──> area 5 -> nil
/// ```
/// One open-addressed table leads from (level, cell) to the head of a linked list in one pool, so
/// that a move costs one probe for each level in use.
struct WatchGrid {
  private struct Link {
    /// `area << 1`, plus 1 if all of the cell is inside the area.
    var area: UInt32
    var next: UInt32
  }

  private static let none = UInt32.max
  /// The keys of cells, 0 where free. A cell that has lost its areas keeps its key until the next
  /// rebuild.
  private var keys: [UInt64]
  private var heads: [UInt32]
  private var usedKeys = 0
  private var links: [Link] = []
  private var freeLink = none
  /// The number of areas at each level, and the levels that have any.
  private var areasAtLevel = [Int](repeating: 0, count: 32)
  private var levels: [UInt8] = []
  private(set) var linkCount = 0

  init() {
    keys = [UInt64](repeating: 0, count: 64)
    heads = [UInt32](repeating: Self.none, count: 64)
  }

  /// The cells of an area, which are worked out before any lock is taken.
  struct Cover: Sendable {
    var cells: [(key: UInt64, isInside: Bool)] = []
    /// A mask with one bit for each level of the cells.
    var levels: UInt32 = 0
  }

  /// Returns the cells that cover an area.
  ///
  /// - Complexity: O(`cellsAcross` squared).
  static func cover(_ area: PreparedWatchArea, cellsAcross: Int) -> Cover {
    var cover = Cover()
    for half in area.bounds.splitAtAntimeridian {
      let west = MercatorPoint.x(longitude: half.west)
      let east = MercatorPoint.x(longitude: half.east)
      let north = MercatorPoint.y(latitude: half.north)
      let south = MercatorPoint.y(latitude: half.south)
      // Each side gets one more unit for rounding; the ends of longitude are one meridian.
      let range = CellRange(
        west: west == 0 ? 0 : west - 1, north: north == 0 ? 0 : north - 1,
        east: east == .max ? .max : east + 1, south: south == .max ? .max : south + 1,
        cellsAcross: cellsAcross)
      add(range, area, to: &cover)
      if half.west <= -179.999_999 {
        add(
          CellRange(west: .max, north: north, east: .max, south: south, cellsAcross: 2), area,
          to: &cover)
      }
      if half.east >= 179.999_999 {
        add(
          CellRange(west: 0, north: north, east: 0, south: south, cellsAcross: 2), area, to: &cover)
      }
    }
    return cover
  }

  private static func add(_ range: CellRange, _ area: PreparedWatchArea, to cover: inout Cover) {
    let shift = UInt64(32 - range.level)
    for cell in range.cells {
      let relation = area.relation(
        x: UInt32(truncatingIfNeeded: UInt64(cell.column) << shift),
        y: UInt32(truncatingIfNeeded: UInt64(cell.row) << shift), side: 1 << shift)
      guard relation != .outside else { continue }
      let key = key(level: cell.level, column: cell.column, row: cell.row)
      guard !cover.cells.contains(where: { $0.key == key }) else { continue }
      cover.cells.append((key, relation == .inside))
    }
    cover.levels |= 1 << UInt32(range.level)
  }

  @inline(__always)
  private static func key(level: UInt8, column: UInt32, row: UInt32) -> UInt64 {
    // Levels go to 31, so that column and row fit 31 bits each; the marker bit tells lengths apart.
    UInt64(column) << UInt64(level) | UInt64(row) | 1 << UInt64(2 * Int(level))
  }

  // MARK: - Adding and removing areas

  /// Adds an area.
  ///
  /// - Complexity: O(cells) amortised.
  mutating func insert(_ area: UInt32, _ cover: Cover) {
    for (key, isInside) in cover.cells {
      let slot = slotForInsertion(of: key)
      let link = Link(area: area << 1 | (isInside ? 1 : 0), next: heads[slot])
      if freeLink != Self.none {
        let place = freeLink
        freeLink = links[Int(place)].next
        links[Int(place)] = link
        heads[slot] = place
      } else {
        heads[slot] = UInt32(links.count)
        links.append(link)
      }
      linkCount += 1
    }
    count(cover.levels, by: 1)
  }

  /// Removes an area.
  ///
  /// - Complexity: O(cells x areas in them).
  mutating func remove(_ area: UInt32, _ cover: Cover) {
    for (key, _) in cover.cells {
      guard let slot = slot(of: key) else { continue }
      var before = Self.none
      var here = heads[slot]
      while here != Self.none {
        let next = links[Int(here)].next
        if links[Int(here)].area >> 1 == area {
          if before == Self.none { heads[slot] = next } else { links[Int(before)].next = next }
          links[Int(here)].next = freeLink
          freeLink = here
          linkCount -= 1
          break
        }
        before = here
        here = next
      }
    }
    count(cover.levels, by: -1)
  }

  private mutating func count(_ mask: UInt32, by step: Int) {
    for level in 0..<32 where mask & (1 << UInt32(level)) != 0 { areasAtLevel[level] += step }
    levels = (0..<32).filter { areasAtLevel[$0] > 0 }.map { UInt8($0) }
  }

  // MARK: - Points

  /// Visits the areas whose cells hold a point, with whether all of the cell is inside. An area is
  /// visited once for each of its levels that holds the point.
  @inline(__always)
  func forEachArea(
    at point: MercatorPoint, _ visit: (_ area: UInt32, _ isInside: Bool) -> Void
  ) {
    for level in levels {
      let shift = UInt64(32 - level)
      let key = Self.key(
        level: level, column: UInt32(truncatingIfNeeded: UInt64(point.x) >> shift),
        row: UInt32(truncatingIfNeeded: UInt64(point.y) >> shift))
      guard let slot = slot(of: key) else { continue }
      var here = heads[slot]
      while here != Self.none {
        let link = links[Int(here)]
        visit(link.area >> 1, link.area & 1 != 0)
        here = link.next
      }
    }
  }

  // MARK: - Table

  @inline(__always)
  private static func hash(_ key: UInt64) -> UInt64 {
    // This is half of the finalizer of MurmurHash3 (A. Appleby, public domain).
    var h = key
    h ^= h >> 33
    h = h &* 0xFF51_AFD7_ED55_8CCD
    return h ^ h >> 33
  }

  @inline(__always)
  private func slot(of key: UInt64) -> Int? {
    let mask = keys.count - 1
    var slot = Int(truncatingIfNeeded: Self.hash(key)) & mask
    while keys[slot] != 0 {
      if keys[slot] == key { return slot }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private mutating func slotForInsertion(of key: UInt64) -> Int {
    if let slot = slot(of: key) { return slot }
    if usedKeys * 2 >= keys.count { rebuild() }
    let mask = keys.count - 1
    var slot = Int(truncatingIfNeeded: Self.hash(key)) & mask
    while keys[slot] != 0 { slot = (slot + 1) & mask }
    keys[slot] = key
    usedKeys += 1
    return slot
  }

  /// Enlarges the table, or drops the cells without areas.
  private mutating func rebuild() {
    let live = zip(keys, heads).filter { $0.0 != 0 && $0.1 != Self.none }
    var size = 64
    while size < live.count * 4 { size *= 2 }
    keys = [UInt64](repeating: 0, count: size)
    heads = [UInt32](repeating: Self.none, count: size)
    usedKeys = live.count
    for (key, head) in live {
      var slot = Int(truncatingIfNeeded: Self.hash(key)) & (size - 1)
      while keys[slot] != 0 { slot = (slot + 1) & (size - 1) }
      keys[slot] = key
      heads[slot] = head
    }
  }
}
