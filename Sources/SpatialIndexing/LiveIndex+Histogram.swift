import GeoMath
import ObjectModel

/// How often each tag is carried, counted in slices so that no one waits long for the index.
struct TagCounts {
  private var slices: AreaSlices
  private var byTag: [String: Int] = [:]
  /// By tag id; all are 0 between slices, since ids may be given to other tags then.
  private var byID: [Int] = []
  private var idsOfSlice: [UInt32] = []

  /// - Parameter area: Where to count; nil counts everywhere.
  init(area: SearchArea?) { slices = AreaSlices(area: area) }

  /// The rows of a histogram: by count descending, then by tag bytes.
  func rows(limit: Int) -> [(tag: String, count: Int)] {
    let rows = byTag.sorted {
      $0.value != $1.value
        ? $0.value > $1.value : $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }
    return rows.prefix(limit).map { (tag: $0.key, count: $0.value) }
  }

  /// Counts the next slice.
  ///
  /// - Returns: Whether there may be more.
  mutating func addNextSlice(
    of index: borrowing LiveIndex, filter: SearchFilter, now: Instant, _ work: inout SearchWork
  ) -> Bool {
    let idEnd = Int(index.tags.idEnd)
    if byID.count < idEnd { byID += [Int](repeating: 0, count: idEnd - byID.count) }
    // Apart from the counts, which change while it is walked.
    var slices = self.slices
    defer { self.slices = slices }
    let hasMore = index.visitNextSlice(
      of: &slices, plan: FilterPlan(filter, index), now: now, &work, tags: true
    ) { matches in
      for match in matches {
        unsafe MemoryHints.read(index.records.base + Int(match.slot))
      }
      for match in matches {
        let carried = unsafe index.recordTags(index.record(match.slot))
        for i in carried.indices { unsafe add(carried[i].id) }
      }
    }
    for id in idsOfSlice {
      unsafe byTag[String(decoding: index.tags.name(id), as: UTF8.self), default: 0] +=
        byID[Int(id)]
      byID[Int(id)] = 0
    }
    idsOfSlice.removeAll(keepingCapacity: true)
    return hasMore
  }

  private mutating func add(_ id: UInt32) {
    if byID[Int(id)] == 0 { idsOfSlice.append(id) }
    byID[Int(id)] += 1
  }
}
