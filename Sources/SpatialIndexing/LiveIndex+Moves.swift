import GeoMath
import ObjectModel

extension LiveIndex {
  /// A slice of moves by handle, in the order that suits memory.
  ///
  /// Most moves stay in their leaf: those are applied as they come, while the memory of entries
  /// further on is on its way. Those that leave are put off to the end of the slice, when all of
  /// them climb and descend the tree together. Moves of one object keep their order: what shares
  /// a bit with the slot of a move that was put off is put off as well.
  mutating func applyMoves(
    _ batch: Lookahead, _ range: Range<Int>, now: Int64,
    outcomes: UnsafeMutablePointer<UpdateOutcome>
  ) -> Bool {
    if range.lowerBound == 0 { lookAhead(ofMoves: batch) }
    var changed = false
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: range.count) { later in
      let later = unsafe later.baseAddress.unsafelyUnwrapped
      var count = 0
      var bits = SlotBits()
      for i in range {
        lookAhead(ofMove: i, batch)
        let entry = unsafe batch.entries.baseAddress.unsafelyUnwrapped + i
        let slot = unsafe UInt32(truncatingIfNeeded: entry.pointee.reference)
        if !bits.contains(slot),
          let outcome = unsafe moveWithinLeaf(entry, to: batch.points[i], now: now)
        {
          changed = changed || outcome == .updated
          unsafe outcomes[i] = outcome
        } else {
          bits.insert(slot)
          unsafe later[count] = UInt32(truncatingIfNeeded: i)
          count += 1
        }
      }
      unsafe lookAhead(ofLeaving: later, count, batch)
      for k in 0..<count {
        let i = unsafe Int(later[k])
        let outcome = unsafe move(
          batch.entries.baseAddress.unsafelyUnwrapped + i, to: batch.points[i], now: now,
          isFed: false)
        changed = changed || outcome == .updated
        unsafe outcomes[i] = outcome
      }
    }
    return changed
  }

  /// Moves one object by its handle.
  @inline(__always)
  mutating func move(
    _ entry: UnsafePointer<UpdateBatch.Entry>, to point: MercatorPoint, now: Int64, isFed: Bool
  ) -> UpdateOutcome {
    if let refusal = unsafe refusal(of: entry, now: now) { return refusal }
    let slot = unsafe UInt32(truncatingIfNeeded: entry.pointee.reference)
    if unsafe !isFed && shift(slot, entry, to: point) { return .updated }
    unsafe relocate(slot, entry, to: point, isFed: isFed, kind: .moved)
    return .updated
  }

  /// The same for moves that need nothing but their own two cache lines; `nil` for others, of which
  /// nothing is done.
  @inline(__always)
  private mutating func moveWithinLeaf(
    _ entry: UnsafePointer<UpdateBatch.Entry>, to point: MercatorPoint, now: Int64
  ) -> UpdateOutcome? {
    if let refusal = unsafe refusal(of: entry, now: now) { return refusal }
    let slot = unsafe UInt32(truncatingIfNeeded: entry.pointee.reference)
    return unsafe shift(slot, entry, to: point) ? .updated : nil
  }

  /// Why a move is not made, if it is not.
  @inline(__always)
  private func refusal(
    of entry: UnsafePointer<UpdateBatch.Entry>, now: Int64
  ) -> UpdateOutcome? {
    let slot = unsafe UInt32(truncatingIfNeeded: entry.pointee.reference)
    guard slot < slotEnd else { return .unknownHandle }
    let stored = unsafe slots.pointer(slot)
    guard
      unsafe stored.pointee.generation == UInt32(truncatingIfNeeded: entry.pointee.reference >> 32),
      unsafe stored.pointee.location != Slot.vacant,
      unsafe times.expiresAt(slot, stored.pointee.times) > now
    else { return .unknownHandle }
    return
      unsafe times.observedAt(slot, stored.pointee.times) <= entry.pointee.observedAt
      || entry.pointee.isReceiptTime ? nil : .stale
  }

  /// The short way for a move that stays in its leaf and its level-16 cell and expires no earlier:
  /// two cache lines are written. Answers whether it was one.
  @inline(__always)
  private mutating func shift(
    _ slot: UInt32, _ entry: UnsafePointer<UpdateBatch.Entry>, to point: MercatorPoint
  ) -> Bool {
    let stored = unsafe slots.pointer(slot)
    let location = unsafe stored.pointee.location
    let block = unsafe tree.blocks.pointer(location >> 3)
    let lane = Int(location & 7)
    let difference = unsafe (block.pointee.x[lane] ^ point.x) | (block.pointee.y[lane] ^ point.y)
    let level = tree.links[location >> 3].owner & 63
    guard difference >> 16 == 0, UInt32(difference.leadingZeroBitCount) >= level,
      // Piles are ordered by exact coordinates.
      unsafe level < 32
        || (stored.pointee.latitude.bitPattern == entry.pointee.latitude.bitPattern
          && stored.pointee.longitude.bitPattern == entry.pointee.longitude.bitPattern),
      unsafe entry.pointee.expiresAt >= times.expiresAt(slot, stored.pointee.times)
    else { return false }
    unsafe PointBlock.setPoint(block, lane, point)
    unsafe stored.pointee.latitude = entry.pointee.latitude
    unsafe stored.pointee.longitude = entry.pointee.longitude
    unsafe stored.pointee.times = times.pack(
      slot: slot,
      observedAt: max(times.observedAt(slot, stored.pointee.times), entry.pointee.observedAt),
      expiresAt: entry.pointee.expiresAt)
    return true
  }
}

/// Which slots were met, by their low eight bits: says yes too often, no never wrongly.
private struct SlotBits {
  private var words = SIMD4<UInt64>.zero

  @inline(__always)
  func contains(_ slot: UInt32) -> Bool {
    words[Int(slot &>> 6 & 3)] & (1 &<< UInt64(slot & 63)) != 0
  }

  @inline(__always)
  mutating func insert(_ slot: UInt32) {
    words[Int(slot &>> 6 & 3)] |= 1 &<< UInt64(slot & 63)
  }
}
