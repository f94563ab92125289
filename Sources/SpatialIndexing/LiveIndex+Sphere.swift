import GeoMath

extension LiveIndex {
  /// A node on the stack of those to visit.
  private struct Pending: BitwiseCopyable {
    var node: UInt32
    var x: UInt32
    var y: UInt32
    var square: Double
  }

  /// Searches for the nearest hits on the sphere, which holds everywhere: at the poles, at the
  /// antimeridian, at any distance. Conservative chords rule out nodes and points, and the rest is
  /// measured exactly. Nodes are visited depth first, the nearest child first.
  func globalNearest(_ search: NearestSearch, _ work: inout SearchWork) -> [NearestHeap.Hit] {
    var hits = NearestHeap(limit: search.limit)
    let origin = search.surface.origin
    let bounds = ChordBounds(
      latitude: origin.latitude, longitude: origin.longitude, center: search.center)
    // At each of 32 levels at most three siblings wait on the stack.
    unsafe withUnsafeTemporaryAllocation(of: Pending.self, capacity: 132) { stack in
      unsafe stack[0] = Pending(node: 0, x: 0, y: 0, square: 0)
      var depth = 1
      var reach = search.radius
      var limit = ChordBounds.square(within: reach)
      while depth > 0 && !work.mustEnd() {
        depth -= 1
        let pending = unsafe stack[depth]
        guard pending.square <= limit else { continue }
        if unsafe tree.nodes.pointer(pending.node).pointee.isInner {
          work.nodesVisited += 1
          unsafe expand(
            pending, plan: search.plan, bounds: bounds, limit: limit,
            stack: stack.baseAddress.unsafelyUnwrapped, depth: &depth)
          continue
        }
        scanGlobally(
          pending.node, search: search, bounds: bounds, limit: limit, hits: &hits, work: &work)
        let bound = min(search.radius, hits.bound ?? .max)
        if bound < reach {
          reach = bound
          limit = ChordBounds.square(within: reach)
        }
      }
    }
    return hits.sorted(self)
  }

  /// Pushes the children that may hold hits on the stack, the nearest last.
  @inline(__always)
  private func expand(
    _ pending: Pending, plan: FilterPlan, bounds: ChordBounds, limit: Double,
    stack: UnsafeMutablePointer<Pending>, depth: inout Int
  ) {
    let node = unsafe tree.nodes.pointer(pending.node)
    let half = unsafe UInt32(1) << (31 - node.pointee.level)
    let start = depth
    for quadrant in UInt32(0)..<4 {
      let index = unsafe node.pointee.first + quadrant
      let child = unsafe tree.nodes.pointer(index)
      guard unsafe child.pointee.count > 0, unsafe plan.admits(child.pointee.signature) else {
        continue
      }
      let x = pending.x + (quadrant & 1) * half
      let y = pending.y + (quadrant >> 1) * half
      // The bound is lowered by the error of the table.
      let chord = max(
        0, bounds.least(x: x, y: y, side: UInt64(half)).squareRoot() - ChordBounds.slack)
      let square = chord * chord
      guard square <= limit else { continue }
      unsafe tree.prefetchContent(of: child, withSignatures: true)
      var i = depth
      while unsafe i > start && stack[i - 1].square < square {
        unsafe stack[i] = unsafe stack[i - 1]
        i -= 1
      }
      unsafe stack[i] = Pending(node: index, x: x, y: y, square: square)
      depth += 1
    }
  }

  private func scanGlobally(
    _ leaf: UInt32, search: NearestSearch, bounds: ChordBounds, limit: Double,
    hits: inout NearestHeap, work: inout SearchWork
  ) {
    if let order = order(ofLeaf: leaf) {
      var slots: [UInt32] = []
      coincidentCandidates(order, search: search, tick: times.tick(search.now), work: &work) {
        slots.append($0)
      }
      for slot in slots { search.offer(slot, to: &hits, self) }
      return
    }
    work.leavesVisited += 1
    work.pointsTested += Int(tree.nodes[leaf].count)
    tree.forEachBlock(of: leaf) { id, lanes in
      let block = unsafe tree.blocks.pointer(id)
      for lane in 0..<lanes {
        let x = unsafe block.pointee.x[lane]
        let y = unsafe block.pointee.y[lane]
        // Only the exact distance tells where a point in a clamped row lies.
        if y != 0 && y != .max && bounds.square(x: x, y: y) > limit { continue }
        let slot = unsafe block.pointee.slot[lane]
        guard expiresAt(slot) > search.now,
          unsafe search.plan.matches(slot, signature: block.pointee.signature[lane], self)
        else { continue }
        work.exactTests += 1
        search.offer(slot, to: &hits, self)
      }
    }
  }
}
