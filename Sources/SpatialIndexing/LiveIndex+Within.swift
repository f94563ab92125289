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
  func within(_ query: WithinQuery, now: Instant, _ visit: (HitView) -> Void) -> Int {
    let search = WithinSearch(
      area: PreparedArea(query.area), plan: FilterPlan(query.filter, self),
      limit: max(0, query.limit),
      after: query.after.map { ($0.mortonCode, Array($0.id.utf8)) },
      now: now.milliseconds, tick: times.tick(now.milliseconds))
    guard search.limit > 0, count > 0, !search.plan.isImpossible else { return 0 }
    var found = 0
    visitWithin(0, x: 0, y: 0, isInside: false, search, &found, visit)
    return found
  }

  /// Leaves come in Morton order, so that each leaf's hits follow the last one's.
  private func visitWithin(
    _ index: UInt32, x: UInt32, y: UInt32, isInside: Bool, _ search: WithinSearch,
    _ found: inout Int, _ visit: (HitView) -> Void
  ) {
    let node = tree.nodes[index]
    guard found < search.limit, node.count > 0, search.plan.admits(node.signature) else { return }
    let side = UInt64(1) << UInt64(32 - node.level)
    if let after = search.after {
      // The node's last code: everything in it comes before the cursor.
      let last =
        MortonCode(x: x, y: y).rawValue
        | (node.level == 0 ? .max : 1 << UInt64(64 - 2 * node.level) - 1)
      if last < after.code { return }
    }
    var isInside = isInside
    if !isInside {
      switch search.area.relation(x: x, y: y, side: side) {
      case .outside: return
      case .inside: isInside = true
      case .mixed: break
      }
    }
    if node.isInner {
      let half = UInt32(side / 2)
      for quadrant in UInt32(0)..<4 {
        visitWithin(
          node.first + quadrant, x: x + (quadrant & 1) * half, y: y + (quadrant >> 1) * half,
          isInside: isInside, search, &found, visit)
      }
      return
    }
    var matches = leafMatches(index, isInside: isInside, search)
    order(&matches, limit: search.limit - found)
    for match in matches {
      guard found < search.limit else { return }
      visit(view(match.slot))
      found += 1
    }
  }

  private func leafMatches(
    _ leaf: UInt32, isInside: Bool, _ search: WithinSearch
  ) -> [CodedHit] {
    var matches: [CodedHit] = []
    let mayBeExpired = tree.nodes[leaf].earliest <= search.tick
    tree.forEachBlock(of: leaf) { id, lanes in
      let block = unsafe tree.blocks.pointer(id)
      for lane in 0..<lanes {
        let slot = unsafe block.pointee.slot[lane]
        if mayBeExpired && expiresAt(slot) <= search.now { continue }
        if !isInside {
          let entry = unsafe slots.pointer(slot)
          guard
            unsafe search.area.contains(
              latitude: entry.pointee.latitude, longitude: entry.pointee.longitude)
          else { continue }
        }
        guard unsafe search.plan.matches(slot, signature: block.pointee.signature[lane], self)
        else {
          continue
        }
        let code = unsafe MortonCode(x: block.pointee.x[lane], y: block.pointee.y[lane]).rawValue
        if let after = search.after {
          if code < after.code { continue }
          if unsafe code == after.code
            && !after.id.withUnsafeBytes({ unsafe bytesPrecede($0, identifier(slot)) })
          {
            continue
          }
        }
        matches.append(CodedHit(code: code, slot: slot))
      }
    }
    return matches
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
    countTags(0, x: 0, y: 0, isInside: area == nil, search, &counts)
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
    _ counts: inout [Int]
  ) {
    let node = tree.nodes[index]
    guard node.count > 0, node.signature != 0, search.plan.admits(node.signature) else { return }
    let side = UInt64(1) << UInt64(32 - node.level)
    var isInside = isInside
    if !isInside {
      switch search.area.relation(x: x, y: y, side: side) {
      case .outside: return
      case .inside: isInside = true
      case .mixed: break
      }
    }
    if node.isInner {
      let half = UInt32(side / 2)
      for quadrant in UInt32(0)..<4 {
        countTags(
          node.first + quadrant, x: x + (quadrant & 1) * half, y: y + (quadrant >> 1) * half,
          isInside: isInside, search, &counts)
      }
      return
    }
    for match in leafMatches(index, isInside: isInside, search) {
      let carried = unsafe recordTags(record(match.slot))
      for i in carried.indices { unsafe counts[Int(carried[i].id)] += 1 }
    }
  }

  func handles(ids: [String], now: Instant) -> [ObjectHandle?] {
    ids.map { id in
      guard let slot = findSlot(id), isLive(slot, now: now.milliseconds) else { return nil }
      return handle(slot)
    }
  }
}
