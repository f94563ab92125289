import GeoMath

extension ClusterNet {
  func newestChange(in box: UnitBox, zoom: Int, visible: Bool) -> UInt64 {
    versions.newest(
      min(zoom, Self.itemLevel), x: box.x, y: box.y, width: box.width, height: box.height,
      visible: visible)
  }

  func clusters(in box: UnitBox, zoom: Int, filter: ClusterFilter?, details: ClusterDetails)
    -> [LiveCluster]
  {
    if zoom > Self.maximumZoom {
      var result: [LiveCluster] = []
      forEachItem(Self.itemLevel, in: box.grown(by: 1_024)) { head in
        for place in places(head) where box.contains(items[place[0]].x, items[place[0]].y) {
          if let found = answer(place: place, zoom: zoom, filter: filter, details: details) {
            result.append(found)
          }
        }
      }
      result.sort { $0.id.rawValue < $1.id.rawValue }
      return result
    }
    let drawn = drawnSeeds(in: box, zoom)
    var result: [LiveCluster] = []
    result.reserveCapacity(drawn.count)
    for seed in drawn {
      if let found = answer(seed, zoom, filter, details) { result.append(found) }
    }
    return result
  }

  /// A seed of a zoom and what is drawn for it.
  struct Drawn: BitwiseCopyable {
    var id: UInt64
    var item: UInt32
    var count: UInt32
    var x: UInt32
    var y: UInt32
  }

  /// The seeds drawn in a box, in order of their ids.
  ///
  /// Memory is read in three rounds, so that the misses of one round overlap: each seed's item,
  /// then its record, then both.
  private func drawnSeeds(in box: UnitBox, _ zoom: Int) -> [Drawn] {
    var seeds: [(item: UInt32, record: UInt32)] = []
    seeds.reserveCapacity(256)
    forEachItem(zoom, in: box.grown(by: UInt64(Self.radius(zoom) / 4 + 1))) { item in
      seeds.append((item, Self.none))
    }
    for i in seeds.indices { seeds[i].record = items[seeds[i].item].records }
    for i in seeds.indices where seeds[i].record != Self.none {
      var r = seeds[i].record
      while r != Self.none && Int(records[r].zoom) < zoom { r = records[r].next }
      seeds[i].record = r
    }
    var drawn: [Drawn] = []
    drawn.reserveCapacity(seeds.count)
    for (item, r) in seeds {
      let sum =
        r == Self.none
        ? Sum(count: Int64(items[item].memberCount))
        : Sum(count: Int64(records[r].count), x: records[r].sumX, y: records[r].sumY)
      let (x, y) = shown(item, zoom, sum)
      guard box.contains(x, y) else { continue }
      drawn.append(
        Drawn(
          id: ClusterID(zoom: zoom, hash: items[item].hash).rawValue, item: item,
          count: UInt32(sum.count), x: x, y: y))
    }
    drawn.sort { $0.id < $1.id }
    return drawn
  }

  /// A seed's cluster at a zoom up to 16; `nil` if the filter lets no member through.
  func answer(_ drawn: Drawn, _ zoom: Int, _ filter: ClusterFilter?, _ details: ClusterDetails)
    -> LiveCluster?
  {
    let item = drawn.item
    var found = LiveCluster(
      id: ClusterID(zoom: zoom, hash: items[item].hash), zoom: zoom,
      position: MercatorPoint(x: drawn.x, y: drawn.y),
      anchor: MercatorPoint(x: items[item].anchorX, y: items[item].anchorY),
      count: Int(drawn.count), key: items[item].key, isCoincident: false, aggregates: .none)
    if let filter {
      var matching = 0
      var only = Self.none
      forEachObject(item, zoom, filter) { member in
        matching += 1
        if only == Self.none || ranksLower(member, only) { only = member }
        if hasAggregates { found.aggregates.add(ClusterAggregates(contributions[member])) }
      }
      if matching == 0 { return nil }
      found.count = matching
      found.key = items[only].key
      if matching == 1 { found.position = MercatorPoint(x: items[only].x, y: items[only].y) }
    } else if hasAggregates {
      found.aggregates = summary(item, zoom).aggregates
    }
    guard !details.isEmpty else { return found }
    var sampleKeys: [UInt64] = []
    if details.contains(.sampleKeys) {
      forEachLeafInOrder(item, zoom) { member in
        if filter?.isMatch(mask: items[member].mask, key: items[member].key) ?? true {
          sampleKeys.append(items[member].key)
        }
        return sampleKeys.count < min(10, found.count)
      }
    }
    found.extra = LiveCluster.Extra(
      sampleKeys: sampleKeys, bounds: details.contains(.bounds) ? bounds(item, zoom, filter) : nil,
      expansionZoom: details.contains(.expansionZoom) && found.count > 1
        ? expansionZoom(item, zoom) : nil)
    return found
  }

