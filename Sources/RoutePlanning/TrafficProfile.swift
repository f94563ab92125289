public import GeoMath
public import ObjectModel

/// How roads and traffic are somewhere, as data: enough to guess a route without a road network.
public struct TrafficProfile: Hashable, Sendable {
  /// Where local time comes from.
  public enum LocalTime: Hashable, Sendable {
    case offsets(UTCOffsets)
    /// The nautical zone, one hour for 15 degrees: what is left without a zone database.
    case byLongitude
  }

  /// Names the profile in settings and documents.
  public let name: String
  /// Where it is chosen by itself; empty for those chosen only by name.
  public let regions: [GeoBox]
  /// How local time is found from a place and a moment.
  public let localTime: LocalTime
  /// Road distance / straight distance, by straight distance.
  public let circuity: DistanceTable
  /// Meters a second at factor 1, by road distance.
  public let speed: DistanceTable
  /// Speed factors of the 168 hours of a week, local time, Monday 00:00 first.
  public let hourFactors: [Double]
  /// Duration in free flow and congested / expected duration.
  public let durationSpread: Spread
  /// Shorter and longer road / expected road.
  public let distanceSpread: Spread

  /// Factors around an expected value.
  public struct Spread: Hashable, Sendable {
    /// Above 0 and at most 1.
    public let low: Double
    /// At least 1.
    public let high: Double

    /// - Throws: ``TrafficProfileError/badSpread(low:high:)``.
    public init(low: Double, high: Double) throws(TrafficProfileError) {
      guard low > 0 && low <= 1 && high >= 1 && high.isFinite else {
        throw .badSpread(low: low, high: high)
      }
      self.init(uncheckedLow: low, high: high)
    }

    init(uncheckedLow low: Double, high: Double) {
      self.low = low
      self.high = high
    }
  }

  /// Makes a profile; `weekday` are 24 factors of the hours from Monday to Friday, `weekend` those of
  /// Saturday and Sunday.
  ///
  /// - Throws: ``TrafficProfileError``.
  public init(
    name: String, regions: [GeoBox] = [], localTime: LocalTime, circuity: DistanceTable,
    speed: DistanceTable, weekday: [Double], weekend: [Double], durationSpread: Spread,
    distanceSpread: Spread
  ) throws(TrafficProfileError) {
    for hours in [weekday, weekend] {
      guard hours.count == 24 else { throw .badHours(hours.count) }
      for factor in hours where !(factor > 0.01 && factor < 100) { throw .badFactor(factor) }
    }
    for knot in circuity.knots where knot.value < 1 {
      throw .badTable("a road \(knot.value) times the straight line is too short")
    }
    self.init(
      uncheckedName: name, regions: regions, localTime: localTime, circuity: circuity,
      speed: speed, weekday: weekday, weekend: weekend, durationSpread: durationSpread,
      distanceSpread: distanceSpread)
  }

  init(
    uncheckedName name: String, regions: [GeoBox], localTime: LocalTime, circuity: DistanceTable,
    speed: DistanceTable, weekday: [Double], weekend: [Double], durationSpread: Spread,
    distanceSpread: Spread
  ) {
    self.name = name
    self.regions = regions
    self.localTime = localTime
    self.circuity = circuity
    self.speed = speed
    hourFactors = (0..<7).flatMap { $0 < 5 ? weekday : weekend }
    self.durationSpread = durationSpread
    self.distanceSpread = distanceSpread
  }

  /// Seconds since Monday 00:00 local time, 0..<604,800.
  func secondOfWeek(_ instant: Instant, longitude: Double) -> Int {
    let offset =
      switch localTime {
      case .offsets(let offsets): offsets.seconds(at: instant)
      case .byLongitude: Int((longitude / 15).rounded()) * 3600
      }
    // 1970-01-01 was a Thursday.
    let thursday = 3 * 86_400
    let (quotient, rest) = instant.milliseconds.quotientAndRemainder(dividingBy: 1000)
    let seconds = rest < 0 ? quotient - 1 : quotient
    let shifted = Int(seconds % 604_800) + offset + thursday
    let wrapped = shifted % 604_800
    return wrapped < 0 ? wrapped + 604_800 : wrapped
  }
}

/// Why numbers are not a traffic profile.
public enum TrafficProfileError: Error, Hashable, Sendable {
  /// A table that is empty, does not ascend or holds an impossible value.
  case badTable(String)
  /// Not 24 factors.
  case badHours(Int)
  /// A factor outside 0.01...100.
  case badFactor(Double)
  /// Not 0 < low <= 1 <= high.
  case badSpread(low: Double, high: Double)
}
