import GeoMath
import ObjectModel

/// Brute-force core, to be replaced by the tree; same behaviour.
struct LiveIndex: ~Copyable {
  struct Object {
    var id: [UInt8]
    var payload: [UInt8]
    var tags: [String]
    var columns: [Double]
    var latitude: Double
    var longitude: Double
    var observedAt: Int64
    var expiresAt: Int64
    var generation: UInt32
  }
  struct Plan { var lastOfID: [[UInt8]: Int] }

  let configuration: LiveIndexConfiguration
  var slots: [Object?] = []
  var generations: [UInt32] = []
  var slotOfID: [[UInt8]: UInt32] = [:]
  var free: [UInt32] = []
  var version: UInt64 = 0

  init(configuration: LiveIndexConfiguration) { self.configuration = configuration }

  struct Upsert {
    var id: [UInt8]
    var tags: [String]
    var payload: [UInt8]
    var columns: [Double]
  }

  func decode(_ batch: borrowing UpdateBatch, _ i: Int) -> Upsert {
    let entry = batch.entries[i]
    let columnCount = batch.columnCount
    return unsafe batch.bytes.withUnsafeBytes { bytes in
      var p = Int(entry.reference)
      let h = unsafe bytes.loadUnaligned(fromByteOffset: p, as: UpdateBatch.Header.self)
      p += MemoryLayout<UpdateBatch.Header>.size
      let id = unsafe Array(bytes[p..<p + Int(h.idLength)])
      p += Int(h.idLength)
      var columns: [Double] = []
      for _ in 0..<columnCount {
        unsafe columns.append(bytes.loadUnaligned(fromByteOffset: p, as: Double.self))
        p += 8
      }
      var lengths: [Int] = []
      for _ in 0..<h.tagCount {
        unsafe lengths.append(Int(bytes.loadUnaligned(fromByteOffset: p, as: UInt32.self)))
        p += 4
      }
      var tags: [String] = []
      for length in lengths {
        let tag = unsafe String(decoding: bytes[p..<p + length], as: UTF8.self)
        if !tags.contains(tag) { tags.append(tag) }
        p += length
      }
      let payload = unsafe Array(bytes[p..<p + Int(h.payloadLength)])
      return Upsert(id: id, tags: tags, payload: payload, columns: columns)
    }
  }

  func planBatch(_ batch: borrowing UpdateBatch) -> Plan {
    var plan = Plan(lastOfID: [:])
    for i in 0..<batch.count where !batch.entries[i].isMove {
      plan.lastOfID[decode(batch, i).id] = i
    }
    return plan
  }

  mutating func removeSlot(_ slot: UInt32) -> IndexChange {
    let object = slots[Int(slot)]!
    let point = MercatorPoint(latitude: object.latitude, longitude: object.longitude)
    slotOfID[object.id] = nil
    slots[Int(slot)] = nil
    generations[Int(slot)] &+= 1
    free.append(slot)
    return IndexChange(
      kind: .removed, idHash: hash(object.id),
      handle: ObjectHandle(slot: slot, generation: object.generation), from: point, to: point)
  }

  func hash(_ id: [UInt8]) -> UInt64 { unsafe id.withUnsafeBytes { unsafe StableHash.hash64($0) } }

