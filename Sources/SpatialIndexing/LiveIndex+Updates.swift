import GeoMath
import ObjectModel

/// What is worked out about a batch before the lock is taken. It lasts as long as the closure that is
/// handed it.
@safe struct BatchPlan: ~Copyable {
  /// The hash of each upsert's id, 0 for moves. It is empty when all entries are moves.
  let hashes: UnsafeBufferPointer<UInt64>
  let points: UnsafeBufferPointer<MercatorPoint>
}

/// The bytes of one upsert inside a batch.
@safe struct UpsertView {
  let id: UnsafeRawBufferPointer
  let columns: UnsafeRawPointer
  let tagLengths: UnsafeRawPointer
  let tagBytes: UnsafeRawPointer
  let tagCount: Int
  let payload: UnsafeRawBufferPointer

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int, columnCount: Int) {
    let base = unsafe bytes.baseAddress.unsafelyUnwrapped + offset
    let header = unsafe base.loadUnaligned(as: UpdateBatch.Header.self)
    var p = unsafe base + MemoryLayout<UpdateBatch.Header>.size
    unsafe id = unsafe UnsafeRawBufferPointer(start: p, count: Int(header.idLength))
    unsafe p += Int(header.idLength)
    unsafe columns = unsafe p
    unsafe p += columnCount * 8
    unsafe tagLengths = unsafe p
    unsafe p += Int(header.tagCount) * 4
    unsafe tagBytes = unsafe p
    unsafe p += Int(header.tagBytes)
    tagCount = Int(header.tagCount)
    unsafe payload = unsafe UnsafeRawBufferPointer(start: p, count: Int(header.payloadLength))
  }

  @inline(__always)
  func forEachTag(_ body: (UnsafeRawBufferPointer) -> Void) {
    var p = unsafe tagBytes
    for i in 0..<tagCount {
      let length = unsafe Int(tagLengths.loadUnaligned(fromByteOffset: i * 4, as: UInt32.self))
      unsafe body(UnsafeRawBufferPointer(start: p, count: length))
      unsafe p += length
    }
  }
}

extension LiveIndex {
  // MARK: Planning

  /// Hashes the ids and projects the points of a batch. It reads nothing that changes, so that it
  /// needs no lock. Batches of moves alone are projected later, while their memory is fetched.
  ///
  /// A small batch is planned on the stack: two arrays cost a report of one a tenth of its time.
  @inline(__always)
  static func withPlan(
    of batch: borrowing UpdateBatch, hash: KeyedHash, _ body: (borrowing BatchPlan) -> Void
  ) {
    let count = batch.hasUpserts ? batch.entries.count : 0
    unsafe withUnsafeTemporaryAllocation(of: MercatorPoint.self, capacity: count) { points in
      unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { hashes in
        unsafe plan(batch, hash: hash, points, hashes)
        unsafe body(
          BatchPlan(
            hashes: UnsafeBufferPointer(hashes), points: UnsafeBufferPointer(points)))
      }
    }
  }

  /// Fills the plan of a batch that has upserts; there is no room for one that has none.
  private static func plan(
    _ batch: borrowing UpdateBatch, hash: KeyedHash,
    _ points: UnsafeMutableBufferPointer<MercatorPoint>,
    _ hashes: UnsafeMutableBufferPointer<UInt64>
  ) {
    let projector = MercatorProjector.shared
    for i in points.indices {
      let entry = batch.entries[i]
      unsafe points.initializeElement(
        at: i, to: projector.point(latitude: entry.latitude, longitude: entry.longitude))
    }
    unsafe batch.bytes.withUnsafeBytes { bytes in
      for i in hashes.indices {
        let entry = batch.entries[i]
        var value: UInt64 = 0
        if !entry.isMove {
          let upsert = unsafe UpsertView(
            bytes, at: Int(entry.reference), columnCount: batch.columnCount)
          value = unsafe hash(upsert.id)
        }
        unsafe hashes.initializeElement(at: i, to: value)
      }
    }
  }

  // MARK: Applying

