import GeoMath

extension FilterPlan {
  /// Returns the tags whose posting lists together hold every match, when reading them is cheaper
  /// than searching by place. Both costs are estimates in nanoseconds.
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
  /// Finds the nearest carriers of some tags in the tags' posting lists. The cells in the lists
  /// tell which carriers can be among the best, and only those are measured.
  func postingNearest(
    _ search: NearestSearch, _ tagIDs: [UInt32], _ work: inout SearchWork
  ) -> [NearestHeap.Hit] {
    var carriers = 0
    for id in tagIDs { carriers += Int(tags[id].count) }
    if carriers > 4 * search.limit + 64 {
      // Counted before the lists are read: a search that may not do so much costs next to nothing.
      work.leavesVisited += (carriers + 1023) / 1024
      work.pointsTested += carriers
      if work.mustEnd() { return [] }
      if let (slots, isCertain) = nearbyCarriers(search, tagIDs) {
        let hits = measure(slots, search, &work)
        // Other conditions may have left too few carriers, or some that lie beyond the distance for
        // which all carriers were collected: then every carrier is measured.
        if isCertain(hits.count >= search.limit ? hits.last?.distance : nil) { return hits }
      }
    }
    var everyone: [UInt32] = []
    everyone.reserveCapacity(carriers)
    for id in tagIDs {
      for number in 0..<tags.pageCount(id) {
        let page = unsafe tags.page(id, number)
        for i in unsafe 0..<page.count { unsafe everyone.append(page.slots[i]) }
      }
    }
    return measure(everyone, search, &work)
  }

  /// Measures some carriers exactly and returns the best of them in order.
  private func measure(
    _ carriers: [UInt32], _ search: NearestSearch, _ work: inout SearchWork
  ) -> [NearestHeap.Hit] {
    // With several lists a carrier may come more than once.
    let carriers = search.plan.allTags.isEmpty ? Array(Set(carriers)) : carriers
    for slot in carriers { unsafe MemoryHints.read(slots.base + Int(slot)) }
    if carriers.count > RankSort.limit {
      var best = NearestHeap(limit: search.limit)
      let slice = 512
      for start in stride(from: 0, to: carriers.count, by: slice) {
        let end = min(start + slice, carriers.count)
        work.exactTests += end - start
        if work.mustEnd() { return [] }
        for slot in carriers[start..<end] where isWanted(slot, search) {
          search.offer(slot, to: &best, self)
        }
      }
      return best.sorted(self)
    }
    work.exactTests += carriers.count
    if work.mustEnd() { return [] }
    // For so few, sorting all takes less time than keeping a heap of the best.
    var hits: [NearestHeap.Hit] = []
    hits.reserveCapacity(carriers.count)
    for slot in carriers where isWanted(slot, search) {
      let distance = search.distance(slot, self)
      guard distance <= search.radius, search.isAfterCursor(distance, slot, self) else { continue }
      hits.append(NearestHeap.Hit(distance: distance, slot: slot))
    }
    NearestHeap.sort(&hits, self)
    if hits.count > search.limit { hits.removeLast(hits.count - search.limit) }
    return hits
  }

  @inline(__always)
  private func isWanted(_ slot: UInt32, _ search: NearestSearch) -> Bool {
    isLive(slot, now: search.now) && search.plan.isAnswered(byPosting: slot, self)
  }

  /// Returns the carriers whose cells say that they may be among the nearest, and a function that
  /// tells whether no other carrier can be among the best when the worst hit is that many
  /// millimetres away (`nil` when too few were found). The result is `nil` where the planar bounds
  /// do not hold.
  private func nearbyCarriers(
    _ search: NearestSearch, _ tagIDs: [UInt32]
  ) -> (slots: [UInt32], isCertain: (_ worst: Int64?) -> Bool)? {
    let origin = search.surface.origin
    guard search.after == nil, origin.latitude.magnitude < 84.9 else { return nil }
    let center = search.center
    let scale = search.surface.planarScale
    // Half the diagonal of a cell, in units: a carrier is at most so far from the middle of its
    // cell.
    let half = 46_342.0
    // Each list names a carrier once, so that `limit * lists` entries hold `limit` carriers.
    let needed = search.limit * tagIDs.count
    let squares = CarrierSquares(tagIDs, center, self)
    let nearest = squares.kth(needed, scale)
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
    return (
      squares.slots(within: reach),
      { [isComplete, units] worst in
        if isComplete { return true }
        // A carrier that was not collected is more than `units` away.
        guard let worst, let covered = scale.unitsBeyond(meters: (Double(worst) + 1) / 1000) else {
          return false
        }
        return covered <= units
      }
    )
  }
}

