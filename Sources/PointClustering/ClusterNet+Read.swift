import GeoMath

/// A part of the world in units: from `x` eastwards, `width` wide; from `y` southwards.
struct UnitBox {
  var x: UInt32
  /// May lie outside the world.
  var y: Int64
  /// 1...2^32.
  var width: UInt64
  var height: UInt64

  @inline(__always)
  func contains(_ px: UInt32, _ py: UInt32) -> Bool {
    UInt64(px &- x) < width && Int64(py) >= y && Int64(py) < y + Int64(height)
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

  /// The same until `body` answers true.
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
      // More cells in the box than the level has in all.
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
    var member = items[head].members
    while member != Self.none {
      body(member)
      member = items[member].next
    }
  }

  /// Calls `body` with members of a cluster in ascending order of rank until it answers false.
  ///
  /// A seed has the lowest rank of its cluster at every zoom, so the hierarchy is a heap.
  func forEachLeafInOrder(_ item: UInt32, _ zoom: Int, _ body: (UInt32) -> Bool) {
    var heap = LeafHeap()
    heap.push(items[item].hash, items[item].key, item, zoom)
    while let (next, at) = heap.pop() {
      guard body(next) else { return }
      if at > Self.itemLevel { continue }
      var member = items[next].members
      while member != Self.none {
        heap.push(items[member].hash, items[member].key, member, Self.itemLevel + 1)
        member = items[member].next
      }
      var r = effectiveRecord(next, at)
      while r != Self.none {
        var child = records[r].firstChild
        while child != Self.none {
          heap.push(items[child].hash, items[child].key, child, Int(records[r].zoom) + 1)
          child = items[child].next
        }
        r = records[r].next
      }
    }
  }

  /// The first zoom past `zoom` at which the cluster comes apart; `nil` if it never does.
  func expansionZoom(_ item: UInt32, _ zoom: Int) -> Int? {
    let r = effectiveRecord(item, zoom)
    if r != Self.none { return Int(records[r].zoom) + 1 }
    return isOnePlace(item) ? nil : Self.itemLevel
  }

  /// Whether all objects of a micro-cell are at exactly one position.
  func isOnePlace(_ head: UInt32) -> Bool {
    var member = items[head].members
    while member != Self.none {
      if items[member].x != items[head].x || items[member].y != items[head].y { return false }
      member = items[member].next
    }
    return true
  }

  /// The objects of a micro-cell by exact position: groups in order of their lowest rank, members
  /// in order of rank.
  func places(_ head: UInt32) -> [[UInt32]] {
    if items[head].members == Self.none { return [[head]] }
    var members: [UInt32] = []
    members.reserveCapacity(Int(items[head].memberCount))
    forEachMember(head) { members.append($0) }
    members.sort { ranksLower($0, $1) }
    if isOnePlace(head) { return [members] }
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

/// A heap of hierarchy nodes, lowest rank first.
struct LeafHeap: ~Copyable {
  private var ranks = RankHeap()
  private var nodes: [(item: UInt32, zoom: Int)] = []

  mutating func push(_ hash: UInt64, _ key: UInt64, _ item: UInt32, _ zoom: Int) {
    ranks.push(hash: hash, key: key, item: UInt32(nodes.count))
    nodes.append((item, zoom))
  }

  mutating func pop() -> (UInt32, Int)? {
    guard !ranks.isEmpty else { return nil }
    let node = nodes[Int(ranks.pop())]
    return (node.item, node.zoom)
  }
}
