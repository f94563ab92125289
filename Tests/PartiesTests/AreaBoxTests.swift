import ObjectModel
import GeoMath
import Testing

@testable import FareEstimation

/// Looking at boxes first never changes which areas hold a place.
struct AreaBoxTests {
  static func square(_ id: String, west: Double, south: Double, east: Double, north: Double) throws
    -> FareArea
  {
    let ring = [(south, west), (south, east), (north, east), (north, west)].map {
      Coordinate(uncheckedLatitude: $0.0, longitude: $0.1 > 180 ? $0.1 - 360 : $0.1)
    }
    return FareArea(
      id: id, name: id, priority: 0, parts: [.init(outer: try GeoPolygon(ring))])
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func idsAreThoseOfALookAtEveryArea(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var areas = PartyFixture.library.areas.areas
    areas.append(try Self.square("fiji", west: 176, south: -20, east: 184, north: -15))
    areas.append(try Self.square("edge", west: -180, south: 10, east: -170, north: 20))
    let map = AreaMap(areas: areas)
    var held = 0
    for round in 0..<20_000 {
      let place =
        round % 2 == 0
        ? Coordinate(
          uncheckedLatitude: Double.random(in: 33...39, using: &generator),
          longitude: Double.random(in: 125...130, using: &generator))
        : Coordinate(
          uncheckedLatitude: Double.random(in: -90...90, using: &generator).rounded(),
          longitude: Double.random(in: -180...180, using: &generator).rounded())
      let wanted = map.areas.filter { $0.contains(place) }.map(\.id)
      #expect(map.ids(at: place) == wanted)
      held += wanted.count
    }
    #expect(held > 100)
  }
}
