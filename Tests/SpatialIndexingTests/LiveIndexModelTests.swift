import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

@Suite struct LiveIndexModelTests {
  /// Random lists of operations against a dictionary, the clock moving on by hand.
  @Test(arguments: Layout.allCases, [UInt64(11), 12])
  func operationsFollowTheModel(layout: Layout, seed: UInt64) throws {
    var world = TestWorld(layout: layout, seed: seed)
    let clock = ManualClock(Instant(milliseconds: 1_760_000_000_000))
    let index = SharedLiveIndex(configuration: .init(columnCount: 2))
    var oracle = BruteForceIndex()
    let feed = FeedModel()
    let ids = (0..<400).map { "user-\($0)" }
    for step in 0..<120 {
      clock.advance(milliseconds: .random(in: 0...4000, using: &world.g))
      let now = clock.now()
      switch Int.random(in: 0..<6, using: &world.g) {
      case 0...1: upsert(&world, ids, index, oracle: &oracle, feed: feed, now: now)
      case 2: moveByHandle(&world, ids, index, oracle: &oracle, feed: feed, now: now)
      case 3:
        let gone = (0..<10).map { _ in ids.randomElement(using: &world.g)! }
        let removed = index.remove(ids: gone, now: now) { feed.take($0) }
        let expected = gone.map { id in
          oracle.objects.removeValue(forKey: id).map { $0.expiresAt > now } ?? false
        }
        #expect(removed == expected)
      case 4:
        let limit = Int.random(in: 0...400, using: &world.g)
        let expired = oracle.objects.values.filter { $0.expiresAt <= now }.count
        let freed = index.reclaimExpired(now: now, limit: limit) { feed.take($0) }
        #expect(freed == min(limit, expired))
        if limit >= expired {
          oracle.objects = oracle.objects.filter { $0.value.expiresAt > now }
        } else {
          // Which of them went is the index's choice.
          oracle.objects = oracle.objects.filter { id, report in
            report.expiresAt > now
              || feed.present[index.rank(of: id)] != nil
          }
        }
      default:
        let query = world.nearestQuery(ids: ids, now: now)
        #expect(index.nearestHits(query, now: now) == oracle.nearest(query, now: now), "\(query)")
      }
      if step % 10 == 0 { try index.checkInvariants() }
      #expect(index.statistics().objectCount == oracle.objects.count)
      #expect(
        feed.present
          == Dictionary(
            uniqueKeysWithValues: oracle.objects.values.map {
              (
                index.rank(of: $0.id),
                MercatorPoint(latitude: $0.latitude, longitude: $0.longitude)
              )
            }))
    }
    try index.checkInvariants()
  }

  private func upsert(
    _ world: inout TestWorld, _ ids: [String], _ index: SharedLiveIndex,
    oracle: inout BruteForceIndex, feed: FeedModel, now: Instant
  ) {
    var batch = UpdateBatch(columnCount: 2)
    let reports = (0..<Int.random(in: 1...200, using: &world.g)).map { _ in
      world.report(id: ids.randomElement(using: &world.g)!, now: now)
    }
    for report in reports { batch.append(report) }
    var outcomes: [UpdateOutcome] = []
    index.apply(batch, now: now, outcomes: &outcomes) { feed.take($0) }
    #expect(outcomes == oracle.apply(reports, now: now))
  }

  private func moveByHandle(
    _ world: inout TestWorld, _ ids: [String], _ index: SharedLiveIndex,
    oracle: inout BruteForceIndex, feed: FeedModel, now: Instant
  ) {
    let moved = (0..<50).map { _ in ids.randomElement(using: &world.g)! }
    let handles = index.handles(ids: moved, now: now)
    var batch = UpdateBatch(columnCount: 2)
    var expected: [UpdateOutcome] = []
    for (id, handle) in zip(moved, handles) {
      let report = world.report(id: id, now: now)
      guard let handle else {
        #expect(oracle.objects[id].map { $0.expiresAt > now } ?? false == false)
        batch.append(
          handle: ObjectHandle(slot: .random(in: 0...500, using: &world.g), generation: 0),
          latitude: report.latitude, longitude: report.longitude, observedAt: now,
          expiresAt: report.expiresAt)
        expected.append(.unknownHandle)
        continue
      }
      batch.append(
        handle: handle, latitude: report.latitude, longitude: report.longitude,
        observedAt: report.observedAt, expiresAt: report.expiresAt)
      guard var stored = oracle.objects[id], stored.expiresAt > now else {
        expected.append(.unknownHandle)
        continue
      }
      guard stored.observedAt <= report.observedAt else {
        expected.append(.stale)
        continue
      }
      stored.latitude = report.latitude
      stored.longitude = report.longitude
      stored.observedAt = report.observedAt
      stored.expiresAt = report.expiresAt
      oracle.objects[id] = stored
      expected.append(.updated)
    }
    var outcomes: [UpdateOutcome] = []
    index.apply(batch, now: now, outcomes: &outcomes) { feed.take($0) }
    #expect(outcomes == expected)
  }
}

/// What a follower of the change feed knows.
final class FeedModel {
  var present: [ObjectRank: MercatorPoint] = [:]
  var handles: [ObjectRank: ObjectHandle] = [:]

  func take(_ changes: UnsafeBufferPointer<IndexChange>) {
    #expect(changes.count > 0 && changes.count <= 2 * SharedLiveIndex.sliceLimit)
    for change in changes {
      switch change.kind {
      case .inserted:
        #expect(present.updateValue(change.to, forKey: change.rank) == nil)
        #expect(change.from == change.to)
        handles[change.rank] = change.handle
      case .moved, .retagged:
        #expect(present.updateValue(change.to, forKey: change.rank) == change.from)
        #expect(handles[change.rank] == change.handle)
      case .removed:
        #expect(present.removeValue(forKey: change.rank) == change.from)
        #expect(handles.removeValue(forKey: change.rank) == change.handle)
      }
    }
  }
}
