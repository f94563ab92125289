public import GeoMath

/// Routes without a road network: great circle x circuity, speed by hour. Needs no set-up.
public struct EstimatedRouteProvider: RouteProvider {
  /// Which profile applies where.
  public enum Choice: Sendable {
    /// The first profile whose region holds the origin, else ``TrafficProfile/general``.
    case byRegion([TrafficProfile])
    case always(TrafficProfile)
  }

  /// Which profile applies where.
  public let choice: Choice
  /// Always the estimate.
  public var source: RouteSource { .estimate }

  /// Makes a provider by the shipped profiles.
  public init(_ choice: Choice = .byRegion(TrafficProfile.shipped)) { self.choice = choice }

  /// Finds the profile of rides that begin at a place.
  public func profile(at place: Coordinate) -> TrafficProfile {
    switch choice {
    case .byRegion(let profiles): TrafficProfile.covering(place, in: profiles)
    case .always(let profile): profile
    }
  }

  /// The estimator for a departure: build it once, then ask it as often as needed.
  public func estimator(for request: RouteRequest) -> TravelEstimator {
    TravelEstimator(
      profile: profile(at: request.origin), departure: request.departure, near: request.origin)
  }

  /// The answer, without waiting: each leg starts when the one before it ends.
  public func estimatedRoute(_ request: RouteRequest) -> Route {
    var estimator = estimator(for: request)
    var legs: [RouteLeg] = []
    for (from, to) in zip(request.places, request.places.dropFirst()) {
      let leg = estimator.estimate(from: from, to: to)
      legs.append(
        RouteLeg(distanceMeters: leg.distanceMeters, durationSeconds: leg.durationSeconds))
      estimator = estimator.advanced(seconds: leg.durationSeconds, near: to)
    }
    var route = Route(legs: legs, path: request.places, source: .estimate)
    route.range = estimator.range(
      of: TravelEstimate(
        distanceMeters: route.distanceMeters, durationSeconds: route.durationSeconds))
    return route
  }

  /// Answers at once; the estimate never refuses.
  ///
  /// - Throws: Never.
  public func route(_ request: RouteRequest) async throws(RouteError) -> Route {
    estimatedRoute(request)
  }
}
