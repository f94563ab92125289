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
    let shift = UInt64(grids[level].shift)
    let columns = UInt64(grids[level].columns)
    let first = UInt64(box.x) >> shift
    let columnCount = min(columns, ((UInt64(box.x) + box.width - 1) >> shift) - first + 1)
    let top = max(0, box.y)
    let bottom = min(Int64(UInt32.max), box.y + Int64(box.height) - 1)
    guard top <= bottom else { return }
    let rows = (UInt64(top) >> shift)...(UInt64(bottom) >> shift)
    if columnCount > UInt64(grids[level].table.count) / UInt64(rows.count) + 1 {
      // More cells in the box than the level has in all.
      grids[level].table.forEach { segment, tag, value in
        let column = UInt64(CellGrid.column(segment: segment, tag: tag))
        let row = UInt64(CellGrid.row(segment: segment, tag: tag))
        if rows.contains(row), (column &- first) & (columns - 1) < columnCount {
          forEachEntry(inSlot: value) { body($0.item) }
        }
      }
      return
    }
    for row in rows {
      for offset in 0..<columnCount {
        let column = UInt32((first + offset) & (columns - 1))
        forEachEntry(level, column: column, row: UInt32(row)) { body($0.item) }
      }
    }
  }

  /// Or of the masks and aggregates of a cluster's members; brings stale records up to date.
  func summary(_ item: UInt32, _ zoom: Int) -> (mask: UInt64, aggregates: ClusterAggregates) {
    let r = effectiveRecord(item, zoom)
    var mask: UInt64 = 0
    var aggregates = ClusterAggregates.none
    if r == Self.none {
      forEachMember(item) { member in
        mask |= items[member].mask
        if hasAggregates { aggregates.add(ClusterAggregates(contributions[member])) }
      }
      return (mask, aggregates)
    }
    guard records[r].isStale else {
      return (records[r].mask, hasAggregates ? recordAggregates[r] : .none)
    }
    let finer = Int(records[r].zoom) + 1
    (mask, aggregates) = summary(item, finer)
    var child = records[r].firstChild
    while child != Self.none {
      let part = summary(child, finer)
      mask |= part.mask
      aggregates.add(part.aggregates)
      child = items[child].next
    }
    records[r].mask = mask
    records[r].isStale = false
    if hasAggregates { recordAggregates[r] = aggregates }
    return (mask, aggregates)
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

  /// Calls `body` with the members of a cluster that a filter lets through (all without one).
  func forEachObject(
    _ item: UInt32, _ zoom: Int, _ filter: ClusterFilter?, _ body: (UInt32) -> Void
  ) {
    if let filter, zoom <= Self.maximumZoom, !filter.mayMatch(summary(item, zoom).mask) { return }
    let r = effectiveRecord(item, zoom)
    guard r != Self.none else {
      forEachMember(item) { member in
        if filter?.isMatch(mask: items[member].mask, key: items[member].key) ?? true {
          body(member)
        }
      }
      return
    }
    let finer = Int(records[r].zoom) + 1
    forEachObject(item, finer, filter, body)
    var child = records[r].firstChild
    while child != Self.none {
      forEachObject(child, finer, filter, body)
      child = items[child].next
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

  /// A box of exact positions: offsets east of an anchor, rows.
  struct Extent {
    var west = Int64.max
    var east = Int64.min
    var north = UInt32.max
    var south: UInt32 = 0
  }

  /// The box of a cluster's members that a filter lets through, from its anchor; `nil` if none.
  func extent(_ item: UInt32, _ zoom: Int, _ filter: ClusterFilter?) -> Extent? {
    var extent = Extent()
    widen(&extent, from: items[item].anchorX, item, zoom, filter)
    return extent.west <= extent.east ? extent : nil
  }

  /// Visits only what may lie outside the box so far.
  private func widen(
    _ extent: inout Extent, from anchor: UInt32, _ item: UInt32, _ zoom: Int,
    _ filter: ClusterFilter?
  ) {
    let dx = Int64(Int32(bitPattern: items[item].anchorX &- anchor))
    let y = Int64(items[item].anchorY)
    let r = effectiveRecord(item, zoom)
    // Members joined over at most r(z) + r(z + 1) + ... < 2 r(z), and lie in a micro-cell.
    let reach = (r == Self.none ? 0 : 2 * Int64(Self.radius(Int(records[r].zoom)))) + 512
    if dx - reach >= extent.west && dx + reach <= extent.east && y - reach >= Int64(extent.north)
      && y + reach <= Int64(extent.south)
    {
      return
    }
    if let filter, zoom <= Self.maximumZoom, !filter.mayMatch(summary(item, zoom).mask) { return }
    guard r != Self.none else {
      forEachMember(item) { member in
        guard filter?.isMatch(mask: items[member].mask, key: items[member].key) ?? true else {
          return
        }
        let dx = Int64(Int32(bitPattern: items[member].x &- anchor))
        extent.west = min(extent.west, dx)
        extent.east = max(extent.east, dx)
        extent.north = min(extent.north, items[member].y)
        extent.south = max(extent.south, items[member].y)
      }
      return
    }
    let finer = Int(records[r].zoom) + 1
    // Children first: they lie farther out than the seed's own.
    var child = records[r].firstChild
    while child != Self.none {
      widen(&extent, from: anchor, child, finer, filter)
      child = items[child].next
    }
    widen(&extent, from: anchor, item, finer, filter)
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
