import ObjectModel

extension TravelEstimator {
  /// Seconds from the departure on during which a leg that begins and ends takes as long as one
  /// that begins at the departure: to the end of the local hour, or to a change of the clocks. 0
  /// where local time depends on the place.
  public var steadySeconds: Double {
    guard case .offsets(let offsets) = profile.localTime else { return 0 }
    guard let change = offsets.nextTransition(after: departure) else { return firstHourSecondsLeft }
    let seconds = Double(change.start.milliseconds(since: departure)) / 1000
    return min(firstHourSecondsLeft, seconds)
  }
}
