import GeoMath
import Glibc
import ObjectModel
import SeoulWorkload
import SpatialIndexing

struct Suite: Sendable {
  let report: Report
  /// Points of the table and of the sweeps over limits and tags.
  let points: Int

  init(_ report: Report, points: Int) {
    self.report = report
    self.points = points
  }

  /// The machine's load over the last minute, five and fifteen.
  static func load() -> String {
    var averages = [0.0, 0.0, 0.0]
    guard getloadavg(&averages, 3) == 3 else { return "unknown" }
    return averages.map { "\(($0 * 10).rounded() / 10)" }.joined(separator: " ")
  }

  /// Processor and number of cores.
  static func machine() -> String {
    var name = "unknown"
    if let file = fopen("/proc/cpuinfo", "r") {
      var line = [CChar](repeating: 0, count: 256)
      while fgets(&line, 256, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        if text.hasPrefix("model name"), let colon = text.firstIndex(of: ":") {
          name = String(text[text.index(colon, offsetBy: 2)...].dropLast())
          break
        }
      }
      fclose(file)
    }
    return "\(name), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores"
  }

  func run(mode: String) {
    if mode.hasPrefix("only-") {
      profile(String(mode.dropFirst(5)))
      return
    }
    if mode == "mix" { return mixes() }
    if mode == "sweep" { return sweeps() }
    table(quick: mode == "quick" || mode == "smoke")
    if mode == "full" || mode == "smoke" {
      sweeps()
      mixes()
    }
  }

  /// One kind of work in a loop without a clock inside: for a profiler.
  func profile(_ kind: String) {
    var f = Fixture(count: 1_000_000)
    switch kind {
    case "nearest":
      let start = batchNanoseconds()
      for _ in 0..<20 { loop(f, limit: 20, radius: nil) }
      report.add("nearest 20", Double(batchNanoseconds() - start) / 200_000, "ns")
    case "radius":
      let start = batchNanoseconds()
      for _ in 0..<10 { loop(f, limit: 50, radius: 1000) }
      report.add("radius", Double(batchNanoseconds() - start) / 100_000, "ns")
    case "tag":
      for tag in ["t1", "t01"] {
        let start = batchNanoseconds()
        for _ in 0..<5 { loop(f, limit: 20, radius: nil, .init(tags: [tag])) }
        report.add(tag, Double(batchNanoseconds() - start) / 50_000, "ns")
      }
    case "move0", "move5", "move50", "move0-fed", "move5-fed", "move50-fed":
      let isFed = kind.hasSuffix("-fed")
      let meters = Double(kind.dropFirst(4).prefix { $0.isNumber }) ?? 5
      for run in 0..<8 {
        let cost = f.move(
          meters: meters, moves: 1_000_000, batchSize: 1024, seed: UInt64(run + 1), isFed: isFed)
        report.add(kind, cost.apply, "ns")
      }
    case "box":
      let boxes = (0..<2000).map { box(f, around: f.queries[$0]) }
      for _ in 0..<50 { addAreas("box", boxes, f) }
    case "polygon":
      let stars = (0..<20).map { star(f, around: f.queries[$0 * 37]) }
      for _ in 0..<50 { addAreas("polygon", stars, f, clock: batchNanoseconds) }
    case "queries": for _ in 0..<3 { queries(f) }
    case "insert":
      report.add("insert by id", f.insertSeconds * 1e9 / Double(f.count), "ns")
      lookups(f)
      for _ in 0..<4 { report.add("insert by id into freed room", f.renew(200_000), "ns") }
    default: nothing(f)
    }
  }

  private func loop(
    _ f: Fixture, limit: Int, radius: Int64?, _ filter: SearchFilter = SearchFilter()
  ) {
    var sink: UInt64 = 0
    for place in f.queries {
      let query = NearestQuery(
        latitude: place.latitude, longitude: place.longitude, limit: limit,
        maximumDistanceMillimeters: radius.map { $0 * 1000 }, filter: filter)
      f.index.nearest(query, now: suiteStart) { hit in
        sink &+= UInt64(hit.distanceMillimeters) ^ UInt64(hit.handle.slot)
      }
    }
    precondition(sink != 1)
  }

