import GeoMath
import ObjectModel

@testable import SpatialIndexing

/// Where the points of a test lie.
enum Layout: String, CaseIterable, Sendable {
  case uniform, clustered, grid, identical, polar, antimeridian, dense

  func place(_ g: inout SplitMix64) -> (latitude: Double, longitude: Double) {
    switch self {
    case .uniform:
      return (.random(in: -90...90, using: &g), .random(in: -180...180, using: &g))
    case .clustered:
      let hub = Double(Int.random(in: 0..<4, using: &g))
      let spread = Double.random(in: 0...0.02, using: &g)
      return (
        37.5 + hub * 0.05 + spread * .random(in: -1...1, using: &g),
        127 + hub * 0.07 + spread * .random(in: -1...1, using: &g)
      )
    case .grid:
      return (
        Double(Int.random(in: 0..<20, using: &g)) * 0.001,
        Double(Int.random(in: 0..<20, using: &g)) * 0.001 - 0.01
      )
    case .identical:
      // One place, and now and then one a centimetre or a kilometre away.
      switch Int.random(in: 0..<10, using: &g) {
      case 0: return (37.5665 + 1e-7, 126.978)
      case 1: return (37.5765, 126.978)
      default: return (37.5665, 126.978)
      }
    case .polar:
      let latitude = 84 + 6 * Double.random(in: 0...1, using: &g).squareRoot()
      return (
        Bool.random(using: &g) || latitude > 89.9 ? latitude : -latitude,
        .random(in: -180...180, using: &g)
      )
    case .antimeridian:
      let east = Double.random(in: -0.05...0.05, using: &g)
      let longitude = east < 0 ? 180 + east : (east == 0 ? 180 : -180 + east)
      let exact = Int.random(in: 0..<20, using: &g)
      return (
        .random(in: -17...(-16.9), using: &g), exact == 0 ? 180 : exact == 1 ? -180 : longitude
      )
    case .dense:
      return (
        37.5665 + .random(in: -1e-5...1e-5, using: &g),
        126.978 + .random(in: -1e-5...1e-5, using: &g)
      )
    }
  }

  /// An origin for queries: mostly where the points are.
  func origin(_ g: inout SplitMix64) -> (latitude: Double, longitude: Double) {
    if Int.random(in: 0..<8, using: &g) == 0 {
      return (.random(in: -90...90, using: &g), .random(in: -180...180, using: &g))
    }
    return place(&g)
  }
}

/// What random reports and queries are made of.
struct TestWorld {
  static let tags = ["swift", "rust", "서울", "go", "study", "coffee"] + (0..<40).map { "rare\($0)" }
  let layout: Layout
  var g: SplitMix64

  init(layout: Layout, seed: UInt64) {
    self.layout = layout
    g = SplitMix64(seed: seed)
  }

  mutating func randomTags() -> [String] {
    var tags: [String] = []
    for (i, tag) in Self.tags.enumerated()
    where Int.random(in: 0..<(i < 2 ? 2 : i < 6 ? 5 : 25), using: &g) == 0 {
      tags.append(tag)
    }
    return tags.shuffled(using: &g)
  }

  mutating func report(id: String, now: Instant) -> TestReport {
    let place = layout.place(&g)
    let age = Int64.random(in: 0...60_000, using: &g)
    let observedAt = now.advanced(milliseconds: -age)
    let expiresAt: Instant
    switch Int.random(in: 0..<6, using: &g) {
    case 0: expiresAt = .distantFuture
    case 1: expiresAt = observedAt.advanced(milliseconds: 90 * 86_400_000)
    case 2: expiresAt = observedAt.advanced(milliseconds: 30_000)
    default: expiresAt = observedAt.advanced(milliseconds: .random(in: 1...120_000, using: &g))
    }
    let tags = Int.random(in: 0..<3, using: &g) == 0 ? [] : randomTags()
    return TestReport(
      id: id, latitude: place.latitude, longitude: place.longitude, tags: tags,
      payload: (0..<Int.random(in: 0...30, using: &g)).map { _ in .random(in: 0...3, using: &g) },
      columns: (0..<2).map { _ in
        Int.random(in: 0..<4, using: &g) == 0 ? .nan : Double(Int.random(in: 0...9, using: &g))
      },
      observedAt: observedAt, expiresAt: expiresAt)
  }

  mutating func filter(ids: [String], now: Instant) -> SearchFilter {
    var filter = SearchFilter()
    func one(in n: Int) -> Bool { Int.random(in: 0..<n, using: &g) == 0 }
    if one(in: 3) {
      let count = Int.random(in: 1...3, using: &g)
      filter.tags = (0..<count).map { _ in Self.tags.randomElement(using: &g)! }
      if one(in: 12) { filter.tags.append("unheard-of") }
      filter.tagMatch = one(in: 2) ? .any : .all
    }
    if one(in: 4) { filter.notTags = [Self.tags.randomElement(using: &g)!, "rust"] }
    if one(in: 4) { filter.excludedIDs = (0..<5).map { _ in ids.randomElement(using: &g)! } }
    if one(in: 4) { filter.area = area() }
    if one(in: 4) {
      let low = Double(Int.random(in: 0...9, using: &g))
      filter.columnRanges = [
        one(in: 3)
          ? ColumnRange(column: 0, equals: low)
          : ColumnRange(column: 1, minimum: low - 4, maximum: low)
      ]
    }
    if one(in: 4) {
      filter.observedNotBefore = now.advanced(milliseconds: -.random(in: 0...60_000, using: &g))
    }
    if one(in: 6) { filter.payloadPredicate = { $0.first != 1 } }
    return filter
  }

  mutating func area() -> SearchArea {
    let a = layout.origin(&g)
    let b = layout.origin(&g)
    if Bool.random(using: &g) {
      return .box(
        GeoBox(
          uncheckedWest: a.longitude, south: min(a.latitude, b.latitude), east: b.longitude,
          north: max(a.latitude, b.latitude)))
    }
    for _ in 0..<20 {
      let corners = (0..<Int.random(in: 3...9, using: &g)).map { _ in
        let place = layout.place(&g)
        return Coordinate(uncheckedLatitude: place.latitude, longitude: place.longitude)
      }
      if let polygon = try? GeoPolygon(corners) { return .polygon(polygon) }
    }
    return .box(.world)
  }

  mutating func nearestQuery(ids: [String], now: Instant) -> NearestQuery {
    let origin = layout.origin(&g)
    var query = NearestQuery(
      latitude: origin.latitude, longitude: origin.longitude,
      limit: [1, 5, 20, 100].randomElement(using: &g)!)
    if Bool.random(using: &g) { query.filter = filter(ids: ids, now: now) }
    if Int.random(in: 0..<3, using: &g) == 0 {
      query.maximumDistanceMillimeters = [0, 5000, 500_000, 5_000_000, 3_000_000_000]
        .randomElement(using: &g)!
    }
    return query
  }
}