  mutating func apply(
    _ batch: borrowing UpdateBatch, _ range: Range<Int>, plan: inout Plan, now: Instant,
    outcomes: inout [UpdateOutcome], changes: ((UnsafeBufferPointer<IndexChange>) -> Void)?
  ) {
    var feed: [IndexChange] = []
    for i in range {
      let e = batch.entries[i]
      let to = MercatorPoint(latitude: e.latitude, longitude: e.longitude)
      if e.isMove {
        let slot = UInt32(truncatingIfNeeded: e.reference)
        let generation = UInt32(e.reference >> 32)
        guard Int(slot) < slots.count, var o = slots[Int(slot)], o.generation == generation,
          o.expiresAt > now.milliseconds
        else {
          outcomes.append(.unknownHandle)
          continue
        }
        guard o.observedAt <= e.observedAt else {
          outcomes.append(.stale)
          continue
        }
        let from = MercatorPoint(latitude: o.latitude, longitude: o.longitude)
        o.latitude = e.latitude
        o.longitude = e.longitude
        o.observedAt = e.observedAt
        o.expiresAt = e.expiresAt
        slots[Int(slot)] = o
        outcomes.append(.updated)
        feed.append(
          IndexChange(
            kind: .moved, idHash: hash(o.id),
            handle: ObjectHandle(slot: slot, generation: generation), from: from, to: to))
        continue
      }
      let u = decode(batch, i)
      if plan.lastOfID[u.id] != i {
        outcomes.append(.superseded)
        continue
      }
      if let slot = slotOfID[u.id], let o = slots[Int(slot)] {
        if o.expiresAt > now.milliseconds {
          guard o.observedAt <= e.observedAt else {
            outcomes.append(.stale)
            continue
          }
          let from = MercatorPoint(latitude: o.latitude, longitude: o.longitude)
          let same =
            o.tags == u.tags && o.payload == u.payload
            && o.columns.map(\.bitPattern) == u.columns.map(\.bitPattern)
          slots[Int(slot)] = Object(
            id: u.id, payload: u.payload, tags: u.tags, columns: u.columns, latitude: e.latitude,
            longitude: e.longitude, observedAt: e.observedAt, expiresAt: e.expiresAt,
            generation: o.generation)
          outcomes.append(.updated)
          feed.append(
            IndexChange(
              kind: same ? .moved : .retagged, idHash: hash(o.id),
              handle: ObjectHandle(slot: slot, generation: o.generation), from: from, to: to))
          continue
        }
        feed.append(removeSlot(slot))
      }
      let slot: UInt32
      if let reused = free.popLast() {
        slot = reused
      } else {
        slot = UInt32(slots.count)
        slots.append(nil)
        generations.append(1)
      }
      slots[Int(slot)] = Object(
        id: u.id, payload: u.payload, tags: u.tags, columns: u.columns, latitude: e.latitude,
        longitude: e.longitude, observedAt: e.observedAt, expiresAt: e.expiresAt,
        generation: generations[Int(slot)])
      slotOfID[u.id] = slot
      outcomes.append(.inserted)
      feed.append(
        IndexChange(
          kind: .inserted, idHash: hash(u.id),
          handle: ObjectHandle(slot: slot, generation: generations[Int(slot)]), from: to, to: to))
    }
    unsafe emit(feed, changes)
  }

  mutating func emit(
    _ feed: [IndexChange], _ changes: ((UnsafeBufferPointer<IndexChange>) -> Void)?
  ) {
    guard !feed.isEmpty else { return }
    version &+= 1
    if let changes = unsafe changes { unsafe feed.withUnsafeBufferPointer { unsafe changes($0) } }
  }

  mutating func remove(
    ids: ArraySlice<String>, now: Instant, removed: inout [Bool],
    changes: ((UnsafeBufferPointer<IndexChange>) -> Void)?
  ) {
    var feed: [IndexChange] = []
    for id in ids {
      guard let slot = slotOfID[Array(id.utf8)], let o = slots[Int(slot)] else {
        removed.append(false)
        continue
      }
      feed.append(removeSlot(slot))
      removed.append(o.expiresAt > now.milliseconds)
    }
    unsafe emit(feed, changes)
  }

  mutating func reclaimExpired(
    now: Instant, limit: Int, changes: ((UnsafeBufferPointer<IndexChange>) -> Void)?
  ) -> Int {
    var feed: [IndexChange] = []
    for (slot, o) in slots.enumerated() where feed.count < limit {
      if let o, o.expiresAt <= now.milliseconds { feed.append(removeSlot(UInt32(slot))) }
    }
    unsafe emit(feed, changes)
    return feed.count
  }

  func view<R>(_ slot: Int, distance: Int64 = 0, _ body: (HitView) -> R) -> R {
    let o = slots[slot]!
    return unsafe o.id.withUnsafeBytes { id in
      unsafe o.payload.withUnsafeBytes { payload in
        unsafe body(
          HitView(
            id: id, payload: payload, latitude: o.latitude, longitude: o.longitude,
            distanceMillimeters: distance, mortonCode: morton(o),
            observedAt: Instant(milliseconds: o.observedAt),
            expiresAt: Instant(milliseconds: o.expiresAt),
            handle: ObjectHandle(slot: UInt32(slot), generation: o.generation)))
      }
    }
  }

  func morton(_ o: Object) -> UInt64 {
    MortonCode(MercatorPoint(latitude: o.latitude, longitude: o.longitude)).rawValue
  }

  func withObject<R>(id: String, now: Instant, _ body: (HitView) -> R) -> R? {
    guard let slot = slotOfID[Array(id.utf8)], let o = slots[Int(slot)],
      o.expiresAt > now.milliseconds
    else { return nil }
    return view(Int(slot), body)
  }

  func withObject<R>(handle: ObjectHandle, now: Instant, _ body: (HitView) -> R) -> R? {
    guard Int(handle.slot) < slots.count, let o = slots[Int(handle.slot)],
      o.generation == handle.generation, o.expiresAt > now.milliseconds
    else { return nil }
    return view(Int(handle.slot), body)
  }

