import GeoMath
import ObjectModel

/// One within query while it runs.
struct WithinSearch {
  let area: PreparedArea
  let plan: FilterPlan
  let limit: Int
  let after: (code: UInt64, id: [UInt8])?
  let now: Int64
  let tick: UInt32
  var readsRecords = false
}

/// A match of one leaf, to be ordered by code, then id.
struct CodedHit: BitwiseCopyable {
  var code: UInt64
  var slot: UInt32
}

/// Scratch of a within query, and hits that wait to be visited until their slots have come.
@safe private struct WithinRun {
  /// Matches of the leaf at work: keys, slots as found, slots in order.
  let keys: UnsafeMutablePointer<Int32>
  let members: UnsafeMutablePointer<UInt32>
  let ordered: UnsafeMutablePointer<UInt32>
  let queue: UnsafeMutablePointer<UInt32>
  /// Leaves whose blocks are on their way: `node << 1 | isInside`, a ring.
  let leaves: UnsafeMutablePointer<UInt32>
  var firstLeaf = 0
  var endOfLeaves = 0
  var queued = 0
  /// Of those, hits that need no test any more.
  var certain = 0
  /// Hits visited.
  var found = 0
  var work = SearchWork()

  /// Words that one run's scratch takes.
  static let words = 48 + 48 + 48 + queueLength + leavesAhead
  /// Leaves between the request for one's blocks and their use; a power of two.
  static let leavesAhead = 8
  static let queueLength = 192
  /// Hits that stay in the queue when it is emptied, until they have had time to come.
  static let waiting = 48
  /// Marks a slot whose position is still to be put to the area's exact test.
  static let untested = PolygonRows.Mark.unknown

  init(_ base: UnsafeMutablePointer<UInt32>) {
    unsafe keys = UnsafeMutableRawPointer(base).assumingMemoryBound(to: Int32.self)
    unsafe members = base + 48
    unsafe ordered = base + 96
    unsafe queue = base + 144
    unsafe leaves = base + 144 + Self.queueLength
  }
}

