public import ObjectModel

/// Limits as a rider states them; what is nil is the party's.
public struct RideWishes: Hashable, Sendable {
  /// To the pick-up, along the sphere, meters; nil: the party's.
  public var maxWalkMeters: Double?
  /// A ride may be longer than the direct route by so large a share of it; nil: the party's.
  public var maxDetourRatio: Double?
  /// The part of the ride that must be shared, 0-1; nil: the party's.
  public var minSharedRatio: Double?
  /// See ``RideLimits/maxRideSeconds``; nil: the party's.
  public var maxRideSeconds: Double?
  /// See ``RideLimits/maxDetourSeconds``; nil: the party's.
  public var maxDetourSeconds: Double?
  /// See ``RideLimits/arriveBy``; nil: none, as the host's appointment is not the rider's.
  public var arriveBy: Instant?

  /// States nothing: the party's limits are in force.
  public static let none = RideWishes()

  /// States some limits and leaves the others to the party.
  public init(
    maxWalkMeters: Double? = nil, maxDetourRatio: Double? = nil, minSharedRatio: Double? = nil,
    maxRideSeconds: Double? = nil, maxDetourSeconds: Double? = nil, arriveBy: Instant? = nil
  ) {
    self.maxWalkMeters = maxWalkMeters
    self.maxDetourRatio = maxDetourRatio
    self.minSharedRatio = minSharedRatio
    self.maxRideSeconds = maxRideSeconds
    self.maxDetourSeconds = maxDetourSeconds
    self.arriveBy = arriveBy
  }

  /// States all of some limits.
  public init(_ limits: RideLimits) {
    self.init(
      maxWalkMeters: limits.maxWalkMeters, maxDetourRatio: limits.maxDetourRatio,
      minSharedRatio: limits.minSharedRatio, maxRideSeconds: limits.maxRideSeconds,
      maxDetourSeconds: limits.maxDetourSeconds, arriveBy: limits.arriveBy)
  }

  /// The limits in force for this rider in a party of such limits.
  public func limits(else party: RideLimits) -> RideLimits {
    RideLimits(
      maxWalkMeters: maxWalkMeters ?? party.maxWalkMeters,
      maxDetourRatio: maxDetourRatio ?? party.maxDetourRatio,
      minSharedRatio: minSharedRatio ?? party.minSharedRatio,
      maxRideSeconds: maxRideSeconds ?? party.maxRideSeconds,
      maxDetourSeconds: maxDetourSeconds ?? party.maxDetourSeconds, arriveBy: arriveBy)
  }
}
