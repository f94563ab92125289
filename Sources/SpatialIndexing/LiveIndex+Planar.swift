import GeoMath

extension LiveIndex {
  enum PlanarAnswer {
    case found([NearestHeap.Hit])
    /// The planar bounds do not hold here: the search reaches too far or too near the clamped rows,
    /// or there are not enough matches within reach.
    case outOfPlane
    /// So many points fail the filter that another algorithm is cheaper.
    case tooManyFail
  }

  /// Searches for the nearest hits with bounds in the Mercator plane.
  ///
  /// - Parameters:
  ///   - search: What is searched.
  ///   - slack: If given, all are found that may be among the nearest by what it bounds, in no order
  ///     and with distances of 0.
  ///   - work: Is added to.
  /// - Returns: The hits, or why the plane does not tell.
  func planarNearest(
    _ search: NearestSearch, slack: DistanceSlack? = nil, _ work: inout SearchWork
  ) -> PlanarAnswer {
    let origin = search.surface.origin
    guard origin.latitude.magnitude < 84.9 else { return .outOfPlane }
    let center = search.center
    var scale = search.surface.planarScale
    if let slack { scale.slack = slack }
    var bound = Float.greatestFiniteMagnitude
    var isBounded = false
    if search.radius != .max,
      let units = scale.unitsBeyond(meters: (Double(search.radius) + 1) / 1000)
    {
      bound = Float(units * units * (1 + 1e-6))
      isBounded = true
    }
    var inner: Float = -1
    if let after = search.after {
      guard scale.unitsBeyond(meters: (Double(after.distance) + 1) / 1000) != nil else {
        return .outOfPlane
      }
      let units = scale.unitsBelow(meters: (Double(after.distance) - 1) / 1000)
      inner = Float(units * units * (1 - 1e-6))
    }
    if !isBounded && (count < search.limit || isSparse(search, center)) { return .outOfPlane }
    var reach = isBounded ? bound : Float(PlanarScale.maximumUnits * PlanarScale.maximumUnits)
    if search.after == nil, let guess = guessedSquare(search, center) { reach = min(reach, guess) }
    while true {
      let first = min(bound, reach)
      let answer = PlanarCandidates.withEmpty(
        limit: search.limit, scale: scale, bound: first
      ) { candidates -> PlanarAnswer? in
        guard planarScan(search, center: center, inner: inner, candidates: &candidates, work: &work)
        else {
          return .tooManyFail
        }
        if work.mustEnd() { return .found([]) }
        candidates.reduce()
        // Points beyond the first square were not looked at, so that they could still be nearer.
        let isCertain = candidates.count >= search.limit && candidates.needed <= first
        if isCertain || (isBounded && first == bound) {
          guard PlanarScale.isTrusted(center, square: candidates.bound) else { return .outOfPlane }
          guard slack != nil else { return .found(finish(search, candidates, &work)) }
          // Far more than the hits: many share a place.
          guard candidates.count <= 4 * search.limit + 1024 else { return .outOfPlane }
          return .found(unmeasured(search, candidates, &work))
        }
        // The guess was too small, or there are too few points in the plane.
        guard PlanarScale.isTrusted(center, square: first), first < bound else {
          return .outOfPlane
        }
        return nil
      }
      if let answer { return answer }
      reach = first * 6
    }
  }

  /// Returns whether the points around the centre lie so far apart that the best are unlikely to be
  /// within the plane's reach.
  private func isSparse(_ search: NearestSearch, _ center: MercatorPoint) -> Bool {
    let wanted = UInt32(clamping: search.limit)
    // A node of level 8 that holds enough points is never sparse, nor is any node within it.
    let node = tree.nodes[tree.smallest(around: center, holding: wanted, downTo: 8)]
    let side = Double(UInt64(1) << UInt64(32 - node.level))
    let share = Double(wanted) / Double(max(1, node.count))
    return side * (share / .pi).squareRoot() > 1.2 * PlanarScale.maximumUnits
  }

