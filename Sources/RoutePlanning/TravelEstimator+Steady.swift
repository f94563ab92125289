public import GeoMath
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

  /// The time over a road for who starts later, the same to the last bit as
  /// ``durationSeconds(roadMeters:)`` of ``advanced(seconds:near:)``, without making an estimator.
  public func durationSeconds(
    roadMeters: Double, startingAfterMilliseconds delay: Int64, near place: Coordinate
  ) -> Double {
    guard roadMeters > 0 else { return 0 }
    let second = profile.secondOfWeek(
      departure.advanced(milliseconds: delay), longitude: place.longitude)
    var hour = second / 3600
    var elapsed = Double(3600 - second % 3600)
    let factor = profile.hourFactors[hour]
    let secondsAtFactorOne = roadMeters / profile.speed.value(meters: roadMeters)
    if secondsAtFactorOne <= elapsed * factor { return secondsAtFactorOne / factor }
    // As in `overSeveralHours`.
    let longest = 4_000.0 * 3600
    var work = secondsAtFactorOne - elapsed * factor
    while elapsed < longest {
      hour = hour == 167 ? 0 : hour + 1
      let factor = profile.hourFactors[hour]
      if work <= 3600 * factor { return elapsed + work / factor }
      work -= 3600 * factor
      elapsed += 3600
    }
    return elapsed + work
  }

  /// Milliseconds by which ``advanced(seconds:near:)`` moves the departure.
  public static func milliseconds(_ seconds: Double) -> Int64 {
    Int64(exactly: max(0, min((seconds * 1000).rounded(), 1e15))) ?? 0
  }
}
