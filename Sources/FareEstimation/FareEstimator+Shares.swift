import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

extension FareEstimator {
  /// What each rider pays of a fare; empty when no riders are named.
  func shares(
    of bill: FareBreakdown, _ tariff: Tariff, trip: Trip, way: FareRoute, request: FareRequest
  ) async throws(FareRequestError) -> [FareShare] {
    guard !request.riders.isEmpty else { return [] }
    let rule = request.splitRule ?? .bySoloFare
    let solo = try await soloFares(bill, tariff: tariff, trip: trip, way: way, request: request)
    let meters = prefixes(way.legs)
    var split = FareSplit(amount: bill.total, rule: rule, riders: [])
    split.riders = request.riders.indices.map { i in
      let rider = request.riders[i]
      return ShareRider(
        id: rider.id, seats: rider.seats, soloFare: solo[i],
        distanceMeters: meters[way.legsOfRider[i]].meters, weight: rider.weight)
    }
    split.extras = min(bill.extras, bill.total)
    split.hostID = request.hostID
    split.legs = try legs(tariff, trip: trip, way: way, request: request)
    let coalitions = try await coalitionFares(
      rule, tariff: tariff, trip: trip, way: way, request: request)
    do {
      guard let coalitions else { return try split.shares() }
      return try split.shares { members in
        coalitions[members.reduce(0) { $0 | 1 << $1 }]
      }
    } catch {
      throw .share(error)
    }
  }

  /// What each rider would pay alone, tolls and call fee included.
  private func soloFares(
    _ bill: FareBreakdown, tariff: Tariff, trip: Trip, way: FareRoute, request: FareRequest
  ) async throws(FareRequestError) -> [Int64] {
    guard let origin = request.origin, !way.stopOrder.isEmpty, trip.flatTrip == nil else {
      return request.riders.map { _ in bill.total }
    }
    var known: [Coordinate: Int64] = [:]
    var fares: [Int64] = []
    for rider in request.riders {
      guard let drop = rider.dropOff ?? request.destination else {
        throw .missingField("destination")
      }
      if known[drop] == nil {
        // The only stop: the shared ride is the solo ride.
        known[drop] =
          way.legs.count == 1
          ? bill.total
          : try await fare(tariff, trip, request, from: origin, through: [drop])
      }
      fares.append(known[drop] ?? bill.total)
    }
    return fares
  }

  /// The expected fare of another route of the same request.
  private func fare(
    _ tariff: Tariff, _ trip: Trip, _ request: FareRequest, from origin: Coordinate,
    through stops: [Coordinate]
  ) async throws(FareRequestError) -> Int64 {
    let route = try await route(from: origin, through: stops, trip.departure)
    return try fare(
      tariff, trip: trip, request: request,
      totals: FareTotals(meters: route.distanceMeters, seconds: route.durationSeconds),
      through: stops)
  }

  private func fare(
    _ tariff: Tariff, trip: Trip, request: FareRequest, totals: FareTotals,
    through stops: [Coordinate]
  ) throws(FareRequestError) -> Int64 {
    var alone = trip
    alone.course = totals.course
    alone.outOfAreaFromMeters = nil
    var ends = request
    ends.destination = stops.last
    ends.riders = stops.map { FareRider(id: "", dropOff: $0) }
    applyAreas(tariff, ends, to: &alone)
    do {
      return try tariff.breakdown(for: alone).total
    } catch {
      throw .fare(error)
    }
  }