  func handles(ids: [String], now: Instant) -> [ObjectHandle?] {
    ids.map { withObject(id: $0, now: now) { $0.handle } }
  }

  func matches(_ o: Object, _ f: SearchFilter, now: Instant) -> Bool {
    guard o.expiresAt > now.milliseconds else { return false }
    if !f.tags.isEmpty {
      let ok =
        f.tagMatch == .all
        ? f.tags.allSatisfy { o.tags.contains($0) } : f.tags.contains { o.tags.contains($0) }
      if !ok { return false }
    }
    if f.notTags.contains(where: { o.tags.contains($0) }) { return false }
    if f.excludedIDs.contains(where: { Array($0.utf8) == o.id }) { return false }
    if let area = f.area, !contains(area, o) { return false }
    for range in f.columnRanges {
      guard range.column < o.columns.count else { return false }
      let value = o.columns[range.column]
      guard value >= range.minimum && value <= range.maximum else { return false }
    }
    if let bound = f.observedNotBefore, o.observedAt < bound.milliseconds { return false }
    if let predicate = unsafe f.payloadPredicate {
      guard unsafe o.payload.withUnsafeBytes({ unsafe predicate($0) }) else { return false }
    }
    return true
  }

  func contains(_ area: SearchArea, _ o: Object) -> Bool {
    switch area {
    case .box(let box): box.contains(latitude: o.latitude, longitude: o.longitude)
    case .polygon(let polygon): polygon.contains(latitude: o.latitude, longitude: o.longitude)
    }
  }

  func nearest(_ q: NearestQuery, now: Instant, _ visit: (HitView) -> Void) -> Int {
    let origin = DistanceOrigin(latitude: q.latitude, longitude: q.longitude)
    var hits: [(Int64, [UInt8], Int)] = []
    for (slot, o) in slots.enumerated() {
      guard let o, matches(o, q.filter, now: now) else { continue }
      let d = origin.millimeters(latitude: o.latitude, longitude: o.longitude)
      if let bound = q.maximumDistanceMillimeters, d > bound { continue }
      if let after = q.after {
        if d < after.distanceMillimeters { continue }
        if d == after.distanceMillimeters,
          !Array(after.id.utf8).lexicographicallyPrecedes(o.id)
        {
          continue
        }
      }
      hits.append((d, o.id, slot))
    }
    hits.sort { $0.0 != $1.0 ? $0.0 < $1.0 : $0.1.lexicographicallyPrecedes($1.1) }
    let kept = hits.prefix(max(0, q.limit))
    for hit in kept { view(hit.2, distance: hit.0, visit) }
    return kept.count
  }

  func within(_ q: WithinQuery, now: Instant, _ visit: (HitView) -> Void) -> Int {
    var hits: [(UInt64, [UInt8], Int)] = []
    for (slot, o) in slots.enumerated() {
      guard let o, matches(o, q.filter, now: now), contains(q.area, o) else { continue }
      let code = morton(o)
      if let after = q.after {
        if code < after.mortonCode { continue }
        if code == after.mortonCode, !Array(after.id.utf8).lexicographicallyPrecedes(o.id) {
          continue
        }
      }
      hits.append((code, o.id, slot))
    }
    hits.sort { $0.0 != $1.0 ? $0.0 < $1.0 : $0.1.lexicographicallyPrecedes($1.1) }
    let kept = hits.prefix(max(0, q.limit))
    for hit in kept { view(hit.2, visit) }
    return kept.count
  }

  func tagHistogram(area: SearchArea?, filter: SearchFilter, limit: Int, now: Instant)
    -> [(tag: String, count: Int)]
  {
    var counts: [String: Int] = [:]
    for case let o? in slots where matches(o, filter, now: now) {
      if let area, !contains(area, o) { continue }
      for tag in o.tags { counts[tag, default: 0] += 1 }
    }
    let sorted = counts.sorted {
      $0.value != $1.value
        ? $0.value > $1.value : $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }
    return sorted.prefix(max(0, limit)).map { (tag: $0.key, count: $0.value) }
  }

  func forEachObject(from cursor: Int, now: Instant, _ body: (HitView) -> Void) -> Int? {
    let end = min(cursor + 1024, slots.count)
    for slot in cursor..<end {
      if let o = slots[slot], o.expiresAt > now.milliseconds { view(slot, body) }
    }
    return end < slots.count ? end : nil
  }

  func statistics() -> LiveIndexStatistics {
    var s = LiveIndexStatistics()
    s.objectCount = slotOfID.count
    s.version = version
    return s
  }

  func checkInvariants() throws(LiveIndexInvariantError) {}
}
