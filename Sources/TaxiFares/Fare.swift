/// One item of a fare.
public struct FareLine: Hashable, Sendable {
  /// What an item is for.
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

  /// What the item is for.
  public var kind: Kind
  /// Minor units; negative for what is taken off.
  public var amount: Int64
  /// How many steps, where the line counts steps.
  public var quantity: Int64?
  /// The rule that produced it, in words; ends with the unverified fields behind it.
  public var rule: String

  /// Makes one item of a bill.
  public init(kind: Kind, amount: Int64, quantity: Int64? = nil, rule: String) {
    self.kind = kind
    self.amount = amount
    self.quantity = quantity
    self.rule = rule
  }
}

/// What a trip costs, item by item. The lines sum to ``total``.
public struct FareBreakdown: Hashable, Sendable {
  /// The items in the order in which the meter adds them; empty where only the total is kept.
  public var lines: [FareLine]
  /// The sum of all lines, in minor units of the currency.
  public var total: Int64
  /// What the meter shows: no surcharges a trip, tolls, call fee or rounding of the bill.
  public var metered: Int64
  /// Tolls and call fee, which are shared per seat whatever the split rule.
  public var extras: Int64
  /// Off where only the total is asked for.
  private let keepsLines: Bool

  init(keepsLines: Bool = true) {
    self.keepsLines = keepsLines
    lines = []
    if keepsLines { lines.reserveCapacity(6) }
    total = 0
    metered = 0
    extras = 0
  }

  mutating func add(
    _ kind: FareLine.Kind, _ amount: Int64, quantity: Int64? = nil,
    rule: @autoclosure () -> String
  ) {
    total += amount
    guard keepsLines else { return }
    lines.append(FareLine(kind: kind, amount: amount, quantity: quantity, rule: rule()))
  }
}

/// A fare and how far it may be off.
public struct Fare: Hashable, Sendable {
  /// The itemised fare in usual traffic.
  public var expected: FareBreakdown
  /// Totals in free-flowing and in congested traffic: `low <= expected.total <= high`.
  public var low: Int64
  /// The total in congested traffic, at least that of ``expected``.
  public var high: Int64

  /// Makes a fare; `low` and `high` are moved so that they enclose the expected total.
  public init(expected: FareBreakdown, low: Int64, high: Int64) {
    self.expected = expected
    self.low = min(low, expected.total)
    self.high = max(high, expected.total)
  }
}

extension Tariff {
  /// The fare of a trip: exact from segments or measured slow time, a range from totals.
  ///
  /// - Throws: ``FareError`` for a trip that the tariff does not price, such as an unknown flat
  ///   trip or a distance out of range.
  /// - Complexity: O(segments + band edges crossed); below 5 us for totals.
  public func fare(for trip: Trip, model: SlowTimeModel? = nil) throws(FareError) -> Fare {
    guard case .totals = trip.course, trip.flatTrip == nil else {
      let expected = try breakdown(for: trip, model: model)
      return Fare(expected: expected, low: expected.total, high: expected.total)
    }
    return try fare(expected: trip, low: trip.course, high: trip.course, model: model)
  }

  /// The fare of a trip whose distance and duration are estimates themselves: `low` and `high`
  /// are the same trip on its best and its worst day.
  ///
  /// - Throws: ``FareError`` for a trip that the tariff does not price, such as an unknown flat
  ///   trip or a distance out of range.
  public func fare(
    expected trip: Trip, low: TripCourse, high: TripCourse, model: SlowTimeModel? = nil
  ) throws(FareError) -> Fare {
    guard trip.flatTrip == nil else {
      let expected = try breakdown(for: trip, model: model)
      return Fare(expected: expected, low: expected.total, high: expected.total)
    }
    try trip.validate()
    try low.validate()
    try high.validate()
    let model = model ?? prepared.content.slowTimeModel
    var run = newRun(trip)
    let expected = metered(
      trip, course: trip.course, model: model, traffic: .expected, run: &run, keepsLines: true)
    let least = metered(
      trip, course: low, model: model, traffic: .freeFlow, run: &run, keepsLines: false)
    let most = metered(
      trip, course: high, model: model, traffic: .congested, run: &run, keepsLines: false)
    return Fare(expected: expected, low: least.total, high: most.total)
  }

  /// The itemised fare of a trip in one kind of traffic.
  ///
  /// - Throws: ``FareError`` for a trip that the tariff does not price, such as an unknown flat
  ///   trip or a distance out of range.
  public func breakdown(
    for trip: Trip, model: SlowTimeModel? = nil,
    traffic: SlowTimeModel.Traffic = .expected
  ) throws(FareError) -> FareBreakdown {
    try trip.validate()
    if let name = trip.flatTrip {
      guard let i = prepared.content.flatTrips.firstIndex(where: { $0.id == name }) else {
        throw .unknownFlatTrip(id: name)
      }
      var bill = FareBreakdown()
      chargeFlat(i, trip, into: &bill)
      chargeExtras(trip, into: &bill)
      return bill
    }
    let model = model ?? prepared.content.slowTimeModel
    var run = newRun(trip)
    return metered(
      trip, course: trip.course, model: model, traffic: traffic, run: &run, keepsLines: true)
  }

  private func newRun(_ trip: Trip) -> MeterRun {
    var outside: Int64?
    if let rule = prepared.content.outOfArea, let from = trip.outOfAreaFromMeters {
      outside = rule.begins == .boarding ? 0 : MeterScale.distance(from)
    }
    return MeterRun(prepared, boarding: trip.departure, outOfAreaFrom: outside)
  }

  private func metered(
    _ trip: Trip, course: TripCourse, model: SlowTimeModel,
    traffic: SlowTimeModel.Traffic, run: inout MeterRun, keepsLines: Bool
  ) -> FareBreakdown {
    run.restart()
    let scale = prepared.scale
    switch course {
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
    var bill = FareBreakdown(keepsLines: keepsLines)
    charge(run, trip, into: &bill)
    chargeExtras(trip, into: &bill)
    return bill
  }
}
