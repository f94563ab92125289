public import ObjectModel

/// A tariff at one departure: prices many rides from the same moment without allocating.
///
/// The expected fare of a ride of which distance and duration are known, the same to the last minor
/// unit as ``Tariff/fare(for:model:)``. Base, surcharges and step price of the departure are
/// worked out once; a ride that ends before the next band edge or change of the clocks is priced from
/// them. Any other goes through the meter.
///
/// - Complexity: O(log rows of the slow-time model) for the first kind, about 50 ns.
public struct FareMeter: Sendable {
  /// The version in force at the departure.
  public let tariff: Tariff
  /// When the trip begins.
  public let departure: Instant
  /// Whether the call fee is due.
  public let isCalled: Bool

  /// Due if the taxi is called, minor units; else 0.
  public let callFee: Int64
  /// The surcharges that are in force at the departure, a bit for each of the tariff's.
  public let surcharges: UInt64

  /// Milliseconds at which prices may change.
  private let steadyMilliseconds: Int64
  /// Whether rides are priced by constants while prices hold: not where steps are charged in proportion, nor at a
  /// departure outside ``FareLimits/departures``.
  public let isSteadyPriced: Bool
  let inside: Constants
  let outside: Constants
  /// Surcharges once a trip, after discounts.
  let once: Int64
  private let hasLongSteps: Bool
  private let hasDiscounts: Bool

  /// Base with its surcharges, and a step with its surcharges.
  struct Constants {
    var base: Int64
    var step: Int64

    init(_ prepared: Tariff.Prepared, boarding: UInt64, along: UInt64, isOutside: Bool) {
      base = FareMeter.base(prepared, boarding, isOutside: isOutside)
      step = FareMeter.step(prepared, along, isOutside: isOutside)
    }
  }

  /// What a ride costs, and the part of it that is shared per seat whatever the rule.
  public struct Total: Hashable, Sendable {
    /// What the meter shows, in minor units of the currency.
    public var amount: Int64
    /// Call fee, at most ``amount``.
    public var extras: Int64
  }

  /// Works out what holds for every trip that begins at the departure.
  public init(_ tariff: Tariff, departure: Instant, isCalled: Bool = false) {
    self.tariff = tariff
    self.departure = departure
    self.isCalled = isCalled
    let prepared = tariff.prepared
    let content = prepared.content
    callFee = isCalled ? content.callFee : 0
    surcharges = prepared.bands.surchargeCount == 0 ? 0 : prepared.bands.active(at: departure)
    let isKnown = FareLimits.departures.contains(departure)
    steadyMilliseconds =
      prepared.bands.alongMask == 0 || !isKnown
      ? .max : prepared.bands.nextEdge(after: departure).milliseconds(since: departure)
    // Proportional surcharges are rounded one by one; those go through the meter.
    isSteadyPriced = content.chargeOn != .proportional && isKnown
    hasLongSteps = !prepared.prices.longSteps.isEmpty
    hasDiscounts = content.longDistance.contains {
      if case .discount = $0 { true } else { false }
    }
    once = Self.once(prepared, surcharges)
    inside = Constants(prepared, boarding: surcharges, along: surcharges, isOutside: false)
    outside = Constants(prepared, boarding: surcharges, along: surcharges, isOutside: true)
  }

  /// The expected fare of a ride.
  ///
  /// - Parameters:
  ///   - distanceMeters: Its length.
  ///   - durationSeconds: Its time.
  ///   - outOfAreaFromMeters: As in ``Trip/outOfAreaFromMeters``.
  /// - Returns: The fare, or nil where it cannot be priced (see ``FareLimits``).
  public func expected(
    distanceMeters: Double, durationSeconds: Double, outOfAreaFromMeters: Double? = nil
  ) -> Total? {
    guard let stretch = stretch(distanceMeters, durationSeconds) else { return nil }
    let isOutside = outOfAreaFromMeters != nil && outOfArea != nil
    guard isSteadyPriced, !isOutside || outOfArea == .boarding,
      stretch.duration < steadyMilliseconds
    else {
      return metered(distanceMeters, durationSeconds, outOfAreaFromMeters)
    }
    return steady(stretch, isOutside ? outside : inside)
  }

  func stretch(
    _ distanceMeters: Double, _ durationSeconds: Double
  ) -> MeterScale.Stretch? {
    guard distanceMeters >= 0, distanceMeters <= FareLimits.maximumDistanceMeters,
      durationSeconds >= 0, durationSeconds <= FareLimits.maximumDurationSeconds
    else { return nil }
    return tariff.prepared.scale.stretch(
      distanceMeters: distanceMeters, durationSeconds: durationSeconds,
      model: tariff.prepared.content.slowTimeModel, traffic: .expected)
  }

  func steady(_ stretch: MeterScale.Stretch, _ prices: Constants) -> Total {
    var sum = prices.base + tariff.prepared.steps(through: stretch.units) * prices.step
    if hasLongSteps { sum += longSteps(stretch) }
    if hasDiscounts { sum -= discount(of: sum) }
    return total(sum + once)
  }

