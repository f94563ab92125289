public import ObjectModel

/// What a ride may cost a rider in walking, detour and time.
public struct RideLimits: Hashable, Sendable {
  /// To the pick-up, along the sphere (no streets), meters.
  public var maxWalkMeters: Double
  /// A ride is at most (1 + ratio) x the direct route + ``detourAllowanceMeters``.
  public var maxDetourRatio: Double
  /// The part of the ride that must be ridden with someone else, 0-1; nil: no such limit.
  public var minSharedRatio: Double?
  /// From getting in to getting out, seconds; nil: no such limit.
  public var maxRideSeconds: Double?
  /// Beyond the direct ride, seconds; nil: no such limit.
  public var maxDetourSeconds: Double?
  /// The latest moment of getting out where the taxi leaves at the time in the middle of its window.
  public var arriveBy: Instant?

  /// Added to every longest ride, so that short rides can turn a corner, meters.
  public static let detourAllowanceMeters = 300.0
  /// 300 m on foot and a quarter more than the direct route.
  public static let standard = RideLimits(maxWalkMeters: 300, maxDetourRatio: 0.25)

  /// Makes limits of which the shared part may be left open.
  public init(
    maxWalkMeters: Double, maxDetourRatio: Double, minSharedRatio: Double? = nil,
    maxRideSeconds: Double? = nil, maxDetourSeconds: Double? = nil, arriveBy: Instant? = nil
  ) {
    self.maxWalkMeters = maxWalkMeters
    self.maxDetourRatio = maxDetourRatio
    self.minSharedRatio = minSharedRatio
    self.maxRideSeconds = maxRideSeconds
    self.maxDetourSeconds = maxDetourSeconds
    self.arriveBy = arriveBy
  }

  /// The longest time aboard that these limits allow, seconds; infinite where they name none.
  ///
  /// - Parameters:
  ///   - direct: Of the direct ride.
  ///   - boarded: From the departure until the rider gets in.
  ///   - departure: The time in the middle of the party's window.
  /// - Returns: Below 0 where the rider is too late already.
  func longestRideSeconds(direct: Double, boarded: Double = 0, departure: Instant) -> Double {
    var most = maxRideSeconds ?? .infinity
    if let maxDetourSeconds { most = min(most, direct + maxDetourSeconds) }
    if let arriveBy {
      most = min(most, Double(arriveBy.milliseconds(since: departure)) / 1000 - boarded)
    }
    return most
  }

  /// The longest ride for a direct route, meters.
  public func longestRideMeters(direct meters: Double) -> Double {
    Self.longestRideMeters(direct: meters, maxDetourRatio: maxDetourRatio)
  }

  static func longestRideMeters(direct meters: Double, maxDetourRatio: Double) -> Double {
    (1 + maxDetourRatio) * meters + detourAllowanceMeters
  }

  /// The same of four rides, by single precision.
  @inline(__always)
  static func longestRideMeters(
    direct meters: SIMD4<Float>, maxDetourRatios: SIMD4<Float>
  ) -> SIMD4<Float> {
    (1 + maxDetourRatios) * meters + Float(detourAllowanceMeters)
  }
}
