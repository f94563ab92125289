import GeoMath
import ObjectModel

/// How often each tag is carried, counted in slices so that no one waits long for the index.
struct TagCounts {
  /// A slice ends after so many steps of ``SearchWork``, which take some 50 microseconds.
  static let stepsPerSlice = 4096

  /// By tag, as in the directory of the index when the slice was counted.
  fileprivate(set) var byTag: [String: Int] = [:]
  /// Every point up to this Morton code is counted; nil before the first slice.
  fileprivate var last: UInt64?
  /// By tag id; all are 0 between slices, since ids may be given to other tags then.
  private var byID: [Int] = []
  private var idsOfSlice: [UInt32] = []

  /// The rows of a histogram: by count descending, then by tag bytes.
  func rows(limit: Int) -> [(tag: String, count: Int)] {
    let rows = byTag.sorted {
      $0.value != $1.value
        ? $0.value > $1.value : $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }
    return rows.prefix(limit).map { (tag: $0.key, count: $0.value) }
  }

  fileprivate mutating func beginSlice(idEnd: Int) {
    if byID.count < idEnd { byID += [Int](repeating: 0, count: idEnd - byID.count) }
  }

  fileprivate mutating func add(_ id: UInt32) {
    if byID[Int(id)] == 0 { idsOfSlice.append(id) }
    byID[Int(id)] += 1
  }

  fileprivate mutating func endSlice(name: (UInt32) -> String) {
    for id in idsOfSlice {
      byTag[name(id), default: 0] += byID[Int(id)]
      byID[Int(id)] = 0
    }
    idsOfSlice.removeAll(keepingCapacity: true)
  }
}

extension LiveIndex {
  /// Counts the tags of the next leaves of an area, in Morton order.
  ///
  /// An object that stays where it is between slices is counted once; one that moves meanwhile is
  /// counted where it is found, which may be nowhere or twice.
  ///
  /// - Returns: Whether the area is counted whole, or the work must end.
  func countTagsOfNextSlice(
    area: SearchArea?, filter: SearchFilter, now: Instant, counts: inout TagCounts,
    _ work: inout SearchWork
  ) -> Bool {
    let plan = FilterPlan(filter, self)
    guard count > 0, !plan.isImpossible else { return true }
    let search = AreaSearch(
      area: PreparedArea(area ?? .box(.world)), plan: plan, limit: .max, after: nil,
      now: now.milliseconds, tick: times.tick(now.milliseconds))
    counts.beginSlice(idEnd: Int(tags.idEnd))
    var slice = TagSlice(end: work.steps + TagCounts.stepsPerSlice)
    countTags(
      0, x: 0, y: 0, isInside: area == nil, search: search, slice: &slice, counts: &counts,
      work: &work)
    counts.endSlice { id in unsafe String(decoding: tags.name(id), as: UTF8.self) }
    return !slice.isCut || work.mustEnd()
  }

  /// One slice while it is counted.
  private struct TagSlice {
    /// Steps from which on no node is begun.
    let end: Int
    /// Whether a node was left for the next slice.
    var isCut = false
    var matches: [CodedHit] = []
  }

  private func countTags(
    _ index: UInt32, x: UInt32, y: UInt32, isInside: Bool, search: AreaSearch,
    slice: inout TagSlice, counts: inout TagCounts, work: inout SearchWork
  ) {
    let node = tree.nodes[index]
    guard !slice.isCut, !work.mustEnd(), node.count > 0, node.signature != 0,
      search.plan.admits(node.signature)
    else { return }
    if let last = counts.last, Self.lastCode(node, x: x, y: y) <= last { return }
    guard work.steps < slice.end else {
      // Not the first node, so that its first code is above 0.
      counts.last = MortonCode(x: x, y: y).rawValue - 1
      slice.isCut = true
      return
    }
    guard let isInside = settle(node, x: x, y: y, isInside: isInside, search) else { return }
    if node.isInner {
      prefetchChildren(node)
      work.nodesVisited += 1
      let half = UInt32(1) << (31 - node.level)
      for quadrant in UInt32(0)..<4 {
        countTags(
          node.first + quadrant, x: x + (quadrant & 1) * half, y: y + (quadrant >> 1) * half,
          isInside: isInside, search: search, slice: &slice, counts: &counts, work: &work)
      }
      return
    }
    work.leavesVisited += 1
    work.pointsTested += Int(node.count)
    slice.matches.removeAll(keepingCapacity: true)
    collect(index, isInside: isInside, search, into: &slice.matches, &work)
    for match in slice.matches {
      unsafe MemoryHints.read(records.base + Int(match.slot))
    }
    for match in slice.matches {
      // A leaf that grew since the last slice may hold points that are counted already.
      if let last = counts.last, match.code <= last { continue }
      let carried = unsafe recordTags(record(match.slot))
      for i in carried.indices { unsafe counts.add(carried[i].id) }
    }
  }
}
