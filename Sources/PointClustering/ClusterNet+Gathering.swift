import GeoMath

/// What a filtered answer may show, gathered under the lock in portions: features, and of each the
/// members whose masks leave a match open. The exact test runs afterwards, without the lock.
struct Gathering {
  struct Candidate: BitwiseCopyable {
    var hash: UInt64
    var key: UInt64
    var x: UInt32
    var y: UInt32
  }

  struct Group {
    /// As without a filter, without details.
    var cluster: LiveCluster
    var expansionZoom: Int?
    /// Past its last candidate.
    var end: Int
  }

  var groups: [Group] = []
  var candidates: [Candidate] = []
  /// Parallel to `candidates`, if there are aggregates.
  var contributions: [ClusterContribution] = []
  /// Features not gathered yet, last first.
  var parts: [ClusterNet.Part] = []
  /// What is left of the feature at hand: items, and the zooms whose clusters of theirs to visit.
  var stack: [(item: UInt32, zoom: Int)] = []
}

extension ClusterNet {
  /// The features drawn in a box, in order of their ids.
  func parts(in box: UnitBox, _ zoom: Int) -> [Part] {
    guard zoom > Self.maximumZoom else {
      return drawnSeeds(in: box, zoom, limit: .max).drawn.map { .seed($0.item, zoom: zoom) }
    }
    var found: [(id: UInt64, place: [UInt32])] = []
    forEachItem(Self.itemLevel, in: box.grown(by: 1_024)) { head in
      for place in places(head) where box.contains(items[place[0]].x, items[place[0]].y) {
        found.append((items[place[0]].hash >> 16, place))
      }
    }
    found.sort { $0.id < $1.id }
    return found.map { .place($0.place, zoom: zoom) }
  }

  /// Goes on gathering. - Returns: whether it is done; if not, the budget of items is used up.
  func gather(_ gathering: inout Gathering, _ filter: ClusterFilter, budget: Int) -> Bool {
    var budget = budget
    while true {
      while let (item, zoom) = gathering.stack.last {
        guard budget > 0 else { return false }
        budget -= 1
        let r = zoom > Self.maximumZoom ? Self.none : effectiveRecord(item, zoom)
        guard r != Self.none else {
          gathering.stack.removeLast()
          budget -= Int(items[item].memberCount)
          forEachMember(item) { add($0, to: &gathering, filter) }
          continue
        }
        guard freshen(item, zoom, &budget) else { return false }
        gathering.stack.removeLast()
        guard filter.mayMatch(records[r].mask) else { continue }
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
    case .place(let place, _):
      gathering.groups.append(group)
      for member in place { add(member, to: &gathering, filter) }
    }
  }

  private func add(_ member: UInt32, to gathering: inout Gathering, _ filter: ClusterFilter) {
    guard filter.mayMatch(items[member].mask) else { return }
    gathering.candidates.append(
      Gathering.Candidate(
        hash: items[member].hash, key: items[member].key, x: items[member].x, y: items[member].y))
    if hasAggregates { gathering.contributions.append(contributions[member]) }
  }
}

extension Gathering {
  /// The features that have matches, with their counts, at most `limit`. Needs no lock.
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
      if result.count == limit { return (result, true) }
      result.append(cluster(group, matching, details))
    }
    return (result, false)
  }

  private func ranksLower(_ a: Int, _ b: Int) -> Bool {
    let (p, q) = (candidates[a], candidates[b])
    return p.hash != q.hash ? p.hash < q.hash : p.key < q.key
  }

  private func cluster(_ group: Group, _ matching: [Int], _ details: ClusterDetails)
    -> LiveCluster
  {
    var found = group.cluster
    let isPlace = found.id.zoom > ClusterNet.maximumZoom
    let first = matching.min(by: ranksLower)!
    found.count = matching.count
    found.key = candidates[first].key
    found.isCoincident = isPlace && matching.count > 1
    if matching.count == 1 {
      found.position = MercatorPoint(x: candidates[first].x, y: candidates[first].y)
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
      expansionZoom: details.contains(.expansionZoom) && found.count > 1
        ? group.expansionZoom : nil)
    return found
  }

  private func bounds(_ matching: [Int], around anchor: MercatorPoint) -> GeoBox {
    // Offsets the short way round.
    let offsets = matching.map { Int64(Int32(bitPattern: candidates[$0].x &- anchor.x)) }
    let rows = matching.map { candidates[$0].y }
    func longitude(_ offset: Int64) -> Double {
      MercatorPoint.longitude(x: Double(anchor.x &+ UInt32(truncatingIfNeeded: offset)))
    }
    return GeoBox(
      uncheckedWest: longitude(offsets.min()!),
      south: MercatorPoint.latitude(y: Double(rows.max()!)), east: longitude(offsets.max()!),
      north: MercatorPoint.latitude(y: Double(rows.min()!)))
  }
}
