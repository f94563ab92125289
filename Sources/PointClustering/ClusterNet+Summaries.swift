/// What a record stores of its cluster's members besides their sums: the union of their masks,
/// their aggregates, and the box of their exact positions. A change marks the records above it
/// stale, and reads recompute them, in portions if need be.
extension ClusterNet {
  /// A box of exact positions, as offsets from an anchor; it is empty when made, and takes 16
  /// bytes.
  struct Extent: BitwiseCopyable, Equatable {
    var west = Int32.max
    var east = Int32.min
    var north = Int32.max
    var south = Int32.min

    var isEmpty: Bool { west > east }

    @inline(__always)
    mutating func include(_ dx: Int32, _ dy: Int32) {
      west = min(west, dx)
      east = max(east, dx)
      north = min(north, dy)
      south = max(south, dy)
    }

    /// Widens the box to hold another one, whose anchor is at an offset from this one's.
    @inline(__always)
    mutating func formUnion(_ other: Extent, _ dx: Int32, _ dy: Int32) {
      guard !other.isEmpty else { return }
      include(other.west + dx, other.north + dy)
      include(other.east + dx, other.south + dy)
    }

    @inline(__always)
    func isInside(_ dx: Int32, _ dy: Int32) -> Bool {
      dx > west && dx < east && dy > north && dy < south
    }
  }

  struct Summary {
    var mask: UInt64 = 0
    var aggregates = ClusterAggregates.none
    /// The box of positions, from the item's anchor.
    var extent = Extent()
  }

  /// Returns the offset of a point from an item's anchor, the shorter way round the world; it is
  /// less than half the world.
  @inline(__always)
  func offset(of x: UInt32, _ y: UInt32, from item: UInt32) -> (dx: Int32, dy: Int32) {
    (
      Int32(bitPattern: x &- items[item].anchorX),
      Int32(truncatingIfNeeded: Int64(y) - Int64(items[item].anchorY))
    )
  }

  /// Returns the summary of a cluster's members, and recomputes stale records for it.
  func summary(_ item: UInt32, _ zoom: Int) -> Summary {
    let r = effectiveRecord(item, zoom)
    if r == Self.none { return ownSummary(item) }
    guard records[r].isStale else {
      return Summary(
        mask: records[r].mask, aggregates: hasAggregates ? recordAggregates[r] : .none,
        extent: recordExtents[r])
    }
    let finer = Int(records[r].zoom) + 1
    var summary: Summary
    if finer > Self.itemLevel {
      summary = ownSummary(item)
      forEachPlainMember(r) { member in
        summary.mask |= items[member].mask
        let (dx, dy) = offset(of: items[member].x, items[member].y, from: item)
        summary.extent.include(dx, dy)
        if hasAggregates { summary.aggregates.add(ClusterAggregates(contributions[member])) }
      }
    } else {
      summary = self.summary(item, finer)
      var child = records[r].firstChild
      while child != Self.none {
        let part = self.summary(child, finer)
        summary.mask |= part.mask
        summary.aggregates.add(part.aggregates)
        let (dx, dy) = offset(of: items[child].anchorX, items[child].anchorY, from: item)
        summary.extent.formUnion(part.extent, dx, dy)
        child = items[child].next
      }
    }
    records[r].mask = summary.mask
    records[r].isStale = false
    recordExtents[r] = summary.extent
    if hasAggregates { recordAggregates[r] = summary.aggregates }
    return summary
  }

  /// Returns the summary of one object alone.
  private func ownSummary(_ item: UInt32) -> Summary {
    var summary = Summary(mask: items[item].mask)
    let (dx, dy) = offset(of: items[item].x, items[item].y, from: item)
    summary.extent.include(dx, dy)
    if hasAggregates { summary.aggregates = ClusterAggregates(contributions[item]) }
    return summary
  }

  /// Recomputes a cluster's stale records from the finest on, as far as a budget of items to look
  /// at goes.
  ///
  /// - Returns: Whether none is stale any more.
  func freshen(_ item: UInt32, _ zoom: Int, _ budget: inout Int) -> Bool {
    let r = effectiveRecord(item, zoom)
    guard r != Self.none else {
      budget -= 1
      return true
    }
    budget -= 1
    guard records[r].isStale else { return true }
    if records[r].zoom == UInt8(Self.itemLevel) {
      budget -= Int(records[r].count)
      _ = summary(item, zoom)
      return true
    }
    let finer = Int(records[r].zoom) + 1
    guard budget > 0, freshen(item, finer, &budget) else { return false }
    var child = records[r].firstChild
    while child != Self.none {
      guard budget > 0, freshen(child, finer, &budget) else { return false }
      child = items[child].next
    }
    _ = summary(item, zoom)
    return true
  }

  /// Marks the records whose box a move within a micro-cell may change. A point well inside a box
  /// that is not stale is also inside all coarser ones.
  mutating func noteMove(
    of head: UInt32, from old: (x: UInt32, y: UInt32), to x: UInt32, _ y: UInt32
  ) {
    var item = head
    for zoom in stride(from: Self.itemLevel, through: 0, by: -1) {
      if zoom < Self.itemLevel && Int(items[item].top) > zoom {
        item = items[item].owner
        // The head came in this pass, or its seed left in it: the links to come mark all above.
        guard item != Self.none, items[item].isHead else { return }
      }
      let r = record(item, zoom)
      if r == Self.none { continue }
      if records[r].isStale { continue }
      let before = offset(of: old.x, old.y, from: item)
      let after = offset(of: x, y, from: item)
      let extent = recordExtents[r]
      if extent.isInside(before.dx, before.dy) && extent.isInside(after.dx, after.dy) { return }
      records[r].isStale = true
    }
  }
}
