import GeoMath
import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares
import TestSupport
import Testing

/// The pricing of parties against the public parts it stands for, put together naively.
@Suite struct PartyPricingTests {
  /// What a fare estimate does, step by step, with everything allocated.
  struct Naive {
    let tariff: Tariff
    let party: Party
    let provider = EstimatedRouteProvider()

    var drops: [Coordinate] {
      party.riders.map { ($0.dropOff ?? party.destination).coordinate }
    }

    func order() throws -> [Int] {
      var places: [Coordinate] = []
      for drop in drops where !places.contains(drop) { places.append(drop) }
      let riders = places.map { StopOrderRider(pickUp: nil, dropOff: $0) }
      let problem = try StopOrderProblem(riders: riders, start: party.origin.coordinate)
      let estimator = TravelEstimator(
        profile: provider.profile(at: party.origin.coordinate), departure: party.window.time,
        near: party.origin.coordinate)
      let best = try #require(problem.best(estimator))
      var order: [Int] = []
      for case .dropOff(let place) in best.visits {
        order += drops.indices.filter { drops[$0] == places[place] }
      }
      return order
    }

    func route(_ stops: [Coordinate]) throws -> Route {
      provider.estimatedRoute(
        try RouteRequest(
          origin: party.origin.coordinate, stops: Array(stops.dropLast()),
          destination: try #require(stops.last), departure: party.window.time))
    }

    func stops(_ riders: [Int], _ order: [Int]) -> [Coordinate] {
      var stops: [Coordinate] = []
      for rider in order where riders.contains(rider) {
        if stops.last != drops[rider] { stops.append(drops[rider]) }
      }
      return stops
    }

    /// - Parameter ends: In the order in which the first outside one decides.
    func trip(_ route: Route, ends: [Coordinate], isCalled: Bool) -> Trip {
      var trip = Trip(
        .totals(
          distanceMeters: route.distanceMeters, durationSeconds: route.durationSeconds),
        departure: party.window.time, isCalled: isCalled)
      let origin = party.origin.coordinate
      let areas = PartyWorld.areas
      func priced(_ place: Coordinate) -> String? {
        areas.ids(place).first { ["kr-seoul", "everywhere"].contains($0) }
      }
      trip.flatTrip =
        tariff.content.flatTrips.first { flat in
          let (a, b) = (flat.between[0], flat.between[1])
          let here = areas.ids(origin)
          return ends.map(areas.ids).allSatisfy { there in
            (here.contains(a) && there.contains(b)) || (here.contains(b) && there.contains(a))
          }
        }?.id
      if tariff.content.outOfArea != nil, priced(origin) == tariff.area,
        let outside = ends.first(where: { priced($0) != tariff.area })
      {
        trip.outOfAreaFromMeters =
          areas.edgeShare(tariff.area, origin, outside) * route.distanceMeters
      }
      return trip
    }

    func shares(of trip: Trip, _ bill: FareBreakdown, _ order: [Int]) throws -> [FareShare] {
      let all = Array(drops.indices)
      let way = try route(stops(all, order))
      var reached: [Coordinate: (meters: Double, seconds: Double)] = [:]
      var sum = (meters: 0.0, seconds: 0.0)
      for (leg, stop) in zip(way.legs, stops(all, order)) {
        sum = (sum.meters + leg.distanceMeters, sum.seconds + leg.durationSeconds)
        reached[stop] = sum
      }
      var split = FareSplit(amount: bill.total, rule: party.splitRule, riders: [])
      split.extras = min(bill.extras, bill.total)
      split.riders = try all.map { i in
        let alone = try route([drops[i]])
        return ShareRider(
          id: party.riders[i].id, seats: party.riders[i].seats,
          soloFare: try tariff.fare(
            for: self.trip(alone, ends: [drops[i]], isCalled: party.isCalled)
          ).expected.total, distanceMeters: reached[drops[i]]?.meters,
          weight: party.riders[i].weight ?? 1)
      }
      guard way.legs.count > 1, trip.flatTrip == nil else {
        split.legs = [ShareLeg(amount: 1, aboard: party.riders.map(\.id))]
        return try split.shares()
      }
      var before: Int64 = 0
      let visited = stops(all, order)
      for (i, stop) in visited.enumerated() {
        var part = trip
        let here = try #require(reached[stop])
        part.course = .totals(distanceMeters: here.meters, durationSeconds: here.seconds)
        part.isCalled = false
        let total = try tariff.fare(for: part).expected.total
        let aboard = all.filter { visited[i...].contains(drops[$0]) }
        split.legs.append(
          ShareLeg(
            amount: max(0, total - before), aboard: aboard.map { party.riders[$0].id }))
        before = max(before, total)
      }
      guard party.splitRule == .shapley, all.count <= 8 else { return try split.shares() }
      var fares: [[Int]: Int64] = [:]
      for mask in 1..<(1 << all.count) {
        let members = all.filter { mask >> $0 & 1 == 1 }
        let stops = stops(members, order)
        fares[members] = try tariff.fare(
          for: self.trip(try route(stops), ends: stops, isCalled: false)
        ).expected.total
      }
      return try split.shares { fares[$0] ?? 0 }
    }
  }

  @Test(arguments: [1 as UInt64, 2, 3, 4])
  func equalsTheEstimateOfTheSameRide(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let rules = try PartyWorld.rules {
      $0.maximumDetourRatio = 1e6
      $0.seats = 2...8
    }
    var seen: Set<String> = []
    for round in 0..<300 {
      let command = Self.party(&random, round)
      let party: Party
      do {
        party = try rules.create(
          command, id: "p", now: PartyWorld.midnight, claims: PartyWorld.noClaims
        ).party
      } catch {
        Issue.record("\(error)")
        continue
      }
      let tariff = try rules.pricing.catalog.tariff(
        id: party.tariffID, at: party.window.time)
      let naive = Naive(tariff: tariff, party: party)
      let order = try naive.order()
      let way = try naive.route(naive.stops(Array(party.riders.indices), order))
      let trip = naive.trip(way, ends: naive.drops, isCalled: party.isCalled)
      let range = try #require(way.range)
      let fare =
        trip.flatTrip == nil
        ? try tariff.fare(
          expected: trip,
          low: .totals(
            distanceMeters: range.low.distanceMeters,
            durationSeconds: range.low.durationSeconds),
          high: .totals(
            distanceMeters: range.high.distanceMeters,
            durationSeconds: range.high.durationSeconds)) : try tariff.fare(for: trip)
      #expect(party.route.stopOrder == order.map { party.riders[$0].id })
      #expect(party.route.distanceMeters == way.distanceMeters)
      #expect(party.route.durationSeconds == way.durationSeconds)
      #expect(party.route.path == way.path)
      #expect(party.fare.expected == fare.expected.total)
      #expect(party.fare.low == fare.low)
      #expect(party.fare.high == fare.high)
      let shares = try naive.shares(of: trip, fare.expected, order)
      #expect(party.riders.map(\.share) == shares.map(\.amount), "\(party.splitRule)")
      #expect(party.riders.map { $0.soloFare as Int64? } == shares.map(\.soloFare))
      #expect(party.riders.reduce(0) { $0 + $1.share } == party.fare.expected)
      seen.insert(party.splitRule.rawValue)
      if trip.flatTrip != nil { seen.insert("flat") }
      if trip.flatTrip != nil && way.legs.count > 1 { seen.insert("flat with stops") }
      if trip.outOfAreaFromMeters != nil { seen.insert("outside") }
      if way.durationSeconds > 3600 { seen.insert("hours") }
      // Priced again, nothing differs.
      let again = try rules.pricing.price(party)
      #expect(again.fare == party.fare)
      #expect(again.route == party.route)
      #expect(try rules.pricing.refined(party, by: way) == again)
      var slower = way
      slower.source = .osrm
      slower.legs = way.legs.map {
        RouteLeg(
          distanceMeters: $0.distanceMeters * 1.5, durationSeconds: $0.durationSeconds * 1.5)
      }
      let refined = try rules.pricing.refined(party, by: slower)
      #expect(refined.fare.source == "osrm" && refined.route.source == "osrm")
      #expect(refined.fare.expected >= party.fare.expected)
      #expect(refined.riders.reduce(0) { $0 + $1.share } == refined.fare.expected)
    }
    #expect(seen.isSuperset(of: SplitRule.allCases.map(\.rawValue) + ["outside", "hours"]))
    #expect(seed != 1 || seen.contains("flat"))
  }

  static func party(_ random: inout SplitMix64, _ round: Int) -> CreateParty {
    let origin = PartyWorld.place(
      near: PartyWorld.seoul, meters: random.chance(0.5) ? 1500 : 12_000, &random)
    let reach = random.pick([500.0, 6000, 20_000, 60_000])
    let drops = (0..<3).map { _ in PartyWorld.place(near: origin, meters: reach, &random) }
    let airport = Coordinate(uncheckedLatitude: 37.55, longitude: 126.80)
    let destination = random.chance(0.2) ? airport : drops[0]
    // Another terminal: a flat trip with two stops.
    let terminal = airport.destination(bearingDegrees: 40, meters: 900)
    // Up to seven aboard: Shapley asks for the fares of 127 coalitions.
    let riders = (0..<(random.chance(0.2) ? random.int(4...6) : random.int(0...3))).map { i in
      JoinParty(
        riderID: "r\(i)",
        destination: random.chance(0.3)
          ? nil
          : PartyWorld.named(
            random.chance(0.3)
              ? (destination == airport ? terminal : destination) : random.pick(drops)),
        wishes: RideWishes(maxDetourRatio: 1e6), weight: random.pick([nil, 2, 0.3]))
    }
    return CreateParty(
      hostID: "host", origin: PartyWorld.named(origin),
      destination: PartyWorld.named(destination),
      window: DepartureWindow(
        time: PartyWorld.midnight.advanced(milliseconds: Int64(random.int(0...86_400_000)))),
      hostSeats: riders.count < 3 ? random.int(1...2) : 1, riders: riders, seats: 8,
      limits: RideLimits(maxWalkMeters: 300, maxDetourRatio: 1e6),
      splitRule: SplitRule.allCases[round % SplitRule.allCases.count],
      isCalled: random.chance(0.5), tariffID: random.pick(PartyWorld.tariffIDs))
  }
}