  /// Returns the squared radius within which enough carriers of the wanted tags are expected, from
  /// the density of points around the centre. A search that begins with a bound visits fewer nodes.
  private func guessedSquare(_ search: NearestSearch, _ center: MercatorPoint) -> Float? {
    guard let share = search.plan.tagShare(self) else { return nil }
    let needed = (Double(search.limit) + 3 * Double(search.limit).squareRoot()) / share
    guard needed >= 64 && needed < Double(count) / 4 else { return nil }
    let node = tree.nodes[tree.smallest(around: center, holding: UInt32(needed))]
    let side = Double(UInt64(1) << UInt64(32 - node.level))
    return Float(needed / .pi * side * side / Double(max(1, node.count)))
  }

  /// The number of candidates whose slots are prefetched together: as many as fit the first cache.
  private static var prefetchedTogether: Int { 64 }

  /// Measures the candidates exactly and sorts them.
  func finish(
    _ search: NearestSearch, _ candidates: borrowing PlanarCandidates, _ work: inout SearchWork
  ) -> [NearestHeap.Hit] {
    let count = candidates.count
    work.exactTests += count
    if work.mustEnd() { return [] }
    // There are far more candidates than hits when many points share a place: keep only the best.
    if count > 4 * search.limit + 1024 {
      var hits = NearestHeap(limit: search.limit)
      for i in 0..<count { search.offer(candidates.slot(i), to: &hits, self) }
      return hits.sorted(self)
    }
    let ahead = Self.prefetchedTogether
    for i in 0..<min(ahead, count) {
      unsafe MemoryHints.read(slots.base + Int(candidates.slot(i)))
    }
    var hits = unsafe [NearestHeap.Hit](filledCapacity: count) { buffer, kept in
      for i in 0..<count {
        if i + ahead < count {
          unsafe MemoryHints.read(slots.base + Int(candidates.slot(i + ahead)))
        }
        let slot = candidates.slot(i)
        if search.readsRecords { prefetchReference(slot) }
        let distance = search.distance(slot, self)
        unsafe buffer[kept] = NearestHeap.Hit(distance: distance, slot: slot)
        kept += distance <= search.radius ? 1 : 0
      }
    }
    NearestHeap.sort(&hits, self)
    if hits.count > search.limit { hits.removeLast(hits.count - search.limit) }
    return hits
  }

  /// Returns the candidates as they are.
  private func unmeasured(
    _ search: NearestSearch, _ candidates: borrowing PlanarCandidates, _ work: inout SearchWork
  ) -> [NearestHeap.Hit] {
    let count = candidates.count
    work.exactTests += count
    return unsafe [NearestHeap.Hit](filledCapacity: count) { buffer, kept in
      for i in 0..<count {
        unsafe MemoryHints.read(slots.base + Int(candidates.slot(i)))
        if search.readsRecords { prefetchReference(candidates.slot(i)) }
        unsafe buffer[i] = NearestHeap.Hit(distance: 0, slot: candidates.slot(i))
      }
      kept = count
    }
  }

  /// Marks a place in the queue of leaves that is empty.
  private static var noNode: UInt32 { .max }

  /// A node on the stack of those to visit.
  private struct Pending: BitwiseCopyable {
    var node: UInt32
    var x: UInt32
    var y: UInt32
    var square: Float
  }

