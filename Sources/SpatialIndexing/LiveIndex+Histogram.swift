import GeoMath
import ObjectModel

/// How often each tag is carried, counted in slices so that no one waits long for the index.
struct TagCounts {
  private var slices: AreaSlices
  /// What lies in the area counts only within this distance, in whole millimetres.
  private let circle: (surface: SurfaceDistance, radius: Int64)?
  private var byTag: [String: Int] = [:]
  /// By tag id; all are 0 between slices, since ids may be given to other tags then.
  private var byID: [Int] = []
  private var idsOfSlice: [UInt32] = []

  /// - Parameters:
  ///   - area: Where to count; nil counts everywhere.
  ///   - circle: What has to hold besides; nil: nothing.
  init(area: SearchArea?, circle: SearchCircle? = nil) {
    slices = AreaSlices(
      area: area ?? circle.map { .box($0.covering) },
      stepsPerSlice: SharedLiveIndex.stepsPerSlice(area))
    self.circle = circle.map {
      (
        SurfaceDistance(latitude: $0.center.latitude, longitude: $0.center.longitude),
        $0.radiusMillimeters
      )
    }
  }

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
      for match in matches where isWithinReach(match.slot, index) {
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

  private func isWithinReach(_ slot: UInt32, _ index: borrowing LiveIndex) -> Bool {
    guard let circle else { return true }
    let entry = index.slots[slot]
    return circle.surface.millimeters(latitude: entry.latitude, longitude: entry.longitude)
      <= circle.radius
  }

  private mutating func add(_ id: UInt32) {
    if byID[Int(id)] == 0 { idsOfSlice.append(id) }
    byID[Int(id)] += 1
  }
}
