import GeoMath

/// The moves of one slice that leave their leaf, on the way to their new ones.
///
/// Each round takes all that are under way one node on, a few entries of the slice after the round
/// before: what a round asks for has come when the next one reads it.
@safe struct LeafChangePrefetch {
  /// Entries between two rounds.
  static let interval = 8
  /// Entries between asking for a slot and its move, and between asking for its block and that.
  static let slotDistance = 96
  static let blockDistance = 48
  fileprivate let cursors: UnsafeMutablePointer<PrefetchCursor>
  fileprivate var count = 0

  /// - Parameter cursors: room for every entry of the slice.
  init(_ cursors: UnsafeMutablePointer<PrefetchCursor>) { unsafe self.cursors = unsafe cursors }
}

extension LiveIndex {
  /// Brings a batch of moves on its way.
  func prefetch(ofMoves entries: UnsafeBufferPointer<UpdateBatch.Entry>, isFed: Bool) {
    for i in 0..<min(LeafChangePrefetch.slotDistance, entries.count) {
      unsafe prefetchSlot(i, entries, isFed)
    }
    for i in 0..<min(LeafChangePrefetch.blockDistance, entries.count) {
      unsafe prefetchBlock(i, entries, isFed)
    }
  }

  /// One step before move `i` is applied: asks for the slot of one further on, and for the block
  /// of one whose slot has come.
  @inline(__always)
  func prefetch(
    ofMove i: Int, _ entries: UnsafeBufferPointer<UpdateBatch.Entry>, isFed: Bool
  ) {
    // Safe: both are counts of entries, far from the end of the numbers.
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
    // Wherever it points: a hint never faults.
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

  /// Starts a move that was put off, if it is one of a known slot: its slot, block and link have
  /// come.
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
    // Its posting lists will be told.
    if difference >> 16 != 0 { unsafe MemoryHints.readLater(records.base + Int(slot)) }
    let leaf = unsafe tree.links.base[Int(location >> 3)].owner >> 6
    unsafe MemoryHints.readLater(tree.nodes.base + Int(leaf))
    unsafe cursors.cursors[cursors.count] = PrefetchCursor(
      entry: UInt32(truncatingIfNeeded: number), node: leaf,
      common: UInt32(difference.leadingZeroBitCount), leaf: leaf)
    // Safe: at most one for each entry of the slice.
    cursors.count &+= 1
  }

  /// Takes all cursors one node on. Those that have come to their new leaf ask for the last that
  /// they need and go. The tree may have changed since they started: what they read is within
  /// bounds, where they look is a hint.
  ///
  /// - `entries`: of the slice, as the cursors number them.
  /// - `points`: where they go.
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
        // By now the old leaf's last block has come: its last point will take the hole.
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

  /// Asks for the record of a move that changes its cell, if it has tags.
  @inline(__always)
  private func prefetchPostings(_ slot: UInt32, _ point: MercatorPoint) {
    guard unsafe slots.base[Int(slot)].location != Slot.vacant else { return }
    let old = self.point(slot)
    guard ((old.x ^ point.x) | (old.y ^ point.y)) >> 16 != 0, signature(slot) != 0 else { return }
    unsafe MemoryHints.readLater(record(slot))
  }
}
