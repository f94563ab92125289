import ObjectModel
import TestSupport
import GeoMath
import ObjectModel
import Testing

@Suite struct GeohashTests {
  struct Vector {
    let integer: UInt64
    let text: String
    let latitude: Double
    let longitude: Double
  }

  static func vectors() throws -> [Vector] {
    try SharedData.lines("geohash-vectors.csv").dropFirst().map { line in
      let fields = line.split(separator: ",")
      return Vector(
        integer: try #require(UInt64(fields[0].dropFirst(2), radix: 16)), text: String(fields[1]),
        latitude: try #require(Double(fields[2])), longitude: try #require(Double(fields[3])))
    }
  }

  @Test(.enabled(if: SharedData.isPresent, "shared data is absent"))
  func all2000PublishedVectorsAreExact() throws {
    let vectors = try Self.vectors()
    #expect(vectors.count == 2_000)
    for v in vectors {
      let place = try Coordinate(latitude: v.latitude, longitude: v.longitude)
      #expect(Geohash.integer(latitude: v.latitude, longitude: v.longitude) == v.integer)
      #expect(Geohash(place).string == v.text)
      let decoded = try #require(Geohash(string: v.text))
      #expect(decoded == Geohash(place))
      #expect(decoded.bits == v.integer & ~0xF)
      #expect(decoded.bounds.contains(place))
      #expect(Geohash(integer: v.integer).bounds.contains(place))
      #expect(Geohash(integer: v.integer, bitCount: 60) == decoded)
      #expect((decoded.center.latitude - v.latitude).magnitude <= 180 / pow2(31))
      #expect((decoded.center.longitude - v.longitude).magnitude <= 360 / pow2(31))
    }
  }

  @Test func wikipediaExamples() throws {
    // en.wikipedia.org/wiki/Geohash: 57.64911, 10.40744 and ezs42.
    let jutland = try Coordinate(latitude: 57.64911, longitude: 10.40744)
    #expect(Geohash(jutland, characterCount: 11).string == "u4pruydqqvj")
    let ezs42 = try #require(Geohash(string: "ezs42")).bounds
    #expect(ezs42.south == 42.583_007_812_5 && ezs42.north == 42.626_953_125)
    #expect(ezs42.west == -5.625 && ezs42.east == -5.581_054_687_5)
  }

  @Test func decodingRefusesWhatIsNotAGeohash() {
    for text in ["", "a", "wydmi", "wydmL", "wydmo", "wydm9qyxxxxxx", "wyd m", "한", "wy\u{301}"] {
      #expect(Geohash(string: text) == nil, "\(text)")
    }
    #expect(Geohash(string: "WYDM9Q") == Geohash(string: "wydm9q"))
  }

  @Test(arguments: 1...12) func prefixesNest(characterCount: Int) throws {
    var random = SplitMix64(seed: 7)
    for _ in 0..<200 {
      let place = randomCoordinate(&random)
      let whole = Geohash(place).string
      let cell = Geohash(place, characterCount: characterCount)
      #expect(cell.string == whole.prefix(characterCount))
      #expect(cell.bounds.contains(place))
      #expect(Geohash(cell.center, characterCount: characterCount) == cell)
    }
  }

  @Test func cornersOfTheWorld() throws {
    let corners = [(90.0, 180.0), (90, -180), (-90, 180), (-90, -180), (0, 0)]
    let texts = ["zzzzzzzzzzzz", "bpbpbpbpbpbp", "pbpbpbpbpbpb", "000000000000", "s00000000000"]
    for (corner, text) in zip(corners, texts) {
      let place = try Coordinate(latitude: corner.0, longitude: corner.1)
      #expect(Geohash(place).string == text)
      #expect(Geohash(place).bounds.contains(place))
    }
  }

  @Test func neighborsOfAPublishedCell() throws {
    // The eight cells around "dqcjq" (neighbours as in the npm package ngeohash's tests).
    let cell = try #require(Geohash(string: "dqcjq"))
    #expect(
      cell.neighbors.map(\.string)
        == ["dqcjw", "dqcjx", "dqcjr", "dqcjp", "dqcjn", "dqcjj", "dqcjm", "dqcjt"])
  }

