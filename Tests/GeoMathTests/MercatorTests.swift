import ObjectModel
import GeoMath
import ObjectModel
import Testing

@Suite struct MercatorTests {
  @Test(arguments: [UInt64(31), 32]) func mortonRoundTripsAndOrders(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<5_000 {
      let x = UInt32.random(in: .min ... .max, using: &random)
      let y = UInt32.random(in: .min ... .max, using: &random)
      let code = MortonCode(x: x, y: y)
      #expect(code.x == x && code.y == y)
      #expect(MortonCode(MercatorPoint(x: x, y: y)) == code)
      // Bit by bit: the definition.
      var slow: UInt64 = 0
      for bit in 0..<32 {
        slow |= UInt64(x >> bit & 1) << (2 * bit) | UInt64(y >> bit & 1) << (2 * bit + 1)
      }
      #expect(code.rawValue == slow)
      // The first 2k bits are the k-th level's cell.
      let k = Int.random(in: 0...30, using: &random)
      let tile = TileAddress(containing: MercatorPoint(x: x, y: y), zoom: k)
      let prefix = k == 0 ? 0 : code.rawValue >> UInt64(64 - 2 * k)
      #expect(MortonCode(x: tile.x, y: tile.y).rawValue == prefix)
    }
    #expect(MortonCode(x: .max, y: .max).rawValue == .max)
    #expect(MortonCode(x: 1, y: 0) < MortonCode(x: 0, y: 1))
  }

  @Test(arguments: [UInt64(33), 34]) func mercatorRoundTrips(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<5_000 {
      let point = MercatorPoint(
        x: .random(in: .min ... .max, using: &random),
        y: .random(in: .min ... .max, using: &random))
      let back = MercatorPoint(point.coordinate)
      #expect(back.x == point.x)
      // A row's edge may round into the row above, never further.
      #expect(back.y == point.y || back.y &+ 1 == point.y || back.y == point.y &+ 1)
      let place = randomCoordinate(&random)
      guard place.latitude.magnitude < 85 else { continue }
      let snapped = MercatorPoint(place).coordinate
      #expect(place.distanceMeters(to: snapped) < 0.0134)
    }
  }

  @Test func mercatorEdges() throws {
    for (latitude, longitude, x, y) in [
      (0.0, 0.0, UInt32(1) << 31, UInt32(1) << 31), (90, -180, 0, 0), (-90, 180, .max, .max),
      (85.0512, -180, 0, 0), (-85.0512, 180, .max, .max),
    ] {
      let point = MercatorPoint(latitude: latitude, longitude: longitude)
      #expect(point == MercatorPoint(x: x, y: y))
    }
    #expect((MercatorPoint.latitude(y: 0) - MercatorPoint.latitudeLimit).magnitude < 1e-12)
    #expect(MercatorPoint.longitude(x: 4_294_967_296) == 180)
    // Not a number is nowhere; it must not crash.
    #expect(MercatorPoint(latitude: .nan, longitude: .nan) == MercatorPoint(x: 0, y: 0))
    #expect(MercatorPoint(latitude: -.infinity, longitude: .infinity).y == .max)
  }

  @Test func mercatorGrowsSouthAndEast() {
    var previous = MercatorPoint(latitude: 90, longitude: -180)
    for step in 1...3_600 {
      let point = MercatorPoint(
        latitude: 90 - Double(step) * 0.05, longitude: -180 + Double(step) * 0.1)
      #expect(point.x > previous.x && point.y >= previous.y)
      previous = point
    }
  }

  @Test func metersPerUnitAreThoseOfTheDistance() throws {
    let seoul = try Coordinate(latitude: 37.5547, longitude: 126.9707)
    let point = MercatorPoint(seoul)
    let east = MercatorPoint(x: point.x + 100_000, y: point.y).coordinate
    let meters = MercatorPoint.metersPerUnit(latitude: seoul.latitude) * 100_000
    #expect((seoul.distanceMeters(to: east) / meters - 1).magnitude < 0.002)
  }

  @Test func knownTiles() throws {
    // OpenStreetMap wiki, "Slippy map tilenames": 0/0/0 is the world; Seoul City Hall by hand.
    let seoul = MercatorPoint(latitude: 37.5663, longitude: 126.9779)
    #expect(TileAddress(containing: seoul, zoom: 0) == TileAddress(zoom: 0, x: 0, y: 0))
    #expect(TileAddress(containing: seoul, zoom: 10) == TileAddress(zoom: 10, x: 873, y: 396))
    let berlin = MercatorPoint(latitude: 52.5163, longitude: 13.3777)
    #expect(TileAddress(containing: berlin, zoom: 14) == TileAddress(zoom: 14, x: 8_800, y: 5_373))
    let world = try #require(TileAddress(zoom: 0, x: 0, y: 0)).bounds
    #expect(world.west == -180 && world.east == 180)
    #expect((world.north - MercatorPoint.latitudeLimit).magnitude < 1e-9)
    #expect((world.south + MercatorPoint.latitudeLimit).magnitude < 1e-9)
  }

  @Test func badTilesAreNil() {
    for (zoom, x, y) in [
      (-1, 0, 0), (31, 0, 0), (0, 1, 0), (0, 0, 1), (5, 32, 0), (5, 0, -1), (5, .max, 0),
      (.max, 0, 0), (30, 1 << 30, 0),
    ] {
      #expect(TileAddress(zoom: zoom, x: x, y: y) == nil)
    }
    #expect(TileAddress(zoom: 30, x: 1 << 30 - 1, y: 1 << 30 - 1) != nil)
  }

  @Test(arguments: 0...30) func tilesNestAndTile(zoom: Int) throws {
    var random = SplitMix64(seed: UInt64(zoom))
    for _ in 0..<100 {
      let point = MercatorPoint(
        x: .random(in: .min ... .max, using: &random),
        y: .random(in: .min ... .max, using: &random))
      let tile = TileAddress(containing: point, zoom: zoom)
      #expect(UInt64(point.x) >= tile.minimumX && UInt64(point.x) < tile.minimumX + tile.sideUnits)
      #expect(UInt64(point.y) >= tile.minimumY && UInt64(point.y) < tile.minimumY + tile.sideUnits)
      #expect(TileAddress(zoom: zoom, x: Int(tile.x), y: Int(tile.y)) == tile)
      if zoom > 0 {
        let parent = try #require(tile.parent)
        #expect(parent == TileAddress(containing: point, zoom: zoom - 1))
        #expect(parent.children.contains(tile))
      } else {
        #expect(tile.parent == nil)
      }
      #expect(tile.children.count == (zoom < 30 ? 4 : 0))
      #expect(tile.children.allSatisfy { $0.parent == tile })
      #expect(
        tile.children.filter { zoom < 30 && $0 == TileAddress(containing: point, zoom: zoom + 1) }
          .count
          == (zoom < 30 ? 1 : 0))
      let bounds = tile.bounds
      if let right = TileAddress(zoom: zoom, x: Int(tile.x) + 1, y: Int(tile.y)) {
        #expect(right.bounds.west == bounds.east)
      }
      if let below = TileAddress(zoom: zoom, x: Int(tile.x), y: Int(tile.y) + 1) {
        #expect(below.bounds.north == bounds.south)
      }
    }
  }
}