  /// The table of the issue, at one million points unless it is a trial.
  func table(quick: Bool) {
    memory()
    var f = Fixture(count: points)
    let stats = f.index.statistics()
    let n = Double(f.count)
    report.add("insert by id", n / f.insertSeconds / 1e6, "M/s", target: 5, higherIsBetter: true)
    report.add(
      "index bytes a point", Double(stats.indexBytes + stats.tagBytes) / n, "B", target: 64)
    report.add(
      "id, record and map bytes a point", Double(stats.recordBytes + stats.idMapBytes) / n, "B",
      target: 72)
    report.add("leaves", Double(stats.leafCount), "")
    lookups(f)
    queries(f)
    work(f)
    moves(&f, quick: quick)
    areas(f)
    nothing(f)
    var baselines = Baselines(places: f.places, queries: f.queries, report: report)
    baselines.run(moves: min(points, quick ? 200_000 : 1_000_000))
  }

  func lookups(_ f: Fixture) {
    var g = WorkloadGenerator(seed: 12)
    var spent: UInt64 = 0
    for _ in 0..<500 {
      let ids = (0..<256).map { _ in SeoulWorkload.identifier(Int(g.next() % UInt64(f.count))) }
      let start = batchNanoseconds()
      let handles = f.index.handles(ids: ids, now: suiteStart)
      spent += batchNanoseconds() - start
      precondition(handles.allSatisfy { $0 != nil })
    }
    report.add("lookup by id in batches", Double(spent) / 128_000, "ns", target: 150)
  }

  func queries(_ f: Fixture) {
    _ = f.nearest(limit: 20)
    report.addLatencies("nearest 20", f.nearest(limit: 20), median: 3.5, p99: 12)
    report.addLatencies(
      "radius 1 km limit 50", f.nearest(limit: 50, radiusMeters: 1000), median: 7)
    report.addLatencies("nearest 20 tag 10 %", f.nearest(limit: 20, filter: .init(tags: ["t10"])))
    report.addLatencies(
      "nearest 20 tag 1 %", f.nearest(limit: 20, filter: .init(tags: ["t1"])), median: 10)
    report.addLatencies(
      "nearest 20 tag 0.1 %", f.nearest(limit: 20, filter: .init(tags: ["t01"])), median: 6,
      p99: 25)
  }

  /// What a nearest query does, which is the same on every machine.
  func work(_ f: Fixture) {
    var work = SearchWork()
    for place in f.queries {
      f.index.nearest(
        NearestQuery(latitude: place.latitude, longitude: place.longitude, limit: 20),
        now: suiteStart, work: &work
      ) { _ in }
    }
    let n = Double(f.queries.count)
    report.add("nearest 20: inner nodes", Double(work.nodesVisited) / n, "")
    report.add("nearest 20: leaves", Double(work.leavesVisited) / n, "")
    report.add("nearest 20: points tested", Double(work.pointsTested) / n, "")
    report.add("nearest 20: exact distances", Double(work.exactTests) / n, "")
  }

  func moves(_ f: inout Fixture, quick: Bool) {
    let moves = points < 1_000_000 ? 102_400 : quick ? 1_000_000 : 4_000_000
    // Seeds are the times of the reports: they grow.
    for (name, meters, target, seed, isFed) in [
      ("5 m", 5.0, 25.0, 500, false), ("5 m with a feed", 5, nil, 1000, true),
      ("50 m", 50, 10, 5000, false),
    ] as [(String, Double, Double?, Int, Bool)] {
      var best = (apply: Double.infinity, withBatch: Double.infinity)
      for run in 0..<3 {
        let cost = f.move(
          meters: meters, moves: moves, batchSize: 1024, seed: UInt64(seed + run), isFed: isFed)
        if cost.apply < best.apply { best = cost }
      }
      report.add(
        "moves of \(name)", 1000 / best.apply, "M/s", target: target, higherIsBetter: true)
      report.add(
        "moves of \(name) with batch", 1000 / best.withBatch, "M/s", higherIsBetter: true)
    }
    report.add(
      "insert by id into freed room", 1000 / f.renew(min(points, 200_000)), "M/s",
      higherIsBetter: true)
  }

