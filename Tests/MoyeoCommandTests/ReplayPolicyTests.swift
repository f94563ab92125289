import FareEstimation
import Foundation
import GeoMath
import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares
import Testing

@testable import moyeo

/// What matching together saves, against riders who join one by one, on demand that is generated.
@Suite("Replay policies") struct ReplayPolicyTests {
  /// Requests between a square of Manhattan and three quarters, evenly over the minutes.
  private static func demand(
    seed: UInt64, count: Int, minutes: Int
  ) -> [ReplayRequest] {
    var random = SplitMix64(seed: seed)
    func unit() -> Double { Double(random.next() >> 11) * 0x1p-53 }
    func spread(_ width: Double) -> Double { (unit() * 2 - 1) * width }
    let quarters = [(40.755, -73.985), (40.71, -74.008), (40.78, -73.96)]
    let begin: Int64 = 1_421_362_800_000
    return (0..<count).map { i in
      let at = Instant(milliseconds: begin + Int64(unit() * Double(minutes) * 60_000))
      let to = quarters[Int(random.next() % 3)]
      return ReplayRequest(
        at: at,
        request: RideRequest(
          riderID: "r\(i)",
          origin: RidePlace(
            coordinate: Coordinate(
              uncheckedLatitude: 40.755 + spread(0.02), longitude: -73.985 + spread(0.02))),
          destination: RidePlace(
            coordinate: Coordinate(
              uncheckedLatitude: to.0 + spread(0.01), longitude: to.1 + spread(0.01))),
          window: DepartureWindow(time: at), limits: .standard))
    }.sorted { $0.at < $1.at }
  }

  private static func settings(_ change: (inout ReplaySettings) -> Void = { _ in }) throws
    -> ReplaySettings
  {
    var root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let library = try TariffLibrary.load(
      tariffDirectories: [root.path + "/data/tariffs"], areaDirectories: [])
    let tariff = try #require(
      library.catalog.tariffs.last {
        $0.id == "us-nyc-yellow" && $0.isInForce(at: Instant(milliseconds: 1_421_362_800_000))
      })
    var settings = ReplaySettings(
      tariff: tariff,
      profile: .covering(Coordinate(uncheckedLatitude: 40.755, longitude: -73.985)),
      limits: RideLimits(maxWalkMeters: 500, maxDetourRatio: 0.5), maxSeats: 4,
      patienceSeconds: 300, intervalSeconds: 30, iterations: 200, seed: 1, leavesAtOnce: false)
    change(&settings)
    return settings
  }

  /// A batch a minute, as the service has it, against one every 30 s whose groups leave at once, and against
  /// the same sorted anew; thin demand, and some that is four times denser.
  @Test(arguments: [1, 2] as [UInt64]) func onTheWayMoreFindCompany(_ seed: UInt64) throws {
    let requests = Self.demand(seed: seed, count: 400, minutes: 60)
    let online = try ReplayPolicy.online.run(requests, try Self.settings())
    let boarding = try ReplayPolicy.boarding.run(requests, try Self.settings())
    #expect(boarding.count == requests.count)
    #expect(boarding.matchedShare > online.matchedShare)
    #expect(boarding.savedMeters > online.savedMeters)
    for ride in boarding.rides { #expect(ride.waitSeconds <= 301) }
    // Everybody within the limits that they stated.
    #expect(boarding.walks.allSatisfy { $0 <= 500.5 })
  }
}
