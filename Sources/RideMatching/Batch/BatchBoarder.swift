import GeoMath
import ObjectModel

/// Somebody who may get in on the way of others.
struct BatchBoarder {
  let request: Int
  private let seats: Int
  private let window: DepartureWindow
  private let wishes: RideWishes
  private let place: SIMD3<Float>
  private let drop: SIMD3<Float>
  private let straightMeters: Double

  init(_ query: MatchQuery, request: Int) {
    self.request = request
    seats = query.seats
    window = query.window
    wishes = query.wishes
    place = SIMD3(SphereVector(query.origin))
    drop = SIMD3(SphereVector(query.destination.coordinate))
    straightMeters = query.origin.haversineMeters(to: query.destination.coordinate)
  }

  /// Whether seats, times and straight lines allow it.
  ///
  /// - Parameters:
  ///   - rows: Of one party.
  ///   - circuity: The least and the greatest of its profile.
  /// - Returns: Whether some row allows it.
  func mayBoard(_ rows: [CorridorRow.Made], circuity: ClosedRange<Double>) -> Bool {
    rows.contains { made in
      let row = made.row
      guard Int(row.seatsFree) >= seats, row.isInTime(window) else { return false }
      let walk = row.walkLimit(wishes) / HaversineBounds.minimumRatio
      let lines = CorridorRow.Lines(
        SIMD3(made.corridor.from), SIMD3(made.corridor.to), place: place, drop: drop,
        direct: place.chordMeters(to: drop))
      return row.mayServe(
        lines.least(walk: Float(walk).nextUp),
        leastPerChord: Float(circuity.lowerBound * HaversineBounds.minimumRatio).nextDown
      ) {
        let straight = HaversineBounds.upperMeters(haversineMeters: straightMeters + walk) + 1
        return RideLimits.longestRideMeters(
          direct: straight * circuity.upperBound, maxDetourRatio: row.detourRatio(wishes))
      }
    }
  }
}

/// A trip by straight lines, for what two have in common.
struct StraightTrip {
  private let from: SphereVector
  private let to: SphereVector
  private let meters: Double
  private let window: DepartureWindow
  /// Further apart than their windows and this, nobody gets into the other's ride.
  private static let rideMilliseconds: Int64 = 3_600_000

  init(_ request: RideRequest) {
    from = SphereVector(request.origin.coordinate)
    to = SphereVector(request.destination.coordinate)
    meters = from.chordMeters(to: to)
    window = request.window
  }

  /// What the shortest way by both origins to both destinations falls short of the two trips; 0 where
  /// it does not, or where their times are apart.
  func sharedMeters(with other: StraightTrip) -> Double {
    let wait = max(
      window.start.milliseconds(since: other.window.end),
      other.window.start.milliseconds(since: window.end))
    guard wait <= Self.rideMilliseconds else { return 0 }
    let begin = from.chordMeters(to: other.from)
    let end = to.chordMeters(to: other.to)
    let between = min(
      meters, other.meters, from.chordMeters(to: other.to), other.from.chordMeters(to: to))
    return max(0, meters + other.meters - begin - between - end)
  }
}