  /// Each area twice: right after the search that it is grown from, which brings its points into the
  /// cache, and after all the others.
  func areas(_ f: Fixture) {
    var boxes: [SearchArea] = []
    var samples: [UInt64] = []
    var hits = 0
    for place in f.queries.prefix(points < 1_000_000 ? 100 : 2000) {
      boxes.append(box(f, around: place))
      time(boxes[boxes.count - 1], f, &samples, &hits)
    }
    report.add("hits a box", Double(hits) / Double(boxes.count), "")
    report.addLatencies("box of 500 hits", samples, median: 10)
    addAreas("box of 500 hits not in the cache", boxes, f)
    var stars: [SearchArea] = []
    samples = []
    hits = 0
    for i in 0..<20 {
      stars.append(star(f, around: f.queries[i * 37]))
      time(stars[i], f, &samples, &hits, clock: batchNanoseconds)
    }
    report.add("hits a polygon", Double(hits) / Double(stars.count), "")
    report.addLatencies("polygon of 1,000 corners", samples, median: 1000)
    addAreas("polygon of 1,000 corners not in the cache", stars, f, clock: batchNanoseconds)
  }

  /// Times one search.
  private func time(
    _ area: SearchArea, _ f: Fixture, _ samples: inout [UInt64], _ hits: inout Int,
    clock: () -> UInt64 = nanoseconds
  ) {
    let start = clock()
    hits += f.index.within(WithinQuery(area: area, limit: 1_000_000), now: suiteStart) { hit in
      precondition(hit.handle.generation != 0)
    }
    samples.append(clock() - start)
  }

  func addAreas(
    _ name: String, _ areas: [SearchArea], _ f: Fixture, clock: () -> UInt64 = nanoseconds
  ) {
    var samples: [UInt64] = []
    var hits = 0
    for area in areas { time(area, f, &samples, &hits, clock: clock) }
    report.addLatencies(name, samples)
  }

  private func distance(_ f: Fixture, from place: Place, toNearest limit: Int) -> Double {
    var distance: Int64 = 0
    f.index.nearest(
      NearestQuery(latitude: place.latitude, longitude: place.longitude, limit: limit),
      now: suiteStart
    ) { distance = $0.distanceMillimeters }
    return Double(distance) / 1e6
  }

  /// A box that holds about 500 points: grown from the 500th neighbour.
  func box(_ f: Fixture, around place: Place) -> SearchArea {
    let half = distance(f, from: place, toNearest: 500) * 0.886
    let a = SeoulWorkload.place(east: 0, north: 0)
    let b = SeoulWorkload.place(east: half, north: half)
    return .box(
      GeoBox(
        uncheckedWest: place.longitude - (b.longitude - a.longitude),
        south: place.latitude - (b.latitude - a.latitude),
        east: place.longitude + (b.longitude - a.longitude),
        north: place.latitude + (b.latitude - a.latitude)))
  }

  /// A star of 1,000 corners that holds 50,000 points.
  func star(_ f: Fixture, around place: Place) -> SearchArea {
    let radius = distance(f, from: place, toNearest: min(50_000, points / 20))
    let corners = (0..<1000).map { corner in
      let angle = Double(corner) / 1000 * 2 * .pi
      let r = radius * (1 + 0.1 * sin(angle * 40))
      let east = SeoulWorkload.place(east: r * cos(angle), north: r * sin(angle))
      return Coordinate(
        uncheckedLatitude: place.latitude + east.latitude - SeoulWorkload.center.latitude,
        longitude: place.longitude + east.longitude - SeoulWorkload.center.longitude)
    }
    guard let polygon = try? GeoPolygon(corners) else { preconditionFailure("not a polygon") }
    return .polygon(polygon)
  }

  func nothing(_ f: Fixture) {
    for (name, filter) in [
      ("unknown tag", SearchFilter(tags: ["nobody"])),
      ("two tags never together", SearchFilter(tags: ["t01"], notTags: ["t01"])),
      ("column", SearchFilter(columnRanges: [ColumnRange(column: 0, equals: 1000)])),
      (
        "freshness",
        SearchFilter(observedNotBefore: suiteStart.advanced(milliseconds: 100_000_000))
      ),
    ] {
      report.addLatencies(
        "nothing matches: \(name)",
        f.nearest(limit: 20, filter: filter, queries: 9, clock: batchNanoseconds),
        median: 5000)
    }
  }
}