  /// Applies the entries `range` of a batch.
  ///
  /// - Parameters:
  ///   - batch: The entries.
  ///   - range: Which of them are applied.
  ///   - plan: What was worked out about the batch.
  ///   - now: The present moment, by which objects have expired.
  ///   - outcomes: Gets the outcome of each entry of `range`.
  ///   - isFollowed: Whether anybody wants the changes.
  ///   - changes: Is called if something changed, with the changes if they are wanted.
  mutating func apply(
    _ batch: borrowing UpdateBatch, _ range: Range<Int>, plan: borrowing BatchPlan, now: Instant,
    outcomes: UnsafeMutablePointer<UpdateOutcome>, isFollowed: () -> Bool,
    changes: (UnsafeBufferPointer<IndexChange>) -> Void
  ) {
    precondition(
      batch.columnCount == configuration.columnCount, "the batch has other columns than the index")
    let now = now.milliseconds
    if times.startIfNeeded(now: now) { unsafe reader.pointee.times = times.reader }
    let isFed = isFollowed()
    feed.removeAll(keepingCapacity: true)
    var changed = false
    unsafe batch.entries.withUnsafeBufferPointer { entries in
      guard batch.hasUpserts else {
        // The call stands twice, so that the compiler makes one copy without what a feed needs.
        changed =
          if isFed {
            unsafe applyMoves(entries, range, now: now, isFed: true, outcomes: outcomes)
          } else {
            unsafe applyMoves(entries, range, now: now, isFed: false, outcomes: outcomes)
          }
        return
      }
      let ahead = unsafe PrefetchBatch(
        entries: entries, hashes: plan.hashes, points: plan.points, isFed: isFed)
      changed = unsafe applyMixed(batch, ahead, range, now: now, outcomes: outcomes)
    }
    unsafe publish(changed: changed, changes)
  }

  /// Applies a slice that has upserts.
  private mutating func applyMixed(
    _ batch: borrowing UpdateBatch, _ ahead: PrefetchBatch, _ range: Range<Int>, now: Int64,
    outcomes: UnsafeMutablePointer<UpdateOutcome>
  ) -> Bool {
    var changed = false
    unsafe batch.bytes.withUnsafeBytes { bytes in
      for i in range {
        // One entry alone waits for its memory either way.
        if (i - range.lowerBound) % PrefetchBatch.step == 0, range.count > 1 {
          prefetch(ahead, i..<min(i + PrefetchBatch.step, range.upperBound))
        }
        let entry = unsafe ahead.entries.baseAddress.unsafelyUnwrapped + i
        let outcome: UpdateOutcome
        if unsafe entry.pointee.isMove {
          outcome = unsafe move(entry, to: ahead.points[i], now: now, isFed: ahead.isFed)
        } else {
          let upsert = unsafe UpsertView(
            bytes, at: Int(entry.pointee.reference), columnCount: configuration.columnCount)
          outcome = unsafe self.upsert(
            upsert, entry, hash: ahead.hashes[i], to: ahead.points[i], now: now,
            isFed: ahead.isFed)
        }
        changed = changed || outcome == .inserted || outcome == .updated
        unsafe outcomes[i] = outcome
      }
    }
    return changed
  }

  /// Raises the version and hands the changes of a slice to the feed's reader.
  mutating func publish(
    changed: Bool, _ changes: (UnsafeBufferPointer<IndexChange>) -> Void
  ) {
    guard changed else { return }
    version &+= 1
    unsafe feed.withUnsafeBufferPointer { unsafe changes($0) }
    #if MOYEO_INTERNAL_CHECKS
      do { try checkInvariants() } catch { preconditionFailure(error.message) }
    #endif
  }

