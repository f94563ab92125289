import GeoMath
import ObjectModel

extension LiveIndex {
  /// Applies a slice of moves by handle, in the order that suits memory.
  ///
  /// Most moves stay in their leaf. They are applied in order, while the memory of entries further
  /// on is prefetched. The others are deferred to the end of the slice; until then their cursors
  /// walk the tree, a node every few entries, and prefetch what the moves will touch. Moves of one
  /// object keep their order: a move is deferred too when its slot may be that of a deferred one.
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
    let deferred = unsafe scratch.deferred
    let projector = MercatorProjector.shared
    var cursors = unsafe LeafChangePrefetch(scratch.cursors)
    var deferredCount = 0
    precondition(count <= MoveScratch.capacity)
    scratch.removeAllSlots()
    for number in 0..<count {
      unsafe prefetch(ofMove: range.lowerBound &+ number, entries, isFed: isFed)
      let entry = unsafe first + number
      let point = unsafe projector.point(
        latitude: entry.pointee.latitude, longitude: entry.pointee.longitude)
      unsafe points[number] = point
      let slot = unsafe UInt32(truncatingIfNeeded: entry.pointee.reference)
      if unsafe !scratch.mayContain(slot) && shift(entry, to: point, now: now, isFed: isFed) {
        unsafe outcomes[number] = .updated
      } else {
        scratch.insert(slot)
        unsafe deferred[deferredCount] = UInt32(truncatingIfNeeded: number)
        // Safe: at most the number of entries in the slice.
        deferredCount &+= 1
        unsafe start(&cursors, number, entry, to: point)
      }
      if number % LeafChangePrefetch.interval == 0 {
        unsafe advance(&cursors, first, to: points)
      }
    }
    var changed = deferredCount < count
    for k in 0..<deferredCount {
      if k % 2 == 0 { unsafe advance(&cursors, first, to: points) }
      let number = unsafe Int(deferred[k])
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

  /// Returns why a move is refused, `nil` if it is not.
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

  /// Applies a move that stays in its leaf and in its level-16 cell, and that is neither older than
  /// what is stored nor expires earlier. It writes only two cache lines.
  ///
  /// - Returns: Whether it applied the move; otherwise nothing has changed.
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
      // Coincident leaves are ordered by exact coordinates, which even a small move changes.
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

  /// Appends a change to the feed. It is a call of its own so that moves without a feed stay short.
  @inline(never)
  mutating func note(
    _ kind: IndexChange.Kind, _ slot: UInt32, from: MercatorPoint, to: MercatorPoint
  ) {
    feed.append(
      unsafe IndexChange(
        kind: kind, rank: ranking.rank(of: identifier(slot)), handle: handle(slot), from: from,
        to: to))
  }
}

/// The working memory of a slice of moves. There is one, because there is one writer at a time.
@safe struct MoveScratch: ~Copyable {
  static let capacity = SharedLiveIndex.sliceLimit
  let cursors = UnsafeMutablePointer<PrefetchCursor>.allocate(capacity: capacity)
  /// The points that the entries move to.
  let points = UnsafeMutablePointer<MercatorPoint>.allocate(capacity: capacity)
  /// The numbers of the entries that were deferred.
  let deferred = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
  private static let words = 16
  private let bits = UnsafeMutablePointer<UInt64>.allocate(capacity: words)

  deinit {
    unsafe cursors.deallocate()
    unsafe points.deallocate()
    unsafe deferred.deallocate()
    unsafe bits.deallocate()
  }

  func removeAllSlots() { unsafe bits.initialize(repeating: 0, count: Self.words) }

  /// Returns whether a slot may have been met, by its low ten bits: `true` can be wrong, `false`
  /// cannot.
  @inline(__always)
  func mayContain(_ slot: UInt32) -> Bool {
    unsafe bits[Int(slot &>> 6 & 15)] & (1 &<< UInt64(slot & 63)) != 0
  }

  @inline(__always)
  func insert(_ slot: UInt32) {
    unsafe bits[Int(slot &>> 6 & 15)] |= 1 &<< UInt64(slot & 63)
  }
}
