import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

/// Moves in batches take their own order and their own short ways: what comes out must be what the
/// same moves one after another give, and so must the changes of each object.
@Suite struct MoveBatchTests {
  private let start = Instant(milliseconds: 1_760_000_000_000)

  /// The state of an object that moves change.
  private struct State: Equatable {
    var latitude: Double
    var longitude: Double
    var observedAt: Instant
    var expiresAt: Instant
  }

  private func filled(
    _ layout: Layout, _ g: inout SplitMix64, into indexes: [SharedLiveIndex]
  ) -> [ObjectHandle] {
    var batch = UpdateBatch()
    for i in 0..<900 {
      let place = layout.place(&g)
      batch.append(
        id: "mover-\(i)", latitude: place.latitude, longitude: place.longitude,
        tags: i % 5 == 0 ? ["fifth", "tag-\(i % 40)"] : [], observedAt: start,
        expiresAt: start.advanced(milliseconds: .random(in: 5000...90_000, using: &g)))
    }
    var outcomes: [UpdateOutcome] = []
    for index in indexes { index.apply(batch, now: start, outcomes: &outcomes) }
    return indexes[0].handles(ids: (0..<900).map { "mover-\($0)" }, now: start).map { $0! }
  }

  private func states(_ index: SharedLiveIndex, _ now: Instant) -> [String: State] {
    var out: [String: State] = [:]
    index.forEachObject(now: now) {
      out[$0.idString] = State(
        latitude: $0.latitude, longitude: $0.longitude, observedAt: $0.observedAt,
        expiresAt: $0.expiresAt)
    }
    return out
  }

  /// Changes by object, in order.
  private final class Followed {
    var changes: [ObjectHandle: [IndexChange]] = [:]
    var count = 0

    func take(_ slice: UnsafeBufferPointer<IndexChange>) {
      count += slice.count
      for change in slice { changes[change.handle, default: []].append(change) }
    }
  }

  @Test(arguments: Layout.allCases, [UInt64(71), 72])
  func batchesDoWhatSingleMovesDo(layout: Layout, seed: UInt64) throws {
    var g = SplitMix64(seed: seed)
    let batched = SharedLiveIndex()
    let single = SharedLiveIndex()
    let followed = SharedLiveIndex()
    let handles = filled(layout, &g, into: [batched, single, followed])
    var outcomes: [UpdateOutcome] = []
    var seen = Set<UpdateOutcome>()
    for step in 0..<25 {
      let now = start.advanced(milliseconds: Int64(step) * 2500)
      let changes = (single: Followed(), followed: Followed())
      // Few objects in many entries: most come several times.
      let some = (0..<Int.random(in: 1...120, using: &g)).map { _ in
        handles.randomElement(using: &g)!
      }
      var all = UpdateBatch()
      var one = UpdateBatch()
      var expected: [UpdateOutcome] = []
      var places: [(latitude: Double, longitude: Double)] = []
      for _ in 0..<Int.random(in: 1...700, using: &g) {
        var handle = some.randomElement(using: &g)!
        var place = layout.place(&g)
        let old = single.withObject(handle: handle, now: now) { ($0.latitude, $0.longitude) }
        switch Int.random(in: 0..<10, using: &g) {
        case 0: handle = ObjectHandle(slot: handle.slot, generation: handle.generation &+ 1)
        case 1: handle = ObjectHandle(slot: .random(in: 0 ... .max, using: &g), generation: 1)
        case 2...6:
          // A step of a few meters from where it stands: most of them stay in their leaf.
          if let old {
            place.latitude = max(-90, min(90, old.0 + .random(in: -2e-5...2e-5, using: &g)))
            place.longitude = max(-180, min(180, old.1 + .random(in: -2e-5...2e-5, using: &g)))
          }
        case 7: if let old { place = (old.0, old.1) }
        case 8: if let last = places.last { place = last }
        default: break
        }
        places.append(place)
        let observed = now.advanced(milliseconds: .random(in: -3000...0, using: &g))
        let expiry: Instant
        switch Int.random(in: 0..<40, using: &g) {
        case 0: expiry = observed
        // Longer than packed times can say.
        case 1: expiry = observed.advanced(milliseconds: 1 << 28)
        case 2: expiry = .distantFuture
        default: expiry = observed.advanced(milliseconds: .random(in: 1...60_000, using: &g))
        }
        all.append(
          handle: handle, latitude: place.latitude, longitude: place.longitude,
          observedAt: observed, expiresAt: expiry)
        one.removeAll()
        one.append(
          handle: handle, latitude: place.latitude, longitude: place.longitude,
          observedAt: observed, expiresAt: expiry)
        single.apply(one, now: now, outcomes: &outcomes, changes: changes.single.take)
        expected += outcomes
      }
      batched.apply(all, now: now, outcomes: &outcomes)
      #expect(outcomes == expected)
      seen.formUnion(outcomes)
      #expect(states(batched, now) == states(single, now))
      try batched.checkInvariants()

      followed.apply(all, now: now, outcomes: &outcomes, changes: changes.followed.take)
      #expect(outcomes == expected)
      #expect(states(followed, now) == states(single, now))
      #expect(changes.followed.changes == changes.single.changes)
      #expect(changes.followed.count == expected.count { $0 == .updated })
      try followed.checkInvariants()
    }
    #expect(seen == [.updated, .stale, .unknownHandle])
  }

  @Test func changesAreWorkedOutForFollowersOnly() {
    var g = SplitMix64(seed: 73)
    let index = SharedLiveIndex()
    let handles = filled(.clustered, &g, into: [index])
    var batch = UpdateBatch()
    for handle in handles.prefix(300) {
      batch.append(
        handle: handle, latitude: 37.5, longitude: 127, observedAt: start,
        expiresAt: .distantFuture)
    }
    var outcomes: [UpdateOutcome] = []
    var calls: [Int] = []
    var asked = 0
    index.apply(
      batch, now: start, outcomes: &outcomes,
      isFollowed: {
        asked += 1
        return asked == 2
      }, changes: { calls.append($0.count) })
    #expect(calls == [0, SharedLiveIndex.sliceLimit, 0])
    #expect(asked == 3)
  }
}
