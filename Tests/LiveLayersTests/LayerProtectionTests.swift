import GeoMath
import ObjectModel
import PositionProtection
import SpatialIndexing
import Testing

@testable import LiveLayers

/// A layer whose positions are protected, and what an adversary with its reads can learn.
@Suite struct LayerProtectionTests {
  static let start = Instant(milliseconds: 1_795_183_800_000)
  static let middle = Coordinate(uncheckedLatitude: 37.5172, longitude: 127.0473)

  static func registry(
    _ clock: ManualClock = ManualClock(start), isProtected: Bool = true
  ) -> LayerRegistry {
    LayerRegistry(
      configuration: LayerRegistryConfiguration { _ in
        var settings = LayerSettings()
        settings.protection = isProtected ? ProtectionSettings() : nil
        return settings
      }, clock: clock, epoch: 9)
  }

  static func report(
    _ layers: LayerRegistry, _ places: [(id: String, place: Coordinate)], ttl: Int64? = 0,
    observedAt: Instant? = nil
  ) throws -> [ReportOutcome] {
    let layer = try layers.layerForReports("people")
    return layer.report(
      places.map {
        PositionReport(
          id: $0.id, latitude: $0.place.latitude, longitude: $0.place.longitude,
          ttlMilliseconds: ttl, observedAt: observedAt)
      }, now: layers.clock.now(), limits: layers.limits)
  }

  /// Where readers see somebody.
  static func shown(_ layers: LayerRegistry, _ id: String) throws -> Coordinate? {
    try layers.layer("people").index.withObject(id: id, now: layers.clock.now()) { hit in
      Coordinate(uncheckedLatitude: hit.latitude, longitude: hit.longitude)
    }
  }

  static func protection(_ layers: LayerRegistry) throws -> LayerProtection {
    try #require(try layers.layer("people").protection)
  }

  /// Four at one place, so that the fifth gets a smallest cell there.
  static func crowd(_ place: Coordinate) -> [(id: String, place: Coordinate)] {
    (0..<4).map { ("crowd\($0)", place) }
  }

  /// Places all over the cell about ``middle``.
  static func places(_ count: Int, _ grid: ProtectionGrid, seed: UInt64) -> [Coordinate] {
    var random = SplitMix64(seed: seed)
    let cell = grid.cell(of: middle, level: 0)
    var found: [Coordinate] = []
    while found.count < count {
      let place = middle.destination(
        bearingDegrees: random.unit() * 360, meters: 400 * random.unit().squareRoot())
      if grid.cell(of: place, level: 0) == cell { found.append(place) }
    }
    return found
  }

  // MARK: - What is shown

  @Test func readersSeeTheMiddleOfACellThatHoldsFive() throws {
    let layers = Self.registry()
    _ = try Self.report(layers, [("ann", Self.middle)])
    let grid = try Self.protection(layers).grid
    let widest = grid.cell(of: Self.middle, level: grid.maximumLevel)
    #expect(
      try #require(try Self.shown(layers, "ann")).distanceMeters(to: grid.center(of: widest)) < 0.1)
    _ = try Self.report(layers, Self.crowd(Self.middle))
    // Who is fifth gets the smallest cell; the others stay where they are shown.
    _ = try Self.report(layers, [("ben", Self.middle)])
    let smallest = grid.cell(of: Self.middle, level: 0)
    let ben = try #require(try Self.shown(layers, "ben"))
    #expect(ben.distanceMeters(to: grid.center(of: smallest)) < 0.1)
    #expect(
      try #require(try Self.shown(layers, "ann")).distanceMeters(to: grid.center(of: widest)) < 0.1)
    // A layer that is not protected shows what was reported.
    let open = Self.registry(isProtected: false)
    _ = try Self.report(open, [("ann", Self.middle)])
    #expect(try #require(try Self.shown(open, "ann")).distanceMeters(to: Self.middle) < 0.1)
  }

