import Glibc
import ObjectModel
import SeoulWorkload
import SpatialIndexing
import Synchronization

extension Suite {
  private func median(_ samples: [UInt64]) -> Double {
    Double(samples.sorted()[samples.count / 2]) / 1000
  }

  /// Curves: is there a cliff?
  func sweeps() {
    var byCount: [(Double, Double)] = []
    var movesByCount: [(Double, Double)] = []
    for count in [10_000, 100_000, 1_000_000, 10_000_000] where count <= points * 10 {
      var f = Fixture(count: count, tagged: false)
      _ = f.nearest(limit: 20, queries: 2000)
      byCount.append((Double(count), median(f.nearest(limit: 20))))
      movesByCount.append(
        (Double(count), f.move(meters: 5, moves: 1_024_000, batchSize: 1024, seed: 5).apply))
      if count == (points < 1_000_000 ? 10_000 : 1_000_000) { limits(f) }
    }
    report.addCurve("nearest 20 by number of points", xName: "points", unit: "us", byCount)
    report.addCurve("a 5 m move by number of points", xName: "points", unit: "ns", movesByCount)
    shares()
    world()
    identical()
  }

  private func limits(_ f: Fixture) {
    let points = [1, 3, 10, 30, 100, 300, 1000].map { limit in
      (Double(limit), median(f.nearest(limit: limit, queries: 2000)))
    }
    report.addCurve("nearest k by k, 1M points", xName: "k", unit: "us", points)
  }

  /// Tags carried by 100 % down to 0.01 %, all on the same million points.
  private func shares() {
    let workload = SeoulWorkload()
    let places = workload.places(points, seed: 2)
    let index = SharedLiveIndex()
    let shares = [1, 10, 100, 1000, 10_000]
    var batch = UpdateBatch()
    var outcomes: [UpdateOutcome] = []
    var g = WorkloadGenerator(seed: 8)
    for (i, place) in places.enumerated() {
      batch.append(
        id: "\(i)", latitude: place.latitude, longitude: place.longitude,
        tags: shares.filter { g.next() % UInt64($0) == 0 }.map { "one-in-\($0)" },
        observedAt: suiteStart, expiresAt: .distantFuture)
      if batch.count == 1000 {
        index.apply(batch, now: suiteStart, outcomes: &outcomes)
        batch.removeAll()
      }
    }
    let queries = workload.places(2000, seed: 3)
    var curve: [(Double, Double)] = []
    for share in shares {
      var samples: [UInt64] = []
      for place in queries {
        let query = NearestQuery(
          latitude: place.latitude, longitude: place.longitude, limit: 20,
          filter: SearchFilter(tags: ["one-in-\(share)"]))
        let start = nanoseconds()
        index.nearest(query, now: suiteStart) { hit in precondition(hit.distanceMillimeters >= 0) }
        samples.append(nanoseconds() - start)
      }
      curve.append((100 / Double(share), median(samples)))
    }
    report.addCurve("nearest 20 by tag share, 1M points", xName: "%", unit: "us", curve)
  }

  private func world() {
    let curve = [10_000, 100_000, 1_000_000].filter { $0 <= points }.map { count in
      let f = Fixture(
        count: count, places: SeoulWorkload.worldPlaces(count, seed: 4),
        queries: SeoulWorkload.worldPlaces(2000, seed: 5), tagged: false)
      return (Double(count), median(f.nearest(limit: 20, queries: 2000)))
    }
    report.addCurve("nearest 20, uniform over the world", xName: "points", unit: "us", curve)
  }

  /// All at one place.
  private func identical() {
    var queries: [(Double, Double)] = []
    var moves: [(Double, Double)] = []
    for count in [1000, 10_000, 100_000, 1_000_000] where count <= points {
      let places = [Place](repeating: SeoulWorkload.center, count: count)
      var f = Fixture(count: count, places: places, queries: [SeoulWorkload.center], tagged: false)
      report.add(
        "inserts of \(count) at one place", Double(count) / f.insertSeconds / 1e6, "M/s",
        higherIsBetter: true)
      queries.append((Double(count), median(f.nearest(limit: 20, queries: 5))))
      moves.append(
        (Double(count), f.move(meters: 50, moves: 102_400, batchSize: 1024, seed: 5).apply))
    }
    report.addCurve("nearest 20, all at one place", xName: "points", unit: "us", queries)
    report.addCurve("a 50 m move away from one place", xName: "points", unit: "ns", moves)
  }

  // MARK: Readers and writers together

  /// Two threads, each doing reads and batches of 128 moves in a given share, by wall clock.
  func mixes() {
    for readShare in [90, 50] {
      let f = Fixture(count: points)
      let results = Mutex<(reads: [UInt64], writes: [UInt64])>(([], []))
      let threads = (0..<2).map { number in
        startThread {
          let (reads, writes) = self.mixedWork(f, readShare: readShare, seed: UInt64(number + 1))
          results.withLock {
            $0.reads += reads
            $0.writes += writes
          }
        }
      }
      for thread in threads { pthread_join(thread, nil) }
      let (reads, writes) = results.withLock { $0 }
      for (name, samples) in [("read", reads.sorted()), ("write of 128", writes.sorted())] {
        report.add(
          "mix \(readShare) % reads, \(name) median", Double(samples[samples.count / 2]) / 1000,
          "us")
        report.add(
          "mix \(readShare) % reads, \(name) p99.9",
          Double(samples[samples.count * 999 / 1000]) / 1000, "us")
      }
    }
  }

  private func mixedWork(
    _ f: Fixture, readShare: Int, seed: UInt64
  ) -> (reads: [UInt64], writes: [UInt64]) {
    var g = WorkloadGenerator(seed: seed)
    var reads: [UInt64] = []
    var writes: [UInt64] = []
    var batch = UpdateBatch(columnCount: 1)
    var outcomes: [UpdateOutcome] = []
    for _ in 0..<(points < 1_000_000 ? 500 : 20_000) {
      if g.next() % 100 < UInt64(readShare) {
        let place = f.queries[Int(g.next() % 10_000)]
        let query = NearestQuery(
          latitude: place.latitude, longitude: place.longitude, limit: 20)
        let start = nanoseconds()
        f.index.nearest(query, now: suiteStart) { hit in
          precondition(hit.distanceMillimeters >= 0)
        }
        reads.append(nanoseconds() - start)
      } else {
        batch.removeAll()
        for _ in 0..<128 {
          let i = Int(g.next() % UInt64(f.count))
          let place = SeoulWorkload.moved(f.places[i], meters: 50, &g)
          batch.append(
            handle: f.handles[i], latitude: place.latitude, longitude: place.longitude,
            observedAt: suiteStart, expiresAt: .distantFuture)
        }
        let start = nanoseconds()
        f.index.apply(batch, now: suiteStart, outcomes: &outcomes)
        writes.append(nanoseconds() - start)
      }
    }
    return (reads, writes)
  }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Starts a thread of the system's.
private func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  var thread = pthread_t()
  let work = Unmanaged.passRetained(Work(body)).toOpaque()
  let result = pthread_create(
    &thread, nil,
    { argument in
      if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
      return nil
    }, work)
  precondition(result == 0)
  return thread
}
