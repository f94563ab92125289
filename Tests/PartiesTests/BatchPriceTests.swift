import GeoMath
import ObjectModel
import RideMatching
import TaxiFares
import Testing
import TestSupport
import FareEstimation

/// A batch by the shipped tariffs and areas: the findings of the review, whatever comes first.
@Suite struct BatchPriceTests {
  private let rules = PartyRules(pricing: PartyPricingEstimateTests.pricing)
  private let departure = FareFixtures.instant("2026-11-20T12:00:00+09:00")

  private func request(
    _ id: String, _ from: (Double, Double), _ to: (Double, Double)
  ) -> RideRequest {
    RideRequest(
      riderID: id,
      origin: RidePlace(
        coordinate: Coordinate(uncheckedLatitude: from.0, longitude: from.1)),
      destination: RidePlace(coordinate: Coordinate(uncheckedLatitude: to.0, longitude: to.1)),
      window: DepartureWindow(time: departure))
  }

  private var seoulToIncheon: [RideRequest] {
    [
      request("a", (37.5547, 126.9707), (37.47, 126.62)),
      request("b", (37.5547, 126.9707), (37.4705, 126.625)),
    ]
  }
  private var midtownToKennedy: [RideRequest] {
    [
      request("c", (40.7549, -73.984), (40.6413, -73.7781)),
      request("d", (40.7551, -73.9838), (40.6446, -73.7822)),
    ]
  }
  private var inManhattan: [RideRequest] {
    [
      request("e", (40.7484, -73.9857), (40.8075, -73.9626)),
      request("f", (40.7485, -73.9856), (40.8050, -73.9640)),
    ]
  }

  private func groups(_ requests: [RideRequest]) throws -> [String: BatchGroup] {
    let result = BatchMatching.solve(
      requests: requests,
      options: BatchOptions(parties: BatchPartyTerms(rules: rules, now: departure)))
    return Dictionary(
      uniqueKeysWithValues: result.groups.map { group in
        (group.members.map { requests[$0].riderID }.sorted().joined(), group)
      })
  }

  @Test func eachGroupHasItsOwnTariffAreasAndFlatTrips() throws {
    let all = seoulToIncheon + midtownToKennedy + inManhattan
    for requests in [all, all.reversed(), midtownToKennedy + seoulToIncheon + inManhattan] {
      let groups = try groups(requests)
      #expect(Set(groups.keys) == ["ab", "cd", "ef"])
      let incheon = try #require(groups["ab"])
      #expect(incheon.currency == "KRW" && incheon.tariffID == "kr-seoul-medium")
      let kennedy = try #require(groups["cd"])
      // 70 dollars, by either terminal; metered it is 71.60.
      #expect(kennedy.fare == 7000 && kennedy.currency == "USD")
      #expect(kennedy.shares.map(\.amount) == [3500, 3500])
      let manhattan = try #require(groups["ef"])
      #expect(manhattan.currency == "USD" && manhattan.tariffID == "us-nyc-yellow")
      for group in groups.values {
        let alone = try rules.create(
          group.createParty(
            Array(requests), terms: BatchPartyTerms(rules: rules, now: departure), maxSeats: 4),
          id: "p", now: departure, claims: { _ in [] }
        ).party
        #expect(alone.fare.expected == group.fare)
        #expect(alone.riders.map(\.share) == group.shares.map(\.amount))
      }
    }
  }

  /// 38,000 by the meter alone: the way out of Seoul costs a fifth more.
  @Test func leavingTheAreaCostsWhatItCostsAParty() async throws {
    let requests = seoulToIncheon
    let group = try #require(try groups(requests)["ab"])
    let ends = group.dropOffOrder.map { requests[$0].destination.coordinate }
    let estimate = try await FareEstimator(library: FareFixtures.library).estimate(
      FareRequest(
        origin: requests[0].origin.coordinate, departure: departure,
        riders: ends.map { FareRider(id: "\($0.longitude)", dropOff: $0) }), now: departure)
    #expect(estimate.lines.contains { $0.kind == .outOfArea })
    #expect(group.fare == estimate.expected)
    #expect(group.fare == 45_600)
  }
}