  @Test func movesByHandleAreSnappedAndOnesWithinTheMarginDoNotShow() throws {
    let layers = Self.registry()
    _ = try Self.report(layers, Self.crowd(Self.middle) + [("ann", Self.middle)])
    let layer = try layers.layer("people")
    let grid = try Self.protection(layers).grid
    let before = try #require(try Self.shown(layers, "ann"))
    let handle = try #require(layer.index.handles(ids: ["ann"], now: Self.start)[0])
    func move(_ meters: Double) throws -> Coordinate {
      let place = grid.center(of: grid.cell(of: Self.middle, level: 0)).destination(
        bearingDegrees: 90, meters: meters)
      var batch = UpdateBatch(columnCount: 0)
      batch.append(
        handle: handle, latitude: place.latitude, longitude: place.longitude,
        observedAt: Self.start, expiresAt: .distantFuture, isReceiptTime: true)
      var outcomes: [UpdateOutcome] = []
      layer.apply(batch, now: Self.start, outcomes: &outcomes)
      #expect(outcomes == [.updated])
      return try #require(try Self.shown(layers, "ann"))
    }
    // 125 m is the border, and the margin at least 50 m.
    for meters in [20.0, 120, 170] { #expect(try move(meters) == before) }
    // And at most a cell more than that.
    let far = try move(450)
    #expect(far != before)
    #expect(grid.cell(shownAt: far) != nil)
  }

  @Test func whoIsGoneIsCountedNoLongerAndComesBackToTheirCell() throws {
    let clock = ManualClock(Self.start)
    let layers = Self.registry(clock)
    _ = try Self.report(layers, Self.crowd(Self.middle))
    _ = try Self.report(layers, [("ann", Self.middle)], ttl: 10_000)
    let protection = try Self.protection(layers)
    #expect(protection.count == 5)
    let before = try Self.shown(layers, "ann")
    clock.advance(milliseconds: 20_000)
    _ = layers.reclaimExpired()
    #expect(protection.count == 4)
    // Just over the border: whether the point moved would tell on which side.
    let cell = protection.grid.cell(of: Self.middle, level: 0)
    let beyond = protection.grid.center(of: cell).destination(bearingDegrees: 90, meters: 150)
    _ = try Self.report(layers, [("ann", beyond)])
    #expect(try Self.shown(layers, "ann") == before)
    for id in ["crowd0", "crowd1", "crowd2", "crowd3", "ann"] {
      #expect(try layers.layer("people").remove(id: id, now: clock.now()))
    }
    #expect(protection.count == 0)
    _ = try Self.report(layers, [("ben", Self.middle)])
    let alone = protection.grid.cell(of: Self.middle, level: protection.grid.maximumLevel)
    #expect(
      try #require(try Self.shown(layers, "ben"))
        .distanceMeters(to: protection.grid.center(of: alone)) < 0.1)
  }

  @Test func aStaleReportMovesNobody() throws {
    let layers = Self.registry()
    _ = try Self.report(
      layers, Self.crowd(Self.middle) + [("ann", Self.middle)], observedAt: Self.start)
    let before = try Self.shown(layers, "ann")
    let far = Self.middle.destination(bearingDegrees: 0, meters: 5000)
    let outcomes = try Self.report(
      layers, [("ann", far)], observedAt: Self.start.advanced(milliseconds: -1000))
    #expect(outcomes == [.stale])
    #expect(try Self.shown(layers, "ann") == before)
    // The margin still counts from the old cell: nothing of the stale report was kept.
    _ = try Self.report(layers, [("ann", Self.middle)])
    #expect(try Self.shown(layers, "ann") == before)
  }

  @Test func aRestartShowsWhatWasShown() throws {
    let clock = ManualClock(Self.start)
    let layers = Self.registry(clock)
    _ = try Self.report(
      layers, Self.crowd(Self.middle) + [("ann", Self.middle), ("ben", Self.middle)])
    let archive = MemoryArchive()
    try PositionWriteBehind(layers: layers, archive: archive).writeRound()
    let grid = try Self.protection(layers).grid
    for kept in archive.kept.values {
      let place = Coordinate(uncheckedLatitude: kept.latitude, longitude: kept.longitude)
      #expect(grid.cell(shownAt: place) != nil, "exact places are never written")
    }
    let before = try ["ann", "ben", "crowd0"].map { try Self.shown(layers, $0) }
    let again = Self.registry(clock)
    #expect(try PositionWriteBehind(layers: again, archive: archive).load() == 6)
    #expect(try ["ann", "ben", "crowd0"].map { try Self.shown(again, $0) } == before)
    // They go on from the cell in which they were shown.
    _ = try Self.report(again, [("ben", Self.middle)])
    #expect(try Self.shown(again, "ben") == before[1])
    // What was kept before the layer was protected is snapped when it is read.
    let exact = MemoryArchive()
    let open = Self.registry(clock, isProtected: false)
    _ = try Self.report(open, [("ann", Self.middle)])
    try PositionWriteBehind(layers: open, archive: exact).writeRound()
    let later = Self.registry(clock)
    #expect(try PositionWriteBehind(layers: later, archive: exact).load() == 1)
    #expect(try grid.cell(shownAt: #require(try Self.shown(later, "ann"))) != nil)
  }

  // MARK: - The attack

