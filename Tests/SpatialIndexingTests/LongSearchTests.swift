import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

/// Searches that leave the lock answer as those under one hold do.
@Suite struct LongSearchTests {
  private static let now = LiveIndexOracleTests.now
  private static let steps = 100

  @Test(arguments: Layout.allCases, [UInt64(1), 2])
  func nearestInSlicesEqualsBruteForce(layout: Layout, seed: UInt64) throws {
    var world = TestWorld(layout: layout, seed: seed)
    let (index, oracle) = LiveIndexOracleTests.build(&world, count: 600)
    let ids = Array(oracle.objects.keys).sorted()
    for i in 0..<40 {
      var query = world.nearestQuery(ids: ids, now: Self.now)
      query.readsRecords = i % 2 == 0
      let expected = oracle.nearest(query, now: Self.now)
      var hits: [TestHit] = []
      var work = SearchWork()
      let count = index.nearestInSlices(
        query, now: Self.now, stepsPerSlice: Self.steps, work: &work
      ) { hits.append(TestHit($0)) }
      #expect(hits == expected && count == hits.count, "\(query)")
      guard hits == expected else { return }
    }
  }

  @Test(arguments: Layout.allCases, [UInt64(1), 2])
  func withinInSlicesEqualsBruteForce(layout: Layout, seed: UInt64) throws {
    var world = TestWorld(layout: layout, seed: seed)
    let (index, oracle) = LiveIndexOracleTests.build(&world, count: 600)
    let ids = Array(oracle.objects.keys).sorted()
    for _ in 0..<40 {
      var query = WithinQuery(
        area: world.area(), limit: 30, filter: world.filter(ids: ids, now: Self.now))
      // Page through everything.
      for _ in 0..<30 {
        let expected = oracle.within(query, now: Self.now)
        var hits: [TestHit] = []
        var work = SearchWork()
        let count = index.withinInSlices(
          query, now: Self.now, stepsPerSlice: Self.steps, work: &work
        ) { hits.append(TestHit($0)) }
        #expect(hits == expected && count == hits.count, "\(query)")
        guard hits == expected, let last = hits.last else { break }
        query.after = (last.code, last.id)
      }
    }
  }

