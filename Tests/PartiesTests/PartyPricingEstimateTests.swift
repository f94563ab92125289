import TestSupport
import GeoMath
import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares
import Testing

@testable import FareEstimation

/// The price of a party is what a fare estimate of the same ride says, with the shipped tariffs
/// and areas.
@Suite struct PartyPricingEstimateTests {
  static let estimator = FareEstimator(library: FareFixtures.library)

  static let pricing: PartyPricing = {
    let library = FareFixtures.library
    return PartyPricing(
      catalog: library.catalog,
      areas: RideAreas(
        ids: { library.areas.ids(at: $0) },
        edgeShare: { area, from, to in
          // The bisection of FareEstimator.
          var inside = 0.0
          var outside = 1.0
          for _ in 0..<20 {
            let middle = (inside + outside) / 2
            let place = Coordinate(
              uncheckedLatitude: from.latitude + (to.latitude - from.latitude) * middle,
              longitude: from.longitude + (to.longitude - from.longitude) * middle)
            let first = library.areas.ids(at: place).first(where: library.catalog.areas.contains)
            if first == area { inside = middle } else { outside = middle }
          }
          return outside
        }))
  }()

  static let centers = [
    Coordinate(uncheckedLatitude: 37.4979, longitude: 127.0276),
    Coordinate(uncheckedLatitude: 37.55, longitude: 127.17),
    Coordinate(uncheckedLatitude: 40.75, longitude: -73.985),
    Coordinate(uncheckedLatitude: 33.4996, longitude: 126.5312),
  ]

  @Test(arguments: [1 as UInt64, 2, 3])
  func equalsTheEstimate(seed: UInt64) async throws {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func random(_ count: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % count
    }
    func place(near center: Coordinate, _ meters: Int) -> Coordinate {
      center.destination(
        bearingDegrees: Double(random(360)), meters: Double(random(max(1, meters))))
    }
    let rules = PartyRules(pricing: Self.pricing)
    let kennedy = Coordinate(uncheckedLatitude: 40.6413, longitude: -73.7781)
    var compared = 0
    for round in 0..<60 {
      let center = Self.centers[random(4)]
      let origin = place(near: center, 2000)
      let isAirport = center.longitude < 0 && random(3) == 0
      let destination = isAirport ? kennedy : place(near: center, 25_000)
      let riders = (0..<random(4)).map { i in
        JoinParty(
          riderID: "r\(i)",
          destination: isAirport || random(3) == 0
            ? nil : RidePlace(coordinate: place(near: destination, 4000)),
          wishes: RideWishes(maxDetourRatio: 900))
      }
      let departure = FareFixtures.instant("2025-11-20T00:00:00Z")
        .advanced(milliseconds: Int64(random(86_400_000)))
      let command = CreateParty(
        hostID: "host", origin: RidePlace(coordinate: origin),
        destination: RidePlace(coordinate: destination),
        window: DepartureWindow(time: departure), riders: riders, seats: 4,
        limits: RideLimits(maxWalkMeters: 300, maxDetourRatio: 900),
        splitRule: [SplitRule.equal, .byDistance, .byLeg, .bySoloFare, .shapley, .hostPays][
          round % 6], isCalled: random(2) == 0)
      guard
        let party = try? rules.create(
          command, id: "p", now: departure, claims: { _ in [] }
        ).party
      else { continue }
      let isOnePlace = party.riders.allSatisfy {
        ($0.dropOff?.coordinate ?? destination) == destination
      }
      let request = FareRequest(
        origin: origin, destination: isOnePlace ? destination : nil, departure: departure,
        tariffID: party.tariffID,
        riders: party.riders.map {
          FareRider(
            id: $0.id, dropOff: isOnePlace ? nil : $0.dropOff?.coordinate ?? destination,
            seats: $0.seats)
        }, splitRule: party.splitRule, hostID: "host", isCalled: party.isCalled, seats: 4)
      let estimate = try await Self.estimator.estimate(request, now: departure)
      #expect(party.fare.expected == estimate.expected)
      #expect(party.fare.low == estimate.low)
      #expect(party.fare.high == estimate.high)
      #expect(party.fare.perPersonNow == estimate.perPersonNow)
      #expect(party.fare.perPersonIfFull == estimate.perPersonIfFull)
      #expect(party.riders.map(\.share) == estimate.shares.map(\.amount))
      #expect(party.riders.map { $0.soloFare as Int64? } == estimate.shares.map(\.soloFare))
      #expect(party.route.stopOrder == estimate.stopOrder)
      #expect(party.route.path == estimate.path)
      #expect(party.route.durationSeconds == estimate.durationSeconds)
      compared += 1
    }
    #expect(compared > 40)
  }
}
