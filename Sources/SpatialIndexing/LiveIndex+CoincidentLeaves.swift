import GeoMath

/// The sizes at which a coincident leaf (one unit square) gains its order and loses it again. They
/// differ, so that a leaf whose size swings does not build an order each time.
enum CoincidentOrderLimits {
  static let ordered: UInt32 = 256
  static let unordered = 128
}

extension LiveIndex {
  /// Returns the leaf of a slot if that is a coincident leaf.
  @inline(__always)
  private func coincidentLeaf(of slot: UInt32) -> UInt32? {
    let owner = tree.links[slots[slot].location >> 3].owner
    return owner & 63 == 32 ? owner >> 6 : nil
  }

  /// Returns the order of a leaf if that is a large coincident leaf.
  @inline(__always)
  func order(ofLeaf leaf: UInt32) -> CoincidentOrder? {
    let node = unsafe tree.nodes.pointer(leaf)
    guard unsafe node.pointee.level == 32 && node.pointee.count >= CoincidentOrderLimits.unordered
    else {
      return nil
    }
    return coincidentOrders[leaf]
  }

  /// Takes a slot out of its coincident leaf's order. It is called before the slot's coordinates
  /// change or it leaves the tree.
  @inline(__always)
  mutating func leaveCoincidentLeaf(_ slot: UInt32) {
    if let leaf = coincidentLeaf(of: slot),
      tree.nodes[leaf].count >= CoincidentOrderLimits.unordered
    {
      leaveOrder(slot, leaf)
    }
  }

  @inline(never)
  private mutating func leaveOrder(_ slot: UInt32, _ leaf: UInt32) {
    guard let order = coincidentOrders[leaf] else { return }
    unsafe order.remove(slot, reader.pointee)
    // The tree loses the point next, so that a coincident leaf small enough to merge has no order.
    if order.count <= CoincidentOrderLimits.unordered { coincidentOrders[leaf] = nil }
  }

  /// Adds a slot to its coincident leaf's order. It is called after the slot has its place in the
  /// tree, its coordinates, its times and its record.
  @inline(__always)
  mutating func joinCoincidentLeaf(_ slot: UInt32, _ leaf: UInt32) {
    let node = unsafe tree.nodes.pointer(leaf)
    if unsafe node.pointee.level == 32 && node.pointee.count >= CoincidentOrderLimits.unordered {
      joinOrder(slot, leaf)
    }
  }

  @inline(never)
  private mutating func joinOrder(_ slot: UInt32, _ leaf: UInt32) {
    if let order = coincidentOrders[leaf] {
      insert(slot, in: order)
    } else if tree.nodes[leaf].count >= CoincidentOrderLimits.ordered {
      let order = CoincidentOrder()
      tree.forEachBlock(of: leaf) { id, lanes in
        for lane in 0..<lanes {
          unsafe insert(tree.blocks.pointer(id).pointee.slot[lane], in: order)
        }
      }
      coincidentOrders[leaf] = order
    }
  }

  private func insert(_ slot: UInt32, in order: CoincidentOrder) {
    unsafe order.insert(
      slot, signature: signature(slot), tick: times.tick(expiresAt(slot)), reader.pointee)
  }

  /// Widens the signature in the coincident leaf's order, after a slot's tags have changed.
  mutating func widenCoincidentLeaf(_ slot: UInt32, signature: UInt32) {
    if let leaf = coincidentLeaf(of: slot), let order = coincidentOrders[leaf] {
      unsafe order.widen(slot, signature: signature, reader.pointee)
    }
  }

  // MARK: Searching

  /// A search's conditions on one list of a coincident leaf.
  struct OrderedRequest {
    let plan: FilterPlan
    let now: Int64
    let tick: UInt32
    /// The id after which the matches begin; `nil` to begin with the first.
    var after: [UInt8]?
    let limit: Int
  }

