import GeoMath
import ObjectModel

/// A within query while it runs.
struct AreaSearch {
  let area: PreparedArea
  let plan: FilterPlan
  let limit: Int
  let after: (code: UInt64, id: [UInt8])?
  let now: Int64
  let tick: UInt32
  var readsRecords = false
}

/// A within query that is answered piece by piece, in Morton order.
struct WithinSlice {
  fileprivate let area: PreparedArea
  /// The area of the query's filter.
  fileprivate let filterArea: PreparedArea?
  fileprivate var after: (code: UInt64, id: [UInt8])?
  /// Hits of the slices so far.
  fileprivate(set) var found = 0
  /// Whether there may be more hits than those of the slices so far.
  fileprivate(set) var isCut = false
  /// Steps of ``SearchWork`` from which on a slice takes no further node.
  let stepLimit: Int

  init(_ query: WithinQuery, stepLimit: Int = .max) {
    // Enough to come down to a leaf, so that every slice gets on.
    precondition(stepLimit > 64)
    area = PreparedArea(query.area)
    filterArea = query.filter.area.map(PreparedArea.init)
    after = query.after.map { ($0.mortonCode, Array($0.id.utf8)) }
    self.stepLimit = stepLimit
  }

  /// All hits before a code have been visited.
  fileprivate mutating func cut(before code: UInt64) {
    isCut = true
    // Not the root, whose code is 0; a byte that no id has stands behind all ids.
    after = (code - 1, [0xFF])
  }
}

/// A match of a leaf. Matches are ordered by their code, then by their id.
struct CodedHit: BitwiseCopyable {
  var code: UInt64
  var slot: UInt32
}

/// The working memory of a within query, and the hits that wait until their slots are in the cache.
@safe private struct WithinRun {
  /// The keys and slots of the matches in the leaf at work, in the order of the leaf.
  let keys: UnsafeMutablePointer<Int32>
  let members: UnsafeMutablePointer<UInt32>
  /// The ``PolygonRows/Mark`` of each point of the block at work.
  let marks: UnsafeMutablePointer<UInt32>
  /// The hits, in order, that are still to be visited; `end` is their number.
  let queue: UnsafeMutablePointer<UInt32>
  /// A ring of leaves whose blocks have been prefetched, each as `node << 1 | isInside`.
  let leaves: UnsafeMutablePointer<UInt32>
  var firstLeaf = 0
  var leavesEnd = 0
  var end = 0
  /// The index of the first hit in the queue whose slot has been prefetched.
  var prefetched = 0
  /// The number of hits in the queue and of the leaf at work that need no further test.
  var certain = 0
  /// The number of hits visited.
  var found = 0
  var work = SearchWork()

  /// The number of words that the working memory of a run takes.
  static let words = 2 * leafRoom + 8 + prefetchedLeaves
  /// Room for a leaf's points and for what is written behind them eight at a time.
  static let leafRoom = 40
  /// The number of leaves between the prefetch of a leaf's blocks and their use, a power of two.
  static let prefetchedLeaves = 8
  static let queueLength = 248
  /// The number of hits between the prefetch of a hit's slot and the visit.
  static let waiting = 48
  /// Marks a slot whose position still has to pass the area's exact test.
  static let untested = PolygonRows.Mark.unknown

  /// Divides the working memory of a run. The two parts are small enough for the stack, each on its
  /// own.
  ///
  /// - Parameters:
  ///   - base: Memory for ``words``.
  ///   - queue: Memory for ``queueLength`` hits.
  init(_ base: UnsafeMutablePointer<UInt32>, queue: UnsafeMutablePointer<UInt32>) {
    unsafe keys = UnsafeMutableRawPointer(base).assumingMemoryBound(to: Int32.self)
    unsafe members = base + Self.leafRoom
    unsafe marks = base + 2 * Self.leafRoom
    unsafe leaves = base + 2 * Self.leafRoom + 8
    unsafe self.queue = unsafe queue
  }

  /// Returns 1 for a hit that needs no further test, else 0.
  @inline(__always)
  static func certainty(_ entry: UInt32) -> Int { Int(~entry >> 31) }

  /// Returns whether the certain hits reach the limit.
  @inline(__always)
  func isFull(_ search: AreaSearch) -> Bool { found &+ certain >= search.limit }
}

