import GeoMath

/// Limits outside which a provider's answer is taken for a lie.
///
/// They are wide: a wrong refusal only means that the estimate is shown.
public struct RoutePlausibility: Hashable, Sendable {
  /// How far a provider may move each end of a leg to the nearest road, in meters.
  public var snapMeters: Double
  /// A leg is at most this many times the straight line, plus ``detourMeters``.
  public var maximumCircuity: Double
  /// Added to the longest believable leg (one-way systems, bridges, mountain roads), in meters.
  public var detourMeters: Double
  /// Meters a second.
  public var maximumSpeed: Double
  /// Meters a second; legs of less than ``snapMeters`` may take any time up to a day.
  public var minimumSpeed: Double

  /// Makes bounds that a route must hold to be believed.
  public init(
    snapMeters: Double = 1_000, maximumCircuity: Double = 10, detourMeters: Double = 100_000,
    maximumSpeed: Double = 70, minimumSpeed: Double = 0.2
  ) {
    self.snapMeters = snapMeters
    self.maximumCircuity = maximumCircuity
    self.detourMeters = detourMeters
    self.maximumSpeed = maximumSpeed
    self.minimumSpeed = minimumSpeed
  }

  /// - Throws: ``RouteError/implausible(_:)`` naming what cannot be true.
  public func check(_ route: Route, for request: RouteRequest) throws(RouteError) {
    let places = request.places
    guard route.legs.count == places.count - 1 else {
      throw .implausible("\(route.legs.count) legs for \(places.count) places")
    }
    for (index, leg) in route.legs.enumerated() {
      try check(
        leg, straightMeters: places[index].distanceMeters(to: places[index + 1]), index: index)
    }
    guard let first = route.path.first, let last = route.path.last else {
      throw .implausible("the path is empty")
    }
    // The path is drawn, not priced: its ends may be further off than a snap, not elsewhere.
    let slack = 5 * snapMeters
    guard first.distanceMeters(to: request.origin) <= slack,
      last.distanceMeters(to: request.destination) <= slack
    else { throw .implausible("the path does not join the two ends") }
  }

  private func check(
    _ leg: RouteLeg, straightMeters straight: Double, index: Int
  ) throws(RouteError) {
    let meters = leg.distanceMeters
    let seconds = leg.durationSeconds
    guard meters.isFinite && meters >= 0 else {
      throw .implausible("leg \(index) has distance \(meters)")
    }
    guard seconds.isFinite && seconds >= 0 else {
      throw .implausible("leg \(index) has duration \(seconds)")
    }
    guard meters >= straight * 0.99 - 2 * snapMeters else {
      throw .implausible("leg \(index) is \(meters) m where the straight line is \(straight) m")
    }
    guard meters <= straight * maximumCircuity + detourMeters else {
      throw .implausible("leg \(index) is \(meters) m where the straight line is \(straight) m")
    }
    guard meters <= seconds * maximumSpeed + snapMeters else {
      throw .implausible("leg \(index) is \(meters) m in \(seconds) s")
    }
    guard seconds <= 86_400 || meters >= seconds * minimumSpeed else {
      throw .implausible("leg \(index) is \(meters) m in \(seconds) s")
    }
  }
}
