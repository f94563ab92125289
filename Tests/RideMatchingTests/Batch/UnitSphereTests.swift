import GeoMath
import ObjectModel
import Testing

@testable import RideMatching

@Suite struct UnitSphereTests {
  @Test(arguments: [0, 37.5, -60, 89.9, 90]) func equalsTheDistanceFunction(latitude: Double) {
    var random = SplitMix64(seed: 4)
    for _ in 0..<400 {
      let a = Coordinate(
        uncheckedLatitude: latitude, longitude: random.unit() < 0.5 ? 179.999 : 20)
      let meters = 100_000 * random.unit() * random.unit() * random.unit()
      let b = a.destination(bearingDegrees: random.unit() * 360, meters: meters)
      let exact = a.distanceMeters(to: b)
      let fast = UnitSphere.meters(
        UnitSphere.vector(a), latitudeA: a.latitude * (.pi / 180), b: UnitSphere.vector(b),
        latitudeB: b.latitude * (.pi / 180))
      #expect(abs((fast ?? -1) - exact) <= 2e-8 + exact * 1e-11, "\(a) \(b)")
      #expect(
        BatchInstance.lowerBoundMeters(UnitSphere.vector(a), UnitSphere.vector(b)) <= exact + 1e-8)
    }
  }

  @Test func farPointsAreNotItsBusiness() {
    let a = Coordinate(uncheckedLatitude: 0, longitude: 0)
    let b = Coordinate(uncheckedLatitude: 0, longitude: 2)
    #expect(
      UnitSphere.meters(UnitSphere.vector(a), latitudeA: 0, b: UnitSphere.vector(b), latitudeB: 0)
        == nil)
  }
}
