import ObjectModel

extension ClusterNet {
  @inline(__always)
  func entry(_ item: UInt32) -> CellEntry {
    CellEntry(
      x: items[item].anchorX, y: items[item].anchorY,
      rankHigh: UInt32(truncatingIfNeeded: items[item].rank.high >> 32), item: item)
  }

  mutating func insertEntry(_ level: Int, _ item: UInt32) {
    let shift = grids[level].shift
    let new = entry(item)
    let (cx, cy) = (new.x >> shift, new.y >> shift)
    let segment = CellGrid.segment(cx, cy)
    let tag = CellGrid.tag(cx, cy)
    grids[level].itemCount += 1
    let value = grids[level].table.find(segment, tag)
    if value == SlotTable.emptyValue {
      grids[level].table.insert(segment, tag, item)
    } else if value & CellGrid.runBit == 0 {
      let number = slabs.allocate(count: 2)
      let run = slabs.run(number)
      run[0] = entry(value)
      run[1] = new
      grids[level].table.replace(segment, tag, value, with: number | CellGrid.runBit)
    } else {
      let run = slabs.run(value)
      let count = run.count
      if count < run.capacity {
        run[count] = new
        return
      }
      let number = slabs.allocate(count: count + 1)
      let larger = slabs.run(number)
      for i in 0..<count { larger[i] = run[i] }
      larger[count] = new
      slabs.release(value & ~CellGrid.runBit)
      grids[level].table.replace(segment, tag, value, with: number | CellGrid.runBit)
    }
  }

  mutating func removeEntry(_ level: Int, _ item: UInt32) {
    let shift = grids[level].shift
    let (cx, cy) = (items[item].anchorX >> shift, items[item].anchorY >> shift)
    let segment = CellGrid.segment(cx, cy)
    let tag = CellGrid.tag(cx, cy)
    grids[level].itemCount -= 1
    let value = grids[level].table.find(segment, tag)
    if value & CellGrid.runBit == 0 {
      grids[level].table.remove(segment, tag, item)
      return
    }
    let run = slabs.run(value)
    let count = run.count
    var i = 0
    while run[i].item != item { i += 1 }
    run[i] = run[count - 1]
    run[count - 1] = CellEntry(x: 0, y: 0, rankHigh: 0, item: .max)
    let left = count - 1
    if left == 1 {
      let single = run[0].item
      slabs.release(value & ~CellGrid.runBit)
      grids[level].table.replace(segment, tag, value, with: single)
    } else if left * 4 <= run.capacity {
      let number = slabs.allocate(count: left)
      let smaller = slabs.run(number)
      for i in 0..<left { smaller[i] = run[i] }
      slabs.release(value & ~CellGrid.runBit)
      grids[level].table.replace(segment, tag, value, with: number | CellGrid.runBit)
    }
  }

  /// Returns the head of the micro-cell with this centre.
  func head(x: UInt32, y: UInt32) -> UInt32 {
    let shift = grids[Self.itemLevel].shift
    let (cx, cy) = (x >> shift, y >> shift)
    let value = grids[Self.itemLevel].table.find(CellGrid.segment(cx, cy), CellGrid.tag(cx, cy))
    if value == SlotTable.emptyValue { return Self.none }
    if value & CellGrid.runBit == 0 {
      return items[value].anchorX == x && items[value].anchorY == y ? value : Self.none
    }
    let run = slabs.run(value)
    for i in 0..<run.capacity {
      let entry = run[i]
      if entry.item == .max { break }
      if entry.x == x && entry.y == y { return entry.item }
    }
    return Self.none
  }

  /// Calls `body` for every entry of a level in the cells that a square around a point touches.
  @inline(__always)
  func forEachEntry(
    _ level: Int, aroundX x: UInt32, y: UInt32, radius: UInt32, _ body: (CellEntry) -> Void
  ) {
    let shift = grids[level].shift
    let columnMask = grids[level].columns - 1
    let firstColumn = (x &- radius) >> shift
    let columns = (((x &+ radius) >> shift) &- firstColumn) & columnMask
    let firstRow = (y < radius ? 0 : y - radius) >> shift
    let lastRow = (y > .max - radius ? .max : y + radius) >> shift
    for cy in firstRow...lastRow {
      for offset in 0...columns {
        forEachEntry(level, column: (firstColumn &+ offset) & columnMask, row: cy, body)
      }
    }
  }

