import CAllocationCounter
import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

/// What a search does, counted: a bound that a change of the code may not pass unnoticed. The
/// counts follow from the seed and are the same on every machine and in every build; bounds are
/// what was counted when they were set plus a tenth.
@Suite struct WorkGateTests {
  static let now = Instant(milliseconds: 1_760_000_000_000)

  /// Averages a query: inner nodes, leaves, points, exact tests.
  struct Bound: Sendable, CustomStringConvertible {
    var nodes: Double
    var leaves: Double
    var points: Double
    var exact: Double

    var description: String { "\(nodes) \(leaves) \(points) \(exact)" }
  }

  /// A city without the C library: hot spots of sums of uniform numbers, heavier first, and a fifth
  /// spread over 60 km.
  struct City {
    var g: SplitMix64
    let spots: [(east: Double, north: Double, spread: Double)]

    init(seed: UInt64) {
      g = SplitMix64(seed: seed)
      var spots: [(Double, Double, Double)] = []
      for _ in 0..<48 {
        spots.append(
          (
            .random(in: -25...25, using: &g), .random(in: -25...25, using: &g),
            .random(in: 0.5...3, using: &g)
          ))
      }
      self.spots = spots
    }

    mutating func place() -> (latitude: Double, longitude: Double) {
      var east = Double.random(in: -30...30, using: &g)
      var north = Double.random(in: -30...30, using: &g)
      if Int.random(in: 0..<5, using: &g) > 0 {
        let draw = Double.random(in: 0..<1, using: &g)
        let spot = spots[Int(draw * draw * 48)]
        east = spot.east + spot.spread * bell()
        north = spot.north + spot.spread * bell()
      }
      return (37.5665 + north / 110.99, 126.978 + east / 88.33)
    }

