import ObjectModel
import Testing

@testable import RESPServer

struct GeoHitsTests {
  /// Few are sorted by counting, many and equally far ones by comparing: the order is the same.
  @Test(arguments: [UInt64(31), 32])
  func theNearestAreKeptInTheirOrder(seed: UInt64) {
    var g = SplitMix64(seed: seed)
    for round in 0..<400 {
      let count = Int.random(in: 0...(round % 10 == 0 ? 300 : 64), using: &g)
      // Distances of a few values only, of many, and some that differ in their last bits.
      let distances = (0..<count).map { _ -> Double in
        switch round % 3 {
        case 0: Double(Int.random(in: 0...5, using: &g))
        case 1: .random(in: 0...20_000_000, using: &g)
        default: 75 + Double(Int.random(in: 0...9, using: &g)) * 75.0.ulp
        }
      }
      var hits = GeoHits(maximumBytes: 1 << 20)
      var sorted = GeoHits(maximumBytes: 1 << 20)
      for (i, distance) in distances.enumerated() {
        guard
          let code = CellCode.ScoredPlace(
            longitude: .random(in: -180...180, using: &g),
            latitude: .random(in: -80...80, using: &g))
        else { continue }
        "m\(i)".utf8.withContiguousStorageIfAvailable { id in
          let id = UnsafeRawBufferPointer(id)
          hits.append(id: id, code, distance: distance, cell: i % 9)
          sorted.append(id: id, code, distance: distance, cell: i % 9)
        }
      }
      let wanted = Int.random(in: 0...80, using: &g)
      hits.keepNearest(wanted, error: 1e-13) { $0.distance }
      sorted.sortByDistance(isDescending: false)
      sorted.keepFirst(wanted)
      #expect(hits.list.count == min(wanted, count))
      #expect(hits.list.map(\.idStart) == sorted.list.map(\.idStart))
      #expect(hits.list.map { Array(hits.id($0)) } == sorted.list.map { Array(sorted.id($0)) })
      hits.removeAll()
      #expect(hits.list.isEmpty)
    }
  }

  /// Where a distance may be wrong, nobody stands in front of somebody who may be nearer.
  @Test func nearlyEqualDistancesAreNotSorted() throws {
    let code = try #require(CellCode.ScoredPlace(longitude: 127, latitude: 37.5))
    // Half the farthest is where one of the keys by which few are sorted ends.
    for (other, isSorted) in [
      (50.0, false), (50.0.nextDown, false), (50 - 1e-12, false), (49.9, true),
    ] {
      var hits = GeoHits(maximumBytes: 1 << 20)
      for distance in [50, other, 100] {
        hits.append(
          id: UnsafeRawBufferPointer(start: nil, count: 0), code, distance: distance)
      }
      #expect(hits.keepNearestByCounting(2, error: 1e-13) == isSorted)
      #expect(hits.list.map(\.distance) == (isSorted ? [other, 50] : [50, other, 100]))
    }
  }
}
