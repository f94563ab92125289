import GeoMath
import ObjectModel

/// What a filtered answer may show: features, and of each the members that their masks do not
/// exclude. It is gathered under the lock in portions; the exact test runs later, without the lock.
struct Gathering {
  struct Candidate: BitwiseCopyable {
    var rank: ObjectRank
    var key: UInt64
    var x: UInt32
    var y: UInt32
  }

  struct Group {
    /// The cluster as it is without a filter and without details.
    var cluster: LiveCluster
    var expansionZoom: Int?
    /// One past the index of its last candidate.
    var end: Int
  }

  /// The box in which markers must stand to be returned; `nil` for features asked for by id.
  let box: UnitBox?
  var groups: [Group] = []
  var candidates: [Candidate] = []
  /// The contributions of `candidates`, if there are aggregates.
  var contributions: [ClusterContribution] = []
  /// The features that are not gathered yet, the last one first.
  var parts: [ClusterNet.Part] = []
  /// What is left of the feature at work: items, each with the zoom at which its clusters are
  /// visited next.
  var stack: [(item: UInt32, zoom: Int)] = []
  /// Whether the next on the stack is a feature itself, not a part of one.
  var isAtPart = false

  init(in box: UnitBox?) { self.box = box }
}

extension ClusterNet {
  /// Returns the features that a filter may leave in a box, in the order of their ids: all those
  /// whose members may be there.
  func parts(in box: UnitBox, _ zoom: Int, _ filter: ClusterFilter) -> [Part] {
    guard zoom > Self.maximumZoom else {
      let wide = box.grown(by: Self.reach(zoom))
      var seeds: [(id: UInt64, item: UInt32)] = []
      forEachItem(zoom, in: wide) { item in
        guard wide.contains(items[item].anchorX, items[item].anchorY),
          mayStand(item, zoom, in: box, filter)
        else { return }
        seeds.append((ClusterID(zoom: zoom, rank: items[item].rank).rawValue, item))
      }
      seeds.sort { $0.id < $1.id }
      return seeds.map { .seed($0.item, zoom: zoom) }
    }
    var found: [(id: UInt64, place: [UInt32])] = []
    forEachItem(Self.itemLevel, in: box.grown(by: 1_024)) { head in
      for place in places(head) where box.contains(items[place[0]].x, items[place[0]].y) {
        found.append((items[place[0]].rank.high >> 16, place))
      }
    }
    found.sort { $0.id < $1.id }
    return found.map { .place($0.place, zoom: zoom) }
  }

  /// Returns whether matching members of a cluster may be in a box, as far as it is known without
  /// looking at them.
  @inline(__always)
  private func mayStand(
    _ item: UInt32, _ zoom: Int, in box: UnitBox, _ filter: ClusterFilter
  ) -> Bool {
    let r = effectiveRecord(item, zoom)
    if r == Self.none {
      return box.contains(items[item].x, items[item].y) && filter.mayMatch(items[item].mask)
    }
    return records[r].isStale
      || filter.mayMatch(records[r].mask)
        && box.touches(recordExtents[r], from: items[item].anchorX, items[item].anchorY)
  }

  /// Continues gathering.
  ///
  /// - Returns: Whether it is complete; if not, the budget of items is used up.
  func gather(_ gathering: inout Gathering, _ filter: ClusterFilter, budget: Int) -> Bool {
    var budget = budget
    while true {
      while let (item, zoom) = gathering.stack.last {
        guard budget > 0 else { return false }
        budget -= 1
        let r = effectiveRecord(item, zoom)
        guard r != Self.none else {
          gathering.stack.removeLast()
          add(item, to: &gathering, filter)
          continue
        }
        guard freshen(item, zoom, &budget) else { return false }
        gathering.stack.removeLast()
        guard filter.mayMatch(records[r].mask) else { continue }
        if let box = gathering.box, gathering.isAtPart,
          !box.touches(recordExtents[r], from: items[item].anchorX, items[item].anchorY)
        {
          continue
        }
        gathering.isAtPart = false
        if records[r].zoom == UInt8(Self.itemLevel) {
          budget -= Int(records[r].count)
          forEachMember(item) { add($0, to: &gathering, filter) }
          continue
        }
        let finer = Int(records[r].zoom) + 1
        gathering.stack.append((item, finer))
        var child = records[r].firstChild
        while child != Self.none {
          gathering.stack.append((child, finer))
          child = items[child].next
        }
      }
      if !gathering.groups.isEmpty {
        let start = gathering.groups.dropLast().last?.end ?? 0
        let end = gathering.candidates.count
        gathering.groups[gathering.groups.count - 1].end = end
        if start == end { gathering.groups.removeLast() }
      }
      guard let part = gathering.parts.popLast() else { return true }
      open(part, in: &gathering, filter)
    }
  }

