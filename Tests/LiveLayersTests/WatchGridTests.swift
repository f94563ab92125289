import ObjectModel
import GeoMath
import Testing

@testable import LiveLayers

/// Cells never lose a point of their area, and never promise one that is outside.
@Suite struct WatchGridTests {
  static func areas() throws -> [(name: String, area: WatchArea)] {
    func point(_ latitude: Double, _ longitude: Double) -> Coordinate {
      Coordinate(uncheckedLatitude: latitude, longitude: longitude)
    }
    func polygon(_ corners: [(Double, Double)]) throws -> GeoPolygon {
      try GeoPolygon(corners.map { point($0.0, $0.1) })
    }
    return try [
      ("circle", .circle(center: point(37.5, 127), radiusMillimeters: 500_000)),
      ("small circle", .circle(center: point(37.5, 127), radiusMillimeters: 1_500)),
      ("point", .circle(center: point(37.5, 127), radiusMillimeters: 0)),
      ("middle circle", .circle(center: point(55, -3), radiusMillimeters: 49_000_000)),
      ("circle on the equator", .circle(center: point(0.01, 0), radiusMillimeters: 9_000_000)),
      ("large circle", .circle(center: point(10, 20), radiusMillimeters: 2_000_000_000)),
      ("circle over 180", .circle(center: point(-17, 179.99), radiusMillimeters: 5_000_000)),
      ("circle at the pole", .circle(center: point(89.9, 20), radiusMillimeters: 50_000_000)),
      ("circle past the map", .circle(center: point(85, -60), radiusMillimeters: 20_000_000)),
      ("box", .box(GeoBox(uncheckedWest: 126.9, south: 37.4, east: 127.1, north: 37.6))),
      ("box over 180", .box(GeoBox(uncheckedWest: 179.5, south: -20, east: -179, north: -10))),
      ("world", .box(.world)),
      ("all but a gap", .box(GeoBox(uncheckedWest: 10, south: -80, east: 5, north: 89))),
      ("line", .box(GeoBox(uncheckedWest: -180, south: 10, east: -180, north: 20))),
      (
        "polygon",
        .polygon(polygon([(37.4, 126.9), (37.6, 126.95), (37.5, 127.1), (37.48, 127.0)]))
      ),
      ("polygon over 180", .polygon(polygon([(0, 170), (10, -170), (-10, -160)]))),
    ]
  }

  @Test(arguments: 0..<16, [2, 4, 8])
  func coversExactlyEnough(which: Int, cellsAcross: Int) throws {
    let areas = try Self.areas()
    try #require(areas.count == 16)
    let (name, area) = areas[which]
    let prepared = PreparedWatchArea(area)
    var grid = WatchGrid()
    grid.insert(7, WatchGrid.cover(prepared, cellsAcross: cellsAcross))
    var random = SplitMix64(seed: UInt64(which * 100 + cellsAcross))
    var inside = 0
    for i in 0..<4000 {
      let (latitude, longitude) = Self.point(near: prepared.bounds, i, &random)
      let holds = prepared.contains(latitude: latitude, longitude: longitude)
      if holds { inside += 1 }
      if let sure = prepared.holds(MercatorPoint(latitude: latitude, longitude: longitude)),
        abs(latitude - (prepared.bounds.south + prepared.bounds.north) / 2)
          < 1.5 * (prepared.bounds.north - prepared.bounds.south)
      {
        #expect(sure == holds, "\(name): \(latitude), \(longitude)")
      }
      var isFound = false
      grid.forEachArea(at: MercatorPoint(latitude: latitude, longitude: longitude)) { _, certain in
        isFound = true
        #expect(holds || !certain, "\(name): \(latitude), \(longitude) is promised")
      }
      #expect(isFound || !holds, "\(name): \(latitude), \(longitude) is lost")
    }
    #expect(inside > 0 || name == "point", "\(name)")
  }

  /// Anywhere, around the area, and on its very edges.
  private static func point(near box: GeoBox, _ i: Int, _ random: inout SplitMix64) -> (
    Double, Double
  ) {
    if i % 10 == 0 {
      return (Double.random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
    }
    let height = max(box.north - box.south, 1e-6)
    let width = max(box.longitudeSpan, 1e-6)
    var latitude = box.south + height * Double.random(in: -0.1...1.1, using: &random)
    var longitude = box.west + width * Double.random(in: -0.1...1.1, using: &random)
    if i % 7 == 0 { latitude = Bool.random(using: &random) ? box.south : box.north }
    if i % 11 == 0 { longitude = Bool.random(using: &random) ? box.west : box.east }
    if i % 77 == 0 { longitude = Bool.random(using: &random) ? -180 : 180 }
    return (max(-90, min(90, latitude)), Coordinate.wrappedLongitude(longitude))
  }

  @Test func areasComeAndGo() {
    var grid = WatchGrid()
    var random = SplitMix64(seed: 5)
    var covers: [UInt32: WatchGrid.Cover] = [:]
    var prepared: [UInt32: PreparedWatchArea] = [:]
    for round in 0..<2000 as Range<UInt32> {
      if round % 3 == 2, let gone = covers.keys.sorted().randomElement(using: &random) {
        covers.removeValue(forKey: gone).map { grid.remove(gone, $0) }
        prepared[gone] = nil
      } else {
        let center = Coordinate(
          uncheckedLatitude: .random(in: 37...37.1, using: &random),
          longitude: .random(in: 127...127.1, using: &random))
        let area = PreparedWatchArea(
          .circle(center: center, radiusMillimeters: .random(in: 1...2_000_000, using: &random)))
        let cover = WatchGrid.cover(area, cellsAcross: 4)
        grid.insert(round, cover)
        covers[round] = cover
        prepared[round] = area
      }
      guard round % 100 == 0 else { continue }
      for _ in 0..<50 {
        let latitude = Double.random(in: 36.99...37.11, using: &random)
        let longitude = Double.random(in: 126.99...127.11, using: &random)
        var found: Set<UInt32> = []
        grid.forEachArea(at: MercatorPoint(latitude: latitude, longitude: longitude)) { area, _ in
          found.insert(area)
        }
        let holding = prepared.filter {
          $0.value.contains(latitude: latitude, longitude: longitude)
        }
        #expect(found.isSuperset(of: holding.keys))
        #expect(found.isSubset(of: Set(covers.keys)))
      }
    }
    for (area, cover) in covers { grid.remove(area, cover) }
    #expect(grid.linkCount == 0)
  }
}
