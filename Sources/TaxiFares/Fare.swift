/// One item of a fare.
public struct FareLine: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The initial charge.
    case base
    /// Steps that distance counted.
    case distance
    /// Steps that slow time counted.
    case time
    /// More for the hour or the day.
    case surcharge
    /// More for leaving the taxi's area.
    case outOfArea
    /// Less, because surcharges may not add up further.
    case surchargeLimit
    /// Dearer steps far out.
    case longDistance
    /// Less on a high fare.
    case discount
    /// A fixed price instead of the meter.
    case flat
    case tolls
    case callFee
    case rounding
  }

  public var kind: Kind
  /// Minor units; negative for what is taken off.
  public var amount: Int64
  /// How many steps, where the line counts steps.
  public var quantity: Int64?
  /// The rule that produced it, in words; ends with the unverified fields behind it.
  public var rule: String

  public init(kind: Kind, amount: Int64, quantity: Int64? = nil, rule: String) {
    self.kind = kind
    self.amount = amount
    self.quantity = quantity
    self.rule = rule
  }
}

/// What a trip costs, item by item. The lines sum to ``total``.
public struct FareBreakdown: Hashable, Sendable {
  public var lines: [FareLine]
  /// Minor units.
  public var total: Int64
  /// What the meter shows: no surcharges a trip, tolls, call fee or rounding of the bill.
  public var metered: Int64
  /// Tolls and call fee, which are shared per seat whatever the split rule.
  public var extras: Int64

  init() {
    lines = []
    total = 0
    metered = 0
    extras = 0
  }

  mutating func add(
    _ kind: FareLine.Kind, _ amount: Int64, quantity: Int64? = nil, rule: String
  ) {
    lines.append(FareLine(kind: kind, amount: amount, quantity: quantity, rule: rule))
    total += amount
  }
}

/// A fare and how far it may be off.
public struct Fare: Hashable, Sendable {
  public var expected: FareBreakdown
  /// Totals in free-flowing and in congested traffic: `low <= expected.total <= high`.
  public var low: Int64
  public var high: Int64

  public init(expected: FareBreakdown, low: Int64, high: Int64) {
    self.expected = expected
    self.low = min(low, expected.total)
    self.high = max(high, expected.total)
  }
}

extension Tariff {
  /// The fare of a trip: exact from segments or measured slow time, a range from totals.
  /// - Complexity: O(segments + band edges crossed); below 5 us for totals.
  public func fare(
    for trip: Trip, model: SlowTimeModel? = nil
  ) throws(FareError) -> Fare {
    let expected = try breakdown(for: trip, model: model, traffic: .expected)
    guard case .totals = trip.course, trip.flatTrip == nil else {
      return Fare(expected: expected, low: expected.total, high: expected.total)
    }
    return Fare(
      expected: expected,
      low: try breakdown(for: trip, model: model, traffic: .freeFlow).total,
      high: try breakdown(for: trip, model: model, traffic: .congested).total)
  }

  /// The fare of a trip whose distance and duration are estimates themselves: `low` and `high`
  /// are the same trip on its best and its worst day.
  public func fare(
    expected trip: Trip, low: TripCourse, high: TripCourse, model: SlowTimeModel? = nil
  ) throws(FareError) -> Fare {
    var best = trip
    best.course = low
    var worst = trip
    worst.course = high
    return Fare(
      expected: try breakdown(for: trip, model: model, traffic: .expected),
      low: try breakdown(for: best, model: model, traffic: .freeFlow).total,
      high: try breakdown(for: worst, model: model, traffic: .congested).total)
  }

  /// The itemised fare of a trip in one kind of traffic.
  public func breakdown(
    for trip: Trip, model: SlowTimeModel? = nil,
    traffic: SlowTimeModel.Traffic = .expected
  ) throws(FareError) -> FareBreakdown {
    try trip.validate()
    var bill = FareBreakdown()
    bill.lines.reserveCapacity(6)
    if let name = trip.flatTrip {
      guard let i = content.flatTrips.firstIndex(where: { $0.id == name }) else {
        throw .unknownFlatTrip(id: name)
      }
      chargeFlat(i, trip, into: &bill)
    } else {
      charge(
        run(trip, model: model ?? content.slowTimeModel, traffic: traffic), trip,
        into: &bill)
    }
    chargeExtras(trip, into: &bill)
    return bill
  }

  private func run(
    _ trip: Trip, model: SlowTimeModel, traffic: SlowTimeModel.Traffic
  ) -> MeterRun {
    var outside: Int64?
    if let rule = content.outOfArea, let from = trip.outOfAreaFromMeters {
      outside = rule.begins == .boarding ? 0 : MeterScale.distance(from)
    }
    let scale = prepared.scale
    var run = MeterRun(prepared, boarding: trip.departure, outOfAreaFrom: outside)
    switch trip.course {
    case .segments(let segments):
      for segment in segments { run.advance(scale.stretch(segment)) }
    case .totals(let distance, let duration):
      run.advance(
        scale.stretch(
          distanceMeters: distance, durationSeconds: duration, model: model, traffic: traffic))
    case .measured(let distance, let duration, let slow):
      run.advance(
        scale.stretch(distanceMeters: distance, durationSeconds: duration, slowSeconds: slow))
    }
    run.finish()
    return run
  }
}
