import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

/// The fast ways inside a search against the plain ways.
@Suite struct SearchPathTests {
  static let now = Instant(milliseconds: 1_760_000_000_000)

  @Test(arguments: [UInt64(71), 72])
  func rankSortSorts(seed: UInt64) {
    var g = SplitMix64(seed: seed)
    for round in 0..<400 {
      let count = Int.random(in: 0...64, using: &g)
      let span: ClosedRange<Int32> = round % 3 == 0 ? 0...5 : Int32.min...Int32.max
      let values = (0..<count).map { _ in Int32.random(in: span, using: &g) }
      var keys = values + [Int32](repeating: 7, count: RankSort.padding)
      let padded = (0..<UInt32(count + RankSort.padding)).map { $0 }
      let order = padded.prefix(count)
      var sorted = [UInt32](repeating: .max, count: count + 1)
      let hasTies = keys.withUnsafeMutableBufferPointer { keys in
        padded.withUnsafeBufferPointer { order in
          sorted.withUnsafeMutableBufferPointer { sorted in
            count == 0
              ? false
              : RankSort.sort(
                keys.baseAddress!, order.baseAddress!, count: count, into: sorted.baseAddress!)
          }
        }
      }
      let expected = order.sorted {
        values[Int($0)] != values[Int($1)] ? values[Int($0)] < values[Int($1)] : $0 < $1
      }
      #expect(Array(sorted.prefix(count)) == expected)
      #expect(hasTies == (Set(values).count < count))
    }
  }

