import GeoMath
import ObjectModel

/// One nearest query while it runs, with what all algorithms that answer it share.
struct NearestSearch {
  let surface: SurfaceDistance
  let center: MercatorPoint
  let limit: Int
  /// The greatest distance of a hit in whole millimetres, inclusive.
  let radius: Int64
  let after: (distance: Int64, id: [UInt8])?
  let plan: FilterPlan
  let now: Int64
  let readsRecords: Bool

  init(
    _ query: borrowing NearestQuery, now: Instant, _ index: borrowing LiveIndex,
    area: PreparedArea? = nil
  ) {
    surface = SurfaceDistance(latitude: query.latitude, longitude: query.longitude)
    center = MercatorProjector.shared.point(
      latitude: query.latitude, longitude: query.longitude)
    // Memory is reserved for as many hits as the limit, so that it is capped at what there is.
    limit = max(0, min(query.limit, index.count))
    radius = query.maximumDistanceMillimeters ?? .max
    after = query.after.map { ($0.distanceMillimeters, Array($0.id.utf8)) }
    plan = FilterPlan(query.filter, index, area: area)
    self.now = now.milliseconds
    readsRecords = query.readsRecords
  }

  /// Returns whether a hit comes after the cursor in the order.
  @inline(__always)
  func isAfterCursor(_ distance: Int64, _ slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    guard let after else { return true }
    if distance != after.distance { return distance > after.distance }
    return unsafe after.id.withUnsafeBytes { unsafe bytesPrecede($0, index.identifier(slot)) }
  }

  @inline(__always)
  func distance(_ slot: UInt32, _ index: borrowing LiveIndex) -> Int64 {
    let entry = unsafe index.slots.pointer(slot)
    return unsafe surface.millimeters(
      latitude: entry.pointee.latitude, longitude: entry.pointee.longitude)
  }

  /// Offers a slot that has passed the filter.
  @inline(__always)
  func offer(_ slot: UInt32, to hits: inout NearestHeap, _ index: borrowing LiveIndex) {
    let distance = distance(slot, index)
    guard distance <= radius, isAfterCursor(distance, slot, index) else { return }
    hits.offer(distance: distance, slot: slot, index)
  }
}

extension LiveIndex {
  /// Visits the nearest hits in order.
  ///
  /// - Parameters:
  ///   - query: What is asked.
  ///   - area: The area of the query's filter, which is prepared before the lock is taken.
  ///   - now: Objects that have expired by then are left out.
  ///   - work: Is added to.
  ///   - visit: Is shown the hits.
  /// - Returns: How many hits were visited; 0 when the budget ended the search.
  func nearest(
    _ query: NearestQuery, area: PreparedArea?, now: Instant, _ work: inout SearchWork,
    _ visit: (HitView) -> Void
  ) -> Int {
    let search = NearestSearch(query, now: now, self, area: area)
    guard search.limit > 0, search.radius >= 0, count > 0, !search.plan.isImpossible else {
      return 0
    }
    let hits = nearestHits(search, &work)
    if work.mustEnd() { return 0 }
    visitHits(hits, of: search, visit)
    return hits.count
  }

  /// Visits all that may be among the nearest by a distance that `slack` bounds, in no order.
  ///
  /// - Returns: How many were visited; `nil`, with none visited, where the plane does not tell or
  ///   the budget ended the search.
  func nearestCandidates(
    _ query: NearestQuery, slack: DistanceSlack, area: PreparedArea?, now: Instant,
    _ work: inout SearchWork, _ visit: (HitView) -> Void
  ) -> Int? {
    let search = NearestSearch(query, now: now, self, area: area)
    guard search.limit > 0, search.radius >= 0, count > 0, !search.plan.isImpossible else {
      return 0
    }
    guard search.after == nil, search.plan.postingTags(limit: search.limit, self) == nil,
      case .found(let hits) = planarNearest(search, slack: slack, &work), !work.mustEnd()
    else { return nil }
    visitHits(hits, of: search, visit)
    return hits.count
  }

  /// Shows hits to a visitor in their order.
  func visitHits(
    _ hits: [NearestHeap.Hit], of search: NearestSearch, _ visit: (HitView) -> Void
  ) {
    if search.readsRecords {
      visitReading(hits, visit)
    } else {
      for hit in hits { visit(view(hit.slot, distance: hit.distance)) }
    }
  }

  /// Visits hits and prefetches their records in three steps: the reference, the first line, the
  /// rest.
  private func visitReading(_ hits: [NearestHeap.Hit], _ visit: (HitView) -> Void) {
    let distance = 8
    for i in 0..<min(3 * distance, hits.count) { prefetchReference(hits[i].slot) }
    for i in 0..<min(2 * distance, hits.count) { prefetchRecord(hits[i].slot) }
    for i in 0..<min(distance, hits.count) { prefetchRest(hits[i].slot) }
    for i in hits.indices {
      if i + 3 * distance < hits.count { prefetchReference(hits[i + 3 * distance].slot) }
      if i + 2 * distance < hits.count { prefetchRecord(hits[i + 2 * distance].slot) }
      if i + distance < hits.count { prefetchRest(hits[i + distance].slot) }
      visit(view(hits[i].slot, distance: hits[i].distance))
    }
  }

  /// Chooses the algorithm: a rare tag's posting list, the planar search, a scan of the columns, or
  /// the search on the sphere.
  func nearestHits(
    _ search: NearestSearch, _ work: inout SearchWork
  ) -> [NearestHeap.Hit] {
    if let tags = search.plan.postingTags(limit: search.limit, self) {
      return postingNearest(search, tags, &work)
    }
    switch planarNearest(search, &work) {
    case .found(let hits): return hits
    case .tooManyFail: return columnarNearest(search, &work)
    case .outOfPlane: return globalNearest(search, &work)
    }
  }

  /// The number of slots that a scan reads before it checks whether it must end.
  private static var slotsBetweenChecks: UInt32 { 512 }

  /// Scans every slot's columns and times in the order of memory, for filters that few points pass.
  private func columnarNearest(
    _ search: NearestSearch, _ work: inout SearchWork
  ) -> [NearestHeap.Hit] {
    var hits = NearestHeap(limit: search.limit)
    let columns = search.plan.columns
    for first in stride(from: 0, to: slotEnd, by: Int(Self.slotsBetweenChecks)) {
      let end = min(slotEnd, first + Self.slotsBetweenChecks)
      work.pointsTested += Int(end - first)
      if work.mustEnd() { return [] }
      for slot in first..<end where columns.admits(slot, self) {
        guard slots[slot].location != Slot.vacant, isLive(slot, now: search.now),
          search.plan.matches(slot, signature: signature(slot), self)
        else { continue }
        search.offer(slot, to: &hits, self)
      }
    }
    return hits.sorted(self)
  }
}
