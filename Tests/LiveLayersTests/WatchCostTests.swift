import GeoMath
import ObjectModel
import SpatialIndexing
import Testing

@testable import LiveLayers

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a move costs when 10,000 areas are watched:
/// `MOYEO_MEASURE=1 swift test -c release --filter WatchCostTests`.
@Suite(.serialized) struct WatchCostTests {
  private static var isMeasuring: Bool { getenv("MOYEO_MEASURE") != nil }

  private static func cpuNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// Moves of 5-60 m among 100,000 objects over a city of 30 x 30 km.
  ///
  /// - Returns: CPU nanoseconds a move, applied and matched.
  private func cost(
    fences: Int, radiusMillimeters: ClosedRange<Int64>, moves: Int, objects: Int
  ) throws -> (apply: Double, match: Double, told: Int) {
    let clock = ManualClock(Instant(milliseconds: 1_795_183_800_000))
    let layers = LayerRegistry(
      configuration: LayerRegistryConfiguration(layerSettings: { _ in
        var settings = LayerSettings()
        settings.clusters = false
        return settings
      }), clock: clock, epoch: 1)
    let layer = try layers.layerForReports("users")
    var random = SplitMix64(seed: 42)
    func place() -> (Double, Double) {
      (
        37.5 + .random(in: -0.135...0.135, using: &random),
        127 + .random(in: -0.17...0.17, using: &random)
      )
    }
    var places = (0..<objects).map { _ in place() }
    for start in stride(from: 0, to: objects, by: 1000) {
      _ = layer.report(
        (start..<start + 1000).map {
          PositionReport(
            id: "object-\($0)", latitude: places[$0].0, longitude: places[$0].1, ttlMilliseconds: 0)
        }, now: clock.now(), limits: layers.limits)
    }
    let handles = layer.index.handles(ids: (0..<objects).map { "object-\($0)" }, now: clock.now())
      .compactMap { $0 }
    let areas = (0..<fences).map { _ in
      let (latitude, longitude) = place()
      return WatchArea.circle(
        center: Coordinate(uncheckedLatitude: latitude, longitude: longitude),
        radiusMillimeters: .random(in: radiusMillimeters, using: &random))
    }
    let reader =
      fences == 0
      ? nil : try layer.watch(WatchQuery(areas: areas), resuming: nil, clock: clock)
    var apply = 0.0
    var match = 0.0
    for _ in 0..<moves / 1000 {
      var batch = UpdateBatch(columnCount: 0)
      for _ in 0..<1000 {
        let i = Int.random(in: 0..<objects, using: &random)
        places[i].0 += .random(in: -0.0005...0.0005, using: &random)
        places[i].1 += .random(in: -0.0005...0.0005, using: &random)
        batch.append(
          handle: handles[i], latitude: places[i].0, longitude: places[i].1,
          observedAt: clock.now(), expiresAt: .distantFuture)
      }
      var outcomes: [UpdateOutcome] = []
      let start = Self.cpuNanoseconds()
      layer.apply(batch, now: clock.now(), outcomes: &outcomes)
      let applied = Self.cpuNanoseconds()
      while layer.watches.flush(now: clock.now()) {}
      let matched = Self.cpuNanoseconds()
      apply += applied - start
      match += matched - applied
    }
    var told = 0
    if let reader {
      while reader.read(limit: 1000, { notice, _ in if !notice.isSnapshot { told += 1 } }) {}
    }
    return (apply / Double(moves), match / Double(moves), told)
  }

  @Test(.enabled(if: isMeasuring, "a measurement: MOYEO_MEASURE=1"))
  func aMoveAmongTenThousandFences() throws {
    let moves = 200_000
    let objects = 100_000
    let none = try cost(fences: 0, radiusMillimeters: 1...2, moves: moves, objects: objects)
    print("no watch: apply \(Int(none.apply)) ns a move")
    for (name, radius) in [
      ("50-150 m", 50_000...150_000), ("100-500 m", 100_000...500_000),
      ("500-1500 m", 500_000...1_500_000),
    ] as [(String, ClosedRange<Int64>)] {
      let with = try cost(
        fences: 10_000, radiusMillimeters: radius, moves: moves, objects: objects)
      print(
        "10,000 fences of \(name): apply \(Int(with.apply)) ns, match \(Int(with.match)) ns a move")
      if name == "50-150 m" { #expect(with.apply - none.apply + with.match < 1000) }
    }
  }
}
