/// Someone who wants to share a ride.
public struct RideRequest: Hashable, Sendable {
  public var riderID: String
  public var origin: RidePlace
  public var destination: RidePlace
  public var window: DepartureWindow
  /// The rider's own limits. Nil in a field of the call: the party's.
  public var limits: RideLimits
  /// Seats taken, at least 1; a couple takes two.
  public var seats: Int
  /// What policies look at, such as `gender`: name to value.
  public var attributes: [String: String]

  public init(
    riderID: String, origin: RidePlace, destination: RidePlace, window: DepartureWindow,
    limits: RideLimits = .standard, seats: Int = 1, attributes: [String: String] = [:]
  ) {
    self.riderID = riderID
    self.origin = origin
    self.destination = destination
    self.window = window
    self.limits = limits
    self.seats = seats
    self.attributes = attributes
  }
}
