import GeoMath

/// The entries of a batch with upserts, with what the prefetching steps know of them.
@safe struct PrefetchBatch {
  /// The number of entries that a step handles together: what three steps fetch must fit the first
  /// cache.
  static let step = 64
  let entries: UnsafeBufferPointer<UpdateBatch.Entry>
  let hashes: UnsafeBufferPointer<UInt64>
  let points: UnsafeBufferPointer<MercatorPoint>
  let isFed: Bool
}

/// A prefetching walk through the tree for one entry, from its old leaf to its new one.
struct PrefetchCursor: BitwiseCopyable {
  var entry: UInt32
  /// The node that the walk has come to.
  var node: UInt32
  /// The level of the common ancestor: the walk climbs while its node is below it, then descends
  /// to the entry's point. With 63 the walk only descends.
  var common: UInt32
  /// The leaf that the entry leaves, `.max` if none.
  var leaf: UInt32
}

extension LiveIndex {
  /// Prefetches the memory that the entries of a slice will touch. It takes one step for all
  /// entries before the next step, so that each step reads what the one before it has fetched:
  ///
  ///     id map lines → slots, record references → blocks, their links, records
  ///     → of moves that leave their leaf: its node → nodes up to the common ancestor, then down
  ///     → both leaves' last blocks
  ///
  /// The first steps run ahead of the slice that is applied, so that memory is busy meanwhile. They
  /// run under the same lock. Earlier entries may change what the steps have read, which only makes
  /// a prefetch useless.
  func prefetch(_ batch: PrefetchBatch, _ range: Range<Int>) {
    func step(_ number: Int) -> Range<Int> {
      let count = unsafe batch.entries.count
      let start = min(count, range.lowerBound + number * PrefetchBatch.step)
      return start..<min(count, start + PrefetchBatch.step)
    }
    if range.lowerBound == 0 {
      prefetchMap(batch, step(0).lowerBound..<step(2).upperBound)
      prefetchSlots(batch, step(0))
      prefetchSlots(batch, step(1))
      prefetchBlocks(batch, step(0))
    }
    prefetchMap(batch, step(3))
    prefetchSlots(batch, step(2))
    prefetchBlocks(batch, step(1))
    unsafe withUnsafeTemporaryAllocation(of: PrefetchCursor.self, capacity: 2 * range.count) {
      cursors in
      let base = unsafe cursors.baseAddress.unsafelyUnwrapped
      unsafe walk(batch, base, findLeaving(batch, range, base))
    }
  }

  @inline(__always)
  private func prefetchMap(_ batch: PrefetchBatch, _ range: Range<Int>) {
    for i in range {
      let home = unsafe map.home(batch.hashes[i])
      unsafe MemoryHints.readLater(home)
      // A new id is looked for up to the next vacant entry, half the time in the next line.
      unsafe MemoryHints.readLater(home + 4)
    }
  }

  /// Returns the slot that an entry is probably about, without reading the object's id.
  @inline(__always)
  private func expectedSlot(_ i: Int, _ batch: PrefetchBatch) -> UInt32 {
    let entry = unsafe batch.entries.baseAddress.unsafelyUnwrapped + i
    if unsafe !entry.pointee.isMove { return unsafe likelySlot(batch.hashes[i]) ?? Slot.vacant }
    let slot = unsafe UInt32(truncatingIfNeeded: entry.pointee.reference)
    return slot < slotEnd ? slot : Slot.vacant
  }

  @inline(__always)
  private func prefetchSlots(_ batch: PrefetchBatch, _ range: Range<Int>) {
    for i in range {
      let slot = expectedSlot(i, batch)
      guard slot != Slot.vacant else { continue }
      unsafe MemoryHints.readLater(slots.base + Int(slot))
      unsafe MemoryHints.readLater(records.base + Int(slot))
    }
  }

  @inline(__always)
  private func prefetchBlocks(_ batch: PrefetchBatch, _ range: Range<Int>) {
    for i in range {
      let slot = expectedSlot(i, batch)
      guard slot != Slot.vacant else { continue }
      let location = unsafe slots.base[Int(slot)].location
      guard location != Slot.vacant else { continue }
      unsafe MemoryHints.readLater(tree.blocks.base + Int(location >> 3))
      unsafe MemoryHints.readLater(tree.links.base + Int(location >> 3))
      let record = unsafe record(slot)
      unsafe MemoryHints.readLater(record)
      unsafe MemoryHints.readLater(record + MemoryHints.line - 8)
    }
  }