  /// Whatever is cut away, the best `limit` squares stay.
  @Test(arguments: [UInt64(73), 74])
  func candidatesKeepTheBest(seed: UInt64) {
    var g = SplitMix64(seed: seed)
    for round in 0..<200 {
      let limit = Int.random(in: 1...60, using: &g)
      var all: [Float] = []
      let (kept, worst) = PlanarCandidates.withEmpty(
        limit: limit, scale: PlanarScale(latitude: 37.5), bound: .greatestFiniteMagnitude
      ) { candidates in
        for i in 0..<Int.random(in: 0...300, using: &g) {
          let square: Float =
            round % 4 == 0 ? 5e9 : .random(in: 0...(round % 4 == 1 ? 1 : 1e12), using: &g)
          all.append(square)
          if square <= candidates.bound { candidates.append(square, UInt32(i)) }
          candidates.reduceIfWorthwhile()
        }
        candidates.reduce()
        return (Set((0..<candidates.count).map { candidates.slot($0) }), candidates.worst)
      }
      let best = all.indices.sorted { all[$0] < all[$1] }.prefix(limit)
      for i in best where all[i] < all[best.last!] { #expect(kept.contains(UInt32(i))) }
      if all.count >= limit {
        #expect(kept.count >= limit)
        #expect(worst >= all[best.last!])
      }
    }
  }

  @Test(arguments: [UInt64(75), 76])
  func chordsAreBounds(seed: UInt64) {
    var g = SplitMix64(seed: seed)
    for _ in 0..<20_000 {
      let origin = (
        latitude: Double.random(in: -90...90, using: &g),
        longitude: Double.random(in: -180...180, using: &g)
      )
      let center = MercatorPoint(latitude: origin.latitude, longitude: origin.longitude)
      let bounds = ChordBounds(
        latitude: origin.latitude, longitude: origin.longitude, center: center)
      let near = Bool.random(using: &g)
      let other =
        near
        ? (
          latitude: max(-90, min(90, origin.latitude + .random(in: -0.01...0.01, using: &g))),
          longitude: Coordinate.wrappedLongitude(
            origin.longitude + .random(in: -0.01...0.01, using: &g))
        )
        : (
          latitude: Double.random(in: -90...90, using: &g),
          longitude: Double.random(in: -180...180, using: &g)
        )
      let point = MercatorPoint(latitude: other.latitude, longitude: other.longitude)
      let distance = DistanceOrigin(latitude: origin.latitude, longitude: origin.longitude)
        .millimeters(latitude: other.latitude, longitude: other.longitude)
      let limit = ChordBounds.square(within: distance)
      if point.y != 0 && point.y != .max {
        #expect(bounds.square(x: point.x, y: point.y) <= limit, "\(origin) \(other)")
      }
      let level = UInt32.random(in: 1...32, using: &g)
      let side = UInt64(1) << UInt64(32 - level)
      let mask = UInt32(truncatingIfNeeded: ~(side - 1))
      let least = bounds.least(x: point.x & mask, y: point.y & mask, side: side)
      let chord = max(0, least.squareRoot() - ChordBounds.slack)
      #expect(chord * chord <= limit, "\(origin) \(other) level \(level)")
    }
  }

  private func build(
    _ count: Int, _ place: (inout SplitMix64) -> (latitude: Double, longitude: Double),
    seed: UInt64
  ) -> (SharedLiveIndex, BruteForceIndex) {
    var g = SplitMix64(seed: seed)
    let index = SharedLiveIndex()
    var oracle = BruteForceIndex()
    var batch = UpdateBatch()
    var reports: [TestReport] = []
    for i in 0..<count {
      let at = place(&g)
      let report = TestReport(
        id: "o\(i)", latitude: at.latitude, longitude: at.longitude,
        tags: i % 50 == 0 ? ["rare"] : i % 7 == 0 ? ["seventh"] : [], observedAt: Self.now,
        expiresAt: .distantFuture)
      reports.append(report)
      batch.append(report)
    }
    var outcomes: [UpdateOutcome] = []
    index.apply(batch, now: Self.now, outcomes: &outcomes)
    _ = oracle.apply(reports, now: Self.now)
    return (index, oracle)
  }

  /// Polygons of many corners, some on a lattice that points stand on, over a tree deep enough for
  /// cells inside, outside and on the edge.
  @Test(arguments: [UInt64(77), 78, 79])
  func polygonsHandDownTheirEdges(seed: UInt64) throws {
    var g = SplitMix64(seed: seed)
    let crosses = seed == 79
    let middle = (latitude: crosses ? -17.0 : 37.5, longitude: crosses ? 179.95 : 127.0)
    let (index, oracle) = build(
      4000,
      { g in
        let lattice = Bool.random(using: &g)
        var east = Double.random(in: -0.2...0.2, using: &g)
        var north = Double.random(in: -0.2...0.2, using: &g)
        if lattice {
          east = (east * 64).rounded() / 64
          north = (north * 64).rounded() / 64
        }
        return (middle.latitude + north, Coordinate.wrappedLongitude(middle.longitude + east))
      }, seed: seed)
    for round in 0..<24 {
      let count = [3, 8, 60, 400][round % 4]
      let corners = (0..<count).map { i -> Coordinate in
        // A walk round a square: no sine needed.
        let t = Double(i) / Double(count) * 4
        let along = t - t.rounded(.down)
        let side = Int(t)
        let (x, y) = [
          (along, 0.0), (1.0, along), (1 - along, 1.0), (0.0, 1 - along),
        ][side]
        let r = 0.3 * Double.random(in: 0.5...1, using: &g)
        var east = (x - 0.5) * r
        var north = (y - 0.5) * r
        if round % 2 == 0 {
          east = (east * 64).rounded() / 64
          north = (north * 64).rounded() / 64
        }
        return Coordinate(
          uncheckedLatitude: middle.latitude + north,
          longitude: Coordinate.wrappedLongitude(middle.longitude + east))
      }
      guard let polygon = try? GeoPolygon(corners) else { continue }
      let query = WithinQuery(area: .polygon(polygon), limit: round % 3 == 0 ? 50 : 10_000)
      #expect(
        index.withinHits(query, now: Self.now) == oracle.within(query, now: Self.now),
        "round \(round)")
    }
  }

  /// A search by tag begins with a guess; where the guess is wrong it is put right.
  @Test(arguments: [UInt64(81), 82])
  func tagGuessesAreCorrected(seed: UInt64) {
    // Half of all far from where the carriers are wanted.
    var n = 0
    let (index, oracle) = build(
      6000,
      { g in
        n += 1
        let isDense = n % 2 == 0
        let spread = isDense ? 0.003 : 0.4
        return (
          37.5 + .random(in: -spread...spread, using: &g),
          127 + .random(in: -spread...spread, using: &g)
        )
      }, seed: seed)
    var g = SplitMix64(seed: seed &+ 1)
    for i in 0..<60 {
      let spread = i % 2 == 0 ? 0.005 : 0.5
      var query = NearestQuery(
        latitude: 37.5 + .random(in: -spread...spread, using: &g),
        longitude: 127 + .random(in: -spread...spread, using: &g), limit: [1, 5, 40][i % 3],
        filter: SearchFilter(tags: [i % 4 < 2 ? "seventh" : "rare"]))
      if i % 5 == 0 { query.maximumDistanceMillimeters = 3_000_000 }
      #expect(index.nearestHits(query, now: Self.now) == oracle.nearest(query, now: Self.now))
    }
  }

