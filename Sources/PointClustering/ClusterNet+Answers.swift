import GeoMath

extension ClusterNet {
  /// - Parameter visible: of what an unfiltered answer shows. A filtered one shows exact positions
  ///   of members that an unfiltered one hides, so their moves count too.
  func newestChange(in box: UnitBox, zoom: Int, visible: Bool) -> UInt64 {
    let level = min(zoom, Self.itemLevel)
    let newest = versions.newest(
      level, x: box.x, y: box.y, width: box.width, height: box.height, visible: visible)
    if visible || level == Self.itemLevel { return newest }
    let wide = box.grown(by: 2 * UInt64(Self.radius(zoom)))
    return max(
      newest,
      versions.newest(
        Self.itemLevel, x: wide.x, y: wide.y, width: wide.width, height: wide.height,
        visible: false))
  }

  /// What is drawn in a box, in order of ids; of more than `limit` any.
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

  /// A seed of a zoom and what is drawn for it.
  struct Drawn: BitwiseCopyable {
    var id: UInt64
    var item: UInt32
    var count: UInt32
    var x: UInt32
    var y: UInt32
  }

  /// The seeds drawn in a box, in order of their ids; of more than `limit` any.
  ///
  /// Memory is read in three rounds, so that the misses of one round overlap: each seed's item,
  /// then its record, then both.
  func drawnSeeds(in box: UnitBox, _ zoom: Int, limit: Int) -> (drawn: [Drawn], isTruncated: Bool) {
    var seeds: [(item: UInt32, record: UInt32)] = []
    seeds.reserveCapacity(256)
    var drawn: [Drawn] = []
    // Rounds of at most 1,024 seeds, so that a small limit ends a large box soon.
    func draw() -> Bool {
      for i in seeds.indices { seeds[i].record = items[seeds[i].item].records }
      for i in seeds.indices where seeds[i].record != Self.none {
        var r = seeds[i].record
        while r != Self.none && Int(records[r].zoom) < zoom { r = records[r].next }
        seeds[i].record = r
      }
      for (item, r) in seeds {
        let sum =
          r == Self.none
          ? Sum(count: Int64(items[item].memberCount))
          : Sum(count: Int64(records[r].count), x: records[r].sumX, y: records[r].sumY)
        let (x, y) = shown(item, zoom, sum)
        guard box.contains(x, y) else { continue }
        if drawn.count == limit { return true }
        drawn.append(
          Drawn(
            id: ClusterID(zoom: zoom, hash: items[item].hash).rawValue, item: item,
            count: UInt32(sum.count), x: x, y: y))
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

  /// A seed's cluster at a zoom up to 16.
  func answer(
    _ drawn: Drawn, _ zoom: Int, _ details: ClusterDetails, withAggregates: Bool = true
  ) -> LiveCluster {
    let item = drawn.item
    var found = LiveCluster(
      id: ClusterID(zoom: zoom, hash: items[item].hash), zoom: zoom,
      position: MercatorPoint(x: drawn.x, y: drawn.y),
      anchor: MercatorPoint(x: items[item].anchorX, y: items[item].anchorY),
      count: Int(drawn.count), key: items[item].key, isCoincident: false, aggregates: .none)
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

  /// Objects at one position, past zoom 16.
  func answer(
    place: [UInt32], zoom: Int, details: ClusterDetails, withAggregates: Bool = true
  ) -> LiveCluster {
    let seed = place[0]
    let position = MercatorPoint(x: items[seed].x, y: items[seed].y)
    var found = LiveCluster(
      id: ClusterID(zoom: Self.itemLevel, hash: items[seed].hash), zoom: zoom, position: position,
      anchor: MercatorPoint(x: items[seed].anchorX, y: items[seed].anchorY), count: place.count,
      key: items[seed].key, isCoincident: place.count > 1, aggregates: .none)
    if hasAggregates && withAggregates {
      for member in place { found.aggregates.add(ClusterAggregates(contributions[member])) }
    }
    guard details.applies(toCount: found.count) else { return found }
    let corner = position.coordinate
    found.extra = LiveCluster.Extra(
      sampleKeys: details.contains(.sampleKeys) ? place.prefix(10).map { items[$0].key } : [],
      bounds: details.contains(.bounds)
        ? GeoBox(
          uncheckedWest: corner.longitude, south: corner.latitude, east: corner.longitude,
          north: corner.latitude) : nil,
      expansionZoom: nil)
    return found
  }

  /// An extent in degrees.
  func box(_ extent: Extent, of item: UInt32) -> GeoBox? {
    guard !extent.isEmpty else { return nil }
    let (x, y) = (items[item].anchorX, Int64(items[item].anchorY))
    return GeoBox(
      uncheckedWest: MercatorPoint.longitude(x: Double(x &+ UInt32(bitPattern: extent.west))),
      south: MercatorPoint.latitude(y: Double(y + Int64(extent.south))),
      east: MercatorPoint.longitude(x: Double(x &+ UInt32(bitPattern: extent.east))),
      north: MercatorPoint.latitude(y: Double(y + Int64(extent.north))))
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

  /// What stands for one feature of an answer: a seed at a zoom, or objects at one position.
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

  /// What the cluster comes apart into, at its expansion zoom; empty for what never does.
  func children(_ id: ClusterID) -> [Part]? {
    let item = resolve(id)
    guard item != Self.none else { return nil }
    guard id.zoom <= Self.maximumZoom, let zoom = expansionZoom(item, id.zoom) else { return [] }
    var heads = [item]
    let r = effectiveRecord(item, id.zoom)
    if r != Self.none {
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
    let sum = sum(item, zoom)
    let (x, y) = shown(item, zoom, sum)
    return Drawn(
      id: ClusterID(zoom: zoom, hash: items[item].hash).rawValue, item: item,
      count: UInt32(sum.count), x: x, y: y)
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
