import ObjectModel
import GeoMath
import ObjectModel
import Testing

@Suite struct GeoBoxTests {
  @Test func sidesOutOfRangeOrOutOfOrderAreRefused() {
    #expect(throws: GeoBoxError.self) { try GeoBox(west: .nan, south: 0, east: 1, north: 1) }
    #expect(throws: GeoBoxError.longitudeOutOfRange(181)) {
      try GeoBox(west: 0, south: 0, east: 181, north: 1)
    }
    #expect(throws: GeoBoxError.latitudeOutOfRange(-91)) {
      try GeoBox(west: 0, south: -91, east: 1, north: 1)
    }
    #expect(throws: GeoBoxError.southAboveNorth(south: 2, north: 1)) {
      try GeoBox(west: 0, south: 2, east: 1, north: 1)
    }
  }

  @Test func edgesAreInside() throws {
    let box = try GeoBox(west: 10, south: 20, east: 30, north: 40)
    for (latitude, longitude, inside) in [
      (20.0, 10.0, true), (40, 30, true), (30, 20, true), (19.999, 20, false),
      (30, 9.999, false), (30, 30.001, false), (40.001, 20, false),
    ] {
      #expect(box.contains(latitude: latitude, longitude: longitude) == inside)
    }
    #expect(!box.crossesAntimeridian && box.longitudeSpan == 20)
    #expect(box.splitAtAntimeridian == [box])
  }

  @Test func aBoxAcross180Degrees() throws {
    let box = try GeoBox(west: 170, south: -10, east: -160, north: 10)
    #expect(box.crossesAntimeridian && box.longitudeSpan == 30)
    for (longitude, inside) in [
      (170.0, true), (180, true), (-180, true), (-160, true), (0, false), (169.9, false),
      (-159.9, false),
    ] {
      #expect(box.contains(latitude: 0, longitude: longitude) == inside)
    }
    let halves = box.splitAtAntimeridian
    #expect(halves.count == 2 && halves.allSatisfy { !$0.crossesAntimeridian })
    #expect(halves.map(\.longitudeSpan).reduce(0, +) == 30)
    var random = SplitMix64(seed: 3)
    for _ in 0..<2_000 {
      let place = randomCoordinate(&random)
      #expect(box.contains(place) == halves.contains { $0.contains(place) })
    }
  }

  @Test func oneMeridianAt180() throws {
    let west = try GeoBox(west: 170, south: 0, east: 180, north: 1)
    let east = try GeoBox(west: -180, south: 0, east: -170, north: 1)
    #expect(west.contains(latitude: 0, longitude: -180))
    #expect(east.contains(latitude: 0, longitude: 180))
    #expect(west.intersects(east) && east.intersects(west))
    let line = try GeoBox(west: 180, south: 0, east: -180, north: 1)
    #expect(line.contains(latitude: 0, longitude: 180))
    #expect(line.contains(latitude: 0, longitude: -180))
    #expect(!line.contains(latitude: 0, longitude: 179))
    #expect(GeoBox.world.contains(latitude: 90, longitude: 180))
  }

  @Test(arguments: [UInt64(41), 42]) func intersectionIsSymmetricAndSeesSharedPoints(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // Whole degrees so that edges meet often; oracle: a half-degree scan of longitudes.
    func box() -> GeoBox {
      let south = Double.random(in: -3...3, using: &random).rounded()
      return GeoBox(
        uncheckedWest: Double.random(in: -18...18, using: &random).rounded() * 10, south: south,
        east: Double.random(in: -18...18, using: &random).rounded() * 10,
        north: south + Double.random(in: 0...2, using: &random).rounded())
    }
    for _ in 0..<2_000 {
      let a = box()
      let b = box()
      let sharesLatitude = a.south <= b.north && b.south <= a.north
      let sharesLongitude = (-36...36).contains { step in
        let longitude = Double(step) * 5
        return a.contains(latitude: a.south, longitude: longitude)
          && b.contains(latitude: b.south, longitude: longitude)
      }
      #expect(a.intersects(b) == (sharesLatitude && sharesLongitude), "\(a) \(b)")
      #expect(a.intersects(b) == b.intersects(a))
    }
  }

  @Test(arguments: [1.0, 500, 20_000, 1_000_000, 9_000_000, 30_000_000])
  func coveringHoldsTheWholeCircle(radiusMeters: Double) throws {
    var random = SplitMix64(seed: 51)
    let odd = [(89.999, 3.0), (-90, 0), (0, 180), (60, -179.9999)]
    for i in 0..<300 {
      let center =
        i < odd.count
        ? try Coordinate(latitude: odd[i].0, longitude: odd[i].1) : randomCoordinate(&random)
      let box = GeoBox(covering: center, radiusMeters: radiusMeters)
      for step in 0..<36 {
        for scale in [0.5, 0.9, 1, 1.0044] {
          let place = center.destination(
            bearingDegrees: Double(step) * 10, meters: radiusMeters * scale)
          if center.distanceMeters(to: place) <= radiusMeters { #expect(box.contains(place)) }
        }
      }
    }
    let seoul = try Coordinate(latitude: 37.5, longitude: 127)
    let box = GeoBox(covering: seoul, radiusMeters: 1_000)
    #expect(!box.contains(latitude: 37.52, longitude: 127))
    #expect(!box.contains(latitude: 37.5, longitude: 127.02))
    #expect(GeoBox(covering: seoul, radiusMeters: .nan).contains(seoul))
    #expect(GeoBox(covering: seoul, radiusMeters: .infinity) == .world)
  }
}
