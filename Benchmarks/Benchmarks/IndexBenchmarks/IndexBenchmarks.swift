import Benchmark
import GeoMath
import ObjectModel
import SeoulWorkload
import SpatialIndexing

private let now = Instant(milliseconds: 1_760_000_000_000)

/// A hundred thousand points of the workload; the suite measures the million.
private struct City {
  let index = SharedLiveIndex()
  let handles: [ObjectHandle]
  let places: [Place]
  let queries: [Place]

  init(count: Int) {
    let workload = SeoulWorkload()
    places = workload.places(count, seed: 2)
    queries = workload.places(4096, seed: 3)
    var batch = UpdateBatch()
    var outcomes: [UpdateOutcome] = []
    for (i, place) in places.enumerated() {
      batch.append(
        id: SeoulWorkload.identifier(i), latitude: place.latitude, longitude: place.longitude,
        tags: SeoulWorkload.tags(i), observedAt: now, expiresAt: .distantFuture)
    }
    index.apply(batch, now: now, outcomes: &outcomes)
    handles = index.handles(ids: (0..<count).map(SeoulWorkload.identifier), now: now)
      .compactMap { $0 }
  }

  func nearest(_ i: Int, limit: Int, radius: Int64? = nil, tags: [String] = []) -> Int {
    let place = queries[i & 4095]
    return index.nearest(
      NearestQuery(
        latitude: place.latitude, longitude: place.longitude, limit: limit,
        maximumDistanceMillimeters: radius, filter: SearchFilter(tags: tags)), now: now
    ) { blackHole($0.distanceMillimeters) }
  }
}

let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .throughput, .peakMemoryResident], warmupIterations: 3,
    scalingFactor: .kilo, maxDuration: .seconds(3))
  let city = City(count: 100_000)

  Benchmark("nearest 20") { benchmark in
    for i in benchmark.scaledIterations { blackHole(city.nearest(i, limit: 20)) }
  }
  Benchmark("radius 1 km limit 50") { benchmark in
    for i in benchmark.scaledIterations {
      blackHole(city.nearest(i, limit: 50, radius: 1_000_000))
    }
  }
  Benchmark("nearest 20 tag 1 %") { benchmark in
    for i in benchmark.scaledIterations {
      blackHole(city.nearest(i, limit: 20, tags: ["t1"]))
    }
  }
  for meters in [5.0, 50] {
    Benchmark("1,000 moves of \(Int(meters)) m") { benchmark in
      var g = WorkloadGenerator(seed: 7)
      var outcomes: [UpdateOutcome] = []
      var batch = UpdateBatch()
      for i in 0..<1000 {
        let place = SeoulWorkload.moved(city.places[i * 97], meters: meters, &g)
        batch.append(
          handle: city.handles[i * 97], latitude: place.latitude, longitude: place.longitude,
          observedAt: now, expiresAt: .distantFuture)
      }
      benchmark.startMeasurement()
      for _ in benchmark.scaledIterations {
        city.index.apply(batch, now: now, outcomes: &outcomes)
      }
    }
  }
}
