import ObjectModel
import GeoMath
import ObjectModel
import Testing

@Suite struct GeoPolygonTests {
  static func polygon(_ corners: [(Double, Double)]) throws -> GeoPolygon {
    try GeoPolygon(corners.map { try Coordinate(latitude: $0.0, longitude: $0.1) })
  }

  @Test func aPolygonOfTooFewCornersOrRoundAPoleIsRefused() throws {
    #expect(throws: GeoPolygonError.tooFewCorners(0)) { try GeoPolygon([]) }
    #expect(throws: GeoPolygonError.tooFewCorners(2)) {
      try Self.polygon([(0, 0), (1, 1), (0, 0), (1, 1), (0, 0)])
    }
    #expect(throws: GeoPolygonError.enclosesPole) {
      try Self.polygon([(80, 0), (80, 90), (80, 180), (80, -90)])
    }
  }

  @Test func closesByItself() throws {
    let open = try Self.polygon([(0, 0), (0, 10), (10, 10), (10, 0)])
    let closed = try Self.polygon([(0, 0), (0, 10), (10, 10), (10, 0), (0, 0)])
    #expect(open == closed && open.corners.count == 4)
    #expect(open.contains(latitude: 5, longitude: 5))
    #expect(!open.contains(latitude: 5, longitude: 10.001))
    #expect(!open.contains(latitude: 10.001, longitude: 5))
  }

  @Test func aConcavePolygon() throws {
    // A U: the notch is outside.
    let shape = try Self.polygon([
      (0, 0), (0, 9), (9, 9), (9, 6), (3, 6), (3, 3), (9, 3), (9, 0),
    ])
    #expect(shape.contains(latitude: 6, longitude: 1.5))
    #expect(shape.contains(latitude: 6, longitude: 7.5))
    #expect(shape.contains(latitude: 1.5, longitude: 4.5))
    #expect(!shape.contains(latitude: 6, longitude: 4.5))
  }

  @Test(arguments: [-170.0, -100, 0, 45, 175, 180, -180])
  func shiftingRoundTheWorldChangesNothing(shift: Double) throws {
    var random = SplitMix64(seed: 61)
    let shape = [(-10.0, -12.0), (-4, 8), (15, 12), (6, 0.0), (11, -9)]
    let home = try Self.polygon(shape)
    let moved = try Self.polygon(
      shape.map { ($0.0, Coordinate.wrappedLongitude($0.1 + shift)) })
    var insideCount = 0
    for _ in 0..<3_000 {
      let latitude = Double.random(in: -20...20, using: &random)
      let longitude = Double.random(in: -20...20, using: &random)
      let inside = home.contains(latitude: latitude, longitude: longitude)
      if inside { insideCount += 1 }
      let there = Coordinate.wrappedLongitude(longitude + shift)
      #expect(moved.contains(latitude: latitude, longitude: there) == inside)
      if inside { #expect(moved.bounds.contains(latitude: latitude, longitude: there)) }
    }
    #expect(insideCount > 300)
    #expect((moved.bounds.longitudeSpan - 24).magnitude < 1e-9)
  }

  @Test func acrossBothNamesOf180() throws {
    let fiji = try Self.polygon([(-20, 176), (-20, -178), (-15, -178), (-15, 176)])
    #expect(fiji.bounds == GeoBox(uncheckedWest: 176, south: -20, east: -178, north: -15))
    #expect(fiji.contains(latitude: -17, longitude: 180))
    #expect(fiji.contains(latitude: -17, longitude: -180))
    #expect(fiji.contains(latitude: -17, longitude: 177))
    #expect(!fiji.contains(latitude: -17, longitude: 0))
    #expect(!fiji.contains(latitude: -17, longitude: -177))
  }

  @Test(arguments: [UInt64(71), 72]) func polygonsThatShareAnEdgeShareNoPoint(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let a = try Self.polygon([(0, 0), (0, 5), (10, 5), (10, 0)])
    let b = try Self.polygon([(0, 5), (0, 10), (10, 10), (10, 5)])
    for _ in 0..<1_000 {
      let latitude = Double.random(in: 0..<10, using: &random)
      let inA = a.contains(latitude: latitude, longitude: 5)
      let inB = b.contains(latitude: latitude, longitude: 5)
      #expect(inA != inB)
    }
  }

  /// Against the winding angle of the ring around the point: another algorithm altogether.
  @Test(arguments: [UInt64(81), 82, 83]) func starsAgainstTheWindingNumber(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let corners = (0..<17).map { i in
      let radius = Double.random(in: 1...10, using: &random)
      let (s, c) = sineAndCosine(degrees: Double(i) * 360 / 17)
      return (radius * s, radius * c)
    }
    let star = try Self.polygon(corners)
    for _ in 0..<2_000 {
      let y = Double.random(in: -11...11, using: &random)
      let x = Double.random(in: -11...11, using: &random)
      var turns = 0.0
      for i in corners.indices {
        let (ay, ax) = (corners[i].0 - y, corners[i].1 - x)
        let next = corners[(i + 1) % corners.count]
        let (by, bx) = (next.0 - y, next.1 - x)
        turns += angle(y: ax * by - ay * bx, x: ax * bx + ay * by)
      }
      #expect(star.contains(latitude: y, longitude: x) == (turns.magnitude > 3))
    }
  }
}
