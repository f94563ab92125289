import GeoMath
import ObjectModel

extension ClusterNet {
  /// Returns the newest change of what an answer shows in a box. `visible` is for unfiltered
  /// answers. A filtered answer shows exact positions of members that an unfiltered one hides, so
  /// that their moves count too.
  func newestChange(in box: UnitBox, zoom: Int, visible: Bool) -> UInt64 {
    let level = min(zoom, Self.itemLevel)
    func newest(_ level: Int, _ box: UnitBox) -> UInt64 {
      versions.newest(
        level, x: box.x, y: box.y, width: box.width, height: box.height, visible: visible)
    }
    if visible || level == Self.itemLevel { return newest(level, box) }
    // A filtered marker may stand anywhere among its cluster's members. It depends on the clusters
    // that reach into the box, and on all of their members.
    let reach = Self.reach(zoom)
    return max(
      newest(level, box.grown(by: reach + UInt64(Self.radius(zoom)))),
      newest(Self.itemLevel, box.grown(by: 2 * reach)))
  }

  /// Returns a distance in units from a cluster's anchor that no member exceeds: half a
  /// micro-cell's diagonal and a radius for each zoom from this one on.
  static func reach(_ zoom: Int) -> UInt64 { 2 * UInt64(radius(zoom)) + 1_024 }

  /// Returns whether a row tells positions apart. The rows at the edges of the projection hold all
  /// latitudes beyond it.
  static func isExactRow(_ y: UInt32) -> Bool { y != 0 && y != .max }

  /// Returns what is drawn in a box, in the order of ids. With more than `limit` it is not said
  /// which are returned.
  func clusters(in box: UnitBox, zoom: Int, details: ClusterDetails, limit: Int)
    -> (clusters: [LiveCluster], isTruncated: Bool)
  {
    var result: [LiveCluster] = []
    var isTruncated = false
    if zoom > Self.maximumZoom {
      isTruncated = containsItem(Self.itemLevel, in: box.grown(by: 1_024)) { head in
        for place in places(head) where box.contains(items[place[0]].x, items[place[0]].y) {
          if result.count == limit { return true }
          result.append(answer(place: place, zoom: zoom, details: details))
        }
        return false
      }
      result.sort { $0.id.rawValue < $1.id.rawValue }
    } else {
      let drawn: [Drawn]
      (drawn, isTruncated) = drawnSeeds(in: box, zoom, limit: limit)
      result.reserveCapacity(drawn.count)
      for seed in drawn { result.append(answer(seed, zoom, details)) }
    }
    return (result, isTruncated)
  }

  /// A seed of a zoom with what is drawn for it.
  struct Drawn: BitwiseCopyable {
    var id: UInt64
    var item: UInt32
    var count: UInt32
    var x: UInt32
    var y: UInt32
    /// Whether all members are at this one position.
    var isCoincident: Bool
  }

  /// Returns the seeds drawn in a box, in the order of their ids. With more than `limit` it is not
  /// said which are returned.
  ///
  /// Memory is read in three rounds, so that the misses of one round overlap: each seed's item,
  /// then its record, then both.
  func drawnSeeds(in box: UnitBox, _ zoom: Int, limit: Int) -> (drawn: [Drawn], isTruncated: Bool) {
    var seeds: [(item: UInt32, record: UInt32)] = []
    seeds.reserveCapacity(256)
    var drawn: [Drawn] = []
    // A round has at most 1,024 seeds, so that a small limit ends a large box soon.
    func draw() -> Bool {
      for i in seeds.indices { seeds[i].record = items[seeds[i].item].records }
      for i in seeds.indices where seeds[i].record != Self.none {
        var r = seeds[i].record
        while r != Self.none && Int(records[r].zoom) < zoom { r = records[r].next }
        seeds[i].record = r
      }
      for (item, r) in seeds {
        let found = self.drawn(item, zoom, r)
        guard box.contains(found.x, found.y) else { continue }
        if drawn.count == limit { return true }
        drawn.append(found)
      }
      seeds.removeAll(keepingCapacity: true)
      return false
    }
    var isTruncated = containsItem(
      zoom, in: box.grown(by: UInt64(Self.radius(zoom) / 4 + 1))
    ) { item in
      seeds.append((item, Self.none))
      return seeds.count == 1_024 && draw()
    }
    if !isTruncated { isTruncated = draw() }
    drawn.sort { $0.id < $1.id }
    return (drawn, isTruncated)
  }

