import SpatialIndexing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A member with its score, found in a layer. Its id stands in the bytes of its ``GeoHits``.
struct GeoHit {
  /// Meters from the middle of the search; 0 where nothing was measured.
  var distance = 0.0
  var score: UInt64
  /// What the score stands for.
  var place: CellCode.Place
  /// Which of the search's nine cells holds it.
  var cell = 0
  var idStart: Int
  var idCount: Int
}

/// Members that a command found, with their ids in one piece of memory.
struct GeoHits {
  var list: [GeoHit] = []
  /// The ids one behind the other, and room for more.
  private(set) var ids: [UInt8] = []
  private var usedBytes = 0
  /// Where a list is put together that takes the place of ``list``.
  private var other: [GeoHit] = []
  /// The most bytes that an answer of these members may have, roughly.
  var maximumBytes: Int
  /// Whether members were left out, because there are more than an answer may have.
  private(set) var isOverfull = false

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// Whether its memory is worth keeping for the next command.
  var isSmall: Bool { list.capacity <= 512 && ids.capacity <= 16_384 }

  mutating func removeAll() {
    list.removeAll(keepingCapacity: true)
    usedBytes = 0
    isOverfull = false
  }

  mutating func append(
    id: UnsafeRawBufferPointer, _ code: CellCode.ScoredPlace, distance: Double = 0, cell: Int = 0
  ) {
    // A member takes up to 160 bytes beside its id: distance, hash, coordinates and their lengths.
    guard usedBytes + list.count * 160 < maximumBytes else {
      isOverfull = true
      return
    }
    list.append(
      GeoHit(
        distance: distance, score: code.score, place: code.place, cell: cell, idStart: usedBytes,
        idCount: id.count))
    let end = usedBytes + id.count
    if end > ids.count { makeRoom(end) }
    ids.withUnsafeMutableBytes { room in
      if let start = room.baseAddress, let id = id.baseAddress {
        memcpy(start + usedBytes, id, end - usedBytes)
      }
    }
    usedBytes = end
  }

  @inline(never)
  private mutating func makeRoom(_ bytes: Int) {
    let missing = max(1024, 2 * ids.count, bytes) - ids.count
    ids.append(contentsOf: repeatElement(0, count: missing))
  }

  func id(_ hit: GeoHit) -> ArraySlice<UInt8> { ids[hit.idStart..<hit.idStart + hit.idCount] }

  /// Sorts as a sorted set stands: by score, then by the members' bytes.
  mutating func sortByScore() {
    sort { a, b, ids in Self.isBefore(a, b, ids) }
  }

  /// Sorts as a search without an order answers: cell by cell.
  mutating func sortByCell() {
    sort { a, b, ids in a.cell != b.cell ? a.cell < b.cell : Self.isBefore(a, b, ids) }
  }

  /// Sorts by distance; what is equally far stands as ``sortByCell()`` puts it.
  mutating func sortByDistance(isDescending: Bool) {
    sort { a, b, ids in
      if a.distance != b.distance { return (a.distance < b.distance) != isDescending }
      return a.cell != b.cell ? a.cell < b.cell : Self.isBefore(a, b, ids)
    }
  }

  /// Keeps the nearest so many, in the order of ``sortByDistance(isDescending:)``.
  ///
  /// - Parameters:
  ///   - count: How many are kept.
  ///   - error: By how much of itself a distance may be wrong.
  ///   - exactDistance: Tells the distance of a member, where they may be wrong and that may decide.
  mutating func keepNearest(
    _ count: Int, error: Double, _ exactDistance: (GeoHit) -> Double
  ) {
    guard !keepNearestByCounting(count, error: error) else { return }
    if error > 0 {
      for i in list.indices { list[i].distance = exactDistance(list[i]) }
    }
    sortByDistance(isDescending: false)
    keepFirst(count)
  }

  /// Sorts few members without a branch that depends on their distances: the place of each is the
  /// number of those that are nearer.
  ///
  /// - Returns: Whether it is done. It is not, and nothing has changed, where there are many, or some may
  ///   be equally far.
  mutating func keepNearestByCounting(_ wanted: Int, error: Double) -> Bool {
    let count = list.count
    guard count > 0, count <= RankSort.limit else { return false }
    var farthest = 0.0
    for hit in list { farthest = max(farthest, hit.distance) }
    // Keys keep the order of the distances, and are equal only for some that are next to equal.
    let scale = 0x1p30 / max(farthest, 1e-6)
    let apart = 2 * error * farthest
    let room = RankSort.limit + RankSort.padding
    return withUnsafeTemporaryAllocation(of: Int32.self, capacity: room) { keys in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { members in
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { sorted in
          guard let keys = keys.baseAddress, let members = members.baseAddress,
            let sorted = sorted.baseAddress
          else { return false }
          for i in 0..<count {
            keys[i] = Int32(list[i].distance * scale)
            members[i] = UInt8(truncatingIfNeeded: i)
          }
          guard !RankSort.sort(keys, members, count: count, into: sorted) else { return false }
          other.removeAll(keepingCapacity: true)
          var last = -Double.infinity
          for place in 0..<count {
            let hit = list[Int(sorted[place])]
            guard hit.distance - last > apart else { return false }
            last = hit.distance
            if place < wanted { other.append(hit) }
          }
          swap(&list, &other)
          return true
        }
      }
    }
  }

  mutating func keepFirst(_ count: Int) {
    if count < list.count { list.removeLast(list.count - count) }
  }

  private mutating func sort(_ isBefore: (GeoHit, GeoHit, UnsafeRawBufferPointer) -> Bool) {
    ids.withUnsafeBytes { ids in list.sort { isBefore($0, $1, ids) } }
  }

  private static func isBefore(
    _ a: GeoHit, _ b: GeoHit, _ ids: UnsafeRawBufferPointer
  ) -> Bool {
    if a.score != b.score { return a.score < b.score }
    guard let start = ids.baseAddress else { return false }
    let order = memcmp(start + a.idStart, start + b.idStart, min(a.idCount, b.idCount))
    return order != 0 ? order < 0 : a.idCount < b.idCount
  }
}
