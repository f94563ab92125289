import Dispatch
import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

@Suite struct LiveIndexExpiryTests {
  private func report(_ id: String, observedAt: Instant, expiresAt: Instant) -> TestReport {
    TestReport(
      id: id, latitude: 37.5, longitude: 127, tags: ["t"], observedAt: observedAt,
      expiresAt: expiresAt)
  }

  private func apply(_ index: SharedLiveIndex, _ reports: [TestReport], now: Instant)
    -> [UpdateOutcome]
  {
    var batch = UpdateBatch()
    for report in reports { batch.append(report) }
    var outcomes: [UpdateOutcome] = []
    index.apply(batch, now: now, outcomes: &outcomes)
    return outcomes
  }

  /// Times near and far, so that packed and wide times are both met.
  @Test(arguments: [
    Instant(milliseconds: 1_760_000_000_000), Instant(milliseconds: 0),
    Instant(milliseconds: -5_000_000_000_000), Instant(milliseconds: 253_402_300_799_000),
  ])
  func nothingExpiredIsEverAnswered(start: Instant) throws {
    let clock = ManualClock(Instant(milliseconds: 1_760_000_000_000))
    let index = SharedLiveIndex()
    let offset = clock.now().milliseconds - start.milliseconds
    // `start` is the moment of observation; the clock is read relative to it.
    func now() -> Instant { clock.now().advanced(milliseconds: -offset) }
    let lives: [Int64] = [1, 1000, 59_999, 60_000, 86_400_000, 40 * 86_400_000]
    let reports = lives.map { life in
      report("life-\(life)", observedAt: start, expiresAt: start.advanced(milliseconds: life))
    }
    #expect(apply(index, reports, now: now()).allSatisfy { $0 == .inserted })
    for step in [0, 1, 998, 1, 58_999, 1, 86_340_000, 3_369_600_000, 86_400_000] as [Int64] {
      clock.advance(milliseconds: step)
      let live = Set(reports.filter { $0.expiresAt > now() }.map(\.id))
      var near: Set<String> = []
      index.nearest(NearestQuery(latitude: 37.5, longitude: 127, limit: 100), now: now()) {
        near.insert($0.idString)
      }
      #expect(near == live)
      var inside: Set<String> = []
      index.within(WithinQuery(area: .box(.world), limit: 100), now: now()) {
        inside.insert($0.idString)
      }
      #expect(inside == live)
      var all: Set<String> = []
      index.forEachObject(now: now()) { all.insert($0.idString) }
      #expect(all == live)
      let rows = index.tagHistogram(area: nil, limit: 5, now: now())
      #expect(rows.map(\.count) == (live.isEmpty ? [] : [live.count]))
      for report in reports {
        let isLive = live.contains(report.id)
        #expect((index.withObject(id: report.id, now: now()) { $0.expiresAt } != nil) == isLive)
        #expect((index.handles(ids: [report.id], now: now())[0] != nil) == isLive)
      }
      try index.checkInvariants()
    }
    #expect(index.reclaimExpired(now: now(), limit: 1000) == reports.count)
    #expect(index.statistics().objectCount == 0)
    #expect(index.reclaimExpired(now: now(), limit: 1000) == 0)
  }

  /// A writer that waits for a reader keeps all other readers waiting.
  @Test func lookingForWhatExpiredWaitsForNoReaderWhileNothingIsDue() {
    let index = SharedLiveIndex()
    let start = Instant(milliseconds: 1_760_000_000_000)
    let end = start.advanced(milliseconds: 60_000)
    _ = apply(index, [report("a", observedAt: start, expiresAt: end)], now: start)
    let (isLooking, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let readerMayEnd = DispatchSemaphore(value: 0)
    let readerHasEnded = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      index.nearest(NearestQuery(latitude: 37.5, longitude: 127, limit: 1), now: start) { _ in
        isLooking.signal()
        readerMayEnd.wait()
      }
      readerHasEnded.signal()
    }
    isLooking.wait()
    DispatchQueue.global().async {
      #expect(index.reclaimExpired(now: start, limit: 10) == 0)
      isDone.signal()
    }
    // Only a failure waits that long.
    #expect(isDone.wait(timeout: .now() + 10) == .success)
    readerMayEnd.signal()
    readerHasEnded.wait()
    #expect(index.reclaimExpired(now: end, limit: 10) == 1)
  }