  /// Gives the object of a slot a new position and new times.
  @inline(__always)
  mutating func relocate(
    _ slot: UInt32, _ entry: UnsafePointer<UpdateBatch.Entry>, to point: MercatorPoint, isFed: Bool,
    kind: IndexChange.Kind
  ) {
    let stored = unsafe slots.pointer(slot)
    let from = self.point(slot)
    let oldExpiry = unsafe times.expiresAt(slot, stored.pointee.times)
    let tick = unsafe times.tick(entry.pointee.expiresAt)
    leaveCoincidentLeaf(slot)
    // A time of receipt may be earlier than the stored time, which then stays.
    unsafe stored.pointee.times = times.pack(
      slot: slot,
      observedAt: max(times.observedAt(slot, stored.pointee.times), entry.pointee.observedAt),
      expiresAt: entry.pointee.expiresAt)
    unsafe stored.pointee.latitude = entry.pointee.latitude
    unsafe stored.pointee.longitude = entry.pointee.longitude
    if unsafe entry.pointee.expiresAt < oldExpiry {
      unsafe tree.lowerEarliest(location: stored.pointee.location, to: tick)
    }
    if ((from.x ^ point.x) | (from.y ^ point.y)) >> 16 != 0 && signature(slot) != 0 {
      updatePostings(slot, cell: Self.cell(point))
    }
    let leaf = tree.move(slot: slot, to: point, tick: tick)
    joinCoincidentLeaf(slot, leaf)
    if isFed { note(kind, slot, from: from, to: point) }
  }

  private mutating func upsert(
    _ upsert: UpsertView, _ entry: UnsafePointer<UpdateBatch.Entry>, hash: UInt64,
    to point: MercatorPoint,
    now: Int64, isFed: Bool
  ) -> UpdateOutcome {
    if let slot = unsafe findSlot(upsert.id, hash: hash) {
      if isLive(slot, now: now) {
        guard unsafe observedAt(slot) <= entry.pointee.observedAt || entry.pointee.isReceiptTime
        else { return .stale }
        let same = isUnchanged(slot, upsert)
        let before = arena.bytesInUse
        var taken = 0
        if !same {
          guard hasRoom(upsert), let bytes = takeQuota(upsert, objects: 0) else { return .full }
          taken = bytes
        }
        unsafe relocate(slot, entry, to: point, isFed: isFed, kind: same ? .moved : .retagged)
        if !same {
          replaceRecord(slot, upsert)
          settleQuota(taken: taken, since: before)
        }
        return .updated
      }
      drop(slot, hash: hash, isFed: isFed)
    }
    guard count < configuration.maximumObjects, hasRoom(upsert),
      let taken = takeQuota(upsert, objects: 1)
    else { return .full }
    let before = arena.bytesInUse
    let slot = makeSlot()
    let stored = unsafe slots.pointer(slot)
    unsafe stored.pointee.latitude = entry.pointee.latitude
    unsafe stored.pointee.longitude = entry.pointee.longitude
    unsafe stored.pointee.times = times.pack(
      slot: slot, observedAt: entry.pointee.observedAt, expiresAt: entry.pointee.expiresAt)
    let signature = writeRecord(slot, upsert, cell: Self.cell(point))
    settleQuota(taken: taken, since: before)
    map.insert(hash, slot: slot)
    let leaf = unsafe tree.insert(
      slot: slot, at: point, signature: signature, tick: times.tick(entry.pointee.expiresAt))
    joinCoincidentLeaf(slot, leaf)
    if isFed { note(.inserted, slot, from: point, to: point) }
    return .inserted
  }

  // MARK: Removal

  /// Removes an object from every part of the index.
  mutating func drop(_ slot: UInt32, hash: UInt64, isFed: Bool) {
    if isFed {
      let point = point(slot)
      note(.removed, slot, from: point, to: point)
    }
    leaveCoincidentLeaf(slot)
    map.remove(hash, slot: slot)
    let before = arena.bytesInUse
    eraseRecord(slot)
    configuration.quota?.giveBack(objects: 1, bytes: before - arena.bytesInUse)
    tree.remove(location: slots[slot].location)
    discardSlot(slot)
  }

  mutating func remove(
    ids: ArraySlice<String>, now: Instant, removed: inout [Bool],
    changes: ((UnsafeBufferPointer<IndexChange>) -> Void)?
  ) {
    feed.removeAll(keepingCapacity: true)
    var changed = false
    for id in ids {
      guard let slot = findSlot(id) else {
        removed.append(false)
        continue
      }
      removed.append(isLive(slot, now: now.milliseconds))
      unsafe drop(slot, hash: hash(identifier(slot)), isFed: changes != nil)
      changed = true
    }
    unsafe publish(changed: changed) { feed in unsafe changes?(feed) }
  }
}