  /// Up to when prices do not change: a ride that begins at the departure or later and ends before it
  /// is priced as by this meter. Nil where they never change.
  public var pricesHoldUntil: Instant? {
    let bands = tariff.prepared.bands
    guard bands.surchargeCount > 0 else { return nil }
    guard FareLimits.departures.contains(departure) else { return departure }
    var edge = bands.nextEdge(after: departure)
    // Each midnight is an edge, and mostly nothing changes.
    for _ in 0..<8 where bands.active(at: edge) == surcharges { edge = bands.nextEdge(after: edge) }
    return edge
  }

  /// The price of a flat trip of the tariff, by its place in the list.
  public func flat(_ index: Int) -> Total? {
    guard tariff.content.flatTrips.indices.contains(index) else { return nil }
    var trip = Trip(.totals(distanceMeters: 0, durationSeconds: 0), departure: departure)
    trip.flatTrip = tariff.content.flatTrips[index].id
    trip.isCalled = isCalled
    guard let bill = try? tariff.breakdown(for: trip) else { return nil }
    return Total(amount: bill.total, extras: min(bill.extras, bill.total))
  }

  private var outOfArea: OutOfAreaRule.Begin? { tariff.prepared.content.outOfArea?.begins }

  private func metered(
    _ distanceMeters: Double, _ durationSeconds: Double, _ outOfAreaFromMeters: Double?
  ) -> Total? {
    let trip = Trip(
      .totals(distanceMeters: distanceMeters, durationSeconds: durationSeconds),
      departure: departure, outOfAreaFromMeters: outOfAreaFromMeters, isCalled: isCalled)
    guard let bill = try? tariff.breakdown(for: trip) else { return nil }
    return Total(amount: bill.total, extras: min(bill.extras, bill.total))
  }

  private func total(_ metered: Int64) -> Total {
    let amount = tariff.prepared.content.finalRounding(metered + callFee)
    return Total(amount: amount, extras: min(callFee, amount))
  }

  /// What steps past a distance cost more or less, as in ``MeterRun``: between two such distances units grow
  /// evenly, and what falls exactly on the end of the trip is charged there.
  private func longSteps(_ stretch: MeterScale.Stretch) -> Int64 {
    let prepared = tariff.prepared
    var sum: Int64 = 0
    var charged: Int64 = 0
    var increment: Int64 = 0
    func charge(through steps: Int64) {
      sum += max(0, steps - charged) * increment
      charged = max(charged, steps)
    }
    for long in prepared.prices.longSteps where long.from <= stretch.distance {
      let units =
        long.from < stretch.distance
        ? MeterScale.part(stretch.units, long.from, stretch.distance) : stretch.units
      if long.from > 0 { charge(through: prepared.steps(before: units)) }
      increment = long.increment
    }
    charge(through: prepared.steps(through: stretch.units))
    return sum
  }

  private func discount(of metered: Int64) -> Int64 {
    var left = metered
    for rule in tariff.prepared.content.longDistance {
      guard case .discount(let above, let hundredths, let unit) = rule, left > above
      else { continue }
      let exact = ((left - above) * hundredths + 5000) / 10_000
      let off = min(Rounding(unit: unit, mode: .nearest)(exact), left - above)
      if off > 0 { left -= off }
    }
    return metered - left
  }

  static func once(_ prepared: Tariff.Prepared, _ mask: UInt64) -> Int64 {
    var once: Int64 = 0
    for (i, surcharge) in prepared.content.surcharges.enumerated() {
      if case .amount(let amount) = surcharge.price, mask >> UInt64(i) & 1 == 1 { once += amount }
    }
    return once
  }

  private static func base(
    _ prepared: Tariff.Prepared, _ mask: UInt64, isOutside: Bool
  ) -> Int64 {
    let content = prepared.content
    var parts: [Int64] = []
    for (i, surcharge) in content.surcharges.enumerated() where surcharge.appliesToBase {
      if case .hundredths(let h) = surcharge.price, mask >> UInt64(i) & 1 == 1 { parts.append(h) }
    }
    if let rule = content.outOfArea, isOutside, prepared.prices.isBaseOutside {
      parts.append(rule.hundredths)
    }
    guard !parts.isEmpty else { return content.baseAmount }
    if content.stacking.rule == .highest, let top = parts.max() { parts = [top] }
    let limit = content.stacking.maximumHundredths ?? .max
    var sum: Int64 = 0
    for part in parts { sum = min(sum + part, max(limit, sum)) }
    let exact = content.baseAmount + (content.baseAmount * sum + 5000) / 10_000
    return Rounding(unit: content.baseRounding, mode: .nearest)(exact)
  }

  private static func step(
    _ prepared: Tariff.Prepared, _ mask: UInt64, isOutside: Bool
  ) -> Int64 {
    let prices = prepared.prices
    var sum: Int64 = 0
    for (i, price) in prices.increments.enumerated() {
      let isActive = i < prices.increments.count - 1 ? mask >> UInt64(i) & 1 == 1 : isOutside
      guard isActive && price > 0 else { continue }
      sum = prices.isHighestOnly ? max(sum, price) : sum + price
    }
    if let limit = prices.incrementLimit { sum = min(sum, limit) }
    return prepared.content.stepAmount + sum
  }
}