extension LiveIndex {
  /// Visits hits in order, going on where the slice before ended.
  func within(
    _ query: WithinQuery, now: Instant, slice: inout WithinSlice, _ work: inout SearchWork,
    _ visit: (HitView) -> Void
  ) -> Int {
    let search = AreaSearch(
      area: slice.area, plan: FilterPlan(query.filter, self, area: slice.filterArea),
      limit: max(0, query.limit - slice.found), after: slice.after,
      now: now.milliseconds, tick: times.tick(now.milliseconds), readsRecords: query.readsRecords)
    let lastStep = slice.stepLimit == .max ? .max : work.steps + slice.stepLimit
    slice.isCut = false
    guard search.limit > 0, count > 0, !search.plan.isImpossible else { return 0 }
    let found = run(search, untilStep: lastStep, slice: &slice, &work, visit)
    slice.found += found
    if slice.found >= query.limit { slice.isCut = false }
    return found
  }

  private func run(
    _ search: AreaSearch, untilStep lastStep: Int, slice: inout WithinSlice,
    _ work: inout SearchWork, _ visit: (HitView) -> Void
  ) -> Int {
    return unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: WithinRun.words) {
      base in
      unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: WithinRun.queueLength) {
        var run = unsafe WithinRun(
          base.baseAddress.unsafelyUnwrapped, queue: $0.baseAddress.unsafelyUnwrapped)
        run.work = work
        if let rest = descend(search, untilStep: lastStep, &run, visit) { slice.cut(before: rest) }
        while run.firstLeaf < run.leavesEnd { takeFirstLeaf(search, &run, visit) }
        empty(&run, keeping: 0, search, visit)
        work = run.work
        return run.found
      }
    }
  }

  // MARK: Descending

  /// Descends depth first in Morton order, so that each leaf's hits follow those of the leaf
  /// before.
  ///
  /// - Returns: The least Morton code of what was left undone after `lastStep`; nil if nothing was.
  private func descend(
    _ search: AreaSearch, untilStep lastStep: Int, _ run: inout WithinRun,
    _ visit: (HitView) -> Void
  ) -> UInt64? {
    // Nodes that wait, as `node << 1 | isInside`: at most three siblings at each of 32 levels.
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 100) {
      let stack = unsafe $0.baseAddress.unsafelyUnwrapped
      var depth = 0
      unsafe push(0, x: 0, y: 0, isInside: false, search: search, stack: stack, depth: &depth)
      // The corner of the last node. The parent of the next node is that node or above it.
      var (x, y) = (UInt32(0), UInt32(0))
      while depth > 0 && !run.isFull(search) && !run.work.mustEnd() {
        depth &-= 1
        let entry = unsafe stack[depth]
        let index = entry >> 1
        let isInside = entry & 1 != 0
        let node = unsafe tree.nodes.pointer(index)
        if run.work.steps > lastStep {
          let level = unsafe node.pointee.level
          let corner = Self.corner(ofNode: index, level: level, x, y)
          return MortonCode(x: corner.x, y: corner.y).rawValue
        }
        guard unsafe node.pointee.isInner else {
          unsafe tree.prefetchBlocksLater(of: node)
          if run.leavesEnd &- run.firstLeaf == WithinRun.prefetchedLeaves {
            takeFirstLeaf(search, &run, visit)
          }
          unsafe run.leaves[run.leavesEnd & (WithinRun.prefetchedLeaves - 1)] = entry
          run.leavesEnd &+= 1
          continue
        }
        // A leaf is taken while the children's memory is fetched.
        if run.leavesEnd &- run.firstLeaf > WithinRun.prefetchedLeaves / 2 {
          takeFirstLeaf(search, &run, visit)
        }
        run.work.nodesVisited &+= 1
        let level = unsafe node.pointee.level
        (x, y) = Self.corner(ofNode: index, level: level, x, y)
        let half = UInt32(1) &<< (31 &- level)
        for quadrant in 0..<UInt32(4) {
          let last = 3 &- quadrant
          unsafe push(
            node.pointee.first &+ last, x: x &+ (last & 1) &* half, y: y &+ (last &>> 1) &* half,
            isInside: isInside, search: search, stack: stack, depth: &depth)
        }
      }
      return nil
    }
  }

  /// Where a node begins, from a point within its parent.
  @inline(__always)
  private static func corner(
    ofNode index: UInt32, level: UInt32, _ x: UInt32, _ y: UInt32
  ) -> (x: UInt32, y: UInt32) {
    guard level > 0 else { return (0, 0) }
    // Groups of children begin at multiples of four.
    let parent = UInt32.max << (33 - level)
    return (
      x & parent | (index & 1) << (32 - level), y & parent | (index >> 1 & 1) << (32 - level)
    )
  }

  /// Pushes a node on the stack if it may hold hits.
  @inline(__always)
  private func push(
    _ index: UInt32, x: UInt32, y: UInt32, isInside: Bool, search: AreaSearch,
    stack: UnsafeMutablePointer<UInt32>, depth: inout Int
  ) {
    let node = unsafe tree.nodes.pointer(index)
    guard unsafe node.pointee.count > 0, unsafe search.plan.admits(node.pointee.signature) else {
      return
    }
    if let after = search.after, unsafe Self.lastCode(node.pointee, x: x, y: y) < after.code {
      return
    }
    guard let isInside = unsafe settle(node.pointee, x: x, y: y, isInside: isInside, search) else {
      return
    }
    tree.prefetchGroup(of: index)
    unsafe stack[depth] = index << 1 | (isInside ? 1 : 0)
    depth &+= 1
  }

  /// Returns the greatest Morton code in a node.
  @inline(__always)
  static func lastCode(_ node: TreeNode, x: UInt32, y: UInt32) -> UInt64 {
    MortonCode(x: x, y: y).rawValue
      | (node.level == 0 ? .max : 1 << UInt64(64 - 2 * node.level) - 1)
  }

  /// Returns whether all of a node is inside the area, `nil` if none of it is.
  @inline(__always)
  func settle(
    _ node: TreeNode, x: UInt32, y: UInt32, isInside: Bool, _ search: AreaSearch
  ) -> Bool? {
    if isInside { return true }
    switch search.area.relation(x: x, y: y, side: UInt64(1) << UInt64(32 - node.level)) {
    case .outside: return nil
    case .inside: return true
    case .mixed: return false
    }
  }

  /// Prefetches what a search reads of the children.
  @inline(__always)
  func prefetchChildren(_ node: TreeNode) {
    for child in node.first..<node.first + 4 {
      unsafe tree.prefetchContent(of: tree.nodes.pointer(child), withSignatures: true)
    }
  }

  // MARK: Leaves

  /// Takes the leaf that has waited longest, unless there are enough hits.
  private func takeFirstLeaf(
    _ search: AreaSearch, _ run: inout WithinRun, _ visit: (HitView) -> Void
  ) {
    let entry = unsafe run.leaves[run.firstLeaf & (WithinRun.prefetchedLeaves - 1)]
    run.firstLeaf &+= 1
    guard !run.isFull(search) else { return }
    takeLeaf(entry >> 1, isInside: entry & 1 != 0, search: search, run: &run, visit)
  }

  private func takeLeaf(
    _ leaf: UInt32, isInside: Bool, search: AreaSearch, run: inout WithinRun,
    _ visit: (HitView) -> Void
  ) {
    let node = unsafe tree.nodes.pointer(leaf)
    if let order = order(ofLeaf: leaf) {
      return takeCoincidentLeaf(
        leaf, order: order, isInside: isInside, search: search, run: &run, visit)
    }
    run.work.leavesVisited &+= 1
    unsafe run.work.pointsTested &+= Int(node.pointee.count)
    guard unsafe node.pointee.level < 32 else {
      return takeUnorderedCoincidentLeaf(leaf, isInside: isInside, search: search, run: &run, visit)
    }
    let count = unsafe collectKeys(
      leaf, node: node.pointee, isInside: isInside, search: search, run: &run)
    guard count > 0 else { return }
    makeRoom(&run, search, visit)
    let place = unsafe run.queue + run.end
    if unsafe RankSort.sort(run.keys, UnsafePointer(run.members), count: count, into: place) {
      unsafe orderTies(place, count)
    }
    run.end &+= count
    prefetchFirst(&run)
  }

  /// Collects a leaf's matches with keys that sort them in Morton order, and returns their number.
  @inline(__always)
  private func collectKeys(
    _ leaf: UInt32, node: TreeNode, isInside: Bool, search: AreaSearch,
    run: inout WithinRun
  ) -> Int {
    let mayBeExpired = node.earliest <= search.tick
    let isPlain = !mayBeExpired && search.plan.isTrivial && search.after == nil
    let shift = Self.keyShift(level: node.level)
    let mask = UInt32(1) << (32 - node.level - shift) - 1
    var count = 0
    tree.forEachBlock(of: leaf) { id, lanes in
      let block = unsafe tree.blocks.pointer(id)
      let (x, y) = unsafe (block.pointee.x, block.pointee.y)
      let slotOf = unsafe PointBlock.slots(block)
      // All eight are written behind the list, then those that match are moved up: the writes never
      // pass the reads.
      let eight = unsafe run.keys + count
      unsafe UnsafeMutableRawPointer(eight).storeBytes(
        of: SIMD8Distances.interleaved(x &>> shift, y &>> shift, mask: mask), as: SIMD8<Int32>.self)
      if isPlain && isInside {
        unsafe UnsafeMutableRawPointer(run.members + count).storeBytes(
          of: block.pointee.slot, as: SIMD8<UInt32>.self)
        count &+= lanes
        return
      }
      if isInside {
        unsafe run.marks.update(repeating: PolygonRows.Mark.inside, count: 8)
      } else {
        unsafe search.area.mark(block, lanes: lanes, into: run.marks)
      }
      if isPlain {
        for lane in 0..<lanes {
          let mark = unsafe run.marks[lane]
          unsafe run.keys[count] = eight[lane]
          unsafe run.members[count] = slotOf[lane] | mark
          count &+= 1 &- Int(mark & PolygonRows.Mark.outside)
        }
        return
      }
      for lane in 0..<lanes where unsafe run.marks[lane] != PolygonRows.Mark.outside {
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
        unsafe run.members[count] = unsafe slot | run.marks[lane]
        count &+= 1
      }
    }
    if isInside {
      run.certain &+= count
    } else {
      for i in 0..<count { run.certain &+= unsafe WithinRun.certainty(run.members[i]) }
    }
    return count
  }

  /// Returns how many low bits of coordinates the keys of a leaf drop, since a key has 30 bits.
  @inline(__always)
  private static func keyShift(level: UInt32) -> UInt32 { level < 17 ? 17 - level : 0 }

  /// Returns whether a point with a mark is in the area.
  @inline(__always)
  private func isInArea(
    _ slot: UInt32, mark: UInt32, search: AreaSearch, work: inout SearchWork
  ) -> Bool {
    guard mark == PolygonRows.Mark.unknown else { return mark == PolygonRows.Mark.inside }
    work.exactTests += 1
    let entry = unsafe slots.pointer(slot)
    return unsafe search.area.contains(
      latitude: entry.pointee.latitude, longitude: entry.pointee.longitude)
  }

  /// Sorts neighbouring slots with the same key by their codes, then by their ids.
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

  /// Takes the matches of a coincident leaf that is too small for an order.
  private func takeUnorderedCoincidentLeaf(
    _ leaf: UInt32, isInside: Bool, search: AreaSearch, run: inout WithinRun,
    _ visit: (HitView) -> Void
  ) {
    var matches: [CodedHit] = []
    collect(leaf, isInside: isInside, search, into: &matches, &run.work)
    let room = search.limit - run.found - run.certain
    order(&matches, limit: room)
    for match in matches.prefix(room) {
      enqueue(match.slot, search: search, run: &run, visit)
    }
  }

  private func takeCoincidentLeaf(
    _ leaf: UInt32, order: CoincidentOrder, isInside: Bool, search: AreaSearch,
    run: inout WithinRun, _ visit: (HitView) -> Void
  ) {
    let head = unsafe tree.blocks.pointer(tree.nodes[leaf].first)
    let point = unsafe MercatorPoint(x: head.pointee.x[0], y: head.pointee.y[0])
    let room = search.limit - run.found - run.certain
    let found = coincidentMatches(
      order, code: MortonCode(point).rawValue, isInside: isInside, search, limit: room,
      &run.work)
    for slot in found.prefix(room) {
      enqueue(slot, search: search, run: &run, visit)
    }
  }

  // MARK: Visiting

  private func enqueue(
    _ entry: UInt32, search: AreaSearch, run: inout WithinRun, _ visit: (HitView) -> Void
  ) {
    makeRoom(&run, search, visit)
    unsafe run.queue[run.end] = entry
    run.end &+= 1
    run.certain &+= WithinRun.certainty(entry)
    prefetchFirst(&run)
  }

  /// Prefetches the slots of the first hits in the queue. The others are prefetched while those are
  /// visited, so that requests are spread over time.
  @inline(__always)
  private func prefetchFirst(_ run: inout WithinRun) {
    while run.prefetched < min(run.end, WithinRun.waiting) {
      unsafe prefetchSlot(run.queue[run.prefetched])
      run.prefetched &+= 1
    }
  }

  @inline(__always)
  private func prefetchSlot(_ entry: UInt32) {
    unsafe MemoryHints.readLater(slots.base + Int(entry & ~WithinRun.untested))
  }

  /// Makes room in the queue for a leaf's hits.
  @inline(__always)
  private func makeRoom(
    _ run: inout WithinRun, _ search: AreaSearch, _ visit: (HitView) -> Void
  ) {
    if run.end > WithinRun.queueLength - WithinRun.leafRoom {
      empty(&run, keeping: WithinRun.waiting, search, visit)
    }
  }

  /// Tests and visits the hits in the queue except the last few, which move to its front.
  private func empty(
    _ run: inout WithinRun, keeping: Int, _ search: AreaSearch, _ visit: (HitView) -> Void
  ) {
    let count = max(0, run.end - keeping)
    if search.readsRecords {
      for i in 0..<run.end { unsafe prefetchReference(run.queue[i] & ~WithinRun.untested) }
      for i in 0..<min(16, run.end) { unsafe prefetchRecord(run.queue[i] & ~WithinRun.untested) }
    }
    for i in 0..<count {
      let entry = unsafe run.queue[i]
      if i &+ WithinRun.waiting < run.end {
        unsafe prefetchSlot(run.queue[i &+ WithinRun.waiting])
      }
      if search.readsRecords {
        if i + 16 < run.end { unsafe prefetchRecord(run.queue[i + 16] & ~WithinRun.untested) }
        if i + 8 < run.end { unsafe prefetchRest(run.queue[i + 8] & ~WithinRun.untested) }
      }
      let slot = entry & ~WithinRun.untested
      run.certain &-= WithinRun.certainty(entry)
      if entry & WithinRun.untested != 0
        && !isInArea(slot, mark: WithinRun.untested, search: search, work: &run.work)
      {
        continue
      }
      guard run.found < search.limit else { continue }
      run.found &+= 1
      visit(view(slot))
    }
    for i in count..<run.end { unsafe run.queue[i - count] = unsafe run.queue[i] }
    run.end -= count
    run.prefetched = run.end
  }

  // MARK: Large leaves

  /// Collects a leaf's matches in no particular order.
  func collect(
    _ leaf: UInt32, isInside: Bool, _ search: AreaSearch, into matches: inout [CodedHit],
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
      unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 8) {
        let marks = unsafe $0.baseAddress.unsafelyUnwrapped
        if isInside {
          unsafe marks.update(repeating: PolygonRows.Mark.inside, count: 8)
        } else {
          unsafe search.area.mark(block, lanes: lanes, into: marks)
        }
        for lane in 0..<lanes where unsafe marks[lane] != PolygonRows.Mark.outside {
          let slot = unsafe block.pointee.slot[lane]
          guard unsafe search.plan.matches(slot, signature: block.pointee.signature[lane], self)
          else { continue }
          if mayBeExpired && expiresAt(slot) <= search.now { continue }
          guard unsafe isInArea(slot, mark: marks[lane], search: search, work: &work) else {
            continue
          }
          let code = unsafe MortonCode(x: block.pointee.x[lane], y: block.pointee.y[lane]).rawValue
          if isAfterCursor(code, slot, search) { matches.append(CodedHit(code: code, slot: slot)) }
        }
      }
    }
  }

  @inline(__always)
  private func isAfterCursor(_ code: UInt64, _ slot: UInt32, _ search: AreaSearch) -> Bool {
    guard let after = search.after else { return true }
    if code != after.code { return code > after.code }
    return unsafe after.id.withUnsafeBytes { unsafe bytesPrecede($0, identifier(slot)) }
  }

  /// Sorts a leaf's matches. In a coincident leaf all have one code, and of many only the first by
  /// id are kept.
  private func order(_ matches: inout [CodedHit], limit: Int) {
    if matches.count > 64 {
      var best = NearestHeap(limit: limit)
      // Only a coincident leaf is this full: with one code, the ids alone decide.
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
