import TestSupport
import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares
import Testing

@testable import FareEstimation

@Suite struct FareEstimatorTests {
  private let estimator = FareEstimator(library: FareFixtures.library)
  private let seoulStation = Coordinate(uncheckedLatitude: 37.5547, longitude: 126.9707)
  private let gangnam = Coordinate(uncheckedLatitude: 37.4979, longitude: 127.0276)
  private let ichon = Coordinate(uncheckedLatitude: 37.5224, longitude: 126.9742)
  private let pangyo = Coordinate(uncheckedLatitude: 37.3948, longitude: 127.1112)
  private let now = FareFixtures.instant("2026-11-20T12:00:00+09:00")
  private let night = FareFixtures.instant("2026-11-20T23:10:00+09:00")

  private func refusal(_ request: FareRequest) async -> FareRequestError? {
    do throws(FareRequestError) {
      _ = try await estimator.estimate(request, now: now)
      return nil
    } catch {
      return error
    }
  }

  @Test func fromTwoPlacesAtNight() async throws {
    let request = FareRequest(
      origin: seoulStation, destination: gangnam, departure: night, riderCount: 3)
    let fare = try await estimator.estimate(request, now: now)
    #expect(fare.tariffID == "kr-seoul-medium")
    #expect(fare.tariffEffectiveText == "2023-02-01T04:00:00+09:00")
    #expect(fare.currency == "KRW")
    #expect(fare.source == "estimate")
    #expect(fare.expected % 100 == 0)
    #expect(fare.low < fare.expected && fare.expected < fare.high)
    #expect(fare.lines.reduce(0) { $0 + $1.amount } == fare.expected)
    #expect(fare.shares.count == 3)
    #expect(fare.shares.reduce(0) { $0 + $1.amount } == fare.expected)
    #expect(fare.perPersonNow == (fare.expected + 2) / 3)
    #expect(fare.perPersonIfFull == (fare.expected + 3) / 4)
    #expect(fare.unverifiedFields == ["baseRounding"])
    // The base of 23:10, and by day less.
    #expect(fare.lines.prefix(2).map(\.amount) == [4800, 1900])
    var day = request
    day.departure = now
    let cheaper = try await estimator.estimate(day, now: now)
    #expect(cheaper.expected < fare.expected)
  }

  private let midtown = Coordinate(uncheckedLatitude: 40.7549, longitude: -73.984)
  private let kennedy = Coordinate(uncheckedLatitude: 40.6413, longitude: -73.7781)
  private let otherTerminal = Coordinate(uncheckedLatitude: 40.6446, longitude: -73.7822)

  /// However the ride to the airport is put, it costs 70 dollars.
  @Test func aFlatTripIsFlatHoweverItIsAsked() async throws {
    func rider(_ id: String, _ drop: Coordinate?) -> FareRider { FareRider(id: id, dropOff: drop) }
    let asked: [(Coordinate?, [FareRider])] = [
      (kennedy, []), (nil, [rider("a", kennedy)]), (kennedy, [rider("a", kennedy)]),
      (nil, [rider("a", kennedy), rider("b", kennedy)]),
      (nil, [rider("a", kennedy), rider("b", otherTerminal)]),
      (otherTerminal, [rider("a", kennedy), rider("b", nil)]),
    ]
    for (destination, riders) in asked {
      let fare = try await estimator.estimate(
        FareRequest(
          origin: midtown, destination: destination, departure: now, riders: riders), now: now)
      #expect(fare.expected == 7000 && fare.low == 7000 && fare.high == 7000)
      #expect(fare.lines.map(\.kind) == [.flat])
      #expect(fare.shares.allSatisfy { $0.amount == 7000 / Int64(riders.count) })
    }
    // One who gets out on the way makes it a metered ride.
    let mixed = try await estimator.estimate(
      FareRequest(
        origin: midtown, destination: kennedy, departure: now,
        riders: [
          rider("a", nil), rider("b", Coordinate(uncheckedLatitude: 40.71, longitude: -73.83)),
        ]),
      now: now)
    #expect(!mixed.lines.contains { $0.kind == .flat })
  }

  @Test func aTripOfNoLengthIsRefused() async throws {
    let door = seoulStation.destination(bearingDegrees: 30, meters: 4)
    let toItself = await refusal(FareRequest(origin: seoulStation, destination: door))
    #expect(toItself?.reason == "trip_too_short" && toItself?.field == "destination")
    let rider = await refusal(
      FareRequest(
        origin: seoulStation, destination: gangnam,
        riders: [FareRider(id: "a"), FareRider(id: "b", dropOff: door)]))
    #expect(rider?.reason == "trip_too_short" && rider?.field == "riders[1].dropOff")
    // The taxi may come back, and 30 m are a trip.
    let back = await refusal(
      FareRequest(
        origin: seoulStation, destination: seoulStation,
        riders: [FareRider(id: "a", dropOff: gangnam)]))
    #expect(back == nil)
    let near = seoulStation.destination(bearingDegrees: 30, meters: 30)
    #expect(await refusal(FareRequest(origin: seoulStation, destination: near)) == nil)
  }