  /// Hands the first matches of a list, in the order of ids, to `body`, which returns whether it
  /// takes the slot. It ends when `body` has taken as many as the limit.
  ///
  /// - Complexity: O(log n + entries passed). Chunks whose signature cannot match are skipped.
  func firstMatches(
    _ list: OrderedSlots, request: OrderedRequest, work: inout SearchWork,
    _ body: (UInt32) -> Bool
  ) {
    var at = (chunk: 0, entry: 0)
    if let after = request.after {
      at = unsafe after.withUnsafeBytes { unsafe list.position($0, reader.pointee) }
    }
    var taken = 0
    let chunks = list.chunks
    while at.chunk < chunks.count {
      let next = (chunk: at.chunk + 1, entry: 0)
      guard request.plan.admits(chunks[at.chunk].signature) else {
        at = next
        continue
      }
      let mayBeExpired = chunks[at.chunk].earliest <= request.tick
      work.leavesVisited += 1
      for entry in chunks[at.chunk].entries[at.entry...] {
        work.pointsTested += 1
        let slot = entry.slot
        if !request.plan.isTrivial
          && !request.plan.matches(slot, signature: signature(slot), self)
        {
          continue
        }
        if mayBeExpired && expiresAt(slot) <= request.now { continue }
        if let after = request.after,
          unsafe after.withUnsafeBytes({ unsafe !bytesPrecede($0, identifier(slot)) })
        {
          continue
        }
        guard body(slot) else { continue }
        taken += 1
        if taken == request.limit { return }
      }
      at = next
    }
  }

  /// Hands over the points of a coincident leaf that can be among the nearest: for each exact place
  /// the first by id.
  func coincidentCandidates(
    _ order: CoincidentOrder, search: NearestSearch, tick: UInt32, work: inout SearchWork,
    _ take: (UInt32) -> Void
  ) {
    for group in order.groups {
      let distance = search.surface.millimeters(
        latitude: group.latitude, longitude: group.longitude)
      work.exactTests += 1
      guard distance <= search.radius else { continue }
      var after: [UInt8]?
      if let cursor = search.after {
        if distance < cursor.distance { continue }
        if distance == cursor.distance { after = cursor.id }
      }
      let request = OrderedRequest(
        plan: search.plan, now: search.now, tick: tick, after: after, limit: search.limit)
      firstMatches(group.members, request: request, work: &work) {
        take($0)
        return true
      }
    }
    let request = OrderedRequest(
      plan: search.plan, now: search.now, tick: tick, after: nil, limit: .max)
    firstMatches(order.mixed, request: request, work: &work) { slot in
      if search.after != nil
        && !search.isAfterCursor(search.distance(slot, self), slot, self)
      {
        return false
      }
      take(slot)
      return true
    }
  }

  /// Returns the first matches of a coincident leaf in an area, in the order of their ids.
  func coincidentMatches(
    _ order: CoincidentOrder, code: UInt64, isInside: Bool, _ search: AreaSearch, limit: Int,
    _ work: inout SearchWork
  ) -> [UInt32] {
    var after: [UInt8]?
    if let cursor = search.after {
      if code < cursor.code { return [] }
      if code == cursor.code { after = cursor.id }
    }
    let request = OrderedRequest(
      plan: search.plan, now: search.now, tick: search.tick, after: after, limit: limit)
    var found: [UInt32] = []
    for group in order.groups {
      work.exactTests += isInside ? 0 : 1
      guard
        isInside
          || search.area.contains(latitude: group.latitude, longitude: group.longitude)
      else { continue }
      firstMatches(group.members, request: request, work: &work) {
        found.append($0)
        return true
      }
    }
    var exactTests = 0
    firstMatches(order.mixed, request: request, work: &work) { slot in
      if !isInside {
        exactTests += 1
        let stored = slots[slot]
        guard search.area.contains(latitude: stored.latitude, longitude: stored.longitude) else {
          return false
        }
      }
      found.append(slot)
      return true
    }
    work.exactTests += exactTests
    if order.groups.count + (order.mixed.count > 0 ? 1 : 0) > 1 {
      var best = NearestHeap(limit: limit)
      for slot in found { best.offer(distance: 0, slot: slot, self) }
      return best.sorted(self).map(\.slot)
    }
    return found
  }
}