extension LiveIndex {
  func within(
    _ query: WithinQuery, now: Instant, _ work: inout SearchWork, _ visit: (HitView) -> Void
  ) -> Int {
    let search = WithinSearch(
      area: PreparedArea(query.area), plan: FilterPlan(query.filter, self),
      limit: max(0, query.limit),
      after: query.after.map { ($0.mortonCode, Array($0.id.utf8)) },
      now: now.milliseconds, tick: times.tick(now.milliseconds), readsRecords: query.readsRecords)
    guard search.limit > 0, count > 0, !search.plan.isImpossible else { return 0 }
    return unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: WithinRun.words) {
      var run = unsafe WithinRun($0.baseAddress.unsafelyUnwrapped)
      visitWithin(0, x: 0, y: 0, isInside: false, search, &run, visit)
      while run.firstLeaf < run.endOfLeaves { takeFirstLeaf(search, &run, visit) }
      empty(&run, keeping: 0, search, visit)
      work += run.work
      return run.found
    }
  }

  // MARK: The way down

  /// Whether a node may hold a hit that is still wanted.
  @inline(__always)
  private func isWanted(
    _ node: TreeNode, x: UInt32, y: UInt32, _ search: WithinSearch, _ run: borrowing WithinRun
  ) -> Bool {
    guard run.found + run.certain < search.limit, node.count > 0, search.plan.admits(node.signature)
    else {
      return false
    }
    if let after = search.after, Self.lastCode(node, x: x, y: y) < after.code { return false }
    return true
  }

  /// Leaves come in Morton order, so that each leaf's hits follow the last one's.
  private func visitWithin(
    _ index: UInt32, x: UInt32, y: UInt32, isInside: Bool, _ search: WithinSearch,
    _ run: inout WithinRun, _ visit: (HitView) -> Void
  ) {
    let node = tree.nodes[index]
    guard isWanted(node, x: x, y: y, search, run),
      let isInside = settle(node, x: x, y: y, isInside: isInside, search)
    else { return }
    guard node.isInner else {
      unsafe tree.lookAtContent(of: tree.nodes.pointer(index), withSignatures: true)
      if run.endOfLeaves - run.firstLeaf == WithinRun.leavesAhead {
        takeFirstLeaf(search, &run, visit)
      }
      unsafe run.leaves[run.endOfLeaves & (WithinRun.leavesAhead - 1)] =
        index << 1 | (isInside ? 1 : 0)
      run.endOfLeaves += 1
      return
    }
    run.work.nodesVisited += 1
    for child in node.first..<node.first + 4 {
      tree.lookAtGroup(of: child)
    }
    let half = UInt32(1) << (31 - node.level)
    for quadrant in UInt32(0)..<4 {
      visitWithin(
        node.first + quadrant, x: x + (quadrant & 1) * half, y: y + (quadrant >> 1) * half,
        isInside: isInside, search, &run, visit)
    }
  }

  /// The greatest Morton code in a node.
  @inline(__always)
  private static func lastCode(_ node: TreeNode, x: UInt32, y: UInt32) -> UInt64 {
    MortonCode(x: x, y: y).rawValue
      | (node.level == 0 ? .max : 1 << UInt64(64 - 2 * node.level) - 1)
  }

  /// Whether all of a node is inside the area, `nil` if none of it is.
  @inline(__always)
  func settle(
    _ node: TreeNode, x: UInt32, y: UInt32, isInside: Bool, _ search: WithinSearch
  ) -> Bool? {
    if isInside { return true }
    switch search.area.relation(x: x, y: y, side: UInt64(1) << UInt64(32 - node.level)) {
    case .outside: return nil
    case .inside: return true
    case .mixed: return false
    }
  }

  /// Asks for what the children hold.
  @inline(__always)
  func lookAtChildren(_ node: TreeNode) {
    for child in node.first..<node.first + 4 {
      unsafe tree.lookAtContent(of: tree.nodes.pointer(child), withSignatures: true)
    }
  }

  // MARK: Leaves

  /// Takes the leaf that has waited longest, unless there are hits enough.
  private func takeFirstLeaf(
    _ search: WithinSearch, _ run: inout WithinRun, _ visit: (HitView) -> Void
  ) {
    let entry = unsafe run.leaves[run.firstLeaf & (WithinRun.leavesAhead - 1)]
    run.firstLeaf += 1
    guard run.found + run.certain < search.limit else { return }
    takeLeaf(entry >> 1, isInside: entry & 1 != 0, search, &run, visit)
  }

  private func takeLeaf(
    _ leaf: UInt32, isInside: Bool, _ search: WithinSearch, _ run: inout WithinRun,
    _ visit: (HitView) -> Void
  ) {
    let node = tree.nodes[leaf]
    if let order = order(ofLeaf: leaf) {
      return takePile(leaf, order, isInside, search, &run, visit)
    }
    run.work.leavesVisited += 1
    run.work.pointsTested += Int(node.count)
    guard node.level < 32 else {
      return takeSmallPile(leaf, isInside: isInside, search, &run, visit)
    }
    let count = collectKeys(leaf, node, isInside: isInside, search, &run)
    guard count > 0 else { return }
    if unsafe RankSort.sort(
      run.keys, UnsafePointer(run.members), count: count, into: run.ordered)
    {
      unsafe orderTies(run.ordered, count)
    }
    for i in 0..<count { unsafe enqueue(run.ordered[i], &run) }
    if run.queued > WithinRun.queueLength - 40 {
      empty(&run, keeping: WithinRun.waiting, search, visit)
    }
  }

  /// A leaf's matches with their place in it in Morton order; answers their number.
  @inline(__always)
  private func collectKeys(
    _ leaf: UInt32, _ node: TreeNode, isInside: Bool, _ search: WithinSearch,
    _ run: inout WithinRun
  ) -> Int {
    let mayBeExpired = node.earliest <= search.tick
    let isPlain = !mayBeExpired && search.plan.isTrivial && search.after == nil
    let shift = Self.keyShift(level: node.level)
    let mask = UInt32(1) << (32 - node.level - shift) - 1
    var count = 0
    tree.forEachBlock(of: leaf) { id, lanes in
      let block = unsafe tree.blocks.pointer(id)
      let (x, y) = unsafe (block.pointee.x, block.pointee.y)
      let keys = EightLanes.interleaved(x &>> shift, y &>> shift, mask: mask)
      let slotOf = unsafe PointBlock.slots(block)
      // Written as eight behind the list, then closed up: the gap never overtakes the reading.
      let eight = unsafe run.keys + count
      unsafe UnsafeMutableRawPointer(eight).storeBytes(of: keys, as: SIMD8<Int32>.self)
      if isPlain && isInside {
        for lane in 0..<lanes { unsafe run.members[count + lane] = slotOf[lane] }
        count += lanes
        return
      }
      let marks = isInside ? .zero : search.area.marks(x, y, lanes: lanes)
      if isPlain {
        for lane in 0..<lanes {
          unsafe run.keys[count] = eight[lane]
          unsafe run.members[count] = slotOf[lane] | marks[lane]
          count += 1 - Int(marks[lane] & PolygonRows.Mark.outside)
        }
        return
      }
      for lane in 0..<lanes where marks[lane] != PolygonRows.Mark.outside {
        let slot = unsafe slotOf[lane]
        guard unsafe search.plan.matches(slot, signature: block.pointee.signature[lane], self)
        else { continue }
        if mayBeExpired && expiresAt(slot) <= search.now { continue }
        if search.after != nil
          && !isAfterCursor(MortonCode(x: x[lane], y: y[lane]).rawValue, slot, search)
        {
          continue
        }
        unsafe run.keys[count] = eight[lane]
        unsafe run.members[count] = slot | marks[lane]
        count += 1
      }
    }
    return count
  }

  /// Bits by which coordinates in a leaf are coarser in its keys: a place must fit 30 bits.
  @inline(__always)
  private static func keyShift(level: UInt32) -> UInt32 { level < 17 ? 17 - level : 0 }

  /// Whether a point with a mark is in the area.
  @inline(__always)
  private func isInArea(
    _ slot: UInt32, _ mark: UInt32, _ search: WithinSearch, _ work: inout SearchWork
  ) -> Bool {
    guard mark == PolygonRows.Mark.unknown else { return mark == PolygonRows.Mark.inside }
    work.exactTests += 1
    let entry = unsafe slots.pointer(slot)
    return unsafe search.area.contains(
      latitude: entry.pointee.latitude, longitude: entry.pointee.longitude)
  }

  /// Puts slots of one key that stand side by side into the order of their codes, then their ids.
  private func orderTies(_ slots: UnsafeMutablePointer<UInt32>, _ count: Int) {
    for i in 1..<count {
      let entry = unsafe slots[i]
      let slot = entry & ~WithinRun.untested
      var j = i
      while j > 0 {
        let other = unsafe slots[j - 1] & ~WithinRun.untested
        let (mine, its) = (MortonCode(point(slot)).rawValue, MortonCode(point(other)).rawValue)
        guard
          unsafe mine < its || (mine == its && bytesPrecede(identifier(slot), identifier(other)))
        else { break }
        unsafe slots[j] = unsafe slots[j - 1]
        j -= 1
      }
      unsafe slots[j] = entry
    }
  }

  /// A pile too small for an order.
  private func takeSmallPile(
    _ leaf: UInt32, isInside: Bool, _ search: WithinSearch, _ run: inout WithinRun,
    _ visit: (HitView) -> Void
  ) {
    var matches: [CodedHit] = []
    collect(leaf, isInside: isInside, search, into: &matches, &run.work)
    let room = search.limit - run.found - run.certain
    order(&matches, limit: room)
    for match in matches.prefix(room) {
      enqueue(match.slot, &run)
      if run.queued > WithinRun.queueLength - 40 {
        empty(&run, keeping: WithinRun.waiting, search, visit)
      }
    }
  }

  private func takePile(
    _ leaf: UInt32, _ order: PileOrder, _ isInside: Bool, _ search: WithinSearch,
    _ run: inout WithinRun, _ visit: (HitView) -> Void
  ) {
    let head = unsafe tree.blocks.pointer(tree.nodes[leaf].first)
    let point = unsafe MercatorPoint(x: head.pointee.x[0], y: head.pointee.y[0])
    let room = search.limit - run.found - run.certain
    let found = pileMatches(
      order, code: MortonCode(point).rawValue, isInside: isInside, search, limit: room,
      &run.work)
    for slot in found.prefix(room) {
      enqueue(slot, &run)
      if run.queued > WithinRun.queueLength - 40 {
        empty(&run, keeping: WithinRun.waiting, search, visit)
      }
    }
  }

  // MARK: Visiting

  @inline(__always)
  private func enqueue(_ entry: UInt32, _ run: inout WithinRun) {
    unsafe MemoryHints.read(slots.base + Int(entry & ~WithinRun.untested))
    unsafe run.queue[run.queued] = entry
    run.queued += 1
    run.certain += entry & WithinRun.untested == 0 ? 1 : 0
  }

  /// Tests and visits what waits but the last few.
  private func empty(
    _ run: inout WithinRun, keeping: Int, _ search: WithinSearch, _ visit: (HitView) -> Void
  ) {
    let count = max(0, run.queued - keeping)
    if search.readsRecords {
      for i in 0..<run.queued { unsafe lookAtReference(run.queue[i] & ~WithinRun.untested) }
      for i in 0..<min(16, run.queued) { unsafe lookAtRecord(run.queue[i] & ~WithinRun.untested) }
    }
    for i in 0..<count {
      let entry = unsafe run.queue[i]
      if search.readsRecords {
        if i + 16 < run.queued { unsafe lookAtRecord(run.queue[i + 16] & ~WithinRun.untested) }
        if i + 8 < run.queued { unsafe lookBehindFront(run.queue[i + 8] & ~WithinRun.untested) }
      }
      let slot = entry & ~WithinRun.untested
      if entry & WithinRun.untested == 0 {
        run.certain -= 1
      } else {
        run.work.exactTests += 1
        let stored = unsafe slots.pointer(slot)
        guard
          unsafe search.area.contains(
            latitude: stored.pointee.latitude, longitude: stored.pointee.longitude)
        else { continue }
      }
      guard run.found < search.limit else { continue }
      run.found += 1
      visit(view(slot))
    }
    for i in count..<run.queued { unsafe run.queue[i - count] = unsafe run.queue[i] }
    run.queued -= count
  }

  // MARK: Great leaves

  /// A leaf's matches, in no order.
  func collect(
    _ leaf: UInt32, isInside: Bool, _ search: WithinSearch, into matches: inout [CodedHit],
    _ work: inout SearchWork
  ) {
    let mayBeExpired = tree.nodes[leaf].earliest <= search.tick
    let isPlain = isInside && !mayBeExpired && search.plan.isTrivial && search.after == nil
    tree.forEachBlock(of: leaf) { id, lanes in
      let block = unsafe tree.blocks.pointer(id)
      if isPlain {
        for lane in 0..<lanes {
          unsafe matches.append(
            CodedHit(
              code: MortonCode(x: block.pointee.x[lane], y: block.pointee.y[lane]).rawValue,
              slot: block.pointee.slot[lane]))
        }
        return
      }
      let marks =
        unsafe isInside
        ? .zero : search.area.marks(block.pointee.x, block.pointee.y, lanes: lanes)
      for lane in 0..<lanes where marks[lane] != PolygonRows.Mark.outside {
        let slot = unsafe block.pointee.slot[lane]
        guard unsafe search.plan.matches(slot, signature: block.pointee.signature[lane], self)
        else { continue }
        if mayBeExpired && expiresAt(slot) <= search.now { continue }
        guard isInArea(slot, marks[lane], search, &work) else { continue }
        let code = unsafe MortonCode(x: block.pointee.x[lane], y: block.pointee.y[lane]).rawValue
        if isAfterCursor(code, slot, search) { matches.append(CodedHit(code: code, slot: slot)) }
      }
    }
  }

  @inline(__always)
  private func isAfterCursor(_ code: UInt64, _ slot: UInt32, _ search: WithinSearch) -> Bool {
    guard let after = search.after else { return true }
    if code != after.code { return code > after.code }
    return unsafe after.id.withUnsafeBytes { unsafe bytesPrecede($0, identifier(slot)) }
  }

  /// Sorts a leaf's matches. A pile's all have one code: of many only the first by id are kept.
  private func order(_ matches: inout [CodedHit], limit: Int) {
    if matches.count > 64 {
      var best = TopHits(limit: limit)
      // One leaf this full is a pile: one code, so the ids alone decide.
      for match in matches { best.offer(distance: 0, slot: match.slot, self) }
      let code = matches[0].code
      matches = best.sorted(self).map { CodedHit(code: code, slot: $0.slot) }
      return
    }
    guard matches.count > 1 else { return }
    for i in 1..<matches.count {
      let match = matches[i]
      var j = i
      while j > 0 && precedes(match, matches[j - 1]) {
        matches[j] = matches[j - 1]
        j -= 1
      }
      matches[j] = match
    }
  }

  @inline(__always)
  private func precedes(_ a: CodedHit, _ b: CodedHit) -> Bool {
    if a.code != b.code { return a.code < b.code }
    return unsafe bytesPrecede(identifier(a.slot), identifier(b.slot))
  }
}
