/// Limits as a rider states them; what is nil is the party's.
public struct RideWishes: Hashable, Sendable {
  public var maxWalkMeters: Double?
  public var maxDetourRatio: Double?
  public var minSharedRatio: Double?

  public static let none = RideWishes()

  public init(
    maxWalkMeters: Double? = nil, maxDetourRatio: Double? = nil, minSharedRatio: Double? = nil
  ) {
    self.maxWalkMeters = maxWalkMeters
    self.maxDetourRatio = maxDetourRatio
    self.minSharedRatio = minSharedRatio
  }

  public init(_ limits: RideLimits) {
    self.init(
      maxWalkMeters: limits.maxWalkMeters, maxDetourRatio: limits.maxDetourRatio,
      minSharedRatio: limits.minSharedRatio)
  }

  /// The limits in force for this rider in a party of such limits.
  public func limits(else party: RideLimits) -> RideLimits {
    RideLimits(
      maxWalkMeters: maxWalkMeters ?? party.maxWalkMeters,
      maxDetourRatio: maxDetourRatio ?? party.maxDetourRatio,
      minSharedRatio: minSharedRatio ?? party.minSharedRatio)
  }
}
