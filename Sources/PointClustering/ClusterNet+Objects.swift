import GeoMath
import ObjectModel

/// The last state of an object among the changes that waited.
struct PendingChange {
  var rank: ObjectRank
  var key: UInt64
  /// The key under which the net knows the object, if it does.
  var knownKey: UInt64
  var mask: UInt64
  var x: UInt32
  var y: UInt32
  var isRemoval: Bool
  /// Whether tags or attributes changed, even if the mask did not.
  var isRetagging: Bool
  var contribution: ClusterContribution
}

extension ClusterNet {
  /// Returns the segment and tag of an object, which are the first 48 bits of its rank, so that
  /// cluster ids find it.
  @inline(__always)
  static func objectSlot(_ rankHigh: UInt64) -> (segment: Int, tag: UInt32) {
    let mixed = (rankHigh >> 16) &* 0x9E37_79B9_7F4A_7C15
    return (Int(mixed >> 58), UInt32(truncatingIfNeeded: mixed >> 26))
  }

  /// Returns the item of an object, found by its rank and told from others of that rank by its key.
  @inline(__always)
  func object(_ rank: ObjectRank, key: UInt64) -> UInt32 {
    let (segment, tag) = Self.objectSlot(rank.high)
    return objects.find(segment, tag) { items[$0].key == key && items[$0].rank == rank }
  }

  /// Applies `changes`, of which there is at most one for each object.
  mutating func apply(_ changes: ArraySlice<PendingChange>) {
    versions.advance()
    touched.truncate()
    // All are looked up first, so that the misses of independent reads overlap. No change of a
    // slice moves the item of another.
    found.truncate()
    for change in changes { found.append(object(change.rank, key: change.knownKey)) }
    for (n, change) in changes.enumerated() {
      let item = found[n]
      if item != Self.none { prefetchSum &+= items[item].owner }
      prefetchSum &+= head(x: Self.centre(change.x), y: Self.centre(change.y))
    }
    for (n, change) in changes.enumerated() {
      let item = found[n]
      if item == Self.none {
        if !change.isRemoval { insertObject(change, inPlaceOf: Self.none) }
      } else if change.isRemoval {
        let (segment, tag) = Self.objectSlot(change.rank.high)
        objects.remove(segment, tag, item)
        objectCount -= 1
        removeObject(item)
      } else if items[item].key == change.key
        && Self.centre(items[item].x) == Self.centre(change.x)
        && Self.centre(items[item].y) == Self.centre(change.y)
      {
        updateInPlace(item, change)
      } else {
        removeObject(item)
        insertObject(change, inPlaceOf: item)
      }
    }
    if !touched.isEmpty { updateLevels() }
    for i in 0..<released.count { items.remove(released[i]) }
    released.truncate()
  }

  /// Returns the touch of a head at the item level. For a new touch, `was` is what the head is now.
  private mutating func touchHead(_ head: UInt32) -> Int {
    let i = Int(items[head].touch)
    if i < touched.count && touched[i].item == head { return i }
    items[head].touch = UInt32(touched.count)
    touched.append(Touch(item: head, was: true, isIn: true))
    return touched.count - 1
  }

  private mutating func insertObject(_ change: PendingChange, inPlaceOf old: UInt32) {
    let item = items.insert(
      Item(rank: change.rank, key: change.key, mask: change.mask, x: change.x, y: change.y))
    if hasAggregates {
      contributions.cover(item, default: .none)
      contributions[item] = change.contribution
    }
    let (segment, tag) = Self.objectSlot(change.rank.high)
    if old == Self.none {
      objects.insert(segment, tag, item)
      objectCount += 1
    } else {
      objects.replace(segment, tag, old, with: item)
    }
    versions.mark(Self.itemLevel, x: change.x, y: change.y, visible: true)
    let head = head(x: Self.centre(change.x), y: Self.centre(change.y))
    if head == Self.none {
      becomeHead(item)
    } else if ranksLower(item, head) {
      let r = replaceHead(head, by: item)
      becomeHead(item)
      items[item].records = r
    } else {
      addPlainMember(item, of: head)
      let i = touchHead(head)
      touched[i].delta += ownSum(item)
      touched[i].isContentChange = true
    }
  }

  /// Makes a head a plain member of an item with a lower rank.
  ///
  /// - Returns: The record of the micro-cell, which counts the item.
  private mutating func replaceHead(_ head: UInt32, by item: UInt32) -> UInt32 {
    var r = ceaseHead(head)
    if r == Self.none {
      r = makeRecord(head, Self.itemLevel)
      unlinkRecord(r, of: head)
      records[r].isKnownCoincident = true
    }
    count(item, r, besides: head)
    push(head, r)
    return r
  }

