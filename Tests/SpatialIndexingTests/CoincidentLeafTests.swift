import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

/// Very many objects at one place.
@Suite struct CoincidentLeafTests {
  /// Places so near each other that they share a unit square: three get a group each, twenty make
  /// the mixed group.
  private static func places(_ count: Int) -> [(latitude: Double, longitude: Double)] {
    let base = MercatorPoint(latitude: 37.5665, longitude: 126.978)
    let west = MercatorPoint.longitude(x: Double(base.x) + 0.3)
    let north = MercatorPoint.latitude(y: Double(base.y) + 0.3)
    return (0..<count).map { number in
      let (down, right) = (Double(number) * 1e-9, Double(number % 5) * 1e-9)
      return (latitude: north - down, longitude: west + right)
    }
  }

  /// Random lists of operations against brute force: groups come and go, orders are made and
  /// dropped, everything pages by id.
  @Test(arguments: [1, 3, 20], [UInt64(61), 62])
  func coincidentLeavesFollowTheModel(placeCount: Int, seed: UInt64) throws {
    var world = TestWorld(layout: .identical, seed: seed)
    let places = Self.places(placeCount)
    let points = Set(
      places.map { MercatorPoint(latitude: $0.latitude, longitude: $0.longitude) })
    #expect(points.count == 1)
    let clock = ManualClock(Instant(milliseconds: 1_760_000_000_000))
    let index = SharedLiveIndex(configuration: .init(columnCount: 2))
    var oracle = BruteForceIndex()
    // Fronts that agree in 16 bytes and more, and short ids.
    let ids = (0..<900).map { i in
      ["an-id-with-a-long-common-front-\(i)", "\(i)", "x\(i)-tail"][i % 3]
    }
    for step in 0..<40 {
      clock.advance(milliseconds: .random(in: 0...9000, using: &world.g))
      let now = clock.now()
      var batch = UpdateBatch(columnCount: 2)
      let reports = (0..<Int.random(in: 1...300, using: &world.g)).map { _ -> TestReport in
        var report = world.report(id: ids.randomElement(using: &world.g)!, now: now)
        let place = places.randomElement(using: &world.g)!
        if step % 4 != 3 || Bool.random(using: &world.g) {
          (report.latitude, report.longitude) = place
        }
        return report
      }
      for report in reports { batch.append(report) }
      var outcomes: [UpdateOutcome] = []
      index.apply(batch, now: now, outcomes: &outcomes)
      #expect(outcomes == oracle.apply(reports, now: now))
      if step % 5 == 4 {
        let gone = (0..<(step % 10 == 9 ? 600 : 60)).map { _ in
          ids.randomElement(using: &world.g)!
        }
        _ = index.remove(ids: gone, now: now)
        for id in gone { oracle.objects[id] = nil }
      }
      if step % 7 == 6 {
        let expired = oracle.objects.values.filter { $0.expiresAt <= now }.count
        #expect(index.reclaimExpired(now: now, limit: .max) == expired)
        oracle.objects = oracle.objects.filter { $0.value.expiresAt > now }
      }
      try index.checkInvariants()
      comparePages(&world, ids, index, oracle, now)
    }
  }

  private func comparePages(
    _ world: inout TestWorld, _ ids: [String], _ index: SharedLiveIndex,
    _ oracle: BruteForceIndex, _ now: Instant
  ) {
    var query = NearestQuery(latitude: 37.5665, longitude: 126.978, limit: 100_000)
    if Bool.random(using: &world.g) { query.latitude = -40 }
    if Bool.random(using: &world.g) { query.filter = world.filter(ids: ids, now: now) }
    let nearest = oracle.nearest(query, now: now)
    query.limit = 97
    var paged: [TestHit] = []
    while true {
      let page = index.nearestHits(query, now: now)
      paged += page
      guard let last = page.last, page.count == 97, paged.count <= nearest.count else { break }
      query.after = (last.distance, last.id)
    }
    #expect(paged == nearest)
    var box = WithinQuery(area: .box(.world), limit: 100_000, filter: query.filter)
    if Bool.random(using: &world.g) { box.area = world.area() }
    let within = oracle.within(box, now: now)
    box.limit = 97
    paged = []
    while true {
      let page = index.withinHits(box, now: now)
      paged += page
      guard let last = page.last, page.count == 97, paged.count <= within.count else { break }
      box.after = (last.code, last.id)
    }
    #expect(paged == within)
  }

  /// A query over a large coincident leaf looks at few of its objects, and so does reclaiming.
  @Test func workDoesNotGrowWithTheCoincidentLeaf() throws {
    let now = Instant(milliseconds: 1_760_000_000_000)
    var tested: [Int] = []
    for count in [2000, 16_000] {
      let index = SharedLiveIndex()
      var outcomes: [UpdateOutcome] = []
      var batch = UpdateBatch()
      for i in 0..<count {
        batch.append(
          id: "object-\(i)", latitude: 37.5665, longitude: 126.978, observedAt: now,
          expiresAt: .distantFuture)
      }
      index.apply(batch, now: now, outcomes: &outcomes)
      var work = SearchWork()
      index.nearest(
        NearestQuery(latitude: 37.5, longitude: 127, limit: 20), now: now, work: &work
      ) { _ in }
      index.within(WithinQuery(area: .box(.world), limit: 20), now: now, work: &work) { _ in }
      tested.append(work.pointsTested)
      try index.checkInvariants()
    }
    #expect(tested[1] == tested[0])
    #expect(tested[1] < 200)
  }
}