  /// Returns the cluster of a seed at a zoom up to 16.
  func answer(
    _ drawn: Drawn, _ zoom: Int, _ details: ClusterDetails, withAggregates: Bool = true
  ) -> LiveCluster {
    let item = drawn.item
    var found = LiveCluster(
      id: ClusterID(zoom: zoom, rank: items[item].rank), zoom: zoom,
      position: MercatorPoint(x: drawn.x, y: drawn.y),
      anchor: MercatorPoint(x: items[item].anchorX, y: items[item].anchorY),
      count: Int(drawn.count), key: items[item].key, isCoincident: drawn.isCoincident,
      aggregates: .none)
    if hasAggregates && withAggregates { found.aggregates = summary(item, zoom).aggregates }
    guard details.applies(toCount: found.count) else { return found }
    var sampleKeys: [UInt64] = []
    if details.contains(.sampleKeys) {
      forEachLeafInOrder(item, zoom) { member in
        sampleKeys.append(items[member].key)
        return sampleKeys.count < min(10, found.count)
      }
    }
    found.extra = LiveCluster.Extra(
      sampleKeys: sampleKeys,
      bounds: details.contains(.bounds) ? box(summary(item, zoom).extent, of: item) : nil,
      expansionZoom: details.contains(.expansionZoom) && found.count > 1
        ? expansionZoom(item, zoom) : nil)
    return found
  }

  /// Returns the cluster of the objects at one position, beyond zoom 16.
  func answer(
    place: [UInt32], zoom: Int, details: ClusterDetails, withAggregates: Bool = true
  ) -> LiveCluster {
    let seed = place[0]
    let position = MercatorPoint(x: items[seed].x, y: items[seed].y)
    var found = LiveCluster(
      id: ClusterID(zoom: Self.itemLevel, rank: items[seed].rank), zoom: zoom, position: position,
      anchor: MercatorPoint(x: items[seed].anchorX, y: items[seed].anchorY), count: place.count,
      key: items[seed].key, isCoincident: place.count > 1 && Self.isExactRow(position.y),
      aggregates: .none)
    if hasAggregates && withAggregates {
      for member in place { found.aggregates.add(ClusterAggregates(contributions[member])) }
    }
    guard details.applies(toCount: found.count) else { return found }
    found.extra = LiveCluster.Extra(
      sampleKeys: details.contains(.sampleKeys) ? place.prefix(10).map { items[$0].key } : [],
      bounds: details.contains(.bounds)
        ? Self.box(
          west: position.x, east: position.x, north: Int64(position.y), south: Int64(position.y))
        : nil,
      expansionZoom: nil)
    return found
  }

  /// Returns an extent in degrees.
  func box(_ extent: Extent, of item: UInt32) -> GeoBox? {
    guard !extent.isEmpty else { return nil }
    let (x, y) = (items[item].anchorX, Int64(items[item].anchorY))
    return Self.box(
      west: x &+ UInt32(bitPattern: extent.west), east: x &+ UInt32(bitPattern: extent.east),
      north: y + Int64(extent.north), south: y + Int64(extent.south))
  }

  /// Returns a box of positions in degrees, its edges included. The first and last rows reach to
  /// the poles, because they hold every latitude beyond the projection's edge.
  static func box(west: UInt32, east: UInt32, north: Int64, south: Int64) -> GeoBox {
    GeoBox(
      uncheckedWest: MercatorPoint.longitude(x: Double(west)),
      south: south >= Int64(UInt32.max) ? -90 : MercatorPoint.latitude(y: Double(south)),
      east: MercatorPoint.longitude(x: Double(east)),
      north: north <= 0 ? 90 : MercatorPoint.latitude(y: Double(north)))
  }

  /// Returns the seed that an id names, `none` if there is no such cluster now.
  func resolve(_ id: ClusterID) -> UInt32 {
    let (segment, tag) = Self.objectSlot(id.rankPrefix << 16)
    let item = objects.find(segment, tag) { item in
      guard items[item].rank.high >> 16 == id.rankPrefix else { return false }
      return id.zoom > Self.maximumZoom || Int(items[item].top) <= id.zoom
    }
    guard item != SlotTable.emptyValue, id.zoom > Self.maximumZoom else { return item }
    return place(of: item).first == item ? item : Self.none
  }