    private mutating func bell() -> Double {
      (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &g) }
    }
  }

  static let count = 40_000

  static func build(identical: Bool = false, world: Bool = false) -> SharedLiveIndex {
    let index = SharedLiveIndex(configuration: .init(columnCount: 1))
    var city = City(seed: 91)
    var batch = UpdateBatch(columnCount: 1)
    for i in 0..<count {
      var place = identical ? (latitude: 37.5665, longitude: 126.978) : city.place()
      if world {
        place = (
          .random(in: -80...80, using: &city.g), .random(in: -180...180, using: &city.g)
        )
      }
      var tags: [String] = []
      if i % 10 == 0 { tags.append("t10") }
      if i % 100 == 1 { tags.append("t1") }
      if i % 1000 == 2 { tags.append("t01") }
      batch.append(
        id: "object-\(i)", latitude: place.latitude, longitude: place.longitude, tags: tags,
        columns: [Double(i % 100)], observedAt: now, expiresAt: .distantFuture)
    }
    var outcomes: [UpdateOutcome] = []
    index.apply(batch, now: now, outcomes: &outcomes)
    return index
  }

  private func average(
    _ queries: Int = 200, _ body: (Int, inout City, inout SearchWork) -> Void
  ) -> SearchWork {
    var city = City(seed: 91)
    city.g = SplitMix64(seed: 92)
    var work = SearchWork()
    for i in 0..<queries { body(i, &city, &work) }
    return work
  }

  private func expect(
    _ name: String, _ work: SearchWork, queries: Int = 200, atMost bound: Bound
  ) {
    let n = Double(queries)
    let counted = Bound(
      nodes: Double(work.nodesVisited) / n, leaves: Double(work.leavesVisited) / n,
      points: Double(work.pointsTested) / n, exact: Double(work.exactTests) / n)
    #expect(
      counted.nodes <= bound.nodes && counted.leaves <= bound.leaves
        && counted.points <= bound.points && counted.exact <= bound.exact,
      "\(name): \(counted), bound \(bound)")
  }

  private func nearest(
    _ index: SharedLiveIndex, _ name: String, limit: Int = 20, radiusMeters: Int64? = nil,
    filter: SearchFilter = SearchFilter(), atMost bound: Bound
  ) {
    let work = average { _, city, work in
      let place = city.place()
      let query = NearestQuery(
        latitude: place.latitude, longitude: place.longitude, limit: limit,
        maximumDistanceMillimeters: radiusMeters.map { $0 * 1000 }, filter: filter)
      index.nearest(query, now: Self.now, work: &work) { _ in }
    }
    expect(name, work, atMost: bound)
  }

  @Test func nearestInTheCity() {
    let index = Self.build()
    nearest(index, "nearest 20", atMost: Bound(nodes: 20.5, leaves: 6.8, points: 102, exact: 22.9))
    nearest(
      index, "nearest 1", limit: 1, atMost: Bound(nodes: 17.6, leaves: 2.4, points: 36, exact: 1.7))
    nearest(
      index, "nearest 1000", limit: 1000,
      atMost: Bound(nodes: 73.5, leaves: 145.4, points: 2111, exact: 1161))
    nearest(
      index, "radius 1 km limit 50", limit: 50, radiusMeters: 1000,
      atMost: Bound(nodes: 22.4, leaves: 9.6, points: 147, exact: 47.4))
    nearest(
      index, "tag 10 %", filter: SearchFilter(tags: ["t10"]),
      atMost: Bound(nodes: 39.5, leaves: 29.8, points: 480, exact: 23))
    nearest(
      index, "tag 1 %", filter: SearchFilter(tags: ["t1"]),
      atMost: Bound(nodes: 0, leaves: 1.1, points: 440, exact: 87.9))
    nearest(
      index, "tag 0.1 %", filter: SearchFilter(tags: ["t01"]),
      atMost: Bound(nodes: 0, leaves: 0, points: 0, exact: 44))
    nearest(
      index, "a tag nobody carries", filter: SearchFilter(tags: ["none"]),
      atMost: Bound(nodes: 0, leaves: 0, points: 0, exact: 0))
    nearest(
      index, "a column that nothing meets",
      filter: SearchFilter(columnRanges: [ColumnRange(column: 0, equals: 1000)]),
      atMost: Bound(nodes: 119.3, leaves: 314.8, points: 48515, exact: 0))
  }

  @Test func nearestWhereCliffsWere() {
    nearest(
      Self.build(identical: true), "identical",
      atMost: Bound(nodes: 35.2, leaves: 1.1, points: 22, exact: 23.1))
    let index = Self.build(world: true)
    let work = average { _, city, work in
      let query = NearestQuery(
        latitude: .random(in: -80...80, using: &city.g),
        longitude: .random(in: -180...180, using: &city.g), limit: 20)
      index.nearest(query, now: Self.now, work: &work) { _ in }
    }
    expect("world", work, atMost: Bound(nodes: 9.6, leaves: 5.9, points: 96.5, exact: 44.7))
  }

  @Test func areasInTheCity() throws {
    let index = Self.build()
    var hits = 0
    let boxes = average { _, city, work in
      let place = city.place()
      let box = GeoBox(
        uncheckedWest: place.longitude - 0.01, south: place.latitude - 0.008,
        east: place.longitude + 0.01, north: place.latitude + 0.008)
      hits += index.within(
        WithinQuery(area: .box(box), limit: 100_000), now: Self.now, work: &work
      ) { _ in }
    }
    expect("box", boxes, atMost: Bound(nodes: 25, leaves: 15.9, points: 240, exact: 0.1))
    #expect(boxes.pointsTested < hits * 2)
    // A star of 400 corners round a square.
    let corners = (0..<400).map { i -> Coordinate in
      let t = Double(i) / 100
      let along = t - t.rounded(.down)
      let (x, y) = [(along, 0.0), (1.0, along), (1 - along, 1.0), (0.0, 1 - along)][Int(t)]
      let r = i % 2 == 0 ? 0.2 : 0.18
      return Coordinate(
        uncheckedLatitude: 37.5665 + (y - 0.5) * r, longitude: 126.978 + (x - 0.5) * r)
    }
    let polygon = try GeoPolygon(corners)
    let work = average(1) { _, _, work in
      index.within(
        WithinQuery(area: .polygon(polygon), limit: 100_000), now: Self.now, work: &work
      ) { _ in }
    }
    expect(
      "polygon", work, queries: 1, atMost: Bound(nodes: 202, leaves: 488, points: 7029, exact: 622)
    )
  }

  /// Allocations of one request, after the first; unoptimised code has others.
  @Test(.enabled(if: isOptimised, "optimised: make test-release"))
  func allocationsOfARequest() throws {
    try #require(allocation_count() >= 0, "allocations are not counted in this process")
    let index = Self.build()
    let query = NearestQuery(latitude: 37.5665, longitude: 126.978, limit: 20)
    let tagged = NearestQuery(
      latitude: 37.5665, longitude: 126.978, limit: 20, filter: SearchFilter(tags: ["t10"]))
    let box = WithinQuery(
      area: .box(
        GeoBox(uncheckedWest: 126.97, south: 37.56, east: 126.99, north: 37.57)), limit: 10_000)
    var batch = UpdateBatch(columnCount: 1)
    var outcomes: [UpdateOutcome] = []
    let handles = index.handles(ids: (0..<1000).map { "object-\($0)" }, now: Self.now)
    for handle in handles {
      batch.append(
        handle: handle!, latitude: 37.5665, longitude: 126.978, observedAt: Self.now,
        expiresAt: .distantFuture)
    }
    func allocations(_ body: () -> Void) -> Int64 {
      body()
      let before = allocation_count()
      for _ in 0..<10 { body() }
      return (allocation_count() - before) / 10
    }
    let counted = [
      allocations { index.nearest(query, now: Self.now) { _ in } },
      allocations { index.nearest(tagged, now: Self.now) { _ in } },
      allocations { index.within(box, now: Self.now) { _ in } },
      allocations { index.apply(batch, now: Self.now, outcomes: &outcomes) },
    ]
    let bounds: [Int64] = [2, 8, 11, 1]
    #expect(zip(counted, bounds).allSatisfy { $0 <= $1 }, "\(counted), bounds \(bounds)")
  }
}

#if DEBUG
  private let isOptimised = false
#else
  private let isOptimised = true
#endif