  /// Collects the entries that will change their leaf and those that will be inserted.
  @inline(__always)
  private func findLeaving(
    _ batch: PrefetchBatch, _ range: Range<Int>, _ cursors: UnsafeMutablePointer<PrefetchCursor>
  ) -> Int {
    var count = 0
    for i in range {
      let slot = expectedSlot(i, batch)
      let location = slot == Slot.vacant ? slot : unsafe slots.base[Int(slot)].location
      guard location != Slot.vacant else {
        if unsafe !batch.entries[i].isMove {
          unsafe cursors[count] = PrefetchCursor(
            entry: UInt32(truncatingIfNeeded: i), node: 0, common: 63, leaf: .max)
          count += 1
        }
        continue
      }
      let block = unsafe tree.blocks.base + Int(location >> 3)
      let lane = Int(location & 7)
      let point = unsafe batch.points[i]
      let difference = unsafe (block.pointee.x[lane] ^ point.x) | (block.pointee.y[lane] ^ point.y)
      let owner = unsafe tree.links.base[Int(location >> 3)].owner
      let common = UInt32(difference.leadingZeroBitCount)
      // Written without a branch, because which moves leave their leaf cannot be predicted.
      unsafe cursors[count] = PrefetchCursor(
        entry: UInt32(truncatingIfNeeded: i), node: owner >> 6, common: common, leaf: owner >> 6)
      count += common < owner & 63 ? 1 : 0
    }
    for k in 0..<count {
      let node = unsafe tree.nodes.base + Int(cursors[k].node)
      unsafe MemoryHints.readLater(node)
    }
    return count
  }

  /// Takes all cursors one node on, until each has come to its new leaf. Behind the cursors there
  /// is memory for as many again.
  @inline(__always)
  private func walk(
    _ batch: PrefetchBatch, _ cursors: UnsafeMutablePointer<PrefetchCursor>, _ count: Int
  ) {
    for k in 0..<count {
      let leaf = unsafe cursors[k].leaf
      if leaf != .max { tree.prefetchLast(of: leaf) }
    }
    // The cursors that are still walking are copied behind the others.
    let walking = unsafe cursors + count
    for k in 0..<count { unsafe walking[k] = unsafe cursors[k] }
    var active = count
    while active > 0 {
      var kept = 0
      for k in 0..<active {
        var cursor = unsafe walking[k]
        guard tree.advance(&cursor, to: unsafe batch.points[Int(cursor.entry)]) else { continue }
        unsafe walking[kept] = cursor
        kept += 1
      }
      active = kept
    }
    // By now the last blocks are in the cache: their last points will fill the holes.
    for k in 0..<count {
      let leaf = unsafe cursors[k].leaf
      if leaf != .max { tree.prefetchMover(of: leaf) }
    }
  }

  /// Returns the slot of the first entry with a hash, which is nearly always the right one.
  @inline(__always)
  private func likelySlot(_ hash: UInt64) -> UInt32? {
    let entry = unsafe map.home(hash).pointee
    let slot = UInt32(truncatingIfNeeded: entry)
    return entry >> 32 == hash >> 32 && slot < slotEnd ? slot : nil
  }

  // MARK: Lookups

  /// Prefetches one step before the id of hash `i` is looked up: the map's line of a hash further
  /// on, the slot and record reference of one whose line is in the cache, and the record of one
  /// whose reference is. It notes the slot that a hash finds first, `Slot.vacant` if it finds none.
  @inline(__always)
  func prefetch(
    of i: Int, _ hashes: UnsafeBufferPointer<UInt64>, _ likely: UnsafeMutableBufferPointer<UInt32>
  ) {
    if i + 36 < hashes.count { unsafe MemoryHints.readLater(map.home(hashes[i + 36])) }
    if i + 24 < hashes.count, let slot = unsafe likelySlot(hashes[i + 24]) {
      unsafe likely[i + 24] = slot
      unsafe MemoryHints.readLater(slots.base + Int(slot))
      unsafe MemoryHints.readLater(records.base + Int(slot))
    }
    if i >= -12, i + 12 < hashes.count {
      let slot = unsafe likely[i + 12]
      if slot != Slot.vacant {
        let record = unsafe record(slot)
        unsafe MemoryHints.read(record)
        unsafe MemoryHints.read(record + MemoryHints.line - 8)
      }
    }
  }

  /// Prefetches for the first ids.
  @inline(__always)
  func prefetch(
    _ hashes: UnsafeBufferPointer<UInt64>, _ likely: UnsafeMutableBufferPointer<UInt32>
  ) {
    for i in 0..<min(36, hashes.count) { unsafe MemoryHints.readLater(map.home(hashes[i])) }
    for i in -24..<0 { unsafe prefetch(of: i, hashes, likely) }
  }
}