  /// Each leg adds what the fare to its end is above the fare to its beginning.
  private func legs(
    _ tariff: Tariff, trip: Trip, way: FareRoute, request: FareRequest
  ) throws(FareRequestError) -> [ShareLeg] {
    // One leg, or a price that does not grow with the way: everyone is aboard of all of it.
    guard way.legs.count > 1, trip.flatTrip == nil else {
      return [ShareLeg(amount: 1, aboard: request.riders.map(\.id))]
    }
    var legs: [ShareLeg] = []
    var before: Int64 = 0
    for (i, reached) in prefixes(way.legs).enumerated().dropFirst() {
      var part = trip
      part.course = reached.course
      part.tolls = 0
      part.isCalled = false
      do {
        let total = try tariff.breakdown(for: part).total
        let aboard = request.riders.indices.filter { way.legsOfRider[$0] >= i }
        // After the last drop-off nobody is aboard; the last riders bear the way on.
        let last = way.legsOfRider.max() ?? 0
        let payers =
          aboard.isEmpty ? request.riders.indices.filter { way.legsOfRider[$0] == last } : aboard
        legs.append(
          ShareLeg(amount: max(0, total - before), aboard: payers.map { request.riders[$0].id }))
        before = max(before, total)
      } catch {
        throw .fare(error)
      }
    }
    return legs
  }

  /// By bit mask of riders: the fare of the ride with the others left out, stops in the same
  /// order. Nil where legs or solo fares have to do.
  private func coalitionFares(
    _ rule: SplitRule, tariff: Tariff, trip: Trip, way: FareRoute, request: FareRequest
  ) async throws(FareRequestError) -> [Int64]? {
    let n = request.riders.count
    guard rule == .shapley, n <= FareSplit.exactShapleyRiders, way.legs.count > 1,
      trip.flatTrip == nil, let origin = request.origin
    else { return nil }
    var plain = trip
    plain.tolls = 0
    plain.isCalled = false
    var known: [[Coordinate]: Int64] = [:]
    var legs = LegTotals()
    var fares = [Int64](repeating: 0, count: 1 << n)
    for mask in 1..<(1 << n) {
      var stops: [Coordinate] = []
      for rider in way.stopOrder where mask >> rider & 1 == 1 {
        guard let drop = request.riders[rider].dropOff ?? request.destination else { continue }
        if stops.last != drop { stops.append(drop) }
      }
      if known[stops] == nil {
        let totals = try await totals(
          from: origin, through: stops, departure: trip.departure, of: way, &legs)
        known[stops] = try fare(
          tariff, trip: plain, request: request, totals: totals, through: stops)
      }
      fares[mask] = known[stops] ?? 0
    }
    return fares
  }

  /// The estimate that the route was worked out by, with the operator's own profiles.
  private var builtInEstimate: EstimatedRouteProvider {
    if let estimate = routes as? EstimatedRouteProvider { return estimate }
    return (routes as? FallbackRouteProvider)?.estimate ?? estimated
  }

  /// Legs that a provider has been asked for, by their two ends.
  private typealias LegTotals = [[Coordinate]: FareTotals]

  /// How long the ride through some of the stops is. The built-in estimate is asked for each; any
  /// other provider only once a leg, at most 36 times for eight riders, not once a coalition.
  private func totals(
    from origin: Coordinate, through stops: [Coordinate], departure: Instant, of way: FareRoute,
    _ legs: inout LegTotals
  ) async throws(FareRequestError) -> FareTotals {
    if way.source == RouteSource.estimate.rawValue, let last = stops.last {
      do {
        let route = builtInEstimate.estimatedRoute(
          try RouteRequest(
            origin: origin, stops: Array(stops.dropLast()), destination: last,
            departure: departure))
        return FareTotals(meters: route.distanceMeters, seconds: route.durationSeconds)
      } catch {
        throw .route(error)
      }
    }
    var sum = FareTotals(meters: 0, seconds: 0)
    for (from, to) in zip([origin] + stops, stops) {
      if legs[[from, to]] == nil {
        let route = try await route(from: from, through: [to], departure)
        legs[[from, to]] = FareTotals(
          meters: route.distanceMeters, seconds: route.durationSeconds)
      }
      sum = sum + (legs[[from, to]] ?? FareTotals(meters: 0, seconds: 0))
    }
    return sum
  }

  /// Sums of the first 0, 1, 2, ... legs.
  private func prefixes(_ legs: [FareTotals]) -> [FareTotals] {
    legs.reduce(into: [FareTotals(meters: 0, seconds: 0)]) { sums, leg in
      sums.append((sums.last ?? leg) + leg)
    }
  }
}