  @inline(__always)
  func forEachEntry(
    _ level: Int, column: UInt32, row: UInt32, _ body: (CellEntry) -> Void
  ) {
    let value = grids[level].table.find(
      CellGrid.segment(column, row), CellGrid.tag(column, row))
    if value != SlotTable.emptyValue { forEachEntry(inSlot: value, body) }
  }

  @inline(__always)
  func forEachEntry(inSlot value: UInt32, _ body: (CellEntry) -> Void) {
    if value & CellGrid.runBit == 0 {
      body(entry(value))
      return
    }
    let run = slabs.run(value)
    for i in 0..<run.capacity {
      let entry = run[i]
      if entry.item == .max { break }
      body(entry)
    }
  }

  /// Returns whether an entry's anchor is within a radius, inclusive.
  @inline(__always)
  static func isWithin(_ entry: CellEntry, x: UInt32, y: UInt32, radius: UInt32) -> Bool {
    let dx = Int64(Int32(bitPattern: entry.x &- x))
    let dy = Int64(entry.y) - Int64(y)
    let r = Int64(radius)
    return dx * dx + dy * dy <= r * r
  }

  /// Returns the slots of the cells, at most 2 x 2, that the square of one radius around a point
  /// touches. They are looked up before any is read, so that their cache misses overlap.
  @inline(__always)
  private func slots(_ zoom: Int, aroundX x: UInt32, y: UInt32) -> InlineArray<4, UInt32> {
    let radius = Self.radius(zoom)
    let shift = grids[zoom].shift
    let west = (x &- radius) >> shift
    let east = (x &+ radius) >> shift
    let north = (y < radius ? 0 : y - radius) >> shift
    let south = (y > .max - radius ? .max : y + radius) >> shift
    @inline(__always) func slot(_ cx: UInt32, _ cy: UInt32) -> UInt32 {
      grids[zoom].table.find(CellGrid.segment(cx, cy), CellGrid.tag(cx, cy))
    }
    let none = SlotTable.emptyValue
    return [
      slot(west, north), east != west ? slot(east, north) : none,
      south != north ? slot(west, south) : none,
      south != north && east != west ? slot(east, south) : none,
    ]
  }

  /// Returns the seed of a zoom with the lowest rank that is within its radius of an item and ranks
  /// lower than the item.
  func lowestSeed(_ zoom: Int, near item: UInt32) -> UInt32 {
    let (x, y) = (items[item].anchorX, items[item].anchorY)
    let radius = Self.radius(zoom)
    var best = item
    var bestHigh = UInt32(truncatingIfNeeded: items[item].rank.high >> 32)
    let slots = slots(zoom, aroundX: x, y: y)
    for i in 0..<4 where slots[i] != SlotTable.emptyValue {
      forEachEntry(inSlot: slots[i]) { entry in
        guard entry.rankHigh <= bestHigh, Self.isWithin(entry, x: x, y: y, radius: radius) else {
          return
        }
        if entry.rankHigh == bestHigh && !ranksLower(entry.item, best) { return }
        best = entry.item
        bestHigh = entry.rankHigh
      }
    }
    return best == item ? Self.none : best
  }

  /// Reads the lines that ``lowestSeed(_:near:)`` will read. Calls for several items in a row
  /// overlap their misses.
  @inline(__always)
  func prefetch(_ zoom: Int, near item: UInt32) -> UInt32 {
    let slots = slots(zoom, aroundX: items[item].anchorX, y: items[item].anchorY)
    var sum: UInt32 = 0
    for i in 0..<4 where slots[i] != SlotTable.emptyValue {
      sum &+= slots[i] & CellGrid.runBit == 0 ? items[slots[i]].x : slabs.run(slots[i])[0].x
    }
    return sum
  }
}
