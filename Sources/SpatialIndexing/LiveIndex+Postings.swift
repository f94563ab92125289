import GeoMath

extension FilterPlan {
  /// The tags whose posting lists together hold every match, when reading them is cheaper than
  /// searching by place; estimated in nanoseconds.
  func postingTags(limit: Int, _ index: borrowing LiveIndex) -> [UInt32]? {
    let tags: [UInt32]
    if let rarest = allTags.first {
      tags = [rarest]
    } else if !anyTags.isEmpty {
      tags = anyTags
    } else {
      return nil
    }
    var carriers = 0
    var isExact = true
    for tag in tags {
      carriers += Int(index.tags[tag].count)
      isExact = isExact && index.tags[tag].isExact
    }
    let byList = 3500 + 1.7 * Double(carriers)
    let looked = Double(limit) * Double(index.count) / Double(max(1, carriers))
    let byPlace = 2500 + min(looked, Double(index.count)) * (isExact ? 2.2 : 12)
    return byList < byPlace ? tags : nil
  }
}

extension LiveIndex {
  /// The nearest carriers of some tags from their posting lists: the cells tell which carriers can
  /// be among the best, those are measured.
  func postingNearest(
    _ search: NearestSearch, _ tagIDs: [UInt32], _ work: inout SearchWork
  ) -> [TopHits.Hit] {
    var hits = TopHits(limit: search.limit)
    var carriers = 0
    for id in tagIDs { carriers += Int(tags[id].count) }
    if carriers > 4 * search.limit + 64,
      let (slots, isCertain) = nearbyCarriers(search, tagIDs)
    {
      work.leavesVisited += (carriers + 1023) / 1024
      work.pointsTested += carriers
      measure(slots, search, &hits, &work)
      // Other filters may have left too few, or only some beyond the distance that these carriers
      // cover: then every carrier is looked at.
      if isCertain(hits.bound) { return hits.sorted(self) }
      hits = TopHits(limit: search.limit)
    }
    var everyone: [UInt32] = []
    everyone.reserveCapacity(carriers)
    for id in tagIDs {
      for number in 0..<tags.pageCount(id) {
        let page = unsafe tags.page(id, number)
        for i in unsafe 0..<page.count { unsafe everyone.append(page.slots[i]) }
      }
    }
    measure(everyone, search, &hits, &work)
    return hits.sorted(self)
  }

  private func measure(
    _ carriers: [UInt32], _ search: NearestSearch, _ hits: inout TopHits,
    _ work: inout SearchWork
  ) {
    // With several lists a carrier may come more than once.
    let carriers = search.plan.allTags.isEmpty ? Array(Set(carriers)) : carriers
    work.exactTests += carriers.count
    for slot in carriers { unsafe MemoryHints.read(slots.base + Int(slot)) }
    for slot in carriers {
      guard isLive(slot, now: search.now),
        search.plan.isAnswered(byPosting: slot, self)
      else { continue }
      search.offer(slot, to: &hits, self)
    }
  }

  /// The carriers whose cells say that they may be among the nearest, and whether nobody else can
  /// be among the best when the worst of them is that many millimetres away (`nil`: too few were
  /// found); `nil` where the plane cannot be trusted.
  private func nearbyCarriers(
    _ search: NearestSearch, _ tagIDs: [UInt32]
  ) -> (slots: [UInt32], isCertain: (_ worst: Int64?) -> Bool)? {
    let origin = search.meter.origin
    guard search.after == nil, origin.latitude.magnitude < 84.9 else { return nil }
    let center = search.center
    let scale = search.meter.planarScale
    // Half a cell's diagonal: how far a carrier may be from its cell's middle.
    let half = 46_342.0
    // Each list names a carrier once, so that many entries are `limit` different carriers.
    let needed = search.limit * tagIDs.count
    let nearest = squareOfKth(needed, tagIDs, center, scale)
    // A little further, so that the worst of them is covered by the bound for any distance in the
    // plane, which is up to 7 % wider than the one for this distance.
    var units = scale.inflated(nearest.squareRoot() + half) * 1.08
    var isComplete = false
    if search.radius != .max,
      let radius = scale.unitsBeyond(meters: (Double(search.radius) + 1) / 1000), radius <= units
    {
      units = radius
      isComplete = true
    }
    guard PlanarScale.isTrusted(center, square: Float(units * units)) else { return nil }
    let reach = Float((units + half) * (units + half) * (1 + 1e-6))
    var out: [UInt32] = []
    for id in tagIDs {
      unsafe forEachSquare(id, center) { squares, slots, lanes in
        guard EightLanes.anyIsWithin(squares, reach) else { return }
        for lane in 0..<lanes where squares[lane] <= reach { unsafe out.append(slots[lane]) }
      }
    }
    return (
      out,
      { [isComplete, units] worst in
        if isComplete { return true }
        // Whoever was not collected is more than `units` away.
        guard let worst, let covered = scale.unitsBeyond(meters: (Double(worst) + 1) / 1000) else {
          return false
        }
        return covered <= units
      }
    )
  }

  /// An upper bound of the k-th smallest square among the carriers' cell middles.
  private func squareOfKth(
    _ k: Int, _ tagIDs: [UInt32], _ center: MercatorPoint, _ scale: PlanarScale
  ) -> Double {
    var nearest = PlanarCandidates(
      limit: k, scale: scale, bound: .greatestFiniteMagnitude, margin: 60)
    for id in tagIDs {
      unsafe forEachSquare(id, center) { squares, slots, lanes in
        guard EightLanes.anyIsWithin(squares, nearest.bound) else { return }
        unsafe nearest.append(squares, UnsafePointer(slots), lanes: lanes)
        nearest.reduceIfWorthwhile()
      }
    }
    nearest.reduce()
    return Double(nearest.worst)
  }

  /// Visits a posting list eight entries at a time: squared distances to the cells' middles.
  @inline(__always)
  private func forEachSquare(
    _ id: UInt32, _ center: MercatorPoint,
    _ body: (SIMD8<Float>, UnsafeMutablePointer<UInt32>, Int) -> Void
  ) {
    let x = SIMD8<UInt32>(repeating: center.x &- 0x8000)
    let y = SIMD8<UInt32>(repeating: center.y &- 0x8000)
    for number in 0..<tags.pageCount(id) {
      let page = unsafe tags.page(id, number)
      var i = 0
      while unsafe i < page.count {
        // Pages have room for a multiple of eight; lanes past the count are not used.
        let cells = unsafe UnsafeRawPointer(page.cells + i).loadUnaligned(as: SIMD8<UInt32>.self)
        unsafe body(
          EightLanes.squares(cells & 0xFFFF_0000, cells &<< 16, x, y), page.slots + i,
          min(8, page.count - i))
        i += 8
      }
    }
  }
}