  /// All that chosen reads answer: nearby with distances and order beside people of their own,
  /// boxes cut anywhere, cluster counts and centres at all zooms, what watches tell, what is written
  /// to the file that exports are made of. `walk`: where the victim goes meanwhile.
  static func transcript(
    _ layers: LayerRegistry, seed: UInt64, walk: [Coordinate] = []
  ) throws -> [String] {
    var random = SplitMix64(seed: seed)
    let layer = try layers.layer("people")
    let now = layers.clock.now()
    var told: [String] = []
    // Around the cell, and cut through it.
    let watches = try [3000, 130, 60].map { meters in
      try layer.watch(
        WatchQuery(areas: [.circle(center: middle, radiusMillimeters: meters * 1000)]),
        resuming: nil, clock: layers.clock)
    }
    func listen() {
      while layer.watches.flush(now: now) {}
      for (number, watch) in watches.enumerated() {
        func note(_ notice: WatchNotice, _ hit: HitView?) {
          let place = hit.map { "\($0.idString) \($0.latitude) \($0.longitude)" } ?? notice.id
          told.append("watch \(number): \(notice.kind) \(place)")
        }
        while watch.read(limit: 50, note) {}
      }
    }
    for i in 0..<300 {
      if i % 10 == 5, !walk.isEmpty {
        _ = try report(layers, [("vic", walk[i / 10 % walk.count])])
      }
      listen()
      let anchor = middle.destination(
        bearingDegrees: random.unit() * 360, meters: 1500 * random.unit())
      // Somebody of their own to be compared with.
      if i % 10 == 0 { _ = try report(layers, [("sib", anchor)]) }
      var search = NearbySearch(origin: anchor, limit: 10)
      search.radiusMillimeters = Int64(50_000 + random.unit() * 2_000_000)
      _ = try layer.nearby(search, now: now) { hit in
        told.append("\(hit.idString) \(hit.distanceMillimeters) \(hit.latitude) \(hit.longitude)")
      }
      let corner = anchor.destination(bearingDegrees: 45, meters: 10 + 400 * random.unit())
      let box = GeoBox(
        uncheckedWest: anchor.longitude, south: anchor.latitude, east: corner.longitude,
        north: corner.latitude)
      _ = try layer.within(WithinSearch(area: .box(box), limit: 10), now: now) {
        told.append("in \($0.idString)")
      }
    }
    let archive = MemoryArchive()
    try PositionWriteBehind(layers: layers, archive: archive).writeRound()
    for kept in archive.kept.values.sorted(by: { $0.key.id < $1.key.id }) {
      told.append("kept \(kept.key.id) \(kept.latitude) \(kept.longitude)")
    }
    while layer.feed.flush() {}
    let world = GeoBox(uncheckedWest: 126, south: 37, east: 128, north: 38)
    for zoom in 0...22 {
      let features = try layer.mapFeatures(
        in: world, zoom: zoom, filter: ObjectFilter(), limit: 100, now: now
      ).features
      told.append("\(zoom): \(features.map { "\($0.count) \($0.coordinate)" })")
    }
    return told
  }

  static func town(_ here: Coordinate, isProtected: Bool = true) throws -> LayerRegistry {
    let layers = registry(isProtected: isProtected)
    _ = try report(layers, crowd(middle))
    _ = try report(layers, [("vic", here)])
    return layers
  }

  @Test(arguments: [1, 2] as [UInt64])
  func allReadsAnswerTheSameWhereverInTheCellSomebodyIs(seed: UInt64) throws {
    let grid = try Self.protection(try Self.town(Self.middle)).grid
    let places = Self.places(4, grid, seed: seed)
    let first = try Self.transcript(try Self.town(places[0]), seed: seed)
    #expect(first.count > 300)
    #expect(first.contains { $0.hasPrefix("watch 0: enter vic ") })
    #expect(first.contains { $0.hasPrefix("kept vic ") })
    for place in places.dropFirst() {
      #expect(try Self.transcript(try Self.town(place), seed: seed) == first)
    }
    // In another cell it is another answer; and without protection in the same one.
    let elsewhere = Self.middle.destination(bearingDegrees: 90, meters: 600)
    #expect(try Self.transcript(try Self.town(elsewhere), seed: seed) != first)
    let exact = try places[0...1].map {
      try Self.transcript(try Self.town($0, isProtected: false), seed: seed)
    }
    // Each way by itself.
    for way in ["watch 0", "kept vic", "vic "] {
      #expect(
        exact[0].filter { $0.hasPrefix(way) } != exact[1].filter { $0.hasPrefix(way) }, "\(way)")
    }
  }

  /// Whoever reports as often as they like within their cell is told of as often, and always there.
  @Test func aWalkWithinACellTellsNothing() throws {
    let grid = try Self.protection(try Self.town(Self.middle)).grid
    let walks = [3, 4].map { Self.places(7, grid, seed: $0) }
    let told = try walks.map { walk in
      try Self.transcript(try Self.town(Self.middle), seed: 5, walk: walk)
    }
    #expect(told[0] == told[1])
    let exact = try walks.map { walk in
      try Self.transcript(try Self.town(Self.middle, isProtected: false), seed: 5, walk: walk)
    }
    #expect(exact[0] != exact[1])
  }
}
