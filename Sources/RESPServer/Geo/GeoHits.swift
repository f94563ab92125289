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
  private(set) var ids: [UInt8] = []
  /// The most bytes that an answer of these members may have, roughly.
  let maximumBytes: Int
  /// Whether members were left out, because there are more than an answer may have.
  private(set) var isOverfull = false

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// Whether its memory is worth keeping for the next command.
  var isSmall: Bool { list.capacity <= 512 && ids.capacity <= 16_384 }

  mutating func removeAll() {
    list.removeAll(keepingCapacity: true)
    ids.removeAll(keepingCapacity: true)
    isOverfull = false
  }

  mutating func append(
    id: UnsafeRawBufferPointer, _ code: CellCode.ScoredPlace, distance: Double = 0, cell: Int = 0
  ) {
    // A member takes up to 160 bytes beside its id: distance, hash, coordinates and their lengths.
    guard ids.count + list.count * 160 < maximumBytes else {
      isOverfull = true
      return
    }
    list.append(
      GeoHit(
        distance: distance, score: code.score, place: code.place, cell: cell, idStart: ids.count,
        idCount: id.count))
    ids.append(contentsOf: id)
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