  /// From afar, near the poles and across 180 degrees the search on the sphere answers.
  @Test(arguments: [UInt64(83), 84])
  func theSphereSearchEqualsBruteForce(seed: UInt64) {
    let (index, oracle) = build(
      3000,
      { g in
        switch Int.random(in: 0..<3, using: &g) {
        case 0:
          return (.random(in: -90...90, using: &g), .random(in: -180...180, using: &g))
        case 1:
          return (.random(in: 84.8...90, using: &g), .random(in: -180...180, using: &g))
        default:
          return (37.5 + .random(in: -0.1...0.1, using: &g), .random(in: 126.9...127.1, using: &g))
        }
      }, seed: seed)
    var g = SplitMix64(seed: seed &+ 1)
    for i in 0..<120 {
      let origin: (Double, Double) = [
        (90, 0), (-90, 12), (0, 180), (0, -180), (85.06, 3),
        (.random(in: -90...90, using: &g), .random(in: -180...180, using: &g)),
        (-37.5, -53),
      ][i % 7]
      var query = NearestQuery(
        latitude: origin.0, longitude: origin.1, limit: [1, 20, 300][i % 3])
      if i % 4 == 0 { query.maximumDistanceMillimeters = 2_000_000_000 }
      if i % 5 == 0 { query.filter = SearchFilter(tags: ["rare"]) }
      #expect(index.nearestHits(query, now: Self.now) == oracle.nearest(query, now: Self.now))
    }
  }

  /// Long batches, in which entries are looked at ahead, do what one entry at a time does.
  @Test(arguments: [UInt64(85), 86])
  func longBatchesEqualSingleEntries(seed: UInt64) throws {
    var g = SplitMix64(seed: seed)
    let (long, _) = build(1500, { Layout.clustered.place(&$0) }, seed: seed)
    let (short, _) = build(1500, { Layout.clustered.place(&$0) }, seed: seed)
    let ids = (0..<1500).map { "o\($0)" }
    let longHandles = long.handles(ids: ids, now: Self.now)
    let shortHandles = short.handles(ids: ids, now: Self.now)
    for round in 0..<8 {
      var batch = UpdateBatch()
      var outcomes: [UpdateOutcome] = []
      var single: [UpdateOutcome] = []
      for i in 0..<700 {
        let at = Layout.clustered.place(&g)
        let number = Int.random(in: 0..<1500, using: &g)
        var one = UpdateBatch()
        if (i + round) % 3 == 0 {
          let id = "new-\(round)-\(number % 300)"
          batch.append(
            id: "\(id)-\(i)", latitude: at.latitude, longitude: at.longitude, tags: ["n"],
            observedAt: Self.now, expiresAt: .distantFuture)
          one.append(
            id: "\(id)-\(i)", latitude: at.latitude, longitude: at.longitude, tags: ["n"],
            observedAt: Self.now, expiresAt: .distantFuture)
        } else {
          batch.append(
            handle: longHandles[number]!, latitude: at.latitude, longitude: at.longitude,
            observedAt: Self.now, expiresAt: .distantFuture)
          one.append(
            handle: shortHandles[number]!, latitude: at.latitude, longitude: at.longitude,
            observedAt: Self.now, expiresAt: .distantFuture)
        }
        var outcome: [UpdateOutcome] = []
        short.apply(one, now: Self.now, outcomes: &outcome)
        single += outcome
      }
      long.apply(batch, now: Self.now, outcomes: &outcomes)
      #expect(outcomes == single)
    }
    let query = WithinQuery(area: .box(.world), limit: 100_000)
    #expect(long.withinHits(query, now: Self.now) == short.withinHits(query, now: Self.now))
    try long.checkInvariants()
  }

