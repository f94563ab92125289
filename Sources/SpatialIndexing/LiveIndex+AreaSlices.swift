import GeoMath
import ObjectModel

/// A walk through the objects of an area in slices, each under one hold of the index's lock.
///
/// An object that stays where it is between slices is met once; one that moves meanwhile is met
/// where it is found, which may be nowhere or twice.
struct AreaSlices {
  /// A slice ends after so many steps of ``SearchWork``, which take 50 to 300 microseconds.
  static let stepsPerSlice = 4096

  fileprivate let area: PreparedArea
  fileprivate let isEverywhere: Bool
  fileprivate let steps: Int
  /// Every point up to this Morton code is done; nil before the first slice.
  fileprivate var last: UInt64?
  /// Steps from which on the slice at work takes no further node.
  fileprivate var lastStep = 0
  /// Whether the slice at work left a node for the next one.
  fileprivate var isCut = false
  fileprivate var matches: [CodedHit] = []

  /// - Parameters:
  ///   - area: Where to look; nil looks everywhere.
  ///   - stepsPerSlice: More than 64, so that every slice comes down to a leaf.
  init(area: SearchArea?, stepsPerSlice: Int = Self.stepsPerSlice) {
    precondition(stepsPerSlice > 64)
    self.area = PreparedArea(area ?? .box(.world))
    isEverywhere = area == nil
    steps = stepsPerSlice
  }
}

extension LiveIndex {
  /// Visits the next matches of an area in Morton order, those of a leaf together.
  ///
  /// - Parameters:
  ///   - slices: What is done already.
  ///   - plan: What the objects must meet, made under the same hold of the lock.
  ///   - now: Objects that have expired by then are left out.
  ///   - work: Is added to; if it must end, so does the walk.
  ///   - onlyTagged: Whether only objects with tags matter.
  ///   - visit: Is handed the slots of a leaf's matches.
  /// - Returns: Whether there may be more.
  func visitNextSlice(
    of slices: inout AreaSlices, plan: FilterPlan, now: Instant, _ work: inout SearchWork,
    tags onlyTagged: Bool = false, _ visit: ([CodedHit]) -> Void
  ) -> Bool {
    guard count > 0, !plan.isImpossible else { return false }
    let search = AreaSearch(
      area: slices.area, plan: plan, limit: .max, after: nil,
      now: now.milliseconds, tick: times.tick(now.milliseconds))
    slices.lastStep = work.steps + slices.steps
    slices.isCut = false
    visitSlice(
      0, x: 0, y: 0, isInside: slices.isEverywhere, onlyTagged: onlyTagged, search: search,
      slices: &slices, work: &work, visit)
    return slices.isCut && !work.mustEnd()
  }

  private func visitSlice(
    _ index: UInt32, x: UInt32, y: UInt32, isInside: Bool, onlyTagged: Bool, search: AreaSearch,
    slices: inout AreaSlices, work: inout SearchWork, _ visit: ([CodedHit]) -> Void
  ) {
    let node = tree.nodes[index]
    guard !slices.isCut, !work.mustEnd(), node.count > 0, !onlyTagged || node.signature != 0,
      search.plan.admits(node.signature)
    else { return }
    if let last = slices.last, Self.lastCode(node, x: x, y: y) <= last { return }
    if work.steps > slices.lastStep {
      // Not the root, so that its first code is above 0.
      slices.last = MortonCode(x: x, y: y).rawValue - 1
      slices.isCut = true
      return
    }
    guard let isInside = settle(node, x: x, y: y, isInside: isInside, search) else { return }
    if node.isInner {
      prefetchChildren(node)
      work.nodesVisited += 1
      let half = UInt32(1) << (31 - node.level)
      for quadrant in UInt32(0)..<4 {
        visitSlice(
          node.first + quadrant, x: x + (quadrant & 1) * half, y: y + (quadrant >> 1) * half,
          isInside: isInside, onlyTagged: onlyTagged, search: search, slices: &slices, work: &work,
          visit)
      }
      return
    }
    work.leavesVisited += 1
    work.pointsTested += Int(node.count)
    slices.matches.removeAll(keepingCapacity: true)
    collect(index, isInside: isInside, search, into: &slices.matches, &work)
    if let last = slices.last {
      // A leaf that grew since the last slice may hold points that are done already.
      slices.matches.removeAll { $0.code <= last }
    }
    visit(slices.matches)
  }
}
