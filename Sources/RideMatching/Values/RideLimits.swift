/// What a ride may cost a rider in walking and detour.
public struct RideLimits: Hashable, Sendable {
  /// To the pick-up, along the sphere (no streets), meters.
  public var maxWalkMeters: Double
  /// A ride is at most (1 + ratio) x the direct route + ``detourAllowanceMeters``.
  public var maxDetourRatio: Double
  /// The part of the ride that must be ridden with someone else, 0-1; nil: no such limit.
  public var minSharedRatio: Double?

  /// Added to every longest ride, so that short rides can turn a corner, meters.
  public static let detourAllowanceMeters = 300.0
  /// 300 m on foot and a quarter more than the direct route.
  public static let standard = RideLimits(maxWalkMeters: 300, maxDetourRatio: 0.25)

  /// Makes limits of which the shared part may be left open.
  public init(maxWalkMeters: Double, maxDetourRatio: Double, minSharedRatio: Double? = nil) {
    self.maxWalkMeters = maxWalkMeters
    self.maxDetourRatio = maxDetourRatio
    self.minSharedRatio = minSharedRatio
  }

  /// The longest ride for a direct route, meters.
  public func longestRideMeters(direct meters: Double) -> Double {
    Self.longestRideMeters(direct: meters, maxDetourRatio: maxDetourRatio)
  }

  static func longestRideMeters(direct meters: Double, maxDetourRatio: Double) -> Double {
    (1 + maxDetourRatio) * meters + detourAllowanceMeters
  }
}
