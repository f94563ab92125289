/// Asks one provider, holds its answer against what can be true, and falls back to the estimate.
///
/// The answer says so: its ``Route/source`` is ``RouteSource/estimate`` and
/// ``Route/fallbackReason`` why. Only the caller's own cancellation is passed on.
public struct FallbackRouteProvider: RouteProvider {
  /// The provider that is asked first.
  public let primary: any RouteProvider
  /// Answers when the first does not, or not believably.
  public let estimate: EstimatedRouteProvider
  /// What the first one's routes must hold to be believed.
  public let plausibility: RoutePlausibility

  /// The source of the primary provider.
  public var source: RouteSource { primary.source }

  /// Puts an estimate behind a provider.
  public init(
    _ primary: any RouteProvider, estimate: EstimatedRouteProvider = EstimatedRouteProvider(),
    plausibility: RoutePlausibility = RoutePlausibility()
  ) {
    self.primary = primary
    self.estimate = estimate
    self.plausibility = plausibility
  }

  /// Asks the first provider, and the estimate when its route is missing or not believable.
  ///
  /// - Throws: ``RouteError/cancelled`` alone; for all other errors of the first provider there is
  ///   the estimate.
  public func route(_ request: RouteRequest) async throws(RouteError) -> Route {
    do {
      var route = try await primary.route(request)
      try plausibility.check(route, for: request)
      if route.range == nil { route.range = range(around: route, request) }
      return route
    } catch .cancelled {
      throw .cancelled
    } catch {
      var route = estimate.estimatedRoute(request)
      route.fallbackReason = error
      return route
    }
  }

  /// The road is known, the traffic is not: only the duration has a spread.
  private func range(around route: Route, _ request: RouteRequest) -> TravelRange {
    let spread = estimate.profile(at: request.origin).durationSpread
    let meters = route.distanceMeters
    let seconds = route.durationSeconds
    return TravelRange(
      low: TravelEstimate(distanceMeters: meters, durationSeconds: seconds * spread.low),
      high: TravelEstimate(distanceMeters: meters, durationSeconds: seconds * spread.high))
  }
}
