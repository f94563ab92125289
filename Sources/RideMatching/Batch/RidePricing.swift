public import ObjectModel
public import TaxiFares

/// What a ride costs, as matching sees it: a fast estimate for hundreds of thousands of candidates
/// and the meter's own amount for the few that are answered.
public struct RidePricing: Sendable {
  /// Meters, seconds and departure to minor units.
  public typealias Fare = @Sendable (Double, Double, Instant) -> Double

  /// For candidates: continuous, below 0.1 us. Not finite counts as never worth it. A ride that is
  /// neither shorter nor faster is taken to cost no less, and may not be asked for.
  public let estimate: Fare
  /// The fare in minor units that answers tell, of meters, seconds and departure.
  public let exact: @Sendable (Double, Double, Instant) -> Int64
  /// What a meter on foot costs its rider, minor units.
  public let walkCostPerMeter: Double

  /// Makes a price list of an estimate and, for answers, of an exact amount.
  ///
  /// - Parameters:
  ///   - walkCostPerMeter: What a meter on foot costs its rider, minor units.
  ///   - estimate: See ``estimate``.
  ///   - exact: See ``exact``; nil: the estimate, rounded.
  public init(
    walkCostPerMeter: Double, estimate: @escaping Fare,
    exact: (@Sendable (Double, Double, Instant) -> Int64)? = nil
  ) {
    self.walkCostPerMeter = walkCostPerMeter
    self.estimate = estimate
    self.exact = exact ?? { Self.rounded(estimate($0, $1, $2)) }
  }

  /// A base that pays for the first meters, then so much a meter and a second.
  public static func linear(
    base: Double, baseMeters: Double = 0, perMeter: Double, perSecond: Double = 0,
    walkCostPerMeter: Double? = nil
  ) -> RidePricing {
    RidePricing(walkCostPerMeter: walkCostPerMeter ?? Self.walkRatio * perMeter) {
      meters, seconds, _ in
      base + perMeter * max(0, meters - baseMeters) + perSecond * seconds
    }
  }

  /// A tariff: the exact meter for answers, a table of it for candidates (``FareTable``).
  ///
  /// - Parameters:
  ///   - tariff: One version of it.
  ///   - departures: The span for which bands (night, rush hour) are told apart in candidates, by
  ///     the half hour; departures outside it are priced like its ends.
  ///   - isCalled: Whether the call fee is due.
  ///   - walkCostPerMeter: Nil: twice what a meter by taxi costs in the middle of the table.
  /// - Returns: The price list, without areas and flat trips.
  /// - Throws: ``FareError`` when the tariff cannot price a trip without further facts.
  public static func tariff(
    _ tariff: Tariff, departures: ClosedRange<Instant>, isCalled: Bool = false,
    walkCostPerMeter: Double? = nil
  ) throws(FareError) -> RidePricing {
    let table = try FareTable(tariff, departures: departures, isCalled: isCalled)
    return RidePricing(
      walkCostPerMeter: walkCostPerMeter ?? walkCost(table, departures.lowerBound),
      estimate: { table.fare(meters: $0, seconds: $1, departure: $2) },
      exact: { meters, seconds, departure in
        FareTable.exact(
          tariff, meters: meters, seconds: seconds, departure: departure, isCalled: isCalled)
          ?? rounded(table.fare(meters: meters, seconds: seconds, departure: departure))
      })
  }

  /// Twice what a meter by taxi costs in the middle of the table.
  static func walkCost(_ table: FareTable, _ departure: Instant) -> Double {
    let slope =
      (table.fare(meters: 6000, seconds: 1080, departure: departure)
        - table.fare(meters: 4000, seconds: 720, departure: departure)) / 2000
    return walkRatio * slope
  }

  /// A meter on foot counts as so many meters by taxi, for want of a better figure.
  public static let walkRatio = 2.0

  static func rounded(_ amount: Double) -> Int64 {
    guard amount.isFinite else { return FareLimits.maximumAmount }
    return Int64(max(0, min(amount, Double(FareLimits.maximumAmount))).rounded())
  }
}
