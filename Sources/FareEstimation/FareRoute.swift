import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// The way of a fare request, whoever worked it out.
struct FareRoute {
  var course: TripCourse
  /// Best and worst day, where the way is an estimate.
  var range: (low: FareTotals, high: FareTotals)?
  /// Between stops; one for a way without stops.
  var legs: [FareTotals]
  var source: String
  var fallbackReason: String?
  var path: [Coordinate]
  /// Indices of riders in the order of getting out; empty where no places were given.
  var stopOrder: [Int]

  /// How far the ride of each rider goes: number of legs.
  var legsOfRider: [Int]
}

/// Sums of a way or a part of it.
struct FareTotals: Hashable, Sendable {
  var meters: Double
  var seconds: Double

  var course: TripCourse { .totals(distanceMeters: meters, durationSeconds: seconds) }

  static func + (a: FareTotals, b: FareTotals) -> FareTotals {
    FareTotals(meters: a.meters + b.meters, seconds: a.seconds + b.seconds)
  }
}

extension FareEstimator {
  /// The way that the request gives or asks for.
  func way(
    of request: FareRequest, departure: Instant
  ) async throws(FareRequestError) -> FareRoute {
    if request.segments != nil || request.distanceMeters != nil || request.durationSeconds != nil {
      return try given(request)
    }
    guard let origin = request.origin else { throw .missingField("origin") }
    let drops = try dropOffs(request)
    try checkLength(request, origin)
    let order = bestOrder(origin: origin, drops: drops, request.destination, departure)
    // The taxi halts once a place.
    var stops: [Coordinate] = []
    var legsOfRider = [Int](repeating: 0, count: drops.count)
    for rider in order {
      if stops.last != drops[rider] { stops.append(drops[rider]) }
      legsOfRider[rider] = stops.count
    }
    if let destination = request.destination, stops.last != destination {
      stops.append(destination)
    }
    let route = try await route(from: origin, through: stops, departure)
    let legs = route.legs.map {
      FareTotals(meters: $0.distanceMeters, seconds: $0.durationSeconds)
    }
    let range = route.range ?? defaultRange(route, origin, departure)
    return FareRoute(
      course: .totals(
        distanceMeters: route.distanceMeters, durationSeconds: route.durationSeconds),
      range: range.map { (low: $0.low.fareTotals, high: $0.high.fareTotals) }, legs: legs,
      source: route.source.rawValue, fallbackReason: route.fallbackReason?.reason,
      path: route.path, stopOrder: order, legsOfRider: legsOfRider)
  }

  /// A route through places in their order.
  func route(
    from origin: Coordinate, through stops: [Coordinate], _ departure: Instant
  ) async throws(FareRequestError) -> Route {
    guard let last = stops.last else { throw .missingField("destination") }
    do {
      return try await routes.route(
        RouteRequest(
          origin: origin, stops: Array(stops.dropLast()), destination: last,
          departure: departure))
    } catch {
      throw .route(error)
    }
  }

  /// Engines give one duration; the day may be better or worse all the same. The estimate's own
  /// spread covers its distance too, which a route engine knows.
  private func defaultRange(
    _ route: Route, _ origin: Coordinate, _ departure: Instant
  ) -> TravelRange? {
    guard route.source != .estimate else { return nil }
    let spread = estimated.profile(at: origin).durationSpread
    // A route engine knows the roads, if not the day: half of the spread of an estimate.
    func around(_ factor: Double) -> TravelEstimate {
      TravelEstimate(
        distanceMeters: route.distanceMeters,
        durationSeconds: route.durationSeconds * (1 + (factor - 1) / 2))
    }
    return TravelRange(low: around(spread.low), high: around(spread.high))
  }

  private func given(_ request: FareRequest) throws(FareRequestError) -> FareRoute {
    var way = FareRoute(
      course: .segments([]), legs: [], source: "given", path: [], stopOrder: [],
      legsOfRider: request.riders.map { _ in 1 })
    if let segments = request.segments {
      if request.distanceMeters != nil { throw .conflictingFields("distanceMeters", "segments") }
      if request.durationSeconds != nil {
        throw .conflictingFields("durationSeconds", "segments")
      }
      way.course = .segments(segments)
    } else {
      guard let meters = request.distanceMeters else { throw .missingField("distanceMeters") }
      guard let seconds = request.durationSeconds else { throw .missingField("durationSeconds") }
      if let slow = request.slowSeconds {
        way.course = .measured(
          distanceMeters: meters, durationSeconds: seconds, slowSeconds: slow)
      } else {
        way.course = .totals(distanceMeters: meters, durationSeconds: seconds)
      }
    }
    let totals = Trip(way.course, departure: Instant(milliseconds: 0)).totals
    way.legs = [FareTotals(meters: totals.distanceMeters, seconds: totals.durationSeconds)]
    return way
  }

  /// A ride may come back to where it began, but nobody on it may.
  private func checkLength(_ request: FareRequest, _ origin: Coordinate) throws(FareRequestError) {
    for (i, rider) in request.riders.enumerated() {
      guard let drop = rider.dropOff, let meters = TripLength.tooShort(from: origin, to: drop)
      else { continue }
      throw .tripTooShort(field: "riders[\(i)].dropOff", meters: meters)
    }
    let mayReturn = !request.riders.isEmpty && request.riders.allSatisfy { $0.dropOff != nil }
    if !mayReturn, let end = request.destination,
      let meters = TripLength.tooShort(from: origin, to: end)
    {
      throw .tripTooShort(field: "destination", meters: meters)
    }
  }

  private func dropOffs(_ request: FareRequest) throws(FareRequestError) -> [Coordinate] {
    if request.riders.isEmpty && request.destination == nil {
      throw .missingField("destination")
    }
    var drops: [Coordinate] = []
    for rider in request.riders {
      guard let drop = rider.dropOff ?? request.destination else {
        throw .missingField("destination")
      }
      drops.append(drop)
    }
    return drops
  }

  /// Riders in the order of getting out that makes the ride shortest.
  private func bestOrder(
    origin: Coordinate, drops: [Coordinate], _ destination: Coordinate?, _ departure: Instant
  ) -> [Int] {
    var places: [Coordinate] = []
    for drop in drops where !places.contains(drop) { places.append(drop) }
    guard places.count > 1 else { return Array(drops.indices) }
    let riders = places.map { StopOrderRider(pickUp: nil, dropOff: $0) }
    guard
      let problem = try? StopOrderProblem(riders: riders, start: origin, end: destination),
      let best = problem.best(
        TravelEstimator(
          profile: estimated.profile(at: origin), departure: departure, near: origin))
    else { return Array(drops.indices) }
    var order: [Int] = []
    for case .dropOff(let place) in best.visits {
      order += drops.indices.filter { drops[$0] == places[place] }
    }
    return order
  }
}

extension TravelEstimate {
  fileprivate var fareTotals: FareTotals {
    FareTotals(meters: distanceMeters, seconds: durationSeconds)
  }
}
