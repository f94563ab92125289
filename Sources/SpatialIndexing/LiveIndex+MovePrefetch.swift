import GeoMath

/// The moves of one slice that leave their leaf, each with a cursor that walks the tree to its new
/// leaf and prefetches what the move will touch.
///
/// Each round takes all cursors one node on. Rounds are a few entries of the slice apart, so that
/// the memory that one round asks for is in the cache when the next one reads it.
@safe struct LeafChangePrefetch {
  /// The number of entries between two rounds.
  static let interval = 8
  /// The number of entries between the prefetch of a slot or a block and the move that uses it.
  static let slotDistance = 96
  static let blockDistance = 48
  fileprivate let cursors: UnsafeMutablePointer<PrefetchCursor>
  fileprivate var count = 0

  /// - Parameter cursors: Memory for one cursor for each entry of the slice.
  init(_ cursors: UnsafeMutablePointer<PrefetchCursor>) { unsafe self.cursors = unsafe cursors }
}

extension LiveIndex {
  /// Prefetches for the first entries of a batch of moves.
  func prefetch(ofMoves entries: UnsafeBufferPointer<UpdateBatch.Entry>, isFed: Bool) {
    for i in 0..<min(LeafChangePrefetch.slotDistance, entries.count) {
      unsafe prefetchSlot(i, entries, isFed)
    }
    for i in 0..<min(LeafChangePrefetch.blockDistance, entries.count) {
      unsafe prefetchBlock(i, entries, isFed)
    }
  }

  /// Prefetches one step before move `i` is applied: the slot of an entry further on, and the block
  /// of one whose slot is in the cache by now.
  @inline(__always)
  func prefetch(
    ofMove i: Int, _ entries: UnsafeBufferPointer<UpdateBatch.Entry>, isFed: Bool
  ) {
    // Safe: both are numbers of entries, far from overflow.
    let slot = i &+ LeafChangePrefetch.slotDistance
    let block = i &+ LeafChangePrefetch.blockDistance
    if slot < entries.count { unsafe prefetchSlot(slot, entries, isFed) }
    if block < entries.count { unsafe prefetchBlock(block, entries, isFed) }
  }

  @inline(__always)
  private func prefetchSlot(
    _ i: Int, _ entries: UnsafeBufferPointer<UpdateBatch.Entry>, _ isFed: Bool
  ) {
    let entry = unsafe entries.baseAddress.unsafelyUnwrapped + i
    let slot = unsafe Int(UInt32(truncatingIfNeeded: entry.pointee.reference))
    // The slot may lie outside the index: a prefetch never faults.
    unsafe MemoryHints.readLater(slots.base + slot)
    if isFed { unsafe MemoryHints.readLater(records.base + slot) }
  }

  @inline(__always)
  private func prefetchBlock(
    _ i: Int, _ entries: UnsafeBufferPointer<UpdateBatch.Entry>, _ isFed: Bool
  ) {
    let entry = unsafe entries.baseAddress.unsafelyUnwrapped + i
    let slot = unsafe UInt32(truncatingIfNeeded: entry.pointee.reference)
    guard slot < slotEnd else { return }
    let location = unsafe slots.base[Int(slot)].location
    unsafe MemoryHints.readLater(tree.blocks.base + Int(location >> 3))
    unsafe MemoryHints.readLater(tree.links.base + Int(location >> 3))
    if isFed && location != Slot.vacant {
      let record = unsafe record(slot)
      unsafe MemoryHints.readLater(record)
      unsafe MemoryHints.readLater(record + MemoryHints.line - 8)
    }
  }

  // MARK: Moves that leave

  /// Starts the cursor of a move that was deferred, if its slot is known. Slot, block and link are
  /// in the cache by now.
  @inline(never)
  func start(
    _ cursors: inout LeafChangePrefetch, _ number: Int, _ entry: UnsafePointer<UpdateBatch.Entry>,
    to point: MercatorPoint
  ) {
    let slot = unsafe UInt32(truncatingIfNeeded: entry.pointee.reference)
    guard slot < slotEnd else { return }
    let location = unsafe slots.base[Int(slot)].location
    guard location != Slot.vacant else { return }
    let block = unsafe tree.blocks.base + Int(location >> 3)
    unsafe MemoryHints.readLater(UnsafeRawPointer(block) + MemoryHints.line)
    let lane = Int(location & 7)
    let difference = unsafe (block.pointee.x[lane] ^ point.x) | (block.pointee.y[lane] ^ point.y)
    // The move changes the cell, so that the posting lists of its tags will be updated.
    if difference >> 16 != 0 { unsafe MemoryHints.readLater(records.base + Int(slot)) }
    let leaf = unsafe tree.links.base[Int(location >> 3)].owner >> 6
    unsafe MemoryHints.readLater(tree.nodes.base + Int(leaf))
    unsafe cursors.cursors[cursors.count] = PrefetchCursor(
      entry: UInt32(truncatingIfNeeded: number), node: leaf,
      common: UInt32(difference.leadingZeroBitCount), leaf: leaf)
    // Safe: there is at most one cursor for each entry of the slice.
    cursors.count &+= 1
  }

  /// Takes all cursors one node on. A cursor that has come to its new leaf prefetches what is left
  /// and goes. The tree may have changed since a cursor started: what it reads is within bounds,
  /// and where it looks only chooses what is prefetched.
  ///
  /// - Parameters:
  ///   - cursors: The cursors; those that have arrived are removed.
  ///   - entries: The entries of the slice, as the cursors number them.
  ///   - points: The points that the entries move to.
  @inline(never)
  func advance(
    _ cursors: inout LeafChangePrefetch, _ entries: UnsafePointer<UpdateBatch.Entry>,
    to points: UnsafePointer<MercatorPoint>
  ) {
    let all = unsafe cursors.cursors
    var kept = 0
    for k in 0..<cursors.count {
      var cursor = unsafe all[k]
      if cursor.node == cursor.leaf { tree.prefetchLast(of: cursor.leaf) }
      let point = unsafe points[Int(cursor.entry)]
      guard tree.advance(&cursor, to: point) else {
        // By now the old leaf's last block is in the cache: its last point will fill the hole.
        tree.prefetchMover(of: cursor.leaf)
        unsafe prefetchPostings(
          UInt32(truncatingIfNeeded: entries[Int(cursor.entry)].reference), point)
        continue
      }
      unsafe all[kept] = cursor
      // Safe: at most the number of cursors.
      kept &+= 1
    }
    cursors.count = kept
  }

  /// Prefetches the record of a move that changes its cell, if the object has tags.
  @inline(__always)
  private func prefetchPostings(_ slot: UInt32, _ point: MercatorPoint) {
    guard unsafe slots.base[Int(slot)].location != Slot.vacant else { return }
    let old = self.point(slot)
    guard ((old.x ^ point.x) | (old.y ^ point.y)) >> 16 != 0, signature(slot) != 0 else { return }
    unsafe MemoryHints.readLater(record(slot))
  }
}
