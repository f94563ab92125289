import Foundation
import ObjectModel
import Testing

@testable import RESPServer

struct CellCodeTests {
  /// The example of Redis's documentation, with the digits that a redis-server 7.0 gives.
  @Test func knownPlaces() throws {
    let palermo = try #require(CellCode.score(longitude: 13.361389, latitude: 38.115556))
    let catania = try #require(CellCode.score(longitude: 15.087269, latitude: 37.502669))
    #expect(palermo == 3_479_099_956_230_698)
    #expect(catania == 3_479_447_370_796_909)
    #expect(
      String(decoding: CellCode.geohash(CellCode.place(palermo)), as: UTF8.self) == "sqc8b49rny0")
    let distance = CellCode.distance(CellCode.place(palermo), CellCode.place(catania))
    #expect(numberText { $0.appendFourDecimals(distance) } == "166274.1516")
  }

  /// Short series and the library's functions give one distance but for the last digits, and print one.
  @Test(arguments: [1.0, 1000, 0.3048, 1609.34])
  func nearDistancesArePrintedAlike(metersPerUnit: Double) throws {
    var random = SplitMix64(seed: 41)
    var near = 0
    var most = 0.0
    for _ in 0..<100_000 {
      let center = CellCode.Place(
        longitude: .random(in: -180...180, using: &random),
        latitude: .random(in: -85...85, using: &random))
      let reach = pow(10, .random(in: -7 ... -0.3, using: &random))
      let place = CellCode.Place(
        longitude: center.longitude + .random(in: -reach...reach, using: &random),
        latitude: center.latitude + .random(in: -reach...reach, using: &random))
      let origin = CellCode.Origin(center)
      let exact = origin.distance(to: place)
      if let series = origin.nearDistance(to: place) {
        near += 1
        most = max(most, abs(series - exact) / exact)
      }
      let radius = exact / metersPerUnit * .random(in: 0.5...2, using: &random)
      let shape = SearchShape(
        center: center, kind: .circle(radius: radius), metersPerUnit: metersPerUnit)
      let distance = shape.distance(to: place)
      let printed = shape.printedDistance(to: place)
      #expect((distance == nil) == (printed == nil))
      if let distance, let printed {
        #expect(
          numberText { $0.appendFourDecimals(distance / metersPerUnit) }
            == numberText { $0.appendFourDecimals(printed / metersPerUnit) })
      }
    }
    #expect(near > 50_000)
    #expect(most < CellCode.Origin.seriesError / 10)
  }

  /// On the very circle, where one digit decides, and on the meridian.
  @Test func placesOnTheCircleAreDecidedExactly() {
    var random = SplitMix64(seed: 43)
    for round in 0..<20_000 {
      let center = CellCode.Place(longitude: 127, latitude: .random(in: -85...85, using: &random))
      let place = CellCode.Place(
        longitude: round % 5 == 0 ? 127 : .random(in: 126.9...127.1, using: &random),
        latitude: center.latitude + .random(in: -0.1...0.1, using: &random))
      let exact = CellCode.distance(center, place)
      for radius in [exact.nextDown, exact, exact.nextUp] {
        let shape = SearchShape(center: center, kind: .circle(radius: radius), metersPerUnit: 1)
        #expect((shape.printedDistance(to: place) == nil) == (radius < exact))
      }
    }
  }

  @Test(arguments: UInt64(1)...20)
  func aPlaceIsInItsCell(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    // Half a cell, and what rounding adds.
    let (widest, highest): (Double, Double) = (360 / 0x1p27 + 1e-12, 171 / 0x1p27 + 1e-12)
    for _ in 0..<500 {
      let longitude = Double(random.next() >> 11) / 0x1p53 * 360 - 180
      let latitude = Double(random.next() >> 11) / 0x1p53 * 170 - 85
      let score = try #require(CellCode.score(longitude: longitude, latitude: latitude))
      let place = CellCode.place(score)
      let (aside, apart): (Double, Double) = (
        abs(place.longitude - longitude), abs(place.latitude - latitude)
      )
      #expect(aside <= widest)
      #expect(apart <= highest)
      #expect(CellCode.score(longitude: place.longitude, latitude: place.latitude) == score)
      let (row, column) = CellCode.rowAndColumn(score)
      #expect(CellCode.interleaved(row: row, column: column) == score)
    }
  }

  /// A code and its place are found together as one after the other, at the world's edge as well.
  @Test func aScoredPlaceIsWhatItsScoreStandsFor() throws {
    var random = SplitMix64(seed: 23)
    func degrees(_ limit: Double) -> Double {
      switch random.next() % 8 {
      case 0: limit
      case 1: -limit
      case 2: limit.nextDown
      case 3: (-limit).nextUp
      default: (Double(random.next() >> 11) / 0x1p53 * 2 - 1) * limit
      }
    }
    for _ in 0..<20_000 {
      let code = try #require(
        CellCode.ScoredPlace(
          longitude: degrees(CellCode.maximumLongitude),
          latitude: degrees(CellCode.maximumLatitude)))
      #expect(code.place == CellCode.place(code.score))
      #expect(code.score == UInt64(Double(code.score)))
    }
  }

  @Test func placesBeyondTheLimitsHaveNoCode() {
    #expect(CellCode.score(longitude: 0, latitude: 85.06) == nil)
    #expect(CellCode.score(longitude: 180.1, latitude: 0) == nil)
    #expect(CellCode.score(longitude: .nan, latitude: 0) == nil)
  }

  /// What is within a circle is in one of the nine cells, away from the poles.
  @Test(arguments: UInt64(1)...20)
  func nineCellsCoverACircle(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func fraction() -> Double { Double(random.next() >> 11) / 0x1p53 }
    for _ in 0..<200 {
      let center = CellCode.Place(
        longitude: fraction() * 340 - 170, latitude: fraction() * 120 - 60)
      let shape = SearchShape(
        center: center, kind: .circle(radius: 1 + fraction() * 20_000), metersPerUnit: 1)
      let cells = shape.cells()
      let degrees = shape.reach / 111_000
      for _ in 0..<20 {
        let score = try #require(
          CellCode.score(
            longitude: center.longitude + (fraction() * 2 - 1) * degrees * 2,
            latitude: center.latitude + (fraction() * 2 - 1) * degrees))
        if shape.distance(to: CellCode.place(score)) != nil {
          #expect(cells.index(of: score) != nil)
        }
      }
    }
  }
}

struct GlobPatternTests {
  @Test func aPatternMatchesAsThatOfRedisDoes() {
    func matches(_ pattern: String, _ text: String) -> Bool {
      GlobPattern(Array(pattern.utf8)).matches(text.utf8)
    }
    #expect(matches("*", ""))
    #expect(matches("m*3", "m123"))
    #expect(!matches("m*3", "m124"))
    #expect(matches("m[1-3]?", "m2x"))
    #expect(!matches("m[^1-3]?", "m2x"))
    #expect(matches("\\*", "*"))
    #expect(!matches("\\*", "a"))
    #expect(matches("*a*b*", "xxaxxbxx"))
    #expect(!matches("", "a"))
    // Quadratic at most: this would not end otherwise.
    #expect(!matches(String(repeating: "a*", count: 50) + "b", String(repeating: "a", count: 5000)))
  }
}