  /// Visits nodes depth first, the nearest child first, and collects candidates.
  ///
  /// - Returns: `false` when so many points fail the filter that another algorithm is cheaper.
  private func planarScan(
    _ search: NearestSearch, center: MercatorPoint, inner: Float,
    candidates: inout PlanarCandidates, work: inout SearchWork
  ) -> Bool {
    // At each of 32 levels at most three siblings wait on the stack. A temporary allocation of so
    // many would be one on the heap.
    var pendings = InlineArray<132, Pending>(repeating: Pending(node: 0, x: 0, y: 0, square: 0))
    var span = pendings.mutableSpan
    return unsafe span.withUnsafeMutableBufferPointer { stack in
      var depth = 1
      var budget = search.plan.scanBudget
      let tick = times.tick(search.now)
      let isPlain = search.plan.isTrivial && search.after == nil
      // Read from the plan here, because in the loop the plan would be copied each time.
      let signatures = search.plan.signatures
      let isDecidedBySignature = search.plan.isSignatureOnly && search.after == nil
      var hasPrefetched = search.limit > Self.prefetchedTogether
      // Where signatures decide, the last two leaves wait until their blocks are in the cache.
      var waiting = (Self.noNode, Self.noNode)
      while true {
        if depth == 0 {
          guard waiting.0 != Self.noNode || waiting.1 != Self.noNode else { break }
          scanWaiting(
            &waiting, next: Self.noNode, center: center, signatures: signatures,
            candidates: &candidates)
          candidates.reduceIfWorthwhile()
          continue
        }
        depth -= 1
        let pending = unsafe stack[depth]
        guard pending.square <= candidates.bound else { continue }
        let node = unsafe tree.nodes.pointer(pending.node)
        if unsafe node.pointee.isInner {
          work.nodesVisited += 1
          unsafe expand(
            node, pending: pending, center: center, signatures: signatures, bound: candidates.bound,
            stack: stack.baseAddress.unsafelyUnwrapped, depth: &depth, isPlain: isPlain)
          continue
        }
        if let order = order(ofLeaf: pending.node) {
          takeCoincidentLeaf(
            order, square: pending.square, search: search, tick: tick, candidates: &candidates,
            work: &work)
          continue
        }
        work.leavesVisited += 1
        unsafe work.pointsTested += Int(node.pointee.count)
        if work.mustEnd() { return true }
        if unsafe isPlain && node.pointee.earliest > tick && node.pointee.level < 32 {
          unsafe scanDecidedLeaf(node, center: center, signatures: nil, candidates: &candidates)
        } else if unsafe isDecidedBySignature && node.pointee.earliest > tick
          && node.pointee.level < 32
        {
          scanWaiting(
            &waiting, next: pending.node, center: center, signatures: signatures,
            candidates: &candidates)
        } else {
          scanLeaf(
            pending.node, search: search, center: center, inner: inner, tick: tick,
            candidates: &candidates)
          unsafe budget -= Int(node.pointee.count)
          if budget < 0 { return false }
        }
        if candidates.reduceIfWorthwhile() && !hasPrefetched {
          // Most of the candidates will be measured, so that their slots are prefetched once.
          hasPrefetched = true
          for i in 0..<min(candidates.count, Self.prefetchedTogether) {
            unsafe MemoryHints.readLater(slots.base + Int(candidates.slot(i)))
          }
        }
      }
      return true
    }
  }

  /// Takes the candidates of a large coincident leaf. All of its points are in one unit square,
  /// whose distance in the plane is theirs.
  private func takeCoincidentLeaf(
    _ order: CoincidentOrder, square: Float, search: NearestSearch, tick: UInt32,
    candidates: inout PlanarCandidates, work: inout SearchWork
  ) {
    var slots: [UInt32] = []
    coincidentCandidates(order, search: search, tick: tick, work: &work) { slots.append($0) }
    for slot in slots { candidates.append(square, slot) }
    candidates.reduceIfWorthwhile()
  }

  @inline(__always)
  private func expand(
    _ node: UnsafeMutablePointer<TreeNode>, pending: Pending, center: MercatorPoint,
    signatures: SignatureTest, bound: Float, stack: UnsafeMutablePointer<Pending>,
    depth: inout Int, isPlain: Bool
  ) {
    let side = unsafe UInt32(1) &<< (31 &- node.pointee.level)
    let x0 = Self.squaredGap(center.x, pending.x, side)
    let x1 = Self.squaredGap(center.x, pending.x &+ side, side)
    let y0 = Self.squaredGap(center.y, pending.y, side)
    let y1 = Self.squaredGap(center.y, pending.y &+ side, side)
    // The nearest quadrant is pushed last, so that it is visited first.
    let nearColumn: UInt32 = x0 <= x1 ? 0 : 1
    let nearRow: UInt32 = y0 <= y1 ? 0 : 2
    let near = nearColumn | nearRow
    let columnFirst = min(x0, x1) + max(y0, y1) <= max(x0, x1) + min(y0, y1)
    let second = columnFirst ? near ^ 2 : near ^ 1
    let group = unsafe tree.nodes.pointer(node.pointee.first)
    push(near ^ 3)
    push(second ^ 3)
    push(second)
    push(near)
    @inline(__always)
    func push(_ quadrant: UInt32) {
      let square = (quadrant & 1 == 0 ? x0 : x1) + (quadrant & 2 == 0 ? y0 : y1)
      let child = unsafe group + Int(quadrant)
      guard square <= bound, unsafe child.pointee.count > 0,
        unsafe isPlain || signatures.admits(child.pointee.signature)
      else {
        return
      }
      unsafe tree.prefetchContent(of: child, withSignatures: !isPlain)
      unsafe stack[depth] = unsafe Pending(
        node: node.pointee.first &+ quadrant, x: pending.x &+ (quadrant & 1) &* side,
        y: pending.y &+ (quadrant &>> 1) &* side, square: square)
      depth += 1
    }
  }

