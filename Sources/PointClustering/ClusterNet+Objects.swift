/// The last state of an object among the changes that waited.
struct PendingChange {
  var hash: UInt64
  var key: UInt64
  var mask: UInt64
  var x: UInt32
  var y: UInt32
  var isRemoval: Bool
  /// Tags or attributes changed, whether or not the mask did.
  var isRetagging: Bool
  var contribution: ClusterContribution
}

extension ClusterNet {
  /// Segment and tag of an object: from the first 48 bits of its hash, so that cluster ids find it.
  @inline(__always)
  static func objectSlot(_ hash: UInt64) -> (segment: Int, tag: UInt32) {
    let mixed = (hash >> 16) &* 0x9E37_79B9_7F4A_7C15
    return (Int(mixed >> 58), UInt32(truncatingIfNeeded: mixed >> 26))
  }

  @inline(__always)
  func object(hash: UInt64) -> UInt32 {
    let (segment, tag) = Self.objectSlot(hash)
    return objects.find(segment, tag) { items[$0].hash == hash }
  }

  /// Brings the net to the state that `changes` describe, at most one change an object.
  mutating func apply(_ changes: ArraySlice<PendingChange>) {
    versions.advance()
    touched.truncate()
    // Look all of them up first: the misses of independent reads overlap. No change of a slice
    // moves the item of another.
    found.truncate()
    for change in changes { found.append(object(hash: change.hash)) }
    for (n, change) in changes.enumerated() {
      let item = found[n]
      if item != Self.none { warmth &+= items[item].owner }
      warmth &+= head(x: Self.centre(change.x), y: Self.centre(change.y))
    }
    for (n, change) in changes.enumerated() {
      let item = found[n]
      if item == Self.none {
        if !change.isRemoval { insertObject(change, inPlaceOf: Self.none) }
      } else if change.isRemoval {
        let (segment, tag) = Self.objectSlot(change.hash)
        objects.remove(segment, tag, item)
        objectCount -= 1
        removeObject(item)
      } else if Self.centre(items[item].x) == Self.centre(change.x)
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

  /// The touch of a head at the item level; `was` is what it is now if it is new to the list.
  private mutating func touchHead(_ head: UInt32) -> Int {
    let i = Int(items[head].touch)
    if i < touched.count && touched[i].item == head { return i }
    items[head].touch = UInt32(touched.count)
    touched.append(Touch(item: head, was: true, isIn: true))
    return touched.count - 1
  }

  private mutating func insertObject(_ change: PendingChange, inPlaceOf old: UInt32) {
    let item = items.insert(
      Item(hash: change.hash, key: change.key, mask: change.mask, x: change.x, y: change.y))
    if hasAggregates {
      contributions.cover(item, default: .none)
      contributions[item] = change.contribution
    }
    let (segment, tag) = Self.objectSlot(change.hash)
    if old == Self.none {
      objects.insert(segment, tag, item)
      objectCount += 1
    } else {
      objects.replace(segment, tag, old, with: item)
    }
    versions.mark(Self.itemLevel, x: change.x, y: change.y, visible: true)
    let head = head(x: Self.centre(change.x), y: Self.centre(change.y))
    if head == Self.none {
      becomeHead(item, memberCount: 1, members: Self.none)
    } else if ranksLower(item, head) {
      let (count, members) = (items[head].memberCount, items[head].members)
      ceaseHead(head)
      items[head].owner = item
      items[head].next = members
      items[head].previous = Self.none
      if members != Self.none { items[members].previous = head }
      var member = members
      while member != Self.none {
        items[member].owner = item
        member = items[member].next
      }
      becomeHead(item, memberCount: count + 1, members: head)
    } else {
      let members = items[head].members
      items[item].owner = head
      items[item].next = members
      if members != Self.none { items[members].previous = item }
      items[head].members = item
      items[head].memberCount += 1
      touched[touchHead(head)].delta.count += 1
    }
  }

  private mutating func removeObject(_ item: UInt32) {
    released.append(item)
    versions.mark(Self.itemLevel, x: items[item].x, y: items[item].y, visible: true)
    if !items[item].isHead {
      let head = items[item].owner
      unlinkMember(item, of: head)
      items[head].memberCount -= 1
      touched[touchHead(head)].delta.count -= 1
      return
    }
    let (count, members) = (items[item].memberCount, items[item].members)
    ceaseHead(item)
    guard members != Self.none else { return }
    var lowest = members
    var member = items[members].next
    while member != Self.none {
      if ranksLower(member, lowest) { lowest = member }
      member = items[member].next
    }
    items[item].members = members
    unlinkMember(lowest, of: item)
    let rest = items[item].members
    member = rest
    while member != Self.none {
      items[member].owner = lowest
      member = items[member].next
    }
    becomeHead(lowest, memberCount: count - 1, members: rest)
  }

  private mutating func unlinkMember(_ item: UInt32, of head: UInt32) {
    let (next, previous) = (items[item].next, items[item].previous)
    if previous == Self.none { items[head].members = next } else { items[previous].next = next }
    if next != Self.none { items[next].previous = previous }
  }

  private mutating func becomeHead(_ item: UInt32, memberCount: UInt32, members: UInt32) {
    items[item].owner = Self.none
    items[item].next = Self.none
    items[item].previous = Self.none
    items[item].members = members
    items[item].memberCount = memberCount
    items[item].top = UInt8(Self.itemLevel)
    insertEntry(Self.itemLevel, item)
    // One pass brings an object at most one change, so no head that ceased comes back in it.
    assert(
      items[item].touch >= touched.count || touched[Int(items[item].touch)].item != item)
    items[item].touch = UInt32(touched.count)
    touched.append(Touch(item: item, was: false, isIn: true))
  }

  /// Takes an item off the heads; its tower is taken down level by level in the pass.
  private mutating func ceaseHead(_ item: UInt32) {
    let i = touchHead(item)
    removeEntry(Self.itemLevel, item)
    touched[i].isIn = false
    if touched[i].was {
      var touch = touched[i]
      touch.delta.count -= Int64(items[item].memberCount)
      leaveOwner(item, &touch)
      touched[i] = touch
    }
    items[item].top = Item.memberTop
    items[item].members = Self.none
    items[item].memberCount = 1
  }

  /// Notes the top and owner of an item that leaves, and takes it off its owner's children.
  mutating func leaveOwner(_ item: UInt32, _ touch: inout Touch) {
    touch.oldTop = items[item].top
    touch.oldOwner = items[item].owner
    if items[item].top > 0 && items[item].owner != Self.none {
      unlinkChild(item, of: items[item].owner, at: Int(items[item].top) - 1)
    }
    items[item].owner = Self.none
  }

  private mutating func updateInPlace(_ item: UInt32, _ change: PendingChange) {
    let head = items[item].isHead ? item : items[item].owner
    let isPointChange =
      items[item].x != change.x || items[item].y != change.y || items[item].key != change.key
    let isContentChange =
      items[item].mask != change.mask
      || (hasAggregates && contributions[item] != change.contribution)
    versions.mark(Self.itemLevel, x: items[item].x, y: items[item].y, visible: true)
    let old = (items[item].x, items[item].y)
    items[item].x = change.x
    items[item].y = change.y
    if isPointChange { noteMove(of: head, from: old, to: change.x, change.y) }
    items[item].key = change.key
    items[item].mask = change.mask
    if hasAggregates { contributions[item] = change.contribution }
    if isContentChange || change.isRetagging || !isPointChange {
      _ = touchHead(head)
    } else if items[head].memberCount == 1 {
      markSingle(head)
    }
  }

  /// A single point moved inside its micro-cell: no cluster changed, only where it is drawn.
  private mutating func markSingle(_ head: UInt32) {
    var zoom = Self.maximumZoom
    while zoom >= Int(items[head].top), sum(head, zoom).count == 1 {
      versions.mark(zoom, x: items[head].x, y: items[head].y, visible: true)
      zoom -= 1
    }
  }
}
