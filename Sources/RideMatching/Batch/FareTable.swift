public import ObjectModel
public import TaxiFares

/// A tariff's fares on a grid of distances, paces and half hours, read by interpolation.
///
/// ```
///   half hour 0: meters 0 ... 100 km (33 knots, denser below) x seconds a meter 0.03 ... 1.2 (12)
///   half hour 1: ...                                             at most 48, then the last
/// ```
/// A meter moves by steps; the table goes straight between knots, so it differs from the meter by
/// about a step. Beyond the last knots it goes on straight.
public struct FareTable: Sendable {
  private let values: [Double]
  private let first: Instant
  private let slots: Int

  static let meterKnots = 33
  static let paceKnots = 12
  static let maximumMeters = 100_000.0
  static let slotMilliseconds: Int64 = 1_800_000
  static let maximumSlots = 48
  private static let slowest = 1.2
  private static let fastest = 0.03
  private static let paceRatio = (slowest / fastest)
  /// Seconds a meter, ascending by a constant factor.
  private static let paces: [Double] = (0..<paceKnots).map {
    var pace = fastest
    let factor = root(paceRatio, paceKnots - 1)
    for _ in 0..<$0 { pace *= factor }
    return pace
  }

  /// - Throws: ``FareError``.
  /// - Complexity: 396 fares for every half hour of `departures`.
  public init(
    _ tariff: Tariff, departures: ClosedRange<Instant>, isCalled: Bool = false,
    isOutOfArea: Bool = false
  ) throws(FareError) {
    first = departures.lowerBound
    let span = departures.upperBound.milliseconds(since: first)
    slots = 1 + Int(min(span / Self.slotMilliseconds, Int64(Self.maximumSlots - 1)))
    var values: [Double] = []
    values.reserveCapacity(slots * Self.meterKnots * Self.paceKnots)
    for slot in 0..<slots {
      let departure = first.advanced(milliseconds: Int64(slot) * Self.slotMilliseconds)
      for knot in 0..<Self.meterKnots {
        let meters = Self.meters(knot)
        for pace in Self.paces {
          let seconds = min(meters * pace, FareLimits.maximumDurationSeconds)
          let trip = Trip(
            .totals(distanceMeters: meters, durationSeconds: seconds), departure: departure,
            outOfAreaFromMeters: isOutOfArea ? 0 : nil, isCalled: isCalled)
          values.append(Double(try tariff.breakdown(for: trip).total))
        }
      }
    }
    self.values = values
  }

  /// - Complexity: O(paces), about 30 ns.
  public func fare(meters: Double, seconds: Double, departure: Instant) -> Double {
    guard meters >= 0 && seconds >= 0 && meters.isFinite && seconds.isFinite else {
      return .infinity
    }
    let milliseconds = max(0, departure.milliseconds(since: first))
    let slot = Int(min(milliseconds / Self.slotMilliseconds, Int64(slots - 1)))
    let place = (meters / Self.maximumMeters).squareRoot() * Double(Self.meterKnots - 1)
    let row = min(Int(place), Self.meterKnots - 2)
    let low = Self.meters(row)
    let share = (meters - low) / (Self.meters(row + 1) - low)
    let pace = meters > 0 ? max(seconds / meters, Self.fastest) : Self.fastest
    var column = 0
    while column < Self.paceKnots - 2 && pace > Self.paces[column + 1] { column += 1 }
    let across =
      (pace - Self.paces[column]) / (Self.paces[column + 1] - Self.paces[column])
    let at = (slot * Self.meterKnots + row) * Self.paceKnots + column
    let near = values[at] + across * (values[at + 1] - values[at])
    let next = at + Self.paceKnots
    let far = values[next] + across * (values[next + 1] - values[next])
    return near + share * (far - near)
  }

  /// The meter's amount, nil when the trip is beyond what it takes.
  static func exact(
    _ tariff: Tariff, meters: Double, seconds: Double, departure: Instant, isCalled: Bool
  ) -> Int64? {
    let trip = Trip(
      .totals(distanceMeters: meters, durationSeconds: seconds), departure: departure,
      isCalled: isCalled)
    return try? tariff.breakdown(for: trip).total
  }

  private static func meters(_ knot: Int) -> Double {
    let part = Double(knot) / Double(meterKnots - 1)
    return maximumMeters * part * part
  }

  /// The nth root by Newton's method: no C math for one number.
  private static func root(_ value: Double, _ n: Int) -> Double {
    var x = 1.0 + (value - 1) / Double(n)
    for _ in 0..<200 {
      var power = 1.0
      for _ in 0..<(n - 1) { power *= x }
      x -= (power * x - value) / (Double(n) * power)
    }
    return x
  }
}
