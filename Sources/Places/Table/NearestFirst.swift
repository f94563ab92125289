import HeapModule

/// Some things by their distance, the nearest first, of which few will be taken.
///
/// A heap of integers: the distance in the upper bits, the place in a list in the lower ones.
///
/// - Complexity: O(n) to put n in order, O(log n) to take one.
struct NearestFirst {
  /// Bits of a place; distances have the other 35, 34,359 km.
  private static let placeBits: UInt64 = 28
  private static let placeMask: UInt64 = 1 << placeBits - 1

  private var unordered: [UInt64] = []
  private var heap = Heap<UInt64>()

  init(capacity: Int) { unordered.reserveCapacity(capacity) }

  /// Adds one; ``order()`` comes after the last of them.
  ///
  /// - Parameters:
  ///   - distanceMillimeters: At most half the way around the earth.
  ///   - place: Below 2^28.
  mutating func append(_ distanceMillimeters: Int64, _ place: Int) {
    unordered.append(UInt64(distanceMillimeters) << Self.placeBits | UInt64(place))
  }

  mutating func order() {
    heap = Heap(unordered)
    unordered = []
  }

  /// Takes the nearest; of equal ones the first in the list.
  mutating func popFirst() -> (distanceMillimeters: Int64, place: Int)? {
    guard let first = heap.popMin() else { return nil }
    return (Int64(first >> Self.placeBits), Int(first & Self.placeMask))
  }
}
