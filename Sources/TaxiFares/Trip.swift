public import ObjectModel

/// What is known of a trip's length and time.
public enum TripCourse: Hashable, Sendable {
  /// The parts of the route in order, each driven at a constant speed: metered exactly.
  case segments([TripSegment])
  /// Only the sums: slow time comes from a ``SlowTimeModel``.
  case totals(distanceMeters: Double, durationSeconds: Double)
  /// The sums, and how long the taxi was slower than the tariff's threshold.
  case measured(distanceMeters: Double, durationSeconds: Double, slowSeconds: Double)
}

/// A part of a route driven at a constant speed.
public struct TripSegment: Hashable, Sendable {
  /// The length of the part, from 0 on.
  public var distanceMeters: Double
  /// How long the part takes, from 0 on.
  public var durationSeconds: Double

  /// Makes a part of a route that is driven at one speed.
  public init(distanceMeters: Double, durationSeconds: Double) {
    self.distanceMeters = distanceMeters
    self.durationSeconds = durationSeconds
  }
}

/// A trip to be priced.
public struct Trip: Hashable, Sendable {
  /// How far and how long, as well as it is known.
  public var course: TripCourse
  /// The moment of boarding.
  public var departure: Instant
  /// Where the trip leaves the taxi's area for another, in meters from boarding; nil: it does not.
  /// Where the tariff surcharges from boarding on, any value does.
  public var outOfAreaFromMeters: Double?
  /// The flat trip that replaces the meter, by id.
  public var flatTrip: String?
  /// Minor units, added as they are.
  public var tolls: Int64
  /// Whether the taxi was called, so that the call fee is due.
  public var isCalled: Bool

  /// Makes a trip without tolls, inside the area, from the street.
  public init(
    _ course: TripCourse, departure: Instant, outOfAreaFromMeters: Double? = nil,
    flatTrip: String? = nil, tolls: Int64 = 0, isCalled: Bool = false
  ) {
    self.course = course
    self.departure = departure
    self.outOfAreaFromMeters = outOfAreaFromMeters
    self.flatTrip = flatTrip
    self.tolls = tolls
    self.isCalled = isCalled
  }

  /// Sums over the course. - Complexity: O(segments).
  public var totals: (distanceMeters: Double, durationSeconds: Double) {
    switch course {
    case .totals(let distance, let duration), .measured(let distance, let duration, _):
      return (distance, duration)
    case .segments(let segments):
      return segments.reduce(into: (0, 0)) {
        $0.0 += $1.distanceMeters
        $0.1 += $1.durationSeconds
      }
    }
  }

  /// - Throws: ``FareError`` naming the field.
  func validate() throws(FareError) {
    guard FareLimits.departures.contains(departure) else {
      throw .departureOutOfRange(departure)
    }
    try FareLimits.check(amount: tolls, "tolls")
    if let outOfAreaFromMeters {
      try FareLimits.check(meters: outOfAreaFromMeters, "outOfAreaFromMeters")
    }
    try course.validate()
  }
}

extension TripCourse {
  /// - Throws: ``FareError`` naming the field.
  func validate() throws(FareError) {
    switch self {
    case .totals(let distance, let duration):
      try FareLimits.check(meters: distance, "distanceMeters")
      try FareLimits.check(seconds: duration, "durationSeconds")
    case .measured(let distance, let duration, let slow):
      try FareLimits.check(meters: distance, "distanceMeters")
      try FareLimits.check(seconds: duration, "durationSeconds")
      try FareLimits.check(seconds: slow, "slowSeconds")
      guard slow <= duration else {
        throw .slowTimeExceedsDuration(slowSeconds: slow, durationSeconds: duration)
      }
    case .segments(let segments):
      try Self.validate(segments)
    }
  }

  private static func validate(_ segments: [TripSegment]) throws(FareError) {
    guard (1...FareLimits.maximumSegments).contains(segments.count) else {
      throw .segmentCountOutOfRange(segments.count)
    }
    var meters = 0.0
    var seconds = 0.0
    for (i, segment) in segments.enumerated() {
      try FareLimits.check(meters: segment.distanceMeters, "segments[\(i)].distanceMeters")
      try FareLimits.check(seconds: segment.durationSeconds, "segments[\(i)].durationSeconds")
      meters += segment.distanceMeters
      seconds += segment.durationSeconds
    }
    try FareLimits.check(meters: meters, "segments")
    try FareLimits.check(seconds: seconds, "segments")
  }
}