  @Test func anExpiredObjectCountsAsAbsent() throws {
    let index = SharedLiveIndex()
    let t0 = Instant(milliseconds: 1_760_000_000_000)
    let t1 = t0.advanced(milliseconds: 60_000)
    _ = apply(index, [report("a", observedAt: t0, expiresAt: t1)], now: t0)
    let handle = try #require(index.handles(ids: ["a"], now: t0)[0])
    // Its expiry has come: an older report is an insert, the old handle is void.
    let older = report(
      "a", observedAt: t0.advanced(milliseconds: -1), expiresAt: .distantFuture)
    #expect(apply(index, [older], now: t1) == [.inserted])
    let next = try #require(index.handles(ids: ["a"], now: t1)[0])
    #expect(next != handle)
    #expect(index.withObject(handle: handle, now: t1) { _ in true } == nil)
    var batch = UpdateBatch()
    batch.append(
      handle: handle, latitude: 1, longitude: 1, observedAt: t1, expiresAt: .distantFuture)
    var outcomes: [UpdateOutcome] = []
    index.apply(batch, now: t1, outcomes: &outcomes)
    #expect(outcomes == [.unknownHandle])
    #expect(index.remove(ids: ["a", "b"], now: t1) == [true, false])
  }

  @Test func staleAndEqualTimes() {
    let index = SharedLiveIndex()
    let t = Instant(milliseconds: 1_760_000_000_000)
    let first = report("a", observedAt: t, expiresAt: .distantFuture)
    #expect(apply(index, [first], now: t) == [.inserted])
    #expect(apply(index, [first], now: t) == [.updated])
    let older = report("a", observedAt: t.advanced(milliseconds: -1), expiresAt: .distantFuture)
    #expect(apply(index, [older], now: t) == [.stale])
    // Each of two entries is judged by what stands when its turn comes.
    #expect(apply(index, [first, older], now: t) == [.updated, .stale])
    #expect(apply(index, [older, first], now: t) == [.stale, .updated])
    let version = index.version
    #expect(apply(index, [older], now: t) == [.stale])
    #expect(index.version == version)
  }

  @Test func aStaleTwinDoesNotTakeAnAcceptedReportAway() throws {
    let index = SharedLiveIndex()
    let t = Instant(milliseconds: 1_760_000_000_000)
    func at(_ seconds: Int64, _ latitude: Double) -> TestReport {
      var made = report(
        "x", observedAt: t.advanced(milliseconds: seconds * 1000), expiresAt: .distantFuture)
      made.latitude = latitude
      return made
    }
    #expect(apply(index, [at(-10, 1)], now: t) == [.inserted])
    #expect(apply(index, [at(0, 2), at(-20, 3)], now: t) == [.updated, .stale])
    #expect(index.withObject(id: "x", now: t) { $0.latitude } == 2)
    #expect(apply(index, [at(-1, 4), at(-2, 5)], now: t) == [.stale, .stale])
    #expect(apply(index, [at(-2, 4), at(-1, 5)], now: t) == [.stale, .stale])
    #expect(index.withObject(id: "x", now: t) { $0.latitude } == 2)
  }

  @Test(arguments: [1, 2_000]) func aTimeOfReceiptIsNeverStale(batchSize: Int) throws {
    let index = SharedLiveIndex()
    let t = Instant(milliseconds: 1_760_000_000_000)
    let ids = (0..<batchSize).map { "o\($0)" }
    _ = apply(index, ids.map { report($0, observedAt: t, expiresAt: .distantFuture) }, now: t)
    // The wall clock was set back by an hour, or another receiver was faster.
    let back = t.advanced(milliseconds: -3_600_000)
    let handles = try index.handles(ids: ids, now: back).map { try #require($0) }
    let expiry = back.advanced(milliseconds: 7_200_000)
    for isMove in [false, true] {
      for isReceiptTime in [false, true] {
        var batch = UpdateBatch()
        for (id, handle) in zip(ids, handles) {
          let latitude = isMove ? 37.5 : 37.6
          if isMove {
            batch.append(
              handle: handle, latitude: latitude, longitude: 127, observedAt: back,
              expiresAt: expiry, isReceiptTime: isReceiptTime)
          } else {
            batch.append(
              id: id, latitude: latitude, longitude: 127, observedAt: back, expiresAt: expiry,
              isReceiptTime: isReceiptTime)
          }
        }
        var outcomes: [UpdateOutcome] = []
        index.apply(batch, now: back, outcomes: &outcomes)
        #expect(outcomes == ids.map { _ in isReceiptTime ? .updated : .stale })
        let seen = index.withObject(id: ids[0], now: back) { ($0.observedAt, $0.expiresAt) }
        #expect(seen?.0 == t)
        #expect(seen?.1 == (isReceiptTime || isMove ? expiry : .distantFuture))
      }
    }
    try index.checkInvariants()
  }
}
