import GeoMath
import HeapModule
import ObjectModel

/// A part of the world in units: `width` eastwards from `x`, and `height` southwards from `y`.
struct UnitBox {
  var x: UInt32
  /// The northern edge, which may be outside the world.
  var y: Int64
  /// The width, 1...2^32.
  var width: UInt64
  var height: UInt64

  @inline(__always)
  func contains(_ px: UInt32, _ py: UInt32) -> Bool {
    UInt64(px &- x) < width && Int64(py) >= y && Int64(py) < y + Int64(height)
  }

  /// Returns whether a box of positions, given as offsets from an anchor, has a point in this one.
  func touches(_ extent: ClusterNet.Extent, from anchorX: UInt32, _ anchorY: UInt32) -> Bool {
    guard !extent.isEmpty else { return false }
    let (north, south) = (
      Int64(anchorY) + Int64(extent.north), Int64(anchorY) + Int64(extent.south)
    )
    guard south >= y && north < y + Int64(height) else { return false }
    let west = anchorX &+ UInt32(bitPattern: extent.west)
    // Safe: an extent is narrower than the world.
    let span = UInt64(Int64(extent.east) - Int64(extent.west))
    return UInt64(west &- x) < width || UInt64(x &- west) <= span
  }

  func grown(by margin: UInt64) -> UnitBox {
    let wide = width + 2 * margin
    return UnitBox(
      x: wide >= 1 << 32 ? 0 : x &- UInt32(margin), y: y - Int64(margin), width: min(wide, 1 << 32),
      height: height + 2 * margin)
  }
}

extension ClusterNet {
  /// Calls `body` with every item of a level whose anchor's cell touches a box.
  @inline(__always)
  func forEachItem(_ level: Int, in box: UnitBox, _ body: (UInt32) -> Void) {
    _ = containsItem(level, in: box) {
      body($0)
      return false
    }
  }

  /// Calls `body` with the items of a level whose anchor's cell touches a box until it returns
  /// `true`, and returns whether it did.
  @inline(__always)
  func containsItem(_ level: Int, in box: UnitBox, where body: (UInt32) -> Bool) -> Bool {
    let shift = UInt64(grids[level].shift)
    let columns = UInt64(grids[level].columns)
    let first = UInt64(box.x) >> shift
    let columnCount = min(columns, ((UInt64(box.x) + box.width - 1) >> shift) - first + 1)
    let top = max(0, box.y)
    let bottom = min(Int64(UInt32.max), box.y + Int64(box.height) - 1)
    guard top <= bottom else { return false }
    let rows = (UInt64(top) >> shift)...(UInt64(bottom) >> shift)
    if columnCount > UInt64(grids[level].table.count) / UInt64(rows.count) + 1 {
      // The box has more cells than the whole level.
      return grids[level].table.contains { segment, tag, value in
        let column = UInt64(CellGrid.column(segment: segment, tag: tag))
        let row = UInt64(CellGrid.row(segment: segment, tag: tag))
        guard rows.contains(row), (column &- first) & (columns - 1) < columnCount else {
          return false
        }
        return containsEntry(inSlot: value) { body($0.item) }
      }
    }
    for row in rows {
      for offset in 0..<columnCount {
        let column = UInt32((first + offset) & (columns - 1))
        let value = grids[level].table.find(
          CellGrid.segment(column, UInt32(row)), CellGrid.tag(column, UInt32(row)))
        if value != SlotTable.emptyValue && containsEntry(inSlot: value, where: { body($0.item) }) {
          return true
        }
      }
    }
    return false
  }

  @inline(__always)
  private func containsEntry(inSlot value: UInt32, where body: (CellEntry) -> Bool) -> Bool {
    if value & CellGrid.runBit == 0 { return body(entry(value)) }
    let run = slabs.run(value)
    for i in 0..<run.capacity {
      let entry = run[i]
      if entry.item == .max { return false }
      if body(entry) { return true }
    }
    return false
  }

  /// Calls `body` with a head and the plain members of its micro-cell.
  @inline(__always)
  func forEachMember(_ head: UInt32, _ body: (UInt32) -> Void) {
    body(head)
    forEachPlainMember(cellRecord(head), body)
  }

  /// Calls `body` with members of a cluster in ascending order of rank until it returns `false`.
  ///
  /// A seed has the lowest rank of its cluster at every zoom, and plain members form a heap, so
  /// that the whole hierarchy is one heap.
  ///
  /// - Complexity: O(k log k) for the first k.
  func forEachLeafInOrder(_ item: UInt32, _ zoom: Int, _ body: (UInt32) -> Bool) {
    var heap = Heap<Leaf>()
    heap.insert(Leaf(ranked: ranked(item), zoom: zoom))
    while let next = heap.popMin() {
      let item = next.ranked.item
      guard body(item) else { return }
      if next.zoom > Self.itemLevel {
        for member in [items[item].previous, items[item].next] where member != Self.none {
          heap.insert(Leaf(ranked: ranked(member), zoom: next.zoom))
        }
        continue
      }
      var r = effectiveRecord(item, next.zoom)
      while r != Self.none {
        let finer = Int(records[r].zoom) + 1
        var child = records[r].firstChild
        while child != Self.none {
          heap.insert(Leaf(ranked: ranked(child), zoom: finer))
          child = finer > Self.itemLevel ? Self.none : items[child].next
        }
        r = records[r].next
      }
    }
  }

  /// Returns the first zoom beyond `zoom` at which the cluster comes apart, `nil` if it never does.
  func expansionZoom(_ item: UInt32, _ zoom: Int) -> Int? {
    let r = effectiveRecord(item, zoom)
    if r == Self.none { return nil }
    if records[r].zoom < UInt8(Self.itemLevel) { return Int(records[r].zoom) + 1 }
    return isOnePlace(item, r) ? nil : Self.itemLevel
  }

  /// Returns the objects of a micro-cell by exact position: groups in the order of their lowest
  /// rank, members in the order of rank.
  func places(_ head: UInt32) -> [[UInt32]] {
    let r = cellRecord(head)
    if r == Self.none { return [[head]] }
    var members: [UInt32] = []
    members.reserveCapacity(Int(records[r].count))
    forEachMember(head) { members.append($0) }
    members.sort { ranksLower($0, $1) }
    if isOnePlace(head, r) { return [members] }
    var groups: [[UInt32]] = []
    var groupOfPlace: [UInt64: Int] = [:]
    for member in members {
      let place = UInt64(items[member].x) << 32 | UInt64(items[member].y)
      if let group = groupOfPlace[place] {
        groups[group].append(member)
      } else {
        groupOfPlace[place] = groups.count
        groups.append([member])
      }
    }
    return groups
  }
}

/// An object, or a cluster by its seed, that waits to be visited among the leaves.
private struct Leaf: Comparable {
  var ranked: RankedItem
  /// The zoom of a cluster, 0...17; 18 for a plain member with those below it in its heap.
  var zoom: Int

  static func < (a: Leaf, b: Leaf) -> Bool { a.ranked < b.ranked }
  static func == (a: Leaf, b: Leaf) -> Bool { a.ranked == b.ranked }
}