  /// Records from a few bytes to many pages, brought close ahead of their visitor.
  @Test(arguments: [UInt64(87), 88])
  func recordsOfAnySizeAreReadAhead(seed: UInt64) {
    var g = SplitMix64(seed: seed)
    let index = SharedLiveIndex()
    var oracle = BruteForceIndex()
    var batch = UpdateBatch()
    var reports: [TestReport] = []
    for i in 0..<400 {
      let at = Layout.clustered.place(&g)
      let size = [0, 40, 130, 700, 4090, 9000][Int.random(in: 0..<6, using: &g)]
      let report = TestReport(
        id: "o\(i)", latitude: at.latitude, longitude: at.longitude,
        tags: (0..<Int.random(in: 0...12, using: &g)).map { "t\($0)" },
        payload: [UInt8](repeating: UInt8(i & 255), count: size), observedAt: Self.now,
        expiresAt: .distantFuture)
      reports.append(report)
      batch.append(report)
    }
    var outcomes: [UpdateOutcome] = []
    index.apply(batch, now: Self.now, outcomes: &outcomes)
    _ = oracle.apply(reports, now: Self.now)
    for limit in [1, 7, 23, 25, 400] {
      let at = Layout.clustered.place(&g)
      let nearest = NearestQuery(latitude: at.latitude, longitude: at.longitude, limit: limit)
      #expect(
        index.nearestHits(nearest, now: Self.now) == oracle.nearest(nearest, now: Self.now))
      let within = WithinQuery(area: .box(.world), limit: limit)
      #expect(index.withinHits(within, now: Self.now) == oracle.within(within, now: Self.now))
    }
  }

  /// Wherever the limit cuts the hits that wait to be visited, it leaves a prefix of them all.
  @Test(arguments: [UInt64(89), 90])
  func limitsCutAreasAnywhere(seed: UInt64) throws {
    var g = SplitMix64(seed: seed)
    let crosses = seed == 90
    let middle = (latitude: 37.5, longitude: crosses ? 179.999 : 127.0)
    let (index, oracle) = build(
      2500,
      { g in
        (
          middle.latitude + .random(in: -0.1...0.1, using: &g),
          Coordinate.wrappedLongitude(middle.longitude + .random(in: -0.1...0.1, using: &g))
        )
      }, seed: seed)
    for round in 0..<12 {
      let east = Double.random(in: -0.05...0.05, using: &g)
      let north = Double.random(in: -0.05...0.05, using: &g)
      let half = Double.random(in: 0.01...0.1, using: &g)
      func corner(_ x: Double, _ y: Double) -> Coordinate {
        Coordinate(
          uncheckedLatitude: middle.latitude + north + y * half,
          longitude: Coordinate.wrappedLongitude(middle.longitude + east + x * half))
      }
      let area: SearchArea
      if round % 2 == 0 {
        let (low, high) = (corner(-1, -1), corner(1, 1))
        area = .box(
          GeoBox(
            uncheckedWest: low.longitude, south: low.latitude, east: high.longitude,
            north: high.latitude))
      } else {
        area = .polygon(
          try GeoPolygon([corner(-1, 0), corner(0, -1), corner(1, 0.3), corner(0, 1)]))
      }
      var query = WithinQuery(area: area, limit: 10_000)
      if round % 3 == 2 { query.filter = SearchFilter(notTags: ["seventh"]) }
      let all = oracle.within(query, now: Self.now)
      #expect(index.withinHits(query, now: Self.now) == all)
      for limit in [1, 40, 47, 48, 49, 208, Int.random(in: 2...1500, using: &g)] {
        query.limit = limit
        #expect(index.withinHits(query, now: Self.now) == Array(all.prefix(limit)), "\(limit)")
      }
    }
  }

  /// Ids looked up together, those of nobody and of the expired among them.
  @Test(arguments: [UInt64(93), 94])
  func lookupsInBatchesEqualSingleOnes(seed: UInt64) {
    var g = SplitMix64(seed: seed)
    let index = SharedLiveIndex()
    var batch = UpdateBatch()
    for i in 0..<3000 {
      let at = Layout.clustered.place(&g)
      batch.append(
        id: String(repeating: "x", count: i % 70) + "서울\(i)", latitude: at.latitude,
        longitude: at.longitude, observedAt: Self.now,
        expiresAt: Self.now.advanced(milliseconds: i % 5 == 0 ? 1 : 1000))
    }
    var outcomes: [UpdateOutcome] = []
    index.apply(batch, now: Self.now, outcomes: &outcomes)
    let later = Self.now.advanced(milliseconds: 500)
    for count in [0, 1, 11, 12, 13, 24, 25, 36, 37, 400] {
      let ids = (0..<count).map { _ -> String in
        let i = Int.random(in: 0..<3300, using: &g)
        return String(repeating: "x", count: i % 70) + "서울\(i)"
      }
      let single = ids.map { id in index.withObject(id: id, now: later) { $0.handle } }
      #expect(index.handles(ids: ids, now: later) == single)
      for (id, handle) in zip(ids, single) {
        let isThere = handle != nil
        let number = Int(id.split(separator: "울")[1])!
        #expect(isThere == (number < 3000 && number % 5 != 0))
      }
    }
  }
}