extension PointTree {
  /// Takes a cursor one node on and prefetches that node. When it has come to its new leaf, it
  /// prefetches the block that the point will join instead.
  ///
  /// - Returns: Whether the cursor is still walking.
  @inline(__always)
  func advance(_ cursor: inout PrefetchCursor, to point: MercatorPoint) -> Bool {
    let node = unsafe nodes.base + Int(cursor.node)
    let level = unsafe node.pointee.level
    if level > cursor.common {
      cursor.node = unsafe node.pointee.parent
    } else {
      // From the common ancestor the walk only descends.
      cursor.common = 63
      guard unsafe node.pointee.isInner else {
        unsafe prefetchRoom(in: node)
        return false
      }
      cursor.node = unsafe node.pointee.first + Self.quadrant(point, level: level)
    }
    unsafe MemoryHints.readLater(nodes.base + Int(cursor.node))
    return true
  }

  /// Prefetches the block of a leaf's last point.
  @inline(__always)
  func prefetchLast(of leaf: UInt32) {
    let node = unsafe nodes.base + Int(leaf)
    guard unsafe node.pointee.level < 32 && node.pointee.count > 0 else { return }
    let last = unsafe Int((node.pointee.count &- 1) >> 3)
    let block = unsafe blocks.base + Int(self.block(of: leaf, last & 3))
    unsafe MemoryHints.readLater(block)
    unsafe MemoryHints.readLater(UnsafeRawPointer(block) + MemoryHints.line)
  }

  /// Prefetches the slot of a leaf's last point, whose block is in the cache.
  @inline(__always)
  func prefetchMover(of leaf: UInt32) {
    let node = unsafe nodes.base + Int(leaf)
    guard unsafe node.pointee.level < 32 && node.pointee.count > 0 else { return }
    let last = unsafe Int(node.pointee.count &- 1)
    // A change since the walk began may have left any number here.
    let block = self.block(of: leaf, last >> 3 & 3)
    guard block < blockEnd else { return }
    unsafe MemoryHints.readLater(slots + Int(PointBlock.slots(blocks.base + Int(block))[last & 7]))
  }

  /// Prefetches the block that a new point of a leaf would join.
  @inline(__always)
  func prefetchRoom(in node: UnsafeMutablePointer<TreeNode>) {
    guard unsafe node.pointee.count & 7 != 0, unsafe node.pointee.level < 32 else { return }
    let words = unsafe UnsafeRawPointer(node).assumingMemoryBound(to: UInt32.self)
    let block = unsafe blocks.base + Int(words[Int(node.pointee.count >> 3)])
    unsafe MemoryHints.readLater(block)
    unsafe MemoryHints.readLater(UnsafeRawPointer(block) + MemoryHints.line)
  }

  /// Prefetches the children of a node, if it has any.
  @inline(__always)
  func prefetchGroup(of index: UInt32) {
    let node = unsafe nodes.base + Int(index)
    guard unsafe node.pointee.isInner else { return }
    let group = unsafe nodes.base + Int(node.pointee.first)
    unsafe MemoryHints.read(group)
    unsafe MemoryHints.read(group + 2)
  }

  /// Prefetches what a search reads of a node when it visits it: a leaf's blocks, or the children
  /// of an inner node.
  @inline(__always)
  func prefetchContent(of node: UnsafeMutablePointer<TreeNode>, withSignatures: Bool) {
    if unsafe node.pointee.isInner {
      let group = unsafe nodes.base + Int(node.pointee.first)
      unsafe MemoryHints.read(group)
      unsafe MemoryHints.read(group + 2)
      return
    }
    let blockCount = unsafe node.pointee.level < 32 ? min(4, (node.pointee.count &+ 7) >> 3) : 1
    let words = unsafe UnsafeRawPointer(node).assumingMemoryBound(to: UInt32.self)
    for i in 0..<Int(blockCount) {
      let block = unsafe blocks.base + Int(words[i])
      unsafe MemoryHints.read(block)
      if withSignatures { unsafe MemoryHints.read(UnsafeRawPointer(block) + MemoryHints.line) }
    }
  }

  /// Prefetches a leaf's blocks, which are read a little later, into the second cache.
  @inline(__always)
  func prefetchBlocksLater(of node: UnsafeMutablePointer<TreeNode>) {
    let blockCount = unsafe node.pointee.level < 32 ? min(4, (node.pointee.count &+ 7) >> 3) : 1
    let words = unsafe UnsafeRawPointer(node).assumingMemoryBound(to: UInt32.self)
    for i in 0..<Int(blockCount) {
      let block = unsafe UnsafeRawPointer(blocks.base + Int(words[i]))
      unsafe MemoryHints.readLater(block)
      unsafe MemoryHints.readLater(block + MemoryHints.line)
    }
  }
}
