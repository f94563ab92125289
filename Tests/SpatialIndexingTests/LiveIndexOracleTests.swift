import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

@Suite struct LiveIndexOracleTests {
  static let now = Instant(milliseconds: 1_760_000_000_000)
  static let seeds: [UInt64] = [1, 2, 3]

  static func build(_ world: inout TestWorld, count: Int) -> (SharedLiveIndex, BruteForceIndex) {
    let index = SharedLiveIndex(configuration: .init(columnCount: 2))
    var oracle = BruteForceIndex()
    var batch = UpdateBatch(columnCount: 2)
    var reports: [TestReport] = []
    for i in 0..<count {
      let report = world.report(id: "object-\(i * 7919 % count)", now: now)
      reports.append(report)
      batch.append(report)
    }
    var outcomes: [UpdateOutcome] = []
    // Long ago, so that nothing counts as expired while it is put in.
    index.apply(batch, now: now.advanced(milliseconds: -10_000_000), outcomes: &outcomes)
    let expected = oracle.apply(reports, now: now.advanced(milliseconds: -10_000_000))
    #expect(outcomes == expected)
    return (index, oracle)
  }

  @Test(arguments: Layout.allCases, seeds)
  func nearestEqualsBruteForce(layout: Layout, seed: UInt64) throws {
    var world = TestWorld(layout: layout, seed: seed)
    let (index, oracle) = Self.build(&world, count: 600)
    try index.checkInvariants()
    let ids = Array(oracle.objects.keys).sorted()
    for _ in 0..<60 {
      let query = world.nearestQuery(ids: ids, now: Self.now)
      let hits = index.nearestHits(query, now: Self.now)
      let expected = oracle.nearest(query, now: Self.now)
      #expect(hits == expected, "\(query)")
      guard hits == expected else { return }
    }
  }

  @Test(arguments: Layout.allCases, seeds)
  func nearestOfMillionsOfTiesIsByID(layout: Layout, seed: UInt64) throws {
    var world = TestWorld(layout: layout, seed: seed)
    let (index, oracle) = Self.build(&world, count: 300)
    let ids = Array(oracle.objects.keys).sorted()
    // Page through everything and compare with the whole order.
    var query = world.nearestQuery(ids: ids, now: Self.now)
    query.limit = 100_000
    let all = oracle.nearest(query, now: Self.now)
    query.limit = 17
    var paged: [TestHit] = []
    while true {
      let page = index.nearestHits(query, now: Self.now)
      paged += page
      guard let last = page.last, page.count == 17, paged.count <= all.count else { break }
      query.after = (last.distance, last.id)
    }
    #expect(paged == all)
  }

  @Test(arguments: Layout.allCases, seeds)
  func withinEqualsBruteForce(layout: Layout, seed: UInt64) throws {
    var world = TestWorld(layout: layout, seed: seed)
    let (index, oracle) = Self.build(&world, count: 500)
    let ids = Array(oracle.objects.keys).sorted()
    for _ in 0..<40 {
      var query = WithinQuery(area: world.area(), limit: 100_000)
      if Bool.random(using: &world.g) { query.filter = world.filter(ids: ids, now: Self.now) }
      let all = oracle.within(query, now: Self.now)
      #expect(index.withinHits(query, now: Self.now) == all, "\(query)")
      query.limit = 23
      var paged: [TestHit] = []
      while true {
        let page = index.withinHits(query, now: Self.now)
        paged += page
        guard let last = page.last, page.count == 23, paged.count <= all.count else { break }
        query.after = (last.code, last.id)
      }
      #expect(paged == all, "\(query)")
    }
  }

  @Test(arguments: Layout.allCases)
  func histogramEqualsBruteForce(layout: Layout) throws {
    var world = TestWorld(layout: layout, seed: 5)
    let (index, oracle) = Self.build(&world, count: 400)
    let ids = Array(oracle.objects.keys).sorted()
    for i in 0..<20 {
      let area: SearchArea? = i % 3 == 0 ? nil : world.area()
      let filter = world.filter(ids: ids, now: Self.now)
      let rows = index.tagHistogram(area: area, filter: filter, limit: 7, now: Self.now)
      #expect(
        rows.map { "\($0.tag)=\($0.count)" }
          == oracle.tagHistogram(area: area, filter: filter, limit: 7, now: Self.now))
    }
  }

  /// Some thousand objects take several slices; the answer is that of one count.
  @Test(arguments: Layout.allCases)
  func histogramsOfManySlicesEqualBruteForce(layout: Layout) throws {
    var world = TestWorld(layout: layout, seed: 6)
    let (index, oracle) = Self.build(&world, count: 12_000)
    let ids = Array(oracle.objects.keys).sorted()
    for i in 0..<6 {
      let area: SearchArea? = i % 2 == 0 ? nil : world.area()
      let filter = i < 2 ? SearchFilter() : world.filter(ids: ids, now: Self.now)
      let rows = index.tagHistogram(area: area, filter: filter, limit: 50, now: Self.now)
      #expect(
        rows.map { "\($0.tag)=\($0.count)" }
          == oracle.tagHistogram(area: area, filter: filter, limit: 50, now: Self.now))
    }
  }

  /// What holds the lock is one slice: a bounded number of steps, and at most one leaf more.
  @Test func histogramsLeaveTheLockBetweenSlices() throws {
    var world = TestWorld(layout: .uniform, seed: 7)
    let (shared, oracle) = Self.build(&world, count: 20_000)
    var work = SearchWork()
    var before = 0
    var slices = 0
    let rows = shared.tagHistogram(
      TagCounts(area: nil), filter: SearchFilter(), limit: 50, now: Self.now, work: &work
    ) { work in
      slices += 1
      #expect(work.steps - before < AreaSlices.stepsPerSlice + 200)
      before = work.steps
    }
    #expect(slices > 4)
    #expect(
      rows.map { "\($0.tag)=\($0.count)" }
        == oracle.tagHistogram(area: nil, filter: SearchFilter(), limit: 50, now: Self.now))
  }

  @Test func everythingInIsFoundAndEverythingFoundIsIn() throws {
    var world = TestWorld(layout: .clustered, seed: 9)
    let (index, oracle) = Self.build(&world, count: 3000)
    let live = oracle.objects.values.filter { $0.expiresAt > Self.now }
    var seen: [String: Int] = [:]
    index.forEachObject(now: Self.now) { seen[$0.idString, default: 0] += 1 }
    #expect(seen == Dictionary(uniqueKeysWithValues: live.map { ($0.id, 1) }))
    for report in oracle.objects.values {
      let found = index.withObject(id: report.id, now: Self.now) { TestHit($0) }
      #expect(found == (report.expiresAt > Self.now ? TestHit(report, distance: 0) : nil))
    }
  }
}
