/// Some things by their distance, the nearest first, of which few will be taken.
///
/// A binary heap of integers: the distance in the upper bits, the place in a list in the lower ones.
///
/// - Complexity: O(n) to put n in order, O(log n) to take one.
struct NearestFirst {
  /// Bits of a place; distances have the other 35, 34,359 km.
  private static let placeBits: UInt64 = 28
  private static let placeMask: UInt64 = 1 << placeBits - 1

  private var heap: [UInt64] = []

  init(capacity: Int) { heap.reserveCapacity(capacity) }

  /// Adds one; ``order()`` comes after the last of them.
  ///
  /// - Parameters:
  ///   - distanceMillimeters: At most half the way around the earth.
  ///   - place: Below 2^28.
  mutating func append(_ distanceMillimeters: Int64, _ place: Int) {
    heap.append(UInt64(distanceMillimeters) << Self.placeBits | UInt64(place))
  }

  mutating func order() {
    for i in (0..<heap.count / 2).reversed() { sift(i) }
  }

  /// Takes the nearest; of equal ones the first in the list.
  mutating func popFirst() -> (distanceMillimeters: Int64, place: Int)? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sift(0)
    }
    return (Int64(first >> Self.placeBits), Int(first & Self.placeMask))
  }

  private mutating func sift(_ start: Int) {
    var i = start
    let moved = heap[i]
    while 2 * i + 1 < heap.count {
      var child = 2 * i + 1
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      guard heap[child] < moved else { break }
      heap[i] = heap[child]
      i = child
    }
    heap[i] = moved
  }
}
