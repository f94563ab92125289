import GeoMath
import ObjectModel

extension ClusterNet {
  /// Fills an empty net with points, zoom by zoom and in the order of ranks. Of points with one key
  /// the last counts.
  ///
  /// - Complexity: O(n) expected times the number of zooms at which points stand alone.
  mutating func build(_ points: [ClusterPoint]) {
    precondition(objectCount == 0)
    var order = placePoints(points)
    for zoom in stride(from: Self.maximumZoom, through: 0, by: -1) {
      var seeds = 0
      for i in 0..<order.count {
        let item = order[i]
        let seed = lowestSeed(zoom, near: item)
        if seed == Self.none {
          insertEntry(zoom, item)
          items[item].top = UInt8(zoom)
          order[seeds] = item
          seeds += 1
        } else {
          attach(item, to: seed, zoom)
        }
      }
      order.removeLast(order.count - seeds)
    }
  }

  private mutating func attach(_ item: UInt32, to owner: UInt32, _ zoom: Int) {
    let delta = shifted(sum(item, zoom + 1), from: item, to: owner)
    // Finer zooms are complete, so that what is read of them is final.
    let part = summary(item, zoom + 1)
    var r = record(owner, zoom)
    if r == Self.none {
      let own = summary(owner, zoom + 1)
      r = makeRecord(owner, zoom)
      records[r].isStale = false
      records[r].mask = own.mask
      recordExtents[r] = own.extent
      if hasAggregates { recordAggregates[r] = own.aggregates }
    }
    records[r].mask |= part.mask
    let (dx, dy) = offset(of: items[item].anchorX, items[item].anchorY, from: owner)
    recordExtents[r].formUnion(part.extent, dx, dy)
    if hasAggregates { recordAggregates[r].add(part.aggregates) }
    records[r].count += UInt32(delta.count)
    records[r].sumX += delta.x
    records[r].sumY += delta.y
    insertChild(item, of: owner, r)
  }

  /// Makes items of points in Morton order and groups them into micro-cells. Returns the heads in
  /// the order of their ranks.
  private mutating func placePoints(_ points: [ClusterPoint]) -> [UInt32] {
    objects.reserve(points.count)
    var isCurrent = [Bool](repeating: true, count: points.count)
    for (number, point) in points.enumerated() {
      let (segment, tag) = Self.objectSlot(point.rank.high)
      let same = objects.find(segment, tag) {
        points[Int($0)].key == point.key && points[Int($0)].rank == point.rank
      }
      if same != SlotTable.emptyValue {
        isCurrent[Int(same)] = false
        objects.replace(segment, tag, same, with: UInt32(number))
      } else {
        objects.insert(segment, tag, UInt32(number))
      }
    }
    objectCount = objects.count
    var sorted: [RadixSort.Pair] = []
    sorted.reserveCapacity(objectCount)
    for (number, point) in points.enumerated() where isCurrent[number] {
      let cell = MortonCode(x: point.position.x >> 10, y: point.position.y >> 10)
      sorted.append(RadixSort.Pair(key: cell.rawValue, value: UInt32(number)))
    }
    RadixSort.sort(&sorted, bits: 44)
    var itemOfPoint = [UInt32](repeating: Self.none, count: points.count)
    var heads: [RadixSort.Pair] = []
    heads.reserveCapacity(objectCount)
    var cellHeads: [UInt32] = []
    var start = 0
    while start < sorted.count {
      var end = start
      var head = Self.none
      let first = items.end
      while end < sorted.count && sorted[end].key == sorted[start].key {
        let point = points[Int(sorted[end].value)]
        let item = items.insert(
          Item(
            rank: point.rank, key: point.key, mask: point.tagMask, x: point.position.x,
            y: point.position.y))
        itemOfPoint[Int(sorted[end].value)] = item
        if hasAggregates {
          contributions.cover(item, default: .none)
          contributions[item] = point.contribution
        }
        if head == Self.none || ranksLower(item, head) { head = item }
        end += 1
      }
      groupCell(head, first..<items.end)
      heads.append(RadixSort.Pair(key: items[head].rank.high >> 32, value: head))
      // A cell of the grid of heads is 8 x 8 micro-cells, which is a run of one Morton prefix.
      cellHeads.append(head)
      if end == sorted.count || sorted[end].key >> 6 != sorted[start].key >> 6 {
        insertCell(cellHeads)
        cellHeads.removeAll(keepingCapacity: true)
      }
      start = end
    }
    objects.mapValues { itemOfPoint[Int($0)] }
    return inRankOrder(&heads)
  }

  private mutating func groupCell(_ head: UInt32, _ range: Range<UInt32>) {
    items[head].top = UInt8(Self.itemLevel)
    for item in range where item != head { addPlainMember(item, of: head) }
  }

  private mutating func insertCell(_ heads: [UInt32]) {
    let shift = grids[Self.itemLevel].shift
    let (cx, cy) = (items[heads[0]].x >> shift, items[heads[0]].y >> shift)
    grids[Self.itemLevel].itemCount += heads.count
    var value = heads[0]
    if heads.count > 1 {
      let number = slabs.allocate(count: heads.count)
      let run = slabs.run(number)
      for (i, head) in heads.enumerated() { run[i] = entry(head) }
      value = number | CellGrid.runBit
    }
    grids[Self.itemLevel].table.insert(CellGrid.segment(cx, cy), CellGrid.tag(cx, cy), value)
  }

  private func inRankOrder(_ heads: inout [RadixSort.Pair]) -> [UInt32] {
    RadixSort.sort(&heads, bits: 32)
    var order = heads.map(\.value)
    // The first 32 bits are in order by now; the few runs with equal ones are sorted here.
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count && heads[end].key == heads[start].key { end += 1 }
      if end - start > 1 {
        let run = order[start..<end].map { ranked($0) }.sorted()
        for (i, next) in run.enumerated() { order[start + i] = next.item }
      }
      start = end
    }
    return order
  }
}
