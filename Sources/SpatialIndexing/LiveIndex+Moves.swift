import GeoMath
import ObjectModel

extension LiveIndex {
  /// A slice of moves by handle, in the order that suits memory.
  ///
  /// Most moves stay in their leaf: those are applied as they come, while the memory of entries
  /// further on is on its way. The others are put off to the end of the slice; until then they climb
  /// and descend the tree, a node every few entries, to ask for what they will touch. Moves of one
  /// object keep their order: what shares a bit with the slot of a move that was put off is put off
  /// as well.
  @inline(__always)
  mutating func applyMoves(
    _ entries: UnsafeBufferPointer<UpdateBatch.Entry>, _ range: Range<Int>, now: Int64,
    isFed: Bool, outcomes: UnsafeMutablePointer<UpdateOutcome>
  ) -> Bool {
    if range.lowerBound == 0 { unsafe prefetch(ofMoves: entries, isFed: isFed) }
    let first = unsafe entries.baseAddress.unsafelyUnwrapped + range.lowerBound
    let outcomes = unsafe outcomes + range.lowerBound
    let count = range.count
    let points = unsafe scratch.points
    let later = unsafe scratch.later
    let projector = MercatorProjector.shared
    var cursors = unsafe LeafChangePrefetch(scratch.cursors)
    var putOff = 0
    precondition(count <= MoveScratch.capacity)
    scratch.forgetSlots()
    for number in 0..<count {
      unsafe prefetch(ofMove: range.lowerBound &+ number, entries, isFed: isFed)
      let entry = unsafe first + number
      let point = unsafe projector.point(
        latitude: entry.pointee.latitude, longitude: entry.pointee.longitude)
      unsafe points[number] = point
      let slot = unsafe UInt32(truncatingIfNeeded: entry.pointee.reference)
      if unsafe !scratch.mayHaveMet(slot) && shift(entry, to: point, now: now, isFed: isFed) {
        unsafe outcomes[number] = .updated
      } else {
        scratch.meet(slot)
        unsafe later[putOff] = UInt32(truncatingIfNeeded: number)
        // Safe: at most the slice's entries.
        putOff &+= 1
        unsafe start(&cursors, number, entry, to: point)
      }
      if number % LeafChangePrefetch.interval == 0 {
        unsafe advance(&cursors, first, to: points)
      }
    }
    var changed = putOff < count
    for k in 0..<putOff {
      if k % 2 == 0 { unsafe advance(&cursors, first, to: points) }
      let number = unsafe Int(later[k])
      let outcome = unsafe move(first + number, to: points[number], now: now, isFed: isFed)
      changed = changed || outcome == .updated
      unsafe outcomes[number] = outcome
    }
    return changed
  }

  /// Moves one object by its handle.
  @inline(__always)
  mutating func move(
    _ entry: UnsafePointer<UpdateBatch.Entry>, to point: MercatorPoint, now: Int64, isFed: Bool
  ) -> UpdateOutcome {
    if unsafe shift(entry, to: point, now: now, isFed: isFed) { return .updated }
    if let refusal = unsafe refusal(of: entry, now: now) { return refusal }
    let slot = unsafe UInt32(truncatingIfNeeded: entry.pointee.reference)
    unsafe relocate(slot, entry, to: point, isFed: isFed, kind: .moved)
    return .updated
  }

  /// Why a move is not made, if it is not.
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

  /// The short way for a move that is in order, stays in its leaf and its level-16 cell and is no
  /// older and expires no earlier than what is stored: two cache lines are written. Answers whether
  /// it was one; of others nothing is done.
  @inline(__always)
  private mutating func shift(
    _ entry: UnsafePointer<UpdateBatch.Entry>, to point: MercatorPoint, now: Int64, isFed: Bool
  ) -> Bool {
    let slot = unsafe UInt32(truncatingIfNeeded: entry.pointee.reference)
    guard slot < slotEnd else { return false }
    let stored = unsafe slots.base + Int(slot)
    let location = unsafe stored.pointee.location
    guard
      unsafe stored.pointee.generation == UInt32(truncatingIfNeeded: entry.pointee.reference >> 32),
      location != Slot.vacant,
      let packed = unsafe times.refreshed(
        stored.pointee.times, observedAt: entry.pointee.observedAt,
        expiresAt: entry.pointee.expiresAt, now: now)
    else { return false }
    let block = unsafe tree.blocks.base + Int(location >> 3)
    let lane = Int(location & 7)
    let old = unsafe PointBlock.point(block, lane)
    let difference = (old.x ^ point.x) | (old.y ^ point.y)
    let level = unsafe tree.links.base[Int(location >> 3)].owner & 63
    guard difference >> 16 == 0, UInt32(difference.leadingZeroBitCount) >= level,
      // Coincident leaves are ordered by exact coordinates.
      unsafe level < 32
        || (stored.pointee.latitude.bitPattern == entry.pointee.latitude.bitPattern
          && stored.pointee.longitude.bitPattern == entry.pointee.longitude.bitPattern)
    else { return false }
    unsafe PointBlock.setPoint(block, lane, point)
    unsafe stored.pointee.latitude = entry.pointee.latitude
    unsafe stored.pointee.longitude = entry.pointee.longitude
    unsafe stored.pointee.times = packed
    if isFed { note(.moved, slot, from: old, to: point) }
    return true
  }

  /// Puts a change in the feed.
  @inline(__always)
  mutating func note(
    _ kind: IndexChange.Kind, _ slot: UInt32, from: MercatorPoint, to: MercatorPoint
  ) {
    feed.append(
      unsafe IndexChange(
        kind: kind, rank: ranking.rank(of: identifier(slot)), handle: handle(slot), from: from,
        to: to))
  }
}

/// What a slice of moves notes on its way; one writer at a time.
@safe struct MoveScratch: ~Copyable {
  static let capacity = SharedLiveIndex.sliceLimit
  let cursors = UnsafeMutablePointer<PrefetchCursor>.allocate(capacity: capacity)
  /// Where the entries go.
  let points = UnsafeMutablePointer<MercatorPoint>.allocate(capacity: capacity)
  /// Numbers of the entries that were put off.
  let later = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
  private static let words = 16
  private let bits = UnsafeMutablePointer<UInt64>.allocate(capacity: words)

  deinit {
    unsafe cursors.deallocate()
    unsafe points.deallocate()
    unsafe later.deallocate()
    unsafe bits.deallocate()
  }

  func forgetSlots() { unsafe bits.initialize(repeating: 0, count: Self.words) }

  /// Whether a slot was met, by its low ten bits: says yes too often, no never wrongly.
  @inline(__always)
  func mayHaveMet(_ slot: UInt32) -> Bool {
    unsafe bits[Int(slot &>> 6 & 15)] & (1 &<< UInt64(slot & 63)) != 0
  }

  @inline(__always)
  func meet(_ slot: UInt32) {
    unsafe bits[Int(slot &>> 6 & 15)] |= 1 &<< UInt64(slot & 63)
  }
}