  /// Returns the objects at an object's exact position, in the order of their ranks.
  func place(of item: UInt32) -> [UInt32] {
    let head = head(of: item)
    let (x, y) = (items[item].x, items[item].y)
    return places(head).first { items[$0[0]].x == x && items[$0[0]].y == y } ?? []
  }

  /// The source of one feature of an answer: a seed at a zoom, or the objects at one position.
  enum Part {
    case seed(UInt32, zoom: Int)
    case place([UInt32], zoom: Int)
  }

  func part(_ id: ClusterID) -> Part? {
    let item = resolve(id)
    guard item != Self.none else { return nil }
    if id.zoom > Self.maximumZoom { return .place(place(of: item), zoom: id.zoom) }
    return .seed(item, zoom: id.zoom)
  }

  /// Returns what a cluster comes apart into at its expansion zoom; it is empty for a cluster that
  /// never comes apart.
  func children(_ id: ClusterID) -> [Part]? {
    let item = resolve(id)
    guard item != Self.none else { return nil }
    guard id.zoom <= Self.maximumZoom, let zoom = expansionZoom(item, id.zoom) else { return [] }
    var heads = [item]
    let r = effectiveRecord(item, id.zoom)
    if r != Self.none && records[r].zoom < UInt8(Self.itemLevel) {
      var child = records[r].firstChild
      while child != Self.none {
        heads.append(child)
        child = items[child].next
      }
    }
    if zoom <= Self.maximumZoom { return heads.map { .seed($0, zoom: zoom) } }
    return heads.flatMap { places($0).map { .place($0, zoom: zoom) } }
  }

  func drawn(_ item: UInt32, _ zoom: Int) -> Drawn {
    drawn(item, zoom, effectiveRecord(item, zoom))
  }

  /// Returns what is drawn for a seed. `r` is the record of what the cluster holds, `none` for a
  /// single object.
  private func drawn(_ item: UInt32, _ zoom: Int, _ r: UInt32) -> Drawn {
    let sum =
      r == Self.none
      ? Sum(count: 1)
      : Sum(count: Int64(records[r].count), x: records[r].sumX, y: records[r].sumY)
    let point = shown(item, zoom, sum)
    let isCoincident =
      r != Self.none && records[r].zoom == UInt8(Self.itemLevel) && isOnePlace(item, r)
      && Self.isExactRow(point.y)
    return Drawn(
      id: ClusterID(zoom: zoom, rank: items[item].rank).rawValue, item: item,
      count: UInt32(sum.count), x: point.x, y: point.y, isCoincident: isCoincident)
  }

  func answer(
    _ part: Part, _ details: ClusterDetails, withAggregates: Bool = true
  ) -> LiveCluster {
    switch part {
    case .seed(let item, let zoom):
      answer(drawn(item, zoom), zoom, details, withAggregates: withAggregates)
    case .place(let place, let zoom):
      answer(place: place, zoom: zoom, details: details, withAggregates: withAggregates)
    }
  }

  func leaves(
    _ id: ClusterID, limit: Int, after last: ClusterLeaf.Position?, filter: ClusterFilter?
  )
    -> (leaves: [ClusterLeaf], hasMore: Bool)?
  {
    let item = resolve(id)
    guard item != Self.none else { return nil }
    var leaves: [ClusterLeaf] = []
    var hasMore = false
    func visit(_ member: UInt32) -> Bool {
      if let last, !last.precedes(items[member].rank, items[member].key) { return true }
      guard filter?.isMatch(mask: items[member].mask, key: items[member].key) ?? true else {
        return true
      }
      if leaves.count == limit {
        hasMore = true
        return false
      }
      leaves.append(
        ClusterLeaf(
          rank: items[member].rank, key: items[member].key,
          position: MercatorPoint(x: items[member].x, y: items[member].y)))
      return true
    }
    if id.zoom > Self.maximumZoom {
      for member in place(of: item) where !visit(member) { break }
    } else {
      forEachLeafInOrder(item, id.zoom, visit)
    }
    return (leaves, hasMore)
  }
}
