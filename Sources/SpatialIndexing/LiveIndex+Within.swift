import GeoMath
import ObjectModel

/// One within query while it runs.
private struct WithinSearch {
  let area: PreparedArea
  let plan: FilterPlan
  let limit: Int
  let after: (code: UInt64, id: [UInt8])?
  let now: Int64
  let tick: UInt32
}

/// A match of one leaf, to be ordered by code, then id.
private struct CodedHit: BitwiseCopyable {
  var code: UInt64
  var slot: UInt32
}

extension LiveIndex {
  func within(
    _ query: WithinQuery, now: Instant, _ work: inout SearchWork, _ visit: (HitView) -> Void
  ) -> Int {
    let search = WithinSearch(
      area: PreparedArea(query.area), plan: FilterPlan(query.filter, self),
      limit: max(0, query.limit),
      after: query.after.map { ($0.mortonCode, Array($0.id.utf8)) },
      now: now.milliseconds, tick: times.tick(now.milliseconds))
    guard search.limit > 0, count > 0, !search.plan.isImpossible else { return 0 }
    var found = 0
    var matches: [CodedHit] = []
    visitWithin(0, x: 0, y: 0, isInside: false, search, &matches, &found, visit)
    return found
  }

  /// Leaves come in Morton order, so that each leaf's hits follow the last one's.
  private func visitWithin(
    _ index: UInt32, x: UInt32, y: UInt32, isInside: Bool, _ search: WithinSearch,
    _ matches: inout [CodedHit], _ found: inout Int, _ visit: (HitView) -> Void
  ) {
    let node = tree.nodes[index]
    guard found < search.limit, node.count > 0, search.plan.admits(node.signature) else { return }
    if let after = search.after, Self.lastCode(node, x: x, y: y) < after.code { return }
    guard let isInside = settle(node, x: x, y: y, isInside: isInside, search) else { return }
    if node.isInner {
      warmChildren(node)
      let half = UInt32(1) << (31 - node.level)
      for quadrant in UInt32(0)..<4 {
        visitWithin(
          node.first + quadrant, x: x + (quadrant & 1) * half, y: y + (quadrant >> 1) * half,
          isInside: isInside, search, &matches, &found, visit)
      }
      return
    }
    matches.removeAll(keepingCapacity: true)
    collect(index, isInside: isInside, search, into: &matches)
    order(&matches, limit: search.limit - found)
    let count = min(matches.count, search.limit - found)
    var folded: UInt32 = 0
    for i in 0..<count { unsafe folded &+= slots.base[Int(matches[i].slot)].generation }
    finishWarming(folded)
    for i in 0..<count { visit(view(matches[i].slot)) }
    found += count
  }

  /// The greatest Morton code in a node.
  @inline(__always)
  private static func lastCode(_ node: TreeNode, x: UInt32, y: UInt32) -> UInt64 {
    MortonCode(x: x, y: y).rawValue
      | (node.level == 0 ? .max : 1 << UInt64(64 - 2 * node.level) - 1)
  }

  /// Whether all of a node is inside the area, `nil` if none of it is.
  @inline(__always)
  private func settle(
    _ node: TreeNode, x: UInt32, y: UInt32, isInside: Bool, _ search: WithinSearch
  ) -> Bool? {
    if isInside { return true }
    switch search.area.relation(x: x, y: y, side: UInt64(1) << UInt64(32 - node.level)) {
    case .outside: return nil
    case .inside: return true
    case .mixed: return false
    }
  }

  /// Brings the first blocks of leaves that are about to be read into the cache.
  @inline(__always)
  private func warmChildren(_ node: TreeNode) {
    var folded: UInt32 = 0
    for child in node.first..<node.first + 4 {
      let leaf = unsafe tree.nodes.pointer(child)
      if unsafe leaf.pointee.fourth != TreeNode.inner && leaf.pointee.count > 0 {
        let block = unsafe tree.blocks.base + Int(leaf.pointee.first)
        unsafe folded &+= block.pointee.x[0] &+ block.pointee.slot[0]
        if unsafe leaf.pointee.count > 8 && leaf.pointee.level < 32 {
          let block = unsafe tree.blocks.base + Int(leaf.pointee.second)
          unsafe folded &+= block.pointee.x[0] &+ block.pointee.slot[0]
        }
      }
    }
    finishWarming(folded)
  }

  @inline(__always)
  private func collect(
    _ leaf: UInt32, isInside: Bool, _ search: WithinSearch, into matches: inout [CodedHit]
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
      if !isInside {
        var folded: UInt32 = 0
        for lane in 0..<lanes {
          unsafe folded &+= slots.base[Int(block.pointee.slot[lane])].generation
        }
        finishWarming(folded)
      }
      for lane in 0..<lanes {
        let slot = unsafe block.pointee.slot[lane]
        guard unsafe search.plan.matches(slot, signature: block.pointee.signature[lane], self)
        else {
          continue
        }
        if mayBeExpired && expiresAt(slot) <= search.now { continue }
        if !isInside {
          let entry = unsafe slots.pointer(slot)
          guard
            unsafe search.area.contains(
              latitude: entry.pointee.latitude, longitude: entry.pointee.longitude)
          else { continue }
        }
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

  // MARK: Histogram

  func tagHistogram(
    area: SearchArea?, filter: SearchFilter, limit: Int, now: Instant
  ) -> [(tag: String, count: Int)] {
    let plan = FilterPlan(filter, self)
    guard limit > 0, count > 0, !plan.isImpossible else { return [] }
    let search = WithinSearch(
      area: PreparedArea(area ?? .box(.world)), plan: plan, limit: .max, after: nil,
      now: now.milliseconds, tick: times.tick(now.milliseconds))
    var counts = [Int](repeating: 0, count: Int(tags.idEnd))
    var matches: [CodedHit] = []
    countTags(0, x: 0, y: 0, isInside: area == nil, search, &matches, &counts)
    var rows: [(tag: String, count: Int)] = []
    for id in counts.indices where counts[id] > 0 {
      unsafe rows.append((String(decoding: tags.name(UInt32(id)), as: UTF8.self), counts[id]))
    }
    rows.sort {
      $0.count != $1.count
        ? $0.count > $1.count : $0.tag.utf8.lexicographicallyPrecedes($1.tag.utf8)
    }
    return Array(rows.prefix(limit))
  }

  private func countTags(
    _ index: UInt32, x: UInt32, y: UInt32, isInside: Bool, _ search: WithinSearch,
    _ matches: inout [CodedHit], _ counts: inout [Int]
  ) {
    let node = tree.nodes[index]
    guard node.count > 0, node.signature != 0, search.plan.admits(node.signature),
      let isInside = settle(node, x: x, y: y, isInside: isInside, search)
    else { return }
    if node.isInner {
      warmChildren(node)
      let half = UInt32(1) << (31 - node.level)
      for quadrant in UInt32(0)..<4 {
        countTags(
          node.first + quadrant, x: x + (quadrant & 1) * half, y: y + (quadrant >> 1) * half,
          isInside: isInside, search, &matches, &counts)
      }
      return
    }
    matches.removeAll(keepingCapacity: true)
    collect(index, isInside: isInside, search, into: &matches)
    for match in matches {
      let carried = unsafe recordTags(record(match.slot))
      for i in carried.indices { unsafe counts[Int(carried[i].id)] += 1 }
    }
  }
}
