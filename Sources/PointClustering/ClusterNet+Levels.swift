import GeoMath
import HeapModule
import ObjectModel

/// One pass, which takes changed heads to the changed clusters of every zoom.
///
/// At each zoom the pass knows which items came, left or changed their sums (`incoming`). First the
/// changes of sums are carried along the links as they were. Then links and seeds are corrected,
/// the lowest rank first. The items that this changed (`touched`) are the input of the next coarser
/// zoom.
extension ClusterNet {
  mutating func updateLevels() {
    var zoom = Self.maximumZoom
    while zoom >= 0 && !touched.isEmpty {
      swap(&incoming, &touched)
      touched.truncate()
      carrySums(zoom)
      takeDownSeeds(zoom)
      for next in dirty.unordered { prefetchSum &+= prefetch(zoom, near: next.item) }
      work += incoming.count + dirty.count
      while let next = dirty.popMin() { settle(next.item, zoom) }
      markVersions(zoom)
      zoom -= 1
    }
  }

  /// Returns the touch of a seed of the zoom. A new touch says that the seed was and is in the
  /// zoom.
  @inline(__always)
  private mutating func touch(_ seed: UInt32) -> Int {
    let i = Int(items[seed].touch)
    if i < touched.count && touched[i].item == seed { return i }
    items[seed].touch = UInt32(touched.count)
    touched.append(Touch(item: seed, was: true, isIn: true))
    return touched.count - 1
  }

  /// Adds to a seed's sums, in its record if it has one at this zoom.
  @inline(__always)
  private mutating func add(
    _ delta: Sum, to seed: UInt32, _ zoom: Int, isContentChange: Bool = true,
    isVisible: Bool = false
  ) {
    let i = touch(seed)
    touched[i].delta += delta
    if isContentChange { touched[i].isContentChange = true }
    if isVisible { touched[i].isVisible = true }
    let r = record(seed, zoom)
    guard r != Self.none else { return }
    let wasStale = records[r].isStale
    add(delta, toRecord: r)
    // Only positions changed: `noteMove` has marked the records whose boxes they change.
    if !isContentChange { records[r].isStale = wasStale }
  }

  @inline(__always)
  private mutating func add(_ delta: Sum, toRecord r: UInt32) {
    records[r].count = UInt32(truncatingIfNeeded: Int64(records[r].count) + delta.count)
    records[r].sumX += delta.x
    records[r].sumY += delta.y
    records[r].isStale = true
  }

  private mutating func carrySums(_ zoom: Int) {
    for i in 0..<incoming.count where incoming[i].was {
      let t = incoming[i]
      let top = t.isIn ? items[t.item].top : t.oldTop
      let owner = t.isIn ? items[t.item].owner : t.oldOwner
      let isContentChange = t.isContentChange || !t.isIn
      if Int(top) <= zoom {
        add(
          t.delta, to: t.item, zoom, isContentChange: isContentChange, isVisible: t.isVisible)
      } else {
        add(
          shifted(t.delta, from: t.item, to: owner), to: owner, zoom,
          isContentChange: isContentChange, isVisible: t.isVisible)
      }
    }
  }

  /// Removes seeds that left the finer zoom from this one; items that came wait to be settled.
  private mutating func takeDownSeeds(_ zoom: Int) {
    for n in 0..<incoming.count {
      let t = incoming[n]
      if t.was && !t.isIn {
        guard Int(t.oldTop) <= zoom else { continue }
        let i = touch(t.item)
        touched[i].isIn = false
        touched[i].oldTop = t.oldTop
        touched[i].oldOwner = t.oldOwner
        removeEntry(zoom, t.item)
        orphanChildren(t.item, zoom)
      } else if !t.was && t.isIn {
        dirty.insert(ranked(t.item))
      }
    }
  }

  /// Releases the children that a seed has at a zoom, and removes the record that held them.
  private mutating func orphanChildren(_ seed: UInt32, _ zoom: Int) {
    let r = record(seed, zoom)
    guard r != Self.none else { return }
    var child = records[r].firstChild
    while child != Self.none {
      let next = items[child].next
      let i = touch(seed)
      touched[i].delta += -shifted(sum(child, zoom + 1), from: child, to: seed)
      touched[i].isContentChange = true
      items[child].owner = Self.none
      items[child].next = Self.none
      items[child].previous = Self.none
      dirty.insert(ranked(child))
      child = next
    }
    deleteRecord(r, of: seed)
  }

  /// Decides whether an item without owner is a seed. Items of lower rank are settled already.
  private mutating func settle(_ item: UInt32, _ zoom: Int) {
    let seed = lowestSeed(zoom, near: item)
    if seed != Self.none {
      link(item, to: seed, zoom)
      return
    }
    insertEntry(zoom, item)
    items[item].top = UInt8(zoom)
    items[item].touch = UInt32(touched.count)
    touched.append(Touch(item: item, delta: sum(item, zoom + 1), was: false, isIn: true))
    claimNeighbours(of: item, zoom)
  }