  /// Objects at one position, past zoom 16.
  func answer(place: [UInt32], zoom: Int, filter: ClusterFilter?, details: ClusterDetails)
    -> LiveCluster?
  {
    let seed = place[0]
    let members =
      filter.map { filter in
        place.filter { filter.isMatch(mask: items[$0].mask, key: items[$0].key) }
      } ?? place
    guard let first = members.first else { return nil }
    let position = MercatorPoint(x: items[seed].x, y: items[seed].y)
    var found = LiveCluster(
      id: ClusterID(zoom: Self.itemLevel, hash: items[seed].hash), zoom: zoom, position: position,
      anchor: MercatorPoint(x: items[seed].anchorX, y: items[seed].anchorY), count: members.count,
      key: items[first].key, isCoincident: members.count > 1, aggregates: .none)
    if hasAggregates {
      for member in members { found.aggregates.add(ClusterAggregates(contributions[member])) }
    }
    guard !details.isEmpty else { return found }
    let corner = position.coordinate
    found.extra = LiveCluster.Extra(
      sampleKeys: details.contains(.sampleKeys) ? members.prefix(10).map { items[$0].key } : [],
      bounds: details.contains(.bounds)
        ? GeoBox(
          uncheckedWest: corner.longitude, south: corner.latitude, east: corner.longitude,
          north: corner.latitude) : nil,
      expansionZoom: nil)
    return found
  }

  func bounds(_ item: UInt32, _ zoom: Int, _ filter: ClusterFilter?) -> GeoBox? {
    guard let extent = extent(item, zoom, filter) else { return nil }
    let anchor = items[item].anchorX
    let west = anchor &+ UInt32(truncatingIfNeeded: extent.west)
    let east = anchor &+ UInt32(truncatingIfNeeded: extent.east)
    return GeoBox(
      uncheckedWest: MercatorPoint.longitude(x: Double(west)),
      south: MercatorPoint.latitude(y: Double(extent.south)),
      east: MercatorPoint.longitude(x: Double(east)),
      north: MercatorPoint.latitude(y: Double(extent.north)))
  }

  /// The seed that an id names; `none` if there is no such cluster now.
  func resolve(_ id: ClusterID) -> UInt32 {
    let (segment, tag) = Self.objectSlot(id.hashPrefix << 16)
    let item = objects.find(segment, tag) { item in
      guard items[item].hash >> 16 == id.hashPrefix else { return false }
      return id.zoom > Self.maximumZoom || Int(items[item].top) <= id.zoom
    }
    guard item != SlotTable.emptyValue, id.zoom > Self.maximumZoom else { return item }
    return place(of: item).first == item ? item : Self.none
  }

  /// The objects at an object's exact position, in order of rank.
  func place(of item: UInt32) -> [UInt32] {
    let head = items[item].isHead ? item : items[item].owner
    let (x, y) = (items[item].x, items[item].y)
    return places(head).first { items[$0[0]].x == x && items[$0[0]].y == y } ?? []
  }

  func cluster(_ id: ClusterID, filter: ClusterFilter?, details: ClusterDetails) -> LiveCluster? {
    let item = resolve(id)
    guard item != Self.none else { return nil }
    if id.zoom > Self.maximumZoom {
      return answer(place: place(of: item), zoom: id.zoom, filter: filter, details: details)
    }
    return answer(item, at: id.zoom, filter, details)
  }

  private func answer(
    _ item: UInt32, at zoom: Int, _ filter: ClusterFilter?, _ details: ClusterDetails
  ) -> LiveCluster? {
    let sum = sum(item, zoom)
    let (x, y) = shown(item, zoom, sum)
    return answer(
      Drawn(id: 0, item: item, count: UInt32(sum.count), x: x, y: y), zoom, filter, details)
  }

  func children(_ id: ClusterID, filter: ClusterFilter?, details: ClusterDetails)
    -> [LiveCluster]?
  {
    let item = resolve(id)
    guard item != Self.none else { return nil }
    guard id.zoom <= Self.maximumZoom, let zoom = expansionZoom(item, id.zoom) else { return [] }
    var parts = [item]
    let r = effectiveRecord(item, id.zoom)
    if r != Self.none {
      var child = records[r].firstChild
      while child != Self.none {
        parts.append(child)
        child = items[child].next
      }
    }
    var result: [LiveCluster] = []
    for part in parts {
      if zoom <= Self.maximumZoom {
        if let found = answer(part, at: zoom, filter, details) { result.append(found) }
      } else {
        for place in places(part) {
          if let found = answer(place: place, zoom: zoom, filter: filter, details: details) {
            result.append(found)
          }
        }
      }
    }
    result.sort { $0.id.rawValue < $1.id.rawValue }
    return result
  }

  func leaves(_ id: ClusterID, limit: Int, after hash: UInt64?, filter: ClusterFilter?)
    -> (leaves: [ClusterLeaf], hasMore: Bool)?
  {
    let item = resolve(id)
    guard item != Self.none else { return nil }
    var leaves: [ClusterLeaf] = []
    var hasMore = false
    func visit(_ member: UInt32) -> Bool {
      if let hash, items[member].hash <= hash { return true }
      guard filter?.isMatch(mask: items[member].mask, key: items[member].key) ?? true else {
        return true
      }
      if leaves.count == limit {
        hasMore = true
        return false
      }
      leaves.append(
        ClusterLeaf(
          idHash: items[member].hash, key: items[member].key,
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