  private func open(_ part: Part, in gathering: inout Gathering, _ filter: ClusterFilter) {
    var group = Gathering.Group(
      cluster: answer(part, [], withAggregates: false), expansionZoom: nil, end: 0)
    switch part {
    case .seed(let item, let zoom):
      group.expansionZoom = expansionZoom(item, zoom)
      gathering.groups.append(group)
      gathering.stack.append((item, zoom))
      gathering.isAtPart = true
    case .place(let place, _):
      gathering.groups.append(group)
      for member in place { add(member, to: &gathering, filter) }
    }
  }

  private func add(_ member: UInt32, to gathering: inout Gathering, _ filter: ClusterFilter) {
    guard filter.mayMatch(items[member].mask) else { return }
    gathering.candidates.append(
      Gathering.Candidate(
        rank: items[member].rank, key: items[member].key, x: items[member].x, y: items[member].y))
    if hasAggregates { gathering.contributions.append(contributions[member]) }
  }
}

extension Gathering {
  /// Returns the features that have matches, with their counts, at most `limit`. It needs no lock.
  func clusters(_ filter: ClusterFilter, _ details: ClusterDetails, limit: Int)
    -> (clusters: [LiveCluster], isTruncated: Bool)
  {
    var result: [LiveCluster] = []
    var start = 0
    for group in groups {
      defer { start = group.end }
      let matching = (start..<group.end).filter { i in
        filter.matches?(candidates[i].key) ?? true
      }
      guard !matching.isEmpty else { continue }
      let found = cluster(group, matching, details)
      if let box, !box.contains(found.position.x, found.position.y) { continue }
      if result.count == limit { return (result, true) }
      result.append(found)
    }
    return (result, false)
  }

  private func ranksLower(_ a: Int, _ b: Int) -> Bool {
    let (p, q) = (candidates[a], candidates[b])
    return p.rank != q.rank ? p.rank < q.rank : p.key < q.key
  }

  private func cluster(_ group: Group, _ matching: [Int], _ details: ClusterDetails)
    -> LiveCluster
  {
    var found = group.cluster
    let isPlace = found.id.zoom > ClusterNet.maximumZoom
    let first = matching.min(by: ranksLower)!
    found.count = matching.count
    found.key = candidates[first].key
    let place = MercatorPoint(x: candidates[first].x, y: candidates[first].y)
    found.isCoincident =
      matching.count > 1 && ClusterNet.isExactRow(place.y)
      && matching.allSatisfy { candidates[$0].x == place.x && candidates[$0].y == place.y }
    if matching.count == 1 || isPlace {
      found.position = place
    } else {
      found.position = ClusterNet.shown(
        sum(matching, from: found.anchor), zoom: found.zoom, anchor: found.anchor,
        lowest: offset(first, from: found.anchor))
    }
    if !contributions.isEmpty {
      for i in matching { found.aggregates.add(ClusterAggregates(contributions[i])) }
    }
    guard details.applies(toCount: found.count) else { return found }
    var sampleKeys: [UInt64] = []
    if details.contains(.sampleKeys) {
      sampleKeys = matching.sorted(by: ranksLower).prefix(10).map { candidates[$0].key }
    }
    found.extra = LiveCluster.Extra(
      sampleKeys: sampleKeys,
      bounds: details.contains(.bounds) ? bounds(matching, around: found.anchor) : nil,
      expansionZoom: details.contains(.expansionZoom) && found.count > 1 && !found.isCoincident
        ? group.expansionZoom : nil)
    return found
  }

  /// Returns the offset of a candidate from an anchor, the shorter way round the world.
  private func offset(_ i: Int, from anchor: MercatorPoint) -> (dx: Int32, dy: Int32) {
    (
      Int32(bitPattern: candidates[i].x &- anchor.x),
      Int32(truncatingIfNeeded: Int64(candidates[i].y) - Int64(anchor.y))
    )
  }

  private func sum(_ matching: [Int], from anchor: MercatorPoint) -> ClusterNet.Sum {
    var sum = ClusterNet.Sum()
    for i in matching {
      let (dx, dy) = offset(i, from: anchor)
      sum += ClusterNet.Sum(count: 1, x: Int64(dx), y: Int64(dy))
    }
    return sum
  }

  private func bounds(_ matching: [Int], around anchor: MercatorPoint) -> GeoBox {
    let columns = matching.map { offset($0, from: anchor).dx }
    let rows = matching.map { Int64(candidates[$0].y) }
    return ClusterNet.box(
      west: anchor.x &+ UInt32(bitPattern: columns.min()!),
      east: anchor.x &+ UInt32(bitPattern: columns.max()!), north: rows.min()!,
      south: rows.max()!)
  }
}
