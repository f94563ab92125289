public import GeoMath
public import ObjectModel

/// A road distance and the time it takes.
public struct TravelEstimate: Hashable, Sendable {
  /// Along the road.
  public let distanceMeters: Double
  /// From door to door, halts not counted.
  public let durationSeconds: Double

  /// Makes an estimate of a length and a time.
  @inlinable
  public init(distanceMeters: Double, durationSeconds: Double) {
    self.distanceMeters = distanceMeters
    self.durationSeconds = durationSeconds
  }
}

/// What an estimate may turn out to be.
public struct TravelRange: Hashable, Sendable {
  /// The shorter road in free flow.
  public let low: TravelEstimate
  /// The longer road, congested.
  public let high: TravelEstimate

  /// Makes a range; the low one is no longer than the high one.
  public init(low: TravelEstimate, high: TravelEstimate) {
    self.low = low
    self.high = high
  }
}

/// Estimates from one profile and one departure: a pure function for hot loops.
///
/// Road distance is the straight line times the circuity at that length. The time is the road
/// distance over the speed at that length, which each local hour on the way multiplies by its own
/// factor: who leaves later never arrives earlier, and no estimate jumps at an hour's edge.
public struct TravelEstimator: Sendable {
  /// How roads and hours are where the ride begins.
  public let profile: TrafficProfile
  /// When the ride begins.
  public let departure: Instant
  @usableFromInline let firstHour: Int
  @usableFromInline let firstHourSecondsLeft: Double
  @usableFromInline let firstFactor: Double

  /// Makes the estimator of one departure; `place` is where the ride starts, for profiles that take
  /// local time from the longitude.
  public init(profile: TrafficProfile, departure: Instant, near place: Coordinate) {
    self.profile = profile
    self.departure = departure
    let second = profile.secondOfWeek(departure, longitude: place.longitude)
    firstHour = second / 3600
    firstHourSecondsLeft = Double(3600 - second % 3600)
    firstFactor = profile.hourFactors[firstHour]
  }

  /// - Complexity: O(knots) and one haversine; no allocation, about 0.1 us.
  @inlinable
  public func estimate(from origin: Coordinate, to destination: Coordinate) -> TravelEstimate {
    estimate(straightMeters: origin.distanceMeters(to: destination))
  }

  /// The same with the straight distance known. Negative or not a number counts as 0.
  @inlinable
  public func estimate(straightMeters: Double) -> TravelEstimate {
    guard straightMeters > 0 else { return TravelEstimate(distanceMeters: 0, durationSeconds: 0) }
    let road = straightMeters * profile.circuity.value(meters: straightMeters)
    return TravelEstimate(distanceMeters: road, durationSeconds: durationSeconds(roadMeters: road))
  }

  /// The time over a road of known length.
  @inlinable
  public func durationSeconds(roadMeters: Double) -> Double {
    guard roadMeters > 0 else { return 0 }
    return durationSeconds(atFactorOne: profile.secondsAtFactorOne(roadMeters: roadMeters))
  }

  @usableFromInline
  func overSeveralHours(_ secondsAtFactorOne: Double) -> Double {
    // A quarter of Earth's circumference at walking pace ends long before; infinity must end too.
    let longest = 4_000.0 * 3600
    var work = secondsAtFactorOne - firstHourSecondsLeft * firstFactor
    var elapsed = firstHourSecondsLeft
    var hour = firstHour
    while elapsed < longest {
      hour = hour == 167 ? 0 : hour + 1
      let factor = profile.hourFactors[hour]
      if work <= 3600 * factor { return elapsed + work / factor }
      work -= 3600 * factor
      elapsed += 3600
    }
    return elapsed + work
  }

  /// Free flow to congested around an estimate.
  public func range(of estimate: TravelEstimate) -> TravelRange {
    TravelRange(
      low: TravelEstimate(
        distanceMeters: estimate.distanceMeters * profile.distanceSpread.low,
        durationSeconds: estimate.durationSeconds * profile.durationSpread.low),
      high: TravelEstimate(
        distanceMeters: estimate.distanceMeters * profile.distanceSpread.high,
        durationSeconds: estimate.durationSeconds * profile.durationSpread.high))
  }

  /// The estimator for a ride that starts `seconds` later.
  public func advanced(seconds: Double, near place: Coordinate) -> TravelEstimator {
    let milliseconds = (seconds * 1000).rounded()
    let delta = Int64(exactly: max(0, min(milliseconds, 1e15))) ?? 0
    return TravelEstimator(
      profile: profile, departure: departure.advanced(milliseconds: delta), near: place)
  }

  /// All pairs of places.
  public func matrix(_ places: [Coordinate]) -> TravelMatrix {
    TravelMatrix(count: places.count) { from, to in
      from == to
        ? TravelEstimate(distanceMeters: 0, durationSeconds: 0)
        : estimate(from: places[from], to: places[to])
    }
  }
}
