extension TrafficProfile {
  /// Seconds over a road of known length in an hour of factor 1: the part of a duration that does
  /// not depend on when one leaves.
  @inlinable
  public func secondsAtFactorOne(roadMeters: Double) -> Double {
    roadMeters > 0 ? roadMeters / speed.value(meters: roadMeters) : 0
  }
}

extension TravelEstimator {
  /// ``durationSeconds(roadMeters:)`` of a road whose ``TrafficProfile/secondsAtFactorOne(roadMeters:)``
  /// is known.
  @inlinable
  public func durationSeconds(atFactorOne seconds: Double) -> Double {
    if seconds <= firstHourSecondsAtFactorOne { return seconds / firstFactor }
    return overSeveralHours(seconds)
  }

  /// Up to here the duration is proportional to the seconds at factor 1: the departure's own hour.
  @inlinable
  public var firstHourSecondsAtFactorOne: Double { firstHourSecondsLeft * firstFactor }
}
