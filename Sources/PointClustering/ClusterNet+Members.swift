/// The objects of one micro-cell.
///
/// The object with the lowest rank is the head. The others, the plain members, form a leftist heap
/// (C. A. Crane, 1972) under the micro-cell's record, so that an arrival, a departure and a change
/// of head each cost O(log m), whatever the order of the ranks in which they come:
///
///     head ── records ──► … ──► [17: count, sums] ── firstChild ──► lowest plain member
///                                                                   /           \
///                                                             previous          next
///
/// Invariants: a member ranks lower than those below it. The path to the right from a member, whose
/// length is in `pathLength`, is no longer than the one to the right from its left child. A member
/// does not name its head: the grid finds the head by the micro-cell.
extension ClusterNet {
  /// Returns the record of a head's micro-cell, `none` when the head is alone in it.
  @inline(__always)
  func cellRecord(_ head: UInt32) -> UInt32 { record(head, Self.itemLevel) }

  /// Returns the head of an item's micro-cell.
  @inline(__always)
  func head(of item: UInt32) -> UInt32 {
    items[item].isHead ? item : head(x: items[item].anchorX, y: items[item].anchorY)
  }

  /// Calls `body` with the plain members of a micro-cell, given by its record.
  @inline(__always)
  func forEachPlainMember(_ r: UInt32, _ body: (UInt32) -> Void) {
    _ = containsPlainMember(r) {
      body($0)
      return false
    }
  }

  /// Calls `body` with plain members until it returns true, and returns whether it did.
  @inline(__always)
  private func containsPlainMember(_ r: UInt32, where body: (UInt32) -> Bool) -> Bool {
    guard r != Self.none else { return false }
    var member = records[r].firstChild
    while member != Self.none {
      if body(member) { return true }
      if items[member].previous != Self.none {
        member = items[member].previous
        continue
      }
      // A member without a left child has no right one. The loop ascends to where a right child is
      // still to be visited.
      while true {
        let parent = items[member].owner
        guard parent != Self.none else { return false }
        if items[parent].previous == member && items[parent].next != Self.none {
          member = items[parent].next
          break
        }
        member = parent
      }
    }
    return false
  }

  /// Returns whether all objects of a micro-cell are at exactly one position.
  ///
  /// Sums that differ from those of as many objects at the head's position decide at once. Only
  /// where they agree are the members looked at, until one differs.
  func isOnePlace(_ head: UInt32, _ r: UInt32) -> Bool {
    if records[r].isKnownCoincident { return true }
    let own = ownSum(head)
    let count = Int64(records[r].count)
    guard records[r].sumX == own.x * count && records[r].sumY == own.y * count else { return false }
    let (x, y) = (items[head].x, items[head].y)
    if containsPlainMember(r, where: { items[$0].x != x || items[$0].y != y }) { return false }
    records[r].isKnownCoincident = true
    return true
  }

  /// Adds an object to the heap of a micro-cell, which gets a record if it had none.
  mutating func addPlainMember(_ item: UInt32, of head: UInt32) {
    var r = cellRecord(head)
    if r == Self.none {
      r = makeRecord(head, Self.itemLevel)
      records[r].isKnownCoincident = true
    }
    count(item, r, besides: head)
    push(item, r)
  }

  /// Adds an object to a heap whose record counts it already.
  mutating func push(_ item: UInt32, _ r: UInt32) {
    items[item].top = Item.memberTop
    items[item].next = Self.none
    items[item].previous = Self.none
    items[item].pathLength = 1
    work += 1
    let top = meld(records[r].firstChild, item)
    items[top].owner = Self.none
    records[r].firstChild = top
  }

  /// Removes a plain member from its micro-cell, and the record when only the head is left.
  mutating func removePlainMember(_ item: UInt32, of head: UInt32) {
    let r = cellRecord(head)
    let parent = items[item].owner
    let rest = meld(items[item].previous, items[item].next)
    if rest != Self.none { items[rest].owner = parent }
    if parent == Self.none {
      records[r].firstChild = rest
    } else {
      if items[parent].previous == item {
        items[parent].previous = rest
      } else {
        items[parent].next = rest
      }
      // A length that changes is one more than the last one, so that at most log m of them change.
      var node = parent
      while node != Self.none {
        let before = items[node].pathLength
        balance(node)
        if items[node].pathLength == before { break }
        node = items[node].owner
      }
    }
    uncount(item, r)
    if records[r].count == 1 {
      unlinkRecord(r, of: head)
      records.remove(r)
    }
  }

  /// Adds an object to a micro-cell's count and sums. `other` is one of its objects: the micro-cell
  /// is no longer known to be one place when the two differ.
  mutating func count(_ item: UInt32, _ r: UInt32, besides other: UInt32) {
    if items[item].x != items[other].x || items[item].y != items[other].y {
      records[r].isKnownCoincident = false
    }
    let own = ownSum(item)
    records[r].count += 1
    records[r].sumX += own.x
    records[r].sumY += own.y
    records[r].isStale = true
  }

  /// Subtracts an object from a micro-cell's count and sums.
  mutating func uncount(_ item: UInt32, _ r: UInt32) {
    let own = ownSum(item)
    records[r].count -= 1
    records[r].sumX -= own.x
    records[r].sumY -= own.y
    records[r].isStale = true
  }

  /// Removes the plain member with the lowest rank from the heap, but not from the count.
  mutating func popLowest(_ r: UInt32) -> UInt32 {
    let lowest = records[r].firstChild
    let rest = meld(items[lowest].previous, items[lowest].next)
    if rest != Self.none { items[rest].owner = Self.none }
    records[r].firstChild = rest
    return lowest
  }

  /// Makes one heap of two. The caller sets the parent of the result.
  ///
  /// - Complexity: O(log m), as deep as the two paths to the right are long.
  private mutating func meld(_ a: UInt32, _ b: UInt32) -> UInt32 {
    if a == Self.none { return b }
    if b == Self.none { return a }
    let (top, other) = ranksLower(b, a) ? (b, a) : (a, b)
    let right = meld(items[top].next, other)
    items[top].next = right
    items[right].owner = top
    balance(top)
    return top
  }

  /// Moves the child with the longer path to the right to the left, and sets the item's own length.
  @inline(__always)
  private mutating func balance(_ item: UInt32) {
    let (left, right) = (items[item].previous, items[item].next)
    let leftLength = left == Self.none ? 0 : items[left].pathLength
    let rightLength = right == Self.none ? 0 : items[right].pathLength
    if leftLength < rightLength {
      items[item].previous = right
      items[item].next = left
    }
    items[item].pathLength = min(leftLength, rightLength) + 1
    work += 1
  }
}
