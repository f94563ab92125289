/// Someone who wants to share a ride.
public struct RideRequest: Hashable, Sendable {
  /// Who asks; a batch takes the first request of a rider only.
  public var riderID: String
  /// Where the rider stands.
  public var origin: RidePlace
  /// Where they want to get out.
  public var destination: RidePlace
  /// When they can leave.
  public var window: DepartureWindow
  /// The rider's own limits. Nil in a field of the call: the party's.
  public var limits: RideLimits
  /// Seats taken, at least 1; a couple takes two.
  public var seats: Int
  /// What policies look at, such as `gender`: name to value.
  public var attributes: [String: String]
  /// Where they would get in on the way of a group; nil: with the others alone.
  public var boarding: RidePlace?

  /// Makes a request for one seat within the standard limits.
  public init(
    riderID: String, origin: RidePlace, destination: RidePlace, window: DepartureWindow,
    limits: RideLimits = .standard, seats: Int = 1, attributes: [String: String] = [:],
    boarding: RidePlace? = nil
  ) {
    self.riderID = riderID
    self.origin = origin
    self.destination = destination
    self.window = window
    self.limits = limits
    self.seats = seats
    self.attributes = attributes
    self.boarding = boarding
  }
}
