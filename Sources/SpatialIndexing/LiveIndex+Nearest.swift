import GeoMath
import ObjectModel

/// One nearest query while it runs: what every way of answering it shares.
struct NearestSearch {
  let meter: SurfaceMeter
  let limit: Int
  /// Inclusive, in millimetres.
  let radius: Int64
  let after: (distance: Int64, id: [UInt8])?
  let plan: FilterPlan
  let now: Int64

  init(_ query: NearestQuery, now: Instant, _ index: borrowing LiveIndex) {
    meter = SurfaceMeter(latitude: query.latitude, longitude: query.longitude)
    limit = max(0, query.limit)
    radius = query.maximumDistanceMillimeters ?? .max
    after = query.after.map { ($0.distanceMillimeters, Array($0.id.utf8)) }
    plan = FilterPlan(query.filter, index)
    self.now = now.milliseconds
  }

  /// Whether a position in the order comes after the cursor.
  @inline(__always)
  func isAfterCursor(_ distance: Int64, _ slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    guard let after else { return true }
    if distance != after.distance { return distance > after.distance }
    return unsafe after.id.withUnsafeBytes { unsafe bytesPrecede($0, index.identifier(slot)) }
  }

  @inline(__always)
  func distance(_ slot: UInt32, _ index: borrowing LiveIndex) -> Int64 {
    let entry = unsafe index.slots.pointer(slot)
    return unsafe meter.millimeters(
      latitude: entry.pointee.latitude, longitude: entry.pointee.longitude)
  }

  /// Offers a slot that passed the filter.
  @inline(__always)
  func offer(_ slot: UInt32, to hits: inout TopHits, _ index: borrowing LiveIndex) {
    let distance = distance(slot, index)
    guard distance <= radius, isAfterCursor(distance, slot, index) else { return }
    hits.offer(distance: distance, slot: slot, index)
  }
}

extension LiveIndex {
  func nearest(_ query: NearestQuery, now: Instant, _ visit: (HitView) -> Void) -> Int {
    let search = NearestSearch(query, now: now, self)
    guard search.limit > 0, search.radius >= 0, count > 0, !search.plan.isImpossible else {
      return 0
    }
    let hits = nearestHits(search)
    for hit in hits { visit(view(hit.slot, distance: hit.distance)) }
    return hits.count
  }

  /// Chooses the way: a rare tag's posting list, the planar search, the columns from end to end,
  /// or the search on the globe.
  func nearestHits(_ search: NearestSearch) -> [TopHits.Hit] {
    if let tags = search.plan.postingTags(limit: search.limit, self) {
      return postingNearest(search, tags)
    }
    switch planarNearest(search) {
    case .found(let hits): return hits
    case .tooManyFail: return columnarNearest(search)
    case .outOfPlane: return globalNearest(search)
    }
  }

  /// Reads every slot's columns and times in the order of memory; for filters that few points pass.
  private func columnarNearest(_ search: NearestSearch) -> [TopHits.Hit] {
    var hits = TopHits(limit: search.limit)
    for slot in 0..<slotEnd {
      guard search.plan.matchesColumns(slot, self), slots[slot].location != Slot.vacant,
        isLive(slot, now: search.now),
        search.plan.matches(slot, signature: signature(slot), self)
      else { continue }
      search.offer(slot, to: &hits, self)
    }
    return hits.sorted(self)
  }

  // MARK: On the globe

  /// The search that holds everywhere: poles, the antimeridian, any distance. Nodes are skipped by
  /// conservative bounds on the sphere, points are measured exactly.
  func globalNearest(_ search: NearestSearch) -> [TopHits.Hit] {
    var hits = TopHits(limit: search.limit)
    let bounds = PruningBounds(
      latitude: search.meter.origin.latitude, longitude: search.meter.origin.longitude)
    globalVisit(0, x: 0, y: 0, lower: 0, search, bounds, &hits)
    return hits.sorted(self)
  }

  private func globalVisit(
    _ index: UInt32, x: UInt32, y: UInt32, lower: Double, _ search: NearestSearch,
    _ bounds: PruningBounds, _ hits: inout TopHits
  ) {
    let limit = Double(min(search.radius, hits.bound ?? .max)) / 1000
    guard lower <= limit else { return }
    let node = tree.nodes[index]
    if !node.isInner {
      scanGlobally(index, search, &hits)
      return
    }
    let half = UInt32(1) << (31 - node.level)
    var children: [(lower: Double, child: UInt32)] = []
    for quadrant in UInt32(0)..<4 {
      let child = tree.nodes[node.first + quadrant]
      guard child.count > 0, search.plan.admits(child.signature) else { continue }
      let box = Self.degrees(
        x: x + (quadrant & 1) * half, y: y + (quadrant >> 1) * half, side: half)
      children.append((bounds.lowerMeters(to: box), quadrant))
    }
    children.sort { $0.lower < $1.lower }
    for (lower, quadrant) in children {
      globalVisit(
        node.first + quadrant, x: x + (quadrant & 1) * half, y: y + (quadrant >> 1) * half,
        lower: lower, search, bounds, &hits)
    }
  }

  private func scanGlobally(
    _ leaf: UInt32, _ search: NearestSearch, _ hits: inout TopHits
  ) {
    tree.forEachBlock(of: leaf) { id, lanes in
      let block = unsafe tree.blocks.pointer(id)
      for lane in 0..<lanes {
        let slot = unsafe block.pointee.slot[lane]
        guard expiresAt(slot) > search.now,
          unsafe search.plan.matches(slot, signature: block.pointee.signature[lane], self)
        else { continue }
        search.offer(slot, to: &hits, self)
      }
    }
  }

  /// A conservative box in degrees around a cell: clamped rows reach the poles.
  static func degrees(x: UInt32, y: UInt32, side: UInt32) -> GeoBox {
    let right = UInt64(x) + UInt64(side)
    let bottom = UInt64(y) + UInt64(side)
    return GeoBox(
      uncheckedWest: max(-180, MercatorPoint.longitude(x: Double(x) - 1)),
      south: bottom > UInt64(UInt32.max) ? -90 : MercatorPoint.latitude(y: Double(bottom) + 1),
      east: min(180, MercatorPoint.longitude(x: Double(right) + 1)),
      north: y == 0 ? 90 : MercatorPoint.latitude(y: Double(y) - 1))
  }
}
