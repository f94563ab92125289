public import GeoMath
public import ObjectModel

/// A route together with the order in which the stops are visited.
public struct PlannedRoute: Hashable, Sendable {
  /// Through the stops in the best order.
  public let route: Route
  /// Indices into the stops asked for, in the order of the visit.
  public let stopOrder: [Int]

  /// Puts a route and its order together.
  public init(route: Route, stopOrder: [Int]) {
    self.route = route
    self.stopOrder = stopOrder
  }
}

/// `RouteService.Plan`: orders the stops, then asks the provider once, in that order.
public struct RoutePlanner: Sendable {
  /// Answers the route once the order is known.
  public let provider: any RouteProvider
  /// Orders the stops, so that planning costs the provider one call.
  public let estimate: EstimatedRouteProvider

  /// The most stops that are ordered exactly.
  public static let maximumOrderedStops = StopOrderProblem.maximumVisits

  /// Makes a planner that orders stops by the estimate.
  public init(
    provider: any RouteProvider, estimate: EstimatedRouteProvider = EstimatedRouteProvider()
  ) {
    self.provider = provider
    self.estimate = estimate
  }

  /// Orders the stops and asks for the route through them.
  ///
  /// - Parameters:
  ///   - origin: Where the ride begins.
  ///   - stops: The places between.
  ///   - destination: Where it ends.
  ///   - departure: When it begins.
  ///   - keepsOrder: Whether to visit the stops as given.
  /// - Returns: The route, with the order of the stops.
  /// - Throws: ``RouteError``; more than ``maximumOrderedStops`` stops to order are too many.
  public func plan(
    origin: Coordinate, stops: [Coordinate] = [], destination: Coordinate, departure: Instant,
    keepsOrder: Bool = false
  ) async throws(RouteError) -> PlannedRoute {
    let given = try RouteRequest(
      origin: origin, stops: stops, destination: destination, departure: departure)
    guard stops.count > 1, !keepsOrder else {
      return PlannedRoute(
        route: try await provider.route(given), stopOrder: Array(stops.indices))
    }
    guard stops.count <= Self.maximumOrderedStops else {
      throw .tooManyStops(stops.count, maximum: Self.maximumOrderedStops)
    }
    let order = bestOrder(given, stops)
    let request = try RouteRequest(
      origin: origin, stops: order.map { stops[$0] }, destination: destination,
      departure: departure)
    return PlannedRoute(route: try await provider.route(request), stopOrder: order)
  }

  /// Stops are drop-offs of riders aboard at the origin; without limits an order always exists.
  private func bestOrder(_ request: RouteRequest, _ stops: [Coordinate]) -> [Int] {
    let riders = stops.map { StopOrderRider(pickUp: nil, dropOff: $0) }
    guard
      let problem = try? StopOrderProblem(
        riders: riders, start: request.origin, end: request.destination),
      let best = problem.best(estimate.estimator(for: request))
    else { return Array(stops.indices) }
    return best.visits.compactMap { visit in
      if case .dropOff(let rider) = visit { rider } else { nil }
    }
  }
}