  /// Links items of higher rank near a new seed to it, unless their owner ranks lower still.
  private mutating func claimNeighbours(of item: UInt32, _ zoom: Int) {
    let (x, y) = (items[item].anchorX, items[item].anchorY)
    let radius = Self.radius(zoom)
    let high = UInt32(truncatingIfNeeded: items[item].rank.high >> 32)
    var near = ScratchList<UInt32>(capacity: 0)
    swap(&near, &candidates)
    near.truncate()
    forEachEntry(zoom + 1, aroundX: x, y: y, radius: radius) { entry in
      if entry.rankHigh >= high && entry.item != item
        && Self.isWithin(entry, x: x, y: y, radius: radius)
      {
        near.append(entry.item)
      }
    }
    swap(&near, &candidates)
    work += candidates.count
    var seeds = 0
    for i in 0..<candidates.count {
      let other = candidates[i]
      guard ranksLower(item, other) else { continue }
      if Int(items[other].top) <= zoom {
        candidates[seeds] = other
        seeds += 1
        continue
      }
      let owner = items[other].owner
      if owner == Self.none || owner == item || ranksLower(owner, item) { continue }
      unlink(other, from: owner, zoom)
      link(other, to: item, zoom)
    }
    for i in 0..<seeds { demote(candidates[i], to: item, zoom) }
  }

  /// Makes a seed of this zoom a child. It leaves the coarser zooms when the pass comes to them.
  private mutating func demote(_ seed: UInt32, to owner: UInt32, _ zoom: Int) {
    let i = touch(seed)
    touched[i].delta += -sum(seed, zoom + 1)
    touched[i].isIn = false
    var old = touched[i]
    leaveOwner(seed, &old)
    touched[i] = old
    orphanChildren(seed, zoom)
    removeEntry(zoom, seed)
    items[seed].top = UInt8(zoom + 1)
    link(seed, to: owner, zoom)
  }

  /// Makes an item a child; the owner gets a record of this zoom if it had none.
  mutating func link(_ item: UInt32, to owner: UInt32, _ zoom: Int) {
    let delta = shifted(sum(item, zoom + 1), from: item, to: owner)
    var r = record(owner, zoom)
    if r == Self.none { r = makeRecord(owner, zoom) }
    add(delta, toRecord: r)
    let i = touch(owner)
    touched[i].delta += delta
    touched[i].isContentChange = true
    insertChild(item, of: owner, r)
  }

  @inline(__always)
  mutating func insertChild(_ item: UInt32, of owner: UInt32, _ r: UInt32) {
    let first = records[r].firstChild
    items[item].owner = owner
    items[item].next = first
    items[item].previous = Self.none
    if first != Self.none { items[first].previous = item }
    records[r].firstChild = item
  }

  private mutating func unlink(_ item: UInt32, from owner: UInt32, _ zoom: Int) {
    let delta = -shifted(sum(item, zoom + 1), from: item, to: owner)
    add(delta, to: owner, zoom)
    unlinkChild(item, of: owner, at: zoom)
    items[item].owner = Self.none
  }

  /// Removes an item from a list of children, and the record if it has no other child.
  mutating func unlinkChild(_ item: UInt32, of owner: UInt32, at zoom: Int) {
    let (next, previous) = (items[item].next, items[item].previous)
    if next != Self.none { items[next].previous = previous }
    if previous != Self.none {
      items[previous].next = next
    } else {
      let r = record(owner, zoom)
      records[r].firstChild = next
      if next == Self.none { deleteRecord(r, of: owner) }
    }
    items[item].next = Self.none
    items[item].previous = Self.none
  }

  /// Makes a record without children that says the same as the next finer one.
  mutating func makeRecord(_ seed: UInt32, _ zoom: Int) -> UInt32 {
    let sum = sum(seed, zoom)
    var before = Self.none
    var after = items[seed].records
    while after != Self.none && Int(records[after].zoom) < zoom {
      before = after
      after = records[after].next
    }
    let r = records.insert(
      Record(
        sumX: sum.x, sumY: sum.y, mask: 0, count: UInt32(sum.count), firstChild: Self.none,
        next: after, zoom: UInt8(zoom), isStale: true))
    if hasAggregates { recordAggregates.cover(r, default: .none) }
    recordExtents.cover(r, default: Extent())
    if before == Self.none { items[seed].records = r } else { records[before].next = r }
    return r
  }

  private mutating func deleteRecord(_ r: UInt32, of seed: UInt32) {
    unlinkRecord(r, of: seed)
    records.remove(r)
  }

  /// Removes a record from a seed's list.
  mutating func unlinkRecord(_ r: UInt32, of seed: UInt32) {
    if items[seed].records == r {
      items[seed].records = records[r].next
    } else {
      var before = items[seed].records
      while records[before].next != r { before = records[before].next }
      records[before].next = records[r].next
    }
  }

  /// Marks the blocks of this zoom that changed.
  private mutating func markVersions(_ zoom: Int) {
    for i in 0..<touched.count {
      let t = touched[i]
      let new = t.isIn ? sum(t.item, zoom) : Sum()
      var old = new
      if t.isIn { old += -t.delta } else { old = -t.delta }
      if !t.was { old = Sum() }
      let after = shown(t.item, zoom, new)
      let before = shown(t.item, zoom, old)
      let isVisible =
        t.isVisible || t.was != t.isIn || old.count != new.count || new.count == 1
        || hasAggregates && t.isContentChange || before != after
      // A filtered answer also depends on the blocks of the members' positions.
      if !isVisible && !t.isContentChange { continue }
      if t.isIn { versions.mark(zoom, x: after.x, y: after.y, visible: isVisible) }
      if t.was && (!t.isIn || before != after) {
        versions.mark(zoom, x: before.x, y: before.y, visible: isVisible)
      }
    }
  }
}
