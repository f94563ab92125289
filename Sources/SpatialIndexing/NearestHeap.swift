/// The best `limit` hits so far, ordered by distance in millimetres, then by id: a heap whose root
/// is the worst of them.
///
/// It is written here instead of with `Heap` of swift-collections, because hits at one distance are
/// ordered by ids, which stand in the index. The comparison has to borrow the index, which the
/// comparison of a `Comparable` element cannot.
struct NearestHeap {
  struct Hit: BitwiseCopyable {
    var distance: Int64
    var slot: UInt32
  }

  private(set) var hits: [Hit] = []
  let limit: Int

  init(limit: Int) {
    self.limit = limit
    hits.reserveCapacity(min(limit, 1024))
  }

  var isFull: Bool { hits.count >= limit }
  /// The greatest distance at which a hit may still enter; `nil` while there is room.
  var bound: Int64? { isFull ? hits[0].distance : nil }

  @inline(__always)
  private static func isWorse(_ a: Hit, _ b: Hit, _ index: borrowing LiveIndex) -> Bool {
    if a.distance != b.distance { return a.distance > b.distance }
    return unsafe bytesPrecede(index.identifier(b.slot), index.identifier(a.slot))
  }

  mutating func offer(distance: Int64, slot: UInt32, _ index: borrowing LiveIndex) {
    let hit = Hit(distance: distance, slot: slot)
    if hits.count < limit {
      hits.append(hit)
      var i = hits.count - 1
      while i > 0 {
        let parent = (i - 1) / 2
        guard Self.isWorse(hits[i], hits[parent], index) else { break }
        hits.swapAt(i, parent)
        i = parent
      }
    } else if limit > 0 && Self.isWorse(hits[0], hit, index) {
      hits[0] = hit
      var i = 0
      while true {
        var worst = i
        for child in [2 * i + 1, 2 * i + 2] where child < hits.count {
          if Self.isWorse(hits[child], hits[worst], index) { worst = child }
        }
        if worst == i { break }
        hits.swapAt(i, worst)
        i = worst
      }
    }
  }

  /// Returns the hits, the best first.
  consuming func sorted(_ index: borrowing LiveIndex) -> [Hit] {
    Self.sort(&hits, index)
    return hits
  }

  /// Sorts hits, the best first.
  static func sort(_ hits: inout [Hit], _ index: borrowing LiveIndex) {
    // By distance alone first, then runs of equal distances by id: ids are rarely compared.
    if hits.count <= RankSort.limit && hits.allSatisfy({ $0.distance < Int64(Int32.max) }) {
      guard rankSort(&hits) else { return }
    } else {
      hits.sort { $0.distance < $1.distance }
    }
    var start = 0
    while start < hits.count {
      let distance = hits[start].distance
      var end = start + 1
      while end < hits.count && hits[end].distance == distance { end += 1 }
      if end - start > 1 {
        var run = Array(hits[start..<end])
        Self.sortByID(&run, index)
        hits.replaceSubrange(start..<end, with: run)
      }
      start = end
    }
  }

  /// Sorts hits by distance alone and returns whether there are equal distances.
  @inline(__always)
  private static func rankSort(_ hits: inout [Hit]) -> Bool {
    let count = hits.count
    guard count > 1 else { return false }
    let room = RankSort.limit + RankSort.padding
    return unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: room) { keys in
      unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: room) { packed in
        unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: room) { sorted in
          let keys = unsafe keys.baseAddress.unsafelyUnwrapped
          let packed = unsafe packed.baseAddress.unsafelyUnwrapped
          let sorted = unsafe sorted.baseAddress.unsafelyUnwrapped
          for i in 0..<count {
            unsafe keys[i] = Int32(truncatingIfNeeded: hits[i].distance)
            unsafe packed[i] =
              UInt64(truncatingIfNeeded: hits[i].distance) << 32 | UInt64(hits[i].slot)
          }
          let hasTies = unsafe RankSort.sort(
            keys, UnsafePointer(packed), count: count, into: sorted)
          for i in 0..<count {
            let hit = unsafe sorted[i]
            hits[i] = Hit(
              distance: Int64(hit >> 32), slot: UInt32(truncatingIfNeeded: hit))
          }
          return hasTies
        }
      }
    }
  }

  private static func sortByID(_ run: inout [Hit], _ index: borrowing LiveIndex) {
    // A merge sort of our own: a closure for `sort` cannot capture a borrowed index.
    var source = run
    var target = run
    var width = 1
    while width < run.count {
      var start = 0
      while start < run.count {
        let middle = min(start + width, run.count)
        let end = min(start + 2 * width, run.count)
        var a = start
        var b = middle
        for k in start..<end {
          let takesB =
            unsafe a >= middle
            || (b < end
              && bytesPrecede(index.identifier(source[b].slot), index.identifier(source[a].slot)))
          if takesB {
            target[k] = source[b]
            b += 1
          } else {
            target[k] = source[a]
            a += 1
          }
        }
        start = end
      }
      swap(&source, &target)
      width *= 2
    }
    run = source
  }
}