/// The squared distances from a centre to the middles of carriers' cells, with the carriers' slots.
///
///     squares | eight of page 0 | ... | eight of page 1 | ...     lanes past a page's count: infinity
@safe private struct CarrierSquares: ~Copyable {
  private let squares: UnsafeMutablePointer<Float>
  /// The slots of each page of the lists, with where the page's squares begin.
  private var pages: [Page] = []
  private let count: Int

  @safe private struct Page: BitwiseCopyable {
    let slots: UnsafeMutablePointer<UInt32>
    let count: Int
  }

  init(_ tagIDs: [UInt32], _ center: MercatorPoint, _ index: borrowing LiveIndex) {
    var room = 0
    for id in tagIDs { room += Int(index.tags[id].count) + 8 * Int(index.tags.pageCount(id)) }
    unsafe squares = .allocate(capacity: room + 8)
    let x = SIMD8<UInt32>(repeating: center.x &- 0x8000)
    let y = SIMD8<UInt32>(repeating: center.y &- 0x8000)
    var end = 0
    for id in tagIDs {
      for number in 0..<index.tags.pageCount(id) {
        let page = unsafe index.tags.page(id, number)
        unsafe pages.append(Page(slots: page.slots, count: page.count))
        var i = 0
        while unsafe i < page.count {
          // Pages have room for a multiple of eight entries.
          let cells = unsafe UnsafeRawPointer(page.cells + i).loadUnaligned(as: SIMD8<UInt32>.self)
          let eight = SIMD8Distances.squares(
            x: cells & 0xFFFF_0000, y: cells &<< 16, fromX: x, y: y)
          unsafe UnsafeMutableRawPointer(squares + end + i)
            .storeBytes(of: eight, as: SIMD8<Float>.self)
          i += 8
        }
        for lane in unsafe page.count..<i { unsafe squares[end + lane] = .infinity }
        end += i
      }
    }
    count = end
  }

  deinit { unsafe squares.deallocate() }

  /// Returns an upper bound of the k-th smallest square.
  func kth(_ k: Int, _ scale: PlanarScale) -> Double {
    PlanarCandidates.withEmpty(
      limit: k, scale: scale, bound: .greatestFiniteMagnitude, margin: 60
    ) { nearest in
      var i = 0
      unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 8) { nobody in
        let nobody = unsafe nobody.baseAddress.unsafelyUnwrapped
        unsafe nobody.initialize(repeating: 0, count: 8)
        while i < count {
          let eight = unsafe UnsafeRawPointer(squares + i).loadUnaligned(as: SIMD8<Float>.self)
          if SIMD8Distances.anyIsWithin(eight, nearest.bound) {
            unsafe nearest.append(eight, UnsafePointer(nobody), lanes: 8)
            nearest.reduceIfWorthwhile()
          }
          i += 8
        }
      }
      nearest.reduce()
      return Double(nearest.worst)
    }
  }

  /// Returns the carriers whose squares are at most `reach`.
  func slots(within reach: Float) -> [UInt32] {
    unsafe [UInt32](filledCapacity: count) { out, found in
      var start = 0
      for page in pages {
        var i = 0
        while i < page.count {
          let eight = unsafe UnsafeRawPointer(squares + start + i)
            .loadUnaligned(as: SIMD8<Float>.self)
          if SIMD8Distances.anyIsWithin(eight, reach) {
            for lane in 0..<8 where eight[lane] <= reach {
              unsafe out[found] = unsafe page.slots[i + lane]
              found += 1
            }
          }
          i += 8
        }
        start += i
      }
    }
  }
}
