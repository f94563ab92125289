import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

@Suite struct LiveIndexTagTests {
  static let now = Instant(milliseconds: 1_760_000_000_000)

  /// Thousands of tags, some carried by many: posting lists of several pages and shared bits.
  @Test(arguments: [UInt64(21), 22])
  func rareAndFrequentTagsEqualBruteForce(seed: UInt64) throws {
    var g = SplitMix64(seed: seed)
    let index = SharedLiveIndex()
    var oracle = BruteForceIndex()
    var reports: [TestReport] = []
    for i in 0..<5000 {
      var tags = ["tag-\(Int.random(in: 0..<2000, using: &g))"]
      if i % 2 == 0 { tags.append("half") }
      if i % 10 == 0 { tags.append("tenth") }
      if i % 40 == 0 { tags.append(String(repeating: "긴", count: 21)) }
      let place = Layout.clustered.place(&g)
      reports.append(
        TestReport(
          id: "o\(i)", latitude: place.latitude, longitude: place.longitude, tags: tags,
          observedAt: Self.now, expiresAt: .distantFuture))
    }
    var batch = UpdateBatch()
    for report in reports { batch.append(report) }
    var outcomes: [UpdateOutcome] = []
    index.apply(batch, now: Self.now, outcomes: &outcomes)
    _ = oracle.apply(reports, now: Self.now)
    let names = ["half", "tenth", String(repeating: "긴", count: 21), "tag-1", "tag-2", "none"]
    for i in 0..<80 {
      let place = Layout.clustered.origin(&g)
      var query = NearestQuery(
        latitude: place.latitude, longitude: place.longitude, limit: i % 3 == 0 ? 1 : 7)
      query.filter.tags = (0..<Int.random(in: 1...2, using: &g)).map { _ in
        names.randomElement(using: &g)!
      }
      query.filter.tagMatch = i % 2 == 0 ? .all : .any
      if i % 5 == 0 { query.filter.notTags = [names.randomElement(using: &g)!] }
      if i % 4 == 0 { query.maximumDistanceMillimeters = 700_000 }
      #expect(
        index.nearestHits(query, now: Self.now) == oracle.nearest(query, now: Self.now), "\(query)")
    }
    try index.checkInvariants()
  }

  @Test func tagsThatNobodyCarriesTakeNoMemory() throws {
    let index = SharedLiveIndex()
    var outcomes: [UpdateOutcome] = []
    for round in 0..<40 {
      var batch = UpdateBatch()
      for i in 0..<50 {
        batch.append(
          id: "o\(i)", latitude: 37, longitude: 127,
          tags: (0..<32).map { "round-\(round)-\($0)" }, observedAt: Self.now,
          expiresAt: .distantFuture)
      }
      index.apply(batch, now: Self.now, outcomes: &outcomes)
      #expect(index.statistics().distinctTagCount == 32)
      #expect(index.tagHistogram(area: nil, limit: 100, now: Self.now).count == 32)
    }
    try index.checkInvariants()
  }

  @Test func unchangedTagsAndPayloadAreAMove() {
    let index = SharedLiveIndex()
    var kinds: [IndexChange.Kind] = []
    var outcomes: [UpdateOutcome] = []
    func report(_ tags: [String], _ payload: [UInt8]) {
      var batch = UpdateBatch()
      batch.append(
        id: "a", latitude: 1, longitude: 1, tags: tags, payload: payload, observedAt: Self.now,
        expiresAt: .distantFuture)
      index.apply(batch, now: Self.now, outcomes: &outcomes) { kinds += $0.map(\.kind) }
    }
    report(["x", "y"], [1])
    report(["x", "y"], [1])
    report(["x", "y"], [2])
    report(["x"], [2])
    report(["x", "x"], [2])
    #expect(kinds == [.inserted, .moved, .retagged, .retagged, .retagged])
    #expect(index.tagHistogram(area: nil, limit: 9, now: Self.now).map(\.tag) == ["x"])
  }
}