  private mutating func removeObject(_ item: UInt32) {
    released.append(item)
    versions.mark(Self.itemLevel, x: items[item].x, y: items[item].y, visible: true)
    if !items[item].isHead {
      let head = head(of: item)
      removePlainMember(item, of: head)
      let i = touchHead(head)
      touched[i].delta += -ownSum(item)
      touched[i].isContentChange = true
      return
    }
    let r = ceaseHead(item)
    guard r != Self.none else { return }
    let lowest = popLowest(r)
    uncount(item, r)
    becomeHead(lowest)
    if records[r].count == 1 {
      records.remove(r)
    } else {
      items[lowest].records = r
    }
  }

  private mutating func becomeHead(_ item: UInt32) {
    items[item].owner = Self.none
    items[item].next = Self.none
    items[item].previous = Self.none
    items[item].records = Self.none
    items[item].top = UInt8(Self.itemLevel)
    insertEntry(Self.itemLevel, item)
    // A pass has at most one change of an object, so that no head that ceased comes back in it.
    assert(
      items[item].touch >= touched.count || touched[Int(items[item].touch)].item != item)
    items[item].touch = UInt32(touched.count)
    touched.append(Touch(item: item, was: false, isIn: true))
  }

  /// Removes an item from the heads. The pass removes its clusters level by level.
  ///
  /// - Returns: The record of its micro-cell, which now belongs to the next head.
  private mutating func ceaseHead(_ item: UInt32) -> UInt32 {
    let i = touchHead(item)
    removeEntry(Self.itemLevel, item)
    touched[i].isIn = false
    let r = cellRecord(item)
    if touched[i].was {
      var touch = touched[i]
      touch.delta += -sum(item, Self.itemLevel)
      leaveOwner(item, &touch)
      touched[i] = touch
    }
    if r != Self.none { unlinkRecord(r, of: item) }
    items[item].top = Item.memberTop
    return r
  }

  /// Stores the top and owner of an item that leaves, and removes it from its owner's children.
  mutating func leaveOwner(_ item: UInt32, _ touch: inout Touch) {
    touch.oldTop = items[item].top
    touch.oldOwner = items[item].owner
    if items[item].top > 0 && items[item].owner != Self.none {
      unlinkChild(item, of: items[item].owner, at: Int(items[item].top) - 1)
    }
    items[item].owner = Self.none
  }

  private mutating func updateInPlace(_ item: UInt32, _ change: PendingChange) {
    let head = head(of: item)
    let isMove = items[item].x != change.x || items[item].y != change.y
    let isContentChange =
      items[item].mask != change.mask || change.isRetagging
      || (hasAggregates && contributions[item] != change.contribution)
    versions.mark(Self.itemLevel, x: items[item].x, y: items[item].y, visible: true)
    items[item].mask = change.mask
    if hasAggregates { contributions[item] = change.contribution }
    if isMove { moveInside(item, of: head, to: MercatorPoint(x: change.x, y: change.y)) }
    if isContentChange || !isMove {
      touched[touchHead(head)].isContentChange = true
      let r = cellRecord(head)
      if r != Self.none { records[r].isStale = true }
    }
  }

  /// Moves an object within its micro-cell. No cluster gains or loses a member; their means follow.
  private mutating func moveInside(_ item: UInt32, of head: UInt32, to point: MercatorPoint) {
    let old = MercatorPoint(x: items[item].x, y: items[item].y)
    let r = cellRecord(head)
    let wasOnePlace = r != Self.none && isOnePlace(head, r)
    var delta = -ownSum(item)
    if item == head { markMoveOfSeed(item, to: point) }
    items[item].x = point.x
    items[item].y = point.y
    delta += ownSum(item)
    noteMove(of: head, from: (old.x, old.y), to: point.x, point.y)
    let i = touchHead(head)
    touched[i].delta += delta
    guard r != Self.none else { return }
    records[r].sumX += delta.x
    records[r].sumY += delta.y
    records[r].isKnownCoincident = false
    if wasOnePlace || isOnePlace(head, r) { touched[i].isVisible = true }
  }

  /// Marks the zooms at which the move of a seed alone takes the marker elsewhere, before the sums
  /// follow: where a cluster is drawn also depends on its seed's position.
  private mutating func markMoveOfSeed(_ item: UInt32, to point: MercatorPoint) {
    let old = MercatorPoint(x: items[item].x, y: items[item].y)
    for zoom in stride(from: Self.maximumZoom, through: Int(items[item].top), by: -1) {
      let sum = sum(item, zoom)
      guard sum.count > 1 else { continue }
      let before = shown(item, zoom, sum)
      items[item].x = point.x
      items[item].y = point.y
      let after = shown(item, zoom, sum)
      items[item].x = old.x
      items[item].y = old.y
      if before != after { versions.mark(zoom, x: before.x, y: before.y, visible: true) }
    }
  }
}