  /// Five riders, two of them alike: the game of rides with the others left out, by permutations.
  @Test func shapleySharesOfFiveAreThoseOfTheRealGame() async throws {
    let places = [
      gangnam, gangnam, ichon, pangyo, ichon.destination(bearingDegrees: 90, meters: 900),
    ]
    func request(_ members: [Int], _ order: [Int]) -> FareRequest {
      FareRequest(
        origin: seoulStation, departure: now,
        riders: order.filter(members.contains).map { FareRider(id: "\($0)", dropOff: places[$0]) },
        splitRule: .shapley)
    }
    let whole = try await estimator.estimate(request([0, 1, 2, 3, 4], [0, 1, 2, 3, 4]), now: now)
    let visits = whole.stopOrder.compactMap { Int($0) }
    var fares = [Int64](repeating: 0, count: 32)
    for mask in 1..<32 {
      // The others' places in the order of the whole ride.
      var stops: [Coordinate] = []
      for rider in visits where mask >> rider & 1 == 1 && stops.last != places[rider] {
        stops.append(places[rider])
      }
      let route = try await EstimatedRouteProvider().route(
        RouteRequest(
          origin: seoulStation, stops: Array(stops.dropLast()),
          destination: try #require(stops.last), departure: now))
      var trip = Trip(
        .totals(distanceMeters: route.distanceMeters, durationSeconds: route.durationSeconds),
        departure: now)
      if stops.contains(pangyo) { trip.outOfAreaFromMeters = 0 }
      let tariff = try FareFixtures.tariff("kr-seoul-medium", at: "2026-11-20T12:00:00+09:00")
      fares[mask] = try tariff.fare(for: trip).expected.total
    }
    #expect(fares[31] == whole.expected)
    var sums = [Double](repeating: 0, count: 5)
    func extend(_ mask: Int, _ order: [Int]) {
      if order.count == 5 {
        var before = 0
        for rider in order {
          sums[rider] += Double(fares[before | 1 << rider] - fares[before]) / 120
          before |= 1 << rider
        }
        return
      }
      for rider in 0..<5 where mask >> rider & 1 == 0 { extend(mask | 1 << rider, order + [rider]) }
    }
    extend(0, [])
    for (share, value) in zip(whole.shares, sums) {
      #expect(abs(Double(share.amount) - value) <= 1)
    }
    #expect(abs(whole.shares[0].amount - whole.shares[1].amount) <= 1)
    let other = try await estimator.estimate(request([0, 1, 2, 3, 4], [4, 1, 3, 0, 2]), now: now)
    let shareOf = Dictionary(
      uniqueKeysWithValues: other.shares.map { ($0.riderID, $0.amount) })
    for share in whole.shares { #expect(abs((shareOf[share.riderID] ?? -9) - share.amount) <= 1) }
  }

  @Test func nowIsTheDepartureWhenNoneIsGiven() async throws {
    let fare = try await estimator.estimate(
      FareRequest(origin: seoulStation, destination: gangnam), now: night)
    #expect(fare.departure == night)
    #expect(fare.lines.contains { $0.kind == .surcharge })
    #expect(fare.shares.isEmpty)
  }

  @Test func segmentsAndTotalsByTariffId() async throws {
    var request = FareRequest(departure: now, tariffID: "kr-seoul-medium")
    request.segments = [TripSegment(distanceMeters: 1600, durationSeconds: 120)]
    var fare = try await estimator.estimate(request, now: now)
    #expect((fare.low, fare.expected, fare.high) == (4900, 4900, 4900))
    #expect(fare.source == "given")
    request.segments = nil
    request.distanceMeters = 7000
    request.durationSeconds = 1324
    request.slowSeconds = 624
    fare = try await estimator.estimate(request, now: now)
    #expect(fare.expected == 11_100)
    request.slowSeconds = nil
    fare = try await estimator.estimate(request, now: now)
    #expect(fare.low < fare.high)
    #expect(fare.distanceMeters == 7000)
    request.tolls = 2000
    let withTolls = try await estimator.estimate(request, now: now)
    #expect(withTolls.expected == fare.expected + 2000)
    request.isOutOfArea = true
    #expect(
      try await estimator.estimate(request, now: now).lines.contains { $0.kind == .outOfArea })
  }

  @Test func leavingTheCityCostsMore() async throws {
    let out = try await estimator.estimate(
      FareRequest(origin: seoulStation, destination: pangyo, departure: now), now: now)
    #expect(out.lines.contains { $0.kind == .outOfArea })
    let inside = try await estimator.estimate(
      FareRequest(origin: seoulStation, destination: gangnam, departure: now), now: now)
    #expect(!inside.lines.contains { $0.kind == .outOfArea })
    // In Pangyo the tariff of Gyeonggi holds, on the way to Seoul out of area.
    let back = try await estimator.estimate(
      FareRequest(origin: pangyo, destination: seoulStation, departure: now), now: now)
    #expect(back.tariffID == "kr-gyeonggi-standard")
    #expect(back.lines.contains { $0.kind == .outOfArea })
  }

  @Test func jfkIsFlat() async throws {
    let manhattan = Coordinate(uncheckedLatitude: 40.758, longitude: -73.9855)
    let jfk = Coordinate(uncheckedLatitude: 40.6441, longitude: -73.7822)
    for (from, to) in [(manhattan, jfk), (jfk, manhattan)] {
      let fare = try await estimator.estimate(
        FareRequest(origin: from, destination: to, departure: now), now: now)
      #expect((fare.low, fare.expected, fare.high) == (7000, 7000, 7000))
      #expect(fare.lines.map(\.kind) == [.flat])
    }
    let past = try await estimator.estimate(
      FareRequest(
        origin: jfk, destination: manhattan,
        departure: FareFixtures.instant("2015-01-15T12:00:00-05:00")), now: now)
    #expect(past.expected == 5200)
    #expect(past.tariffEffectiveText == "2012-09-04T00:00:00-04:00")
  }

  @Test func vehicleClassChoosesTheTariff() async throws {
    var request = FareRequest(origin: seoulStation, destination: gangnam, departure: now)
    request.vehicleClass = "large"
    #expect(try await estimator.estimate(request, now: now).tariffID == "kr-seoul-deluxe")
    request.vehicleClass = "boat"
    let error = try #require(await refusal(request))
    #expect(error.reason == "unknown_vehicle_class")
    #expect(error.field == "vehicleClass")
  }

  private func threeRiders(_ rule: SplitRule) -> FareRequest {
    FareRequest(
      origin: seoulStation, destination: gangnam, departure: night,
      riders: [
        FareRider(id: "host"), FareRider(id: "ichon", dropOff: ichon, weight: 2),
        FareRider(id: "guest", weight: 1),
      ], splitRule: rule)
  }

  @Test(arguments: SplitRule.allCases)
  func everyRuleSharesARideWithStops(rule: SplitRule) async throws {
    var request = threeRiders(rule)
    request.riders[0].weight = 3
    request.tolls = 1500
    let fare = try await estimator.estimate(request, now: now)
    #expect(fare.shares.map(\.riderID) == ["host", "ichon", "guest"])
    #expect(fare.shares.reduce(0) { $0 + $1.amount } == fare.expected)
    #expect(fare.stopOrder.first == "ichon")
    for share in fare.shares {
      let solo = try #require(share.soloFare)
      #expect((share.amount > solo) == (share.exceedsSoloBecause != nil))
    }
    switch rule {
    case .hostPays:
      #expect(fare.shares.map(\.amount) == [fare.expected, 0, 0])
    case .bySoloFare, .byDistance, .byLeg, .shapley:
      #expect(fare.shares[1].amount < fare.shares[0].amount)
      #expect(abs(fare.shares[0].amount - fare.shares[2].amount) <= 1)
      #expect(fare.shares.allSatisfy { $0.exceedsSoloBecause == nil })
    case .equal:
      let amounts: [Int64] = fare.shares.map(\.amount)
      let (most, least): (Int64, Int64) = (amounts.max() ?? 0, amounts.min() ?? 0)
      #expect(most - least <= 1)
    case .weights:
      #expect(fare.shares[0].amount > fare.shares[1].amount)
    }
  }

  @Test func theSameDestinationMakesEqualShares() async throws {
    let fare = try await estimator.estimate(
      FareRequest(origin: seoulStation, destination: gangnam, departure: now, riderCount: 4),
      now: now)
    let amounts = fare.shares.map(\.amount)
    #expect((amounts.max() ?? 0) - (amounts.min() ?? 0) <= 1)
    #expect(fare.shares.allSatisfy { $0.soloFare == fare.expected })
  }

  @Test func refusalsNameTheField() async throws {
    func expect(
      _ reason: String, _ field: String, _ change: (inout FareRequest) -> Void
    ) async throws {
      var request = FareRequest(origin: seoulStation, destination: gangnam, departure: now)
      change(&request)
      let error = try #require(await refusal(request), "\(reason)")
      #expect(error.reason == reason)
      #expect(error.field == field)
      #expect(!error.message.isEmpty)
    }
    try await expect("unknown_tariff", "tariffId") { $0.tariffID = "kr-atlantis" }
    try await expect("limit_out_of_range", "riderCount") { $0.riderCount = 50 }
    try await expect("limit_out_of_range", "riderCount") { $0.riderCount = 0 }
    try await expect("limit_out_of_range", "riders") {
      $0.riders = (0..<50).map { FareRider(id: "\($0)") }
    }
    try await expect("limit_out_of_range", "seats") { $0.seats = 9 }
    try await expect("conflicting_fields", "riderCount") {
      $0.riderCount = 1
      $0.riders = [FareRider(id: "a")]
    }
    try await expect("duplicate_rider", "riders[1].riderId") {
      $0.riders = [FareRider(id: "a"), FareRider(id: "a")]
    }
    try await expect("departure_before_tariffs", "departureTime") {
      $0.departure = FareFixtures.instant("2000-01-01T00:00:00Z")
    }
    try await expect("departure_out_of_range", "departureTime") { $0.departure = .distantPast }
    try await expect("no_tariff_here", "origin") {
      $0.origin = Coordinate(uncheckedLatitude: 0.5, longitude: 0.5)
    }
    try await expect("distance_out_of_range", "distanceMeters") {
      $0.distanceMeters = -1
      $0.durationSeconds = 60
    }
    try await expect("distance_out_of_range", "distanceMeters") {
      $0.distanceMeters = .nan
      $0.durationSeconds = 60
    }
    try await expect("duration_out_of_range", "durationSeconds") {
      $0.distanceMeters = 1
      $0.durationSeconds = .infinity
    }
    try await expect("missing_field", "durationSeconds") { $0.distanceMeters = 1 }
    try await expect("missing_field", "distanceMeters") { $0.durationSeconds = 1 }
    try await expect("conflicting_fields", "distanceMeters") {
      $0.distanceMeters = 1
      $0.segments = [TripSegment(distanceMeters: 1, durationSeconds: 1)]
    }
    try await expect("duration_out_of_range", "segments[0].durationSeconds") {
      $0.segments = [TripSegment(distanceMeters: 1, durationSeconds: -1)]
    }
    try await expect("limit_out_of_range", "segments") { $0.segments = [] }
    try await expect("missing_field", "origin") {
      $0.origin = nil
      $0.tariffID = "kr-busan"
    }
    try await expect("missing_field", "destination") { $0.destination = nil }
    try await expect("missing_field", "tariffId") {
      $0.origin = nil
      $0.distanceMeters = 1
      $0.durationSeconds = 1
    }
    try await expect("amount_out_of_range", "tolls") { $0.tolls = -1 }
    try await expect("amount_out_of_range", "tolls") { $0.tolls = .max }
    try await expect("unknown_flat_trip", "flatTrip") { $0.flatTrip = "moon" }
    try await expect("unknown_rider", "hostId") {
      $0.riderCount = 2
      $0.splitRule = .hostPays
      $0.hostID = "nobody"
    }
    try await expect("missing_field", "riders[0].weight") {
      $0.riderCount = 2
      $0.splitRule = .weights
    }
  }

  @Test func splitRefusesFiftyRiders() {
    let riders = (0..<50).map { ShareRider(id: "\($0)") }
    #expect(
      throws: FareRequestError.limitOutOfRange(field: "riders", value: 50, allowed: 1...8)
    ) { try estimator.split(FareSplit(amount: 10_000, rule: .equal, riders: riders)) }
  }

  /// A provider that fails is told so; one that gives a duration gets a range around it.
  private struct StubProvider: RouteProvider {
    var failure: RouteError?
    var source: RouteSource { .osrm }

    func route(_ request: RouteRequest) async throws(RouteError) -> Route {
      if let failure { throw failure }
      let legs = zip(request.places, request.places.dropFirst()).map { _ in
        RouteLeg(distanceMeters: 10_000, durationSeconds: 1200)
      }
      return Route(legs: legs, path: request.places, source: .osrm)
    }
  }

  @Test func otherProvidersAreAsked() async throws {
    let asked = FareEstimator(library: FareFixtures.library, routes: StubProvider())
    let fare = try await asked.estimate(
      FareRequest(origin: seoulStation, destination: gangnam, departure: now), now: now)
    #expect(fare.source == "osrm")
    #expect(fare.distanceMeters == 10_000)
    #expect(fare.low < fare.expected && fare.expected < fare.high)
    let failing = FareEstimator(
      library: FareFixtures.library, routes: StubProvider(failure: .unavailable("down")))
    do throws(FareRequestError) {
      _ = try await failing.estimate(
        FareRequest(origin: seoulStation, destination: gangnam, departure: now), now: now)
      Issue.record("a failing provider must be told")
    } catch {
      #expect(error.reason == "unavailable")
    }
  }
}