  /// Between slices objects come, move and go: what stays is answered, each hit once and in order.
  @Test(arguments: Layout.allCases, [UInt64(3), 4])
  func whatStaysIsFoundWhileOthersMove(layout: Layout, seed: UInt64) throws {
    var world = TestWorld(layout: layout, seed: seed)
    let (index, oracle) = LiveIndexOracleTests.build(&world, count: 2000)
    let ids = Array(oracle.objects.keys).sorted()
    for i in 0..<12 {
      let query = world.nearestQuery(ids: ids, now: Self.now)
      var serial = 0
      var moved: Set<String> = []
      func change(_: SearchWork) {
        var batch = UpdateBatch(columnCount: 2)
        for _ in 0..<20 {
          serial += 1
          // Every third object moves, and others come.
          let id = serial % 2 == 0 ? ids[serial * 7919 % ids.count / 3 * 3] : "new-\(i)-\(serial)"
          moved.insert(id)
          batch.append(world.report(id: id, now: Self.now))
        }
        var outcomes: [UpdateOutcome] = []
        index.apply(batch, now: Self.now.advanced(milliseconds: -1), outcomes: &outcomes)
        _ = index.remove(ids: [ids[serial * 31 % ids.count / 3 * 3]], now: Self.now)
        moved.insert(ids[serial * 31 % ids.count / 3 * 3])
      }
      let before = oracle.nearest(query, now: Self.now)
      var hits: [TestHit] = []
      var work = SearchWork()
      _ = index.nearestInSlices(
        query, now: Self.now, stepsPerSlice: Self.steps, work: &work, afterSlice: change
      ) { hits.append(TestHit($0)) }
      #expect(Set(hits.map(\.id)).count == hits.count, "a hit stands twice")
      for (a, b) in zip(hits, hits.dropFirst()) { #expect(a.distance <= b.distance) }
      // Those that stay and belong to the answer: unless nearer ones came, they are in it.
      let found = Set(hits.map(\.id))
      for hit in before where hit.id.hasPrefix("object") && !moved.contains(hit.id) {
        let isBeyond = hits.count >= query.limit && hit.distance >= (hits.last?.distance ?? 0)
        #expect(found.contains(hit.id) || isBeyond, "\(hit.id) of \(query)")
      }
      // What moved is put back, so that the oracle holds again.
      var batch = UpdateBatch(columnCount: 2)
      var gone: [String] = []
      for id in moved {
        gone.append(id)
        if let report = oracle.objects[id] { batch.append(report) }
      }
      _ = index.remove(ids: gone, now: Self.now)
      var outcomes: [UpdateOutcome] = []
      index.apply(
        batch, now: Self.now.advanced(milliseconds: -10_000_000), outcomes: &outcomes)
    }
    try index.checkInvariants()
  }

  /// However many are asked for, all that match are told in their order.
  @Test func anyLimitMayBeAskedFor() throws {
    var world = TestWorld(layout: .clustered, seed: 12)
    let (index, oracle) = LiveIndexOracleTests.build(&world, count: 600)
    let query = NearestQuery(latitude: 37, longitude: 127, limit: .max)
    var hits: [TestHit] = []
    var work = SearchWork(spending: WorkBudget(steps: 1_000_000))
    _ = index.nearestInSlices(
      query, now: Self.now, stepsPerSlice: Self.steps, work: &work
    ) { hits.append(TestHit($0)) }
    #expect(hits == oracle.nearest(query, now: Self.now))
  }

  /// The more corners a polygon has, the fewer steps are done under one hold of the lock.
  @Test func polygonsOfManyCornersAreSearchedInSmallerSlices() throws {
    func area(_ corners: Int) throws -> SearchArea {
      .polygon(
        try GeoPolygon(
          (0..<corners).map { i in
            // Eastwards in the south, back in the north.
            let isSouth = i < corners / 2
            let step = isSouth ? i : corners - 1 - i
            return Coordinate(
              uncheckedLatitude: isSouth ? 36.5 : 37.5,
              longitude: 126.5 + Double(step) / Double(corners))
          }))
    }
    #expect(SharedLiveIndex.stepsPerSlice(nil) == AreaSlices.stepsPerSlice)
    #expect(SharedLiveIndex.stepsPerSlice(try area(60)) == AreaSlices.stepsPerSlice)
    #expect(SharedLiveIndex.stepsPerSlice(try area(960)) == AreaSlices.stepsPerSlice / 16)
    var world = TestWorld(layout: .clustered, seed: 8)
    let (index, oracle) = LiveIndexOracleTests.build(&world, count: 20_000)
    var query = NearestQuery(latitude: 37, longitude: 127, limit: 50)
    query.filter.area = try area(960)
    var hits: [TestHit] = []
    var work = SearchWork(spending: WorkBudget(steps: 1_000_000))
    index.nearest(query, now: Self.now, work: &work) { hits.append(TestHit($0)) }
    #expect(hits == oracle.nearest(query, now: Self.now))
  }

  /// A search that nothing matches visits everything, but never holds the lock for long.
  @Test func noSliceDoesMoreThanItsSteps() throws {
    var world = TestWorld(layout: .clustered, seed: 8)
    let (index, oracle) = LiveIndexOracleTests.build(&world, count: 20_000)
    var nobody = SearchFilter()
    nobody.payloadPredicate = { _ in false }
    var slices = 0
    var before = 0
    func look(_ work: SearchWork) {
      #expect(work.steps - before <= AreaSlices.stepsPerSlice + 200)
      before = work.steps
      slices += 1
    }
    var work = SearchWork(spending: WorkBudget(steps: 1_000_000))
    let query = NearestQuery(latitude: 37, longitude: 127, limit: 10, filter: nobody)
    _ = index.nearestInSlices(
      query, now: Self.now, stepsPerSlice: AreaSlices.stepsPerSlice, work: &work, afterSlice: look
    ) { _ in }
    #expect(slices > 5)
    (slices, before, work) = (0, 0, SearchWork())
    _ = index.withinInSlices(
      WithinQuery(area: .box(.world), limit: 10, filter: nobody), now: Self.now,
      stepsPerSlice: AreaSlices.stepsPerSlice, work: &work, afterSlice: look
    ) { _ in }
    #expect(slices > 4)
    // Through the front door, with a budget that allows it: everything is looked at.
    work = SearchWork(spending: WorkBudget(steps: 1_000_000))
    #expect(index.nearest(query, now: Self.now, work: &work) { _ in } == 0)
    #expect(!work.mustEnd() && work.steps > oracle.objects.count / 2)
    // Once more or less: boxes that grow do not look at the same city again and again.
    #expect(work.steps < 2 * oracle.objects.count + SharedLiveIndex.stepsPerHold)
    // And one that does not ends.
    work = SearchWork(spending: WorkBudget(steps: 30_000))
    #expect(index.nearest(query, now: Self.now, work: &work) { _ in } == 0)
    #expect(work.mustEnd() && work.steps < 32_000)
  }
}
