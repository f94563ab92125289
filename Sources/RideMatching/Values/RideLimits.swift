/// What a ride may cost a rider in walking and detour.
public struct RideLimits: Hashable, Sendable {
  /// To the pick-up, along the sphere (no streets), meters.
  public var maxWalkMeters: Double
  /// A ride is at most (1 + ratio) x the direct way + ``detourAllowanceMeters``.
  public var maxDetourRatio: Double
  /// The part of the shared way that must be ridden with someone else, 0-1; nil: no such limit.
  public var minSharedRatio: Double?

  /// Added to every longest ride, so that short rides can turn a corner, meters.
  public static let detourAllowanceMeters = 300.0
  public static let standard = RideLimits(maxWalkMeters: 300, maxDetourRatio: 0.25)

  public init(maxWalkMeters: Double, maxDetourRatio: Double, minSharedRatio: Double? = nil) {
    self.maxWalkMeters = maxWalkMeters
    self.maxDetourRatio = maxDetourRatio
    self.minSharedRatio = minSharedRatio
  }

  /// The longest ride for a direct way, meters.
  public func longestRideMeters(direct meters: Double) -> Double {
    Self.longestRideMeters(direct: meters, maxDetourRatio: maxDetourRatio)
  }

  static func longestRideMeters(direct meters: Double, maxDetourRatio: Double) -> Double {
    (1 + maxDetourRatio) * meters + detourAllowanceMeters
  }
}
