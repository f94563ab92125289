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
    var result: [LiveCluster] = []
    if zoom > Self.maximumZoom {
      forEachItem(Self.itemLevel, in: box.grown(by: 1_024)) { head in
        for place in places(head) where box.contains(items[place[0]].x, items[place[0]].y) {
          if let found = answer(place: place, zoom: zoom, filter: filter, details: details) {
            result.append(found)
          }
        }
      }
    } else {
      forEachItem(zoom, in: box.grown(by: UInt64(Self.radius(zoom) / 4 + 1))) { item in
        let sum = sum(item, zoom)
        let position = shown(item, zoom, sum)
        guard box.contains(position.x, position.y) else { return }
        if let found = answer(item, zoom, sum, position, filter, details) { result.append(found) }
      }
    }
    result.sort { $0.id.rawValue < $1.id.rawValue }
    return result
  }

  /// A seed's cluster at a zoom up to 16; `nil` if the filter lets no member through.
  func answer(
    _ item: UInt32, _ zoom: Int, _ sum: Sum, _ position: (x: UInt32, y: UInt32),
    _ filter: ClusterFilter?, _ details: ClusterDetails
  ) -> LiveCluster? {
    var found = LiveCluster(
      id: ClusterID(zoom: zoom, hash: items[item].hash), zoom: zoom,
      position: MercatorPoint(x: position.x, y: position.y),
      anchor: MercatorPoint(x: items[item].anchorX, y: items[item].anchorY),
      count: Int(sum.count), key: items[item].key, isCoincident: false, aggregates: .none,
      sampleKeys: [])
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
    if details.contains(.sampleKeys) {
      forEachLeafInOrder(item, zoom) { member in
        if filter?.isMatch(mask: items[member].mask, key: items[member].key) ?? true {
          found.sampleKeys.append(items[member].key)
        }
        return found.sampleKeys.count < min(10, found.count)
      }
    }
    if details.contains(.bounds) { found.bounds = bounds(item, zoom, filter) }
    if details.contains(.expansionZoom) && found.count > 1 {
      found.expansionZoom = expansionZoom(item, zoom)
    }
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
      key: items[first].key, isCoincident: members.count > 1, aggregates: .none, sampleKeys: [])
    if hasAggregates {
      for member in members { found.aggregates.add(ClusterAggregates(contributions[member])) }
    }
    if details.contains(.sampleKeys) {
      found.sampleKeys = members.prefix(10).map { items[$0].key }
    }
    if details.contains(.bounds) {
      let place = position.coordinate
      found.bounds = GeoBox(
        uncheckedWest: place.longitude, south: place.latitude, east: place.longitude,
        north: place.latitude)
    }
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
    return answer(item, zoom, sum, shown(item, zoom, sum), filter, details)
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
