import GeoMath
import ObjectModel
import Synchronization
import Testing

@testable import SpatialIndexing

@Suite struct LiveIndexConcurrencyTests {
  static let now = Instant(milliseconds: 1_760_000_000_000)

  private func fill(_ index: SharedLiveIndex, count: Int) -> [ObjectHandle] {
    var batch = UpdateBatch()
    for i in 0..<count {
      batch.append(
        id: "o\(i)", latitude: 37 + Double(i) * 1e-4, longitude: 127, tags: ["t\(i % 7)"],
        observedAt: Self.now, expiresAt: .distantFuture)
    }
    var outcomes: [UpdateOutcome] = []
    index.apply(batch, now: Self.now, outcomes: &outcomes)
    return index.handles(ids: (0..<count).map { "o\($0)" }, now: Self.now).compactMap { $0 }
  }

  /// While a writer throws objects across the world, every scan sees each object exactly once.
  @Test func noObjectIsMissedOrDoubledWhileItMoves() async throws {
    let index = SharedLiveIndex()
    let count = 500
    let handles = fill(index, count: count)
    let isDone = Flag()
    await withTaskGroup(of: Int.self) { group in
      group.addTask {
        var g = SplitMix64(seed: 4)
        var outcomes: [UpdateOutcome] = []
        for round in 0..<120 {
          var batch = UpdateBatch()
          for _ in 0..<300 {
            let far = round % 2 == 0
            batch.append(
              handle: handles.randomElement(using: &g)!,
              latitude: far
                ? .random(in: -80...80, using: &g) : 37 + .random(in: 0...1e-3, using: &g),
              longitude: far ? .random(in: -180...180, using: &g) : 127,
              observedAt: Self.now, expiresAt: .distantFuture)
          }
          index.apply(batch, now: Self.now, outcomes: &outcomes)
          await Task.yield()
        }
        isDone.raise()
        return 0
      }
      for reader in 0..<3 {
        group.addTask {
          var scans = 0
          while !isDone.isRaised || scans == 0 {
            var seen: [UInt32: Int] = [:]
            switch (reader + scans) % 3 {
            case 0:
              index.within(WithinQuery(area: .box(.world), limit: 10_000), now: Self.now) {
                seen[$0.handle.slot, default: 0] += 1
              }
            case 1:
              index.nearest(
                NearestQuery(latitude: 37, longitude: 127, limit: 10_000), now: Self.now
              ) { seen[$0.handle.slot, default: 0] += 1 }
            default:
              index.forEachObject(now: Self.now) { seen[$0.handle.slot, default: 0] += 1 }
            }
            if seen.count != count || seen.values.contains(where: { $0 != 1 }) { return 1 }
            scans += 1
            await Task.yield()
          }
          return 0
        }
      }
      for await failures in group { #expect(failures == 0, "an object was missed or doubled") }
    }
    try index.checkInvariants()
  }

  /// Objects that stay are on exactly one page each, whatever happens to the others between pages.
  @Test(arguments: [UInt64(31), 32])
  func pagesNeitherRepeatNorSkipWhatStays(seed: UInt64) throws {
    var g = SplitMix64(seed: seed)
    let index = SharedLiveIndex()
    let handles = fill(index, count: 400)
    var outcomes: [UpdateOutcome] = []
    var seen: [String: Int] = [:]
    var query = NearestQuery(latitude: 37.01, longitude: 127, limit: 13)
    var box = WithinQuery(area: .box(.world), limit: 13)
    let usesBox = seed % 2 == 0
    while true {
      var count = 0
      let visit = { (hit: HitView) in
        seen[hit.idString, default: 0] += 1
        count += 1
        query.after = (hit.distanceMillimeters, hit.idString)
        box.after = (hit.mortonCode, hit.idString)
      }
      if usesBox {
        index.within(box, now: Self.now, visit)
      } else {
        index.nearest(query, now: Self.now, visit)
      }
      if count < 13 { break }
      // Even objects stay; odd ones move about, come and go.
      var batch = UpdateBatch()
      for _ in 0..<40 {
        let i = Int.random(in: 0..<200, using: &g) * 2 + 1
        batch.append(
          handle: handles[i], latitude: 37 + .random(in: 0...0.04, using: &g), longitude: 127,
          observedAt: Self.now, expiresAt: .distantFuture)
      }
      for _ in 0..<20 {
        batch.append(
          id: "new-\(Int.random(in: 0..<100, using: &g))",
          latitude: 37 + .random(in: 0...0.04, using: &g), longitude: 127, observedAt: Self.now,
          expiresAt: .distantFuture)
      }
      index.apply(batch, now: Self.now, outcomes: &outcomes)
      _ = index.remove(ids: ["o\(Int.random(in: 0..<200, using: &g) * 2 + 1)"], now: Self.now)
    }
    for i in stride(from: 0, to: 400, by: 2) { #expect(seen["o\(i)"] == 1) }
  }
}

private final class Flag: Sendable {
  private let value = Atomic(false)
  var isRaised: Bool { value.load(ordering: .acquiring) }
  func raise() { value.store(true, ordering: .releasing) }
}
