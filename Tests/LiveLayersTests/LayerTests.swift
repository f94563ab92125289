import GeoMath
import ObjectModel
import SpatialIndexing
import Testing

@testable import LiveLayers

@Suite struct LayerTests {
  static let start = Instant(milliseconds: 1_795_183_800_000)

  private func registry(
    clock: ManualClock = ManualClock(start), columns: [String] = [], defaultTTL: Int64 = 60_000
  ) -> LayerRegistry {
    LayerRegistry(
      configuration: LayerRegistryConfiguration(layerSettings: { _ in
        var settings = LayerSettings()
        settings.columns = columns
        settings.defaultTTLMilliseconds = defaultTTL
        return settings
      }), clock: clock, epoch: 9)
  }

  private func ids(_ layer: Layer, _ search: NearbySearch, now: Instant) throws -> [String] {
    var ids: [String] = []
    _ = try layer.nearby(search, now: now) { ids.append($0.idString) }
    return ids
  }

  private static let origin = Coordinate(uncheckedLatitude: 37.5, longitude: 127)

  @Test func layersBeginWithAReportAndHaveALimit() throws {
    let layers = registry()
    #expect(throws: LayerError.unknownLayer("users")) { try layers.layer("users") }
    #expect(throws: LayerError.badLayerName("No")) { try layers.layer("No") }
    #expect(throws: LayerError.badLayerName("No")) { try layers.layerForReports("No") }
    #expect(throws: LayerError.reservedLayer("parties")) {
      try layers.layerForReports("parties")
    }
    for i in 0..<64 { _ = try layers.layerForReports("l\(i)") }
    #expect(throws: LayerError.tooManyLayers(limit: 64)) { try layers.layerForReports("more") }
    #expect(try layers.layerForReports("l3") === layers.layer("l3"))
    #expect(layers.all.count == 64)
  }

  @Test func versionsGrowAndTellEarlierStartsApart() throws {
    let layers = registry()
    let layer = try layers.layerForReports("users")
    let before = layer.version
    _ = layer.report(
      [PositionReport(id: "a", latitude: 1, longitude: 1)], now: Self.start, limits: layers.limits)
    let after = layer.version
    #expect(after.epoch == before.epoch && after.counter > before.counter)
    try layer.require(minVersion: nil)
    try layer.require(minVersion: before.text)
    try layer.require(minVersion: after.text)
    try layer.require(minVersion: LayerVersion(epoch: 8, counter: .max).text)
    let future = LayerVersion(epoch: 9, counter: after.counter + 1).text
    #expect(throws: LayerError.versionNotReached(future)) { try layer.require(minVersion: future) }
    #expect(throws: LayerError.badVersion("x")) { try layer.require(minVersion: "x") }
  }

  @Test func ttlAndObservationDecideWhenAnObjectEnds() throws {
    let layers = registry(defaultTTL: 10_000)
    let layer = try layers.layerForReports("users")
    let now = Self.start
    func report(_ id: String, ttl: Int64?, observed: Int64?) -> PositionReport {
      PositionReport(
        id: id, latitude: 37.5, longitude: 127, ttlMilliseconds: ttl,
        observedAt: observed.map { now.advanced(milliseconds: $0) })
    }
    let outcomes = layer.report(
      [
        report("default", ttl: nil, observed: nil), report("short", ttl: 1000, observed: nil),
        report("forever", ttl: 0, observed: -1_000_000),
        report("old", ttl: 1000, observed: -999), report("dead", ttl: 1000, observed: -1000),
        report("skewed", ttl: 1000, observed: 5000), report("future", ttl: 1000, observed: 5001),
        PositionReport(
          id: "dawn", latitude: 37.5, longitude: 127, ttlMilliseconds: 0,
          observedAt: .distantPast),
        PositionReport(id: "dusk", latitude: 37.5, longitude: 127, observedAt: .distantFuture),
      ], now: now, limits: layers.limits)
    #expect(
      outcomes.map { $0 == .accepted } == [true, true, true, true, false, true, true, true, true])
    #expect(outcomes[4] == .alreadyExpired)
    let search = NearbySearch(origin: Self.origin, limit: 100)
    func alive(_ milliseconds: Int64) throws -> Set<String> {
      Set(try ids(layer, search, now: now.advanced(milliseconds: milliseconds)))
    }
    let always: Set = ["forever", "dawn"]
    #expect(
      try alive(0) == always.union(["default", "short", "old", "skewed", "future", "dusk"]))
    #expect(try alive(1) == always.union(["default", "short", "skewed", "future", "dusk"]))
    #expect(try alive(999) == always.union(["default", "short", "skewed", "future", "dusk"]))
    #expect(try alive(1000) == always.union(["default", "skewed", "dusk"]))
    #expect(try alive(6000) == always.union(["default", "dusk"]))
    #expect(try alive(10_000) == always)
    #expect(try alive(1_000_000_000_000) == always)
  }

  /// A condition on a column and the same on an attribute that is none give one answer.
  @Test(arguments: [UInt64(1), 2, 3])
  func columnsChangeNoAnswer(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let values: [AttributeValue?] = [
      nil, .number(0), .number(-0.0), .number(1), .number(2.5), .number(1e300), .string("1"),
      .string(""), .bool(true), .bool(false),
    ]
    let reports = (0..<200).map { i -> PositionReport in
      var attributes: [(name: String, value: AttributeValue)] = [("other", .number(Double(i)))]
      if let value = values.randomElement(using: &generator) ?? nil {
        attributes.append(("level", value))
      }
      return PositionReport(
        id: "\(i)", latitude: 37.5, longitude: 127,
        attributes: AttributeEncoding.encode(attributes))
    }
    let layers = try [["level"], [], ["x", "y", "z", "level"], ["x", "y", "z", "w", "level"]].map {
      let layer = try registry(columns: $0).layerForReports("users")
      _ = layer.report(reports, now: Self.start, limits: LayerLimits())
      return layer
    }
    let tests: [AttributeCondition.Test] = [
      .equals(.number(0)), .equals(.number(-0.0)), .equals(.number(1)), .equals(.string("1")),
      .equals(.string("")), .equals(.bool(true)), .equals(.bool(false)),
      .range(minimum: 0, maximum: 1), .range(minimum: -.infinity, maximum: 2.5),
      .range(minimum: 1, maximum: .infinity), .range(minimum: 2, maximum: 1),
      .range(minimum: -.infinity, maximum: .infinity),
    ]
    var found = 0
    for test in tests {
      var search = NearbySearch(origin: Self.origin, limit: 1000)
      search.filter.conditions = [AttributeCondition(attribute: "level", test: test)]
      let answers = try layers.map { try ids($0, search, now: Self.start) }
      for answer in answers { #expect(answer == answers[0], "\(test)") }
      found += answers[0].count
    }
    #expect(found > 200)
  }

  /// A forged place in the order is an odd page, never a trap.
  @Test func forgedCursorsAreOddPages() throws {
    let layers = registry()
    let layer = try layers.layerForReports("users")
    _ = layer.report(
      (0..<50).map { PositionReport(id: "\($0)", latitude: 37.5, longitude: 127) },
      now: Self.start, limits: layers.limits)
    var search = NearbySearch(origin: Self.origin, limit: 10)
    var within = WithinSearch(area: .box(.world), limit: 10)
    for key in [0, 1, UInt64.max, 1 << 63, UInt64(Int64.max)] {
      for id in ["\0", "5", "\u{10FFFF}"] {
        search.cursor =
          PagingCursor(fingerprint: search.fingerprint(layer: "users"), key: key, id: id).text
        _ = try? ids(layer, search, now: Self.start)
        within.cursor =
          PagingCursor(fingerprint: within.fingerprint(layer: "users"), key: key, id: id).text
        _ = try layer.within(within, now: Self.start) { _ in }
      }
    }
    // Further than any two places are apart.
    search.cursor =
      PagingCursor(fingerprint: search.fingerprint(layer: "users"), key: 1 << 40, id: "a").text
    #expect(throws: LayerError.badCursor) { try ids(layer, search, now: Self.start) }
  }

  @Test func removalTellsWhetherAnythingWasThere() throws {
    let clock = ManualClock(Self.start)
    let layers = registry(clock: clock)
    let layer = try layers.layerForReports("users")
    _ = layer.report(
      [PositionReport(id: "a", latitude: 1, longitude: 1)], now: clock.now(), limits: layers.limits)
    #expect(layer.remove(id: "a", now: clock.now()))
    #expect(!layer.remove(id: "a", now: clock.now()))
    _ = layer.report(
      [PositionReport(id: "a", latitude: 1, longitude: 1)], now: clock.now(), limits: layers.limits)
    clock.advance(milliseconds: 60_000)
    #expect(!layer.remove(id: "a", now: clock.now()), "an expired object is not there")
    _ = layer.report(
      (0..<10).map { PositionReport(id: "\($0)", latitude: 1, longitude: 1) },
      now: clock.now(), limits: layers.limits)
    #expect(!layers.mayExpire(withinMilliseconds: 58_000))
    #expect(layers.mayExpire(withinMilliseconds: 60_000))
    clock.advance(milliseconds: 60_000)
    #expect(layers.mayExpire(withinMilliseconds: 0))
    #expect(layers.reclaimExpired(limit: 4) == 4)
    #expect(layers.reclaimExpired() == 6)
    #expect(layer.index.statistics().objectCount == 0)
  }

  /// A circle is counted page by page; at 180 degrees, at a pole and at home it equals a scan.
  @Test(arguments: [
    Coordinate(uncheckedLatitude: 37.5, longitude: 127),
    Coordinate(uncheckedLatitude: -17, longitude: 179.99),
    Coordinate(uncheckedLatitude: 89.97, longitude: 10),
  ])
  func histogramsOfCirclesEqualAScan(center: Coordinate) throws {
    var random = SplitMix64(seed: 11)
    let layer = try registry().layerForReports("users")
    var reports: [PositionReport] = []
    for i in 0..<3000 {
      let place = center.destination(
        bearingDegrees: Double.random(in: 0..<360, using: &random),
        meters: i % 7 == 0 ? 1000 : Double.random(in: 0...4000, using: &random))
      reports.append(
        PositionReport(
          id: "\(i)", latitude: place.latitude, longitude: place.longitude,
          tags: i % 2 == 0 ? ["even", "t\(i % 5)"] : ["t\(i % 5)"]))
    }
    _ = layer.report(reports, now: Self.start, limits: LayerLimits())
    let origin = DistanceOrigin(center)
    for radius: Int64 in [0, 1, 1_000_000, 2_500_000, 9_000_000] {
      var expected: [String: Int] = [:]
      for report in reports
      where origin.millimeters(latitude: report.latitude, longitude: report.longitude) <= radius {
        for tag in report.tags { expected[tag, default: 0] += 1 }
      }
      let rows = layer.tagHistogram(
        area: .circle(center: center, radiusMillimeters: radius), filter: ObjectFilter(),
        limit: 20, now: Self.start)
      #expect(Dictionary(uniqueKeysWithValues: rows.map { ($0.tag, $0.count) }) == expected)
    }
  }

  @Test func histogramsOfAnEmptyLayerAreEmpty() throws {
    let layers = registry()
    let layer = try layers.layerForReports("users")
    for area in [
      TagHistogramArea.everywhere, .area(.box(.world)),
      .circle(center: Self.origin, radiusMillimeters: 1000),
    ] {
      #expect(
        layer.tagHistogram(area: area, filter: ObjectFilter(), limit: 5, now: Self.start).isEmpty)
    }
  }
}