  /// Returns the squared distance from a coordinate to a run of `side` units, the shorter way round
  /// the world.
  @inline(__always)
  private static func squaredGap(_ at: UInt32, _ start: UInt32, _ side: UInt32) -> Float {
    let offset = at &- start
    let gap = offset < side ? 0 : min(offset &- (side &- 1), 0 &- offset)
    let width = Float(gap)
    return width * width
  }

  /// Scans the leaf that has waited longest, if any, and puts another one into its place.
  @inline(__always)
  private func scanWaiting(
    _ waiting: inout (UInt32, UInt32), next: UInt32, center: MercatorPoint,
    signatures: SignatureTest, candidates: inout PlanarCandidates
  ) {
    if waiting.0 != Self.noNode {
      unsafe scanDecidedLeaf(
        tree.nodes.pointer(waiting.0), center: center, signatures: signatures,
        candidates: &candidates)
    }
    waiting = (waiting.1, next)
  }

  /// Scans a leaf other than a coincident leaf. Signatures tell which of its points match; without
  /// a test of signatures all of them do.
  @inline(__always)
  private func scanDecidedLeaf(
    _ node: UnsafeMutablePointer<TreeNode>, center: MercatorPoint, signatures: SignatureTest?,
    candidates: inout PlanarCandidates
  ) {
    let x = SIMD8<UInt32>(repeating: center.x)
    let y = SIMD8<UInt32>(repeating: center.y)
    let ids = unsafe UnsafeRawPointer(node).assumingMemoryBound(to: UInt32.self)
    var left = unsafe Int(node.pointee.count)
    var i = 0
    while left > 0 {
      let block = unsafe tree.blocks.pointer(ids[i])
      var squares = unsafe SIMD8Distances.squares(
        x: block.pointee.x, y: block.pointee.y, fromX: x, y: y)
      if let signatures {
        squares = unsafe SIMD8Distances.ruledOut(
          squares, where: signatures.fails(block.pointee.signature))
      }
      if SIMD8Distances.anyIsWithin(squares, candidates.bound) {
        unsafe candidates.append(squares, PointBlock.slots(block), lanes: min(8, left))
      }
      left -= 8
      i += 1
    }
  }

  @inline(__always)
  private func scanLeaf(
    _ leaf: UInt32, search: NearestSearch, center: MercatorPoint, inner: Float, tick: UInt32,
    candidates: inout PlanarCandidates
  ) {
    let mayBeExpired = tree.nodes[leaf].earliest <= tick
    let x = SIMD8<UInt32>(repeating: center.x)
    let y = SIMD8<UInt32>(repeating: center.y)
    let bits = search.plan.signatures
    tree.forEachBlock(of: leaf) { id, lanes in
      let block = unsafe tree.blocks.pointer(id)
      let squares = unsafe SIMD8Distances.ruledOut(
        SIMD8Distances.squares(x: block.pointee.x, y: block.pointee.y, fromX: x, y: y),
        where: bits.fails(block.pointee.signature))
      let bound = candidates.bound
      guard SIMD8Distances.anyIsWithin(squares, bound) else { return }
      for lane in 0..<lanes where squares[lane] <= bound && squares[lane] >= inner {
        let slot = unsafe block.pointee.slot[lane]
        guard search.plan.matchesBeyondSignature(slot, self) else { continue }
        if mayBeExpired && expiresAt(slot) <= search.now { continue }
        if search.after != nil
          && !search.isAfterCursor(search.distance(slot, self), slot, self)
        {
          continue
        }
        candidates.append(squares[lane], slot)
      }
    }
  }
}
