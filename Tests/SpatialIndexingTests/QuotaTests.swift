import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

/// What an index does when it holds as much as it may: it says so, and goes on.
@Suite struct QuotaTests {
  private static let now = Instant(milliseconds: 1_760_000_000_000)

  private func report(_ id: String, observedAt: Instant, expiresAt: Instant) -> TestReport {
    TestReport(
      id: id, latitude: 37.5, longitude: 127, tags: ["t"], observedAt: observedAt,
      expiresAt: expiresAt)
  }

  private static func apply(_ index: SharedLiveIndex, _ reports: [TestReport]) -> [UpdateOutcome] {
    var batch = UpdateBatch()
    for report in reports {
      batch.append(
        id: report.id, latitude: report.latitude, longitude: report.longitude, tags: report.tags,
        payload: report.payload, columns: [], observedAt: report.observedAt,
        expiresAt: report.expiresAt)
    }
    var outcomes: [UpdateOutcome] = []
    index.apply(batch, now: now, outcomes: &outcomes)
    return outcomes
  }

  @Test func aFullIndexRefusesNewObjectsAndServesTheOthers() throws {
    let index = try SharedLiveIndex(reserving: LiveIndexConfiguration(maximumObjects: 100))
    let reports = (0..<150).map {
      report("object-\($0)", observedAt: Self.now, expiresAt: .distantFuture)
    }
    let outcomes = Self.apply(index, reports)
    #expect(outcomes.prefix(100).allSatisfy { $0 == .inserted })
    #expect(outcomes.dropFirst(100).allSatisfy { $0 == .full })
    #expect(index.statistics().objectCount == 100)
    // Those that are there are updated, tags and all.
    var tagged = reports[3]
    tagged.tags = ["swift", "동네"]
    #expect(Self.apply(index, [reports[0], tagged, reports[120]]) == [.updated, .updated, .full])
    #expect(index.remove(ids: ["object-7"], now: Self.now) == [true])
    #expect(Self.apply(index, [reports[120], reports[121]]) == [.inserted, .full])
    try index.checkInvariants()
  }

  /// Points as near as they can be without coinciding, and then all but a few gone, make the deepest
  /// tree that so many objects can have; the smallest quota has room for it.
  @Test func theDeepestTreeFitsItsReservation() throws {
    let count = 3_300
    let index = try SharedLiveIndex(reserving: LiveIndexConfiguration(maximumObjects: count))
    // Thirty-three neighbours in one small cell, a hundred times.
    let reports = (0..<count).map { n -> TestReport in
      var made = report("p\(n)", observedAt: Self.now, expiresAt: .distantFuture)
      made.latitude = -60 + Double(n / 33) * 1.1 + Double(n % 33 % 6) * 1e-7
      made.longitude = Double(n / 33) * 3.3 - 170 + Double(n % 33 / 6) * 1e-7
      return made
    }
    #expect(Self.apply(index, reports).allSatisfy { $0 == .inserted })
    let leaving = (0..<count).filter { $0 % 33 >= 15 }.map { "p\($0)" }
    #expect(index.remove(ids: leaving, now: Self.now).allSatisfy { $0 })
    try index.checkInvariants()
    #expect(index.statistics().nodeCount > 4_000)
  }

  /// Whatever is stored, changed, removed, expires or ends: what is counted is what is held.
  @Test(arguments: [UInt64(1), 2, 3])
  func aSharedQuotaCountsExactly(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let quota = SharedQuota(maximumObjects: 400, maximumBytes: 60_000)
    var indexes = try (0..<3).map { _ in
      try SharedLiveIndex(
        reserving: LiveIndexConfiguration(maximumObjects: 300, quota: quota))
    }
    var refused = 0
    for round in 0..<60 {
      let chosen = random.below(indexes.count)
      switch random.below(5) {
      case 0:
        let ids = (0..<40).map { _ in "object-\(random.below(400))" }
        _ = indexes[chosen].remove(ids: ids, now: Self.now)
      case 1:
        let later = Self.now.advanced(milliseconds: 5000)
        _ = indexes[chosen].reclaimExpired(now: later, limit: 50)
      case 2 where round > 40:
        indexes[chosen] = try SharedLiveIndex(
          reserving: LiveIndexConfiguration(maximumObjects: 300, quota: quota))
      default:
        let reports = (0..<60).map { _ -> TestReport in
          let lasts = random.below(2) == 0
          var made = report(
            "object-\(random.below(400))", observedAt: Self.now,
            expiresAt: lasts ? .distantFuture : Self.now.advanced(milliseconds: 1000))
          made.payload = [UInt8](repeating: 1, count: random.below(400))
          made.tags = (0..<random.below(4)).map { "tag\($0)" }
          return made
        }
        refused += Self.apply(indexes[chosen], reports).count { $0 == .full }
      }
      let sizes = indexes.map { $0.statistics() }
      #expect(quota.objects == sizes.reduce(0) { $0 + $1.objectCount })
      #expect(quota.bytes == indexes.reduce(0) { $0 + $1.recordBytesInUse })
      #expect(quota.objects <= 400 && quota.bytes <= 60_000)
    }
    #expect(refused > 0)
    indexes = []
    #expect(quota.objects == 0 && quota.bytes == 0)
  }

  @Test func oneIndexTakesWhatAnotherGivesBack() throws {
    let quota = SharedQuota(maximumObjects: 10, maximumBytes: 1 << 20)
    let (a, b) = (
      try SharedLiveIndex(reserving: LiveIndexConfiguration(maximumObjects: 100, quota: quota)),
      try SharedLiveIndex(reserving: LiveIndexConfiguration(maximumObjects: 100, quota: quota))
    )
    let reports = (0..<12).map {
      report("object-\($0)", observedAt: Self.now, expiresAt: .distantFuture)
    }
    #expect(Self.apply(a, Array(reports.prefix(8))).allSatisfy { $0 == .inserted })
    #expect(Self.apply(b, Array(reports.prefix(4))) == [.inserted, .inserted, .full, .full])
    #expect(a.remove(ids: ["object-0"], now: Self.now) == [true])
    #expect(Self.apply(b, Array(reports[2..<4])) == [.inserted, .full])
    // Those that are there are moved and changed.
    #expect(Self.apply(a, [reports[1]]) == [.updated])
  }

  @Test func addressSpaceThatIsNotThereIsAnError() {
    #expect(throws: AddressSpaceError(bytes: 1 << 50)) { try AddressSpace(bytes: 1 << 50) }
    #expect(AddressSpaceError(bytes: 1 << 50).description.contains("ulimit -v"))
  }
}