  @Test(arguments: 1...12) func neighborsTouchAndWrap(characterCount: Int) throws {
    var random = SplitMix64(seed: 11)
    for round in 0..<100 {
      var place = randomCoordinate(&random)
      if round % 4 == 0 {
        place = try Coordinate(latitude: place.latitude, longitude: round % 8 == 0 ? 180 : -180)
      }
      let cell = Geohash(place, characterCount: characterCount)
      let around = cell.neighbors
      let box = cell.bounds
      let touchesPole = box.north == 90 || box.south == -90
      #expect(touchesPole || Set(around).count == 8)
      #expect(touchesPole ? around.count <= 5 : true)
      for other in around where other != cell {
        #expect(other.bounds.intersects(box))
        #expect(other.neighbors.contains(cell))
      }
    }
  }

  @Test func farNeighborsWrapOrVanish() throws {
    let cell = try #require(Geohash(string: "wydm9"))
    #expect(cell.neighbor(columns: 1 << 13, rows: 0) == cell)
    #expect(cell.neighbor(columns: .max, rows: 0) != nil)
    #expect(cell.neighbor(columns: .min, rows: 0) != nil)
    #expect(cell.neighbor(columns: 0, rows: .max) == nil)
    #expect(cell.neighbor(columns: 0, rows: .min) == nil)
  }

  @Test(arguments: [0.0, 1, 50, 120, 1_000, 12_345, 100_000, 1_000_000])
  func precisionCoversTheCircle(radiusMeters: Double) throws {
    var random = SplitMix64(seed: 13)
    for _ in 0..<100 {
      let place = randomCoordinate(&random)
      guard
        let count = Geohash.characterCount(
          radiusMeters: radiusMeters, latitude: place.latitude)
      else { continue }
      let cell = Geohash(place, characterCount: count)
      let covered = Set(cell.neighbors + [cell])
      for step in 0..<24 {
        // The sphere's circle blown up by 1.0056 still has ellipsoid points within the radius.
        let rim = place.destination(
          bearingDegrees: Double(step) * 15, meters: radiusMeters * 1.005)
        if place.distanceMeters(to: rim) <= radiusMeters {
          #expect(covered.contains(Geohash(rim, characterCount: count)))
        }
        let inner = place.destination(
          bearingDegrees: Double(step) * 15, meters: radiusMeters * 0.99)
        #expect(covered.contains(Geohash(inner, characterCount: count)))
      }
    }
  }

  @Test func precisionIsNotNeedlesslyCoarse() {
    // 7 characters: 153 x 153 m at the equator; 6: 1.2 x 0.6 km; 5: 4.9 x 4.9 km.
    #expect(Geohash.characterCount(radiusMeters: 150, latitude: 0) == 7)
    #expect(Geohash.characterCount(radiusMeters: 600, latitude: 0) == 6)
    #expect(Geohash.characterCount(radiusMeters: 3_000, latitude: 37.5) == 5)
    #expect(Geohash.characterCount(radiusMeters: 0, latitude: 37.5) == 12)
    for (radius, latitude) in [
      (-1.0, 0.0), (.nan, 0), (.infinity, 0), (1, .nan), (10, 90), (2e7, 0), (200_000, 89),
    ] {
      #expect(Geohash.characterCount(radiusMeters: radius, latitude: latitude) == nil)
    }
  }
}

func pow2(_ exponent: Int) -> Double { Double(sign: .plus, exponent: exponent, significand: 1) }

/// Uniform over the sphere.
func randomCoordinate(_ random: inout SplitMix64) -> Coordinate {
  let sine = Double.random(in: -1...1, using: &random)
  return Coordinate(
    uncheckedLatitude: arcSine(sine) * 180 / .pi,
    longitude: Double.random(in: -180...180, using: &random))
}
