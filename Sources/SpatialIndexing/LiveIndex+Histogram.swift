import GeoMath
import ObjectModel

extension LiveIndex {
  func tagHistogram(
    area: SearchArea?, filter: SearchFilter, limit: Int, now: Instant, _ work: inout SearchWork
  ) -> [(tag: String, count: Int)] {
    let plan = FilterPlan(filter, self)
    guard limit > 0, count > 0, !plan.isImpossible else { return [] }
    let search = AreaSearch(
      area: PreparedArea(area ?? .box(.world)), plan: plan, limit: .max, after: nil,
      now: now.milliseconds, tick: times.tick(now.milliseconds))
    var counts = [Int](repeating: 0, count: Int(tags.idEnd))
    var matches: [CodedHit] = []
    countTags(
      0, x: 0, y: 0, isInside: area == nil, search: search, matches: &matches, counts: &counts,
      work: &work)
    if work.mustEnd() { return [] }
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
    _ index: UInt32, x: UInt32, y: UInt32, isInside: Bool, search: AreaSearch,
    matches: inout [CodedHit], counts: inout [Int], work: inout SearchWork
  ) {
    let node = tree.nodes[index]
    guard !work.mustEnd(), node.count > 0, node.signature != 0, search.plan.admits(node.signature),
      let isInside = settle(node, x: x, y: y, isInside: isInside, search)
    else { return }
    if node.isInner {
      prefetchChildren(node)
      work.nodesVisited += 1
      let half = UInt32(1) << (31 - node.level)
      for quadrant in UInt32(0)..<4 {
        countTags(
          node.first + quadrant, x: x + (quadrant & 1) * half, y: y + (quadrant >> 1) * half,
          isInside: isInside, search: search, matches: &matches, counts: &counts, work: &work)
      }
      return
    }
    work.leavesVisited += 1
    work.pointsTested += Int(node.count)
    matches.removeAll(keepingCapacity: true)
    collect(index, isInside: isInside, search, into: &matches, &work)
    for match in matches {
      unsafe MemoryHints.read(records.base + Int(match.slot))
    }
    for match in matches {
      let carried = unsafe recordTags(record(match.slot))
      for i in carried.indices { unsafe counts[Int(carried[i].id)] += 1 }
    }
  }
}
