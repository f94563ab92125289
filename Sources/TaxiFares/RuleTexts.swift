/// What a step comes to under each rule.
struct StepPrices: Hashable, Sendable {
  struct LongStep: Hashable, Sendable {
    /// Tenths of a millimeter.
    var from: Int64
    /// On top of the plain step.
    var increment: Int64
  }

  /// Minor units a step for surcharge i, the last one for out of area: each is taken of the plain
  /// step and rounded by itself.
  let increments: [Int64]
  let incrementLimit: Int64?
  let isHighestOnly: Bool
  let longSteps: [LongStep]
  /// Bit i: surcharge i is a share of the base.
  let baseMask: UInt64
  /// Bit i: surcharge i is charged once a trip.
  let onceMask: UInt64
  /// Whether leaving the area makes the base dearer: where it begins at the edge, boarding lies
  /// before it.
  let isBaseOutside: Bool

  init(_ c: TariffContent) {
    func onStep(_ hundredths: Int64) -> Int64 {
      let exact = (c.stepAmount * hundredths + 5000) / 10_000
      return Rounding(unit: c.surchargeRounding, mode: .nearest)(exact)
    }
    var increments = c.surcharges.map { surcharge -> Int64 in
      guard surcharge.appliesToSteps, case .hundredths(let h) = surcharge.price else { return 0 }
      return onStep(h)
    }
    increments.append(c.outOfArea.map { onStep($0.hundredths) } ?? 0)
    self.increments = increments
    incrementLimit = c.stacking.maximumHundredths.map(onStep)
    isHighestOnly = c.stacking.rule == .highest
    longSteps = c.longDistance.compactMap { rule in
      guard case .stepAmount(let from, let amount) = rule else { return nil }
      return LongStep(from: MeterScale.distance(from), increment: amount - c.stepAmount)
    }
    var base: UInt64 = 0
    var once: UInt64 = 0
    for (i, surcharge) in c.surcharges.enumerated() {
      switch surcharge.price {
      case .hundredths: if surcharge.appliesToBase { base |= 1 << UInt64(i) }
      case .amount: once |= 1 << UInt64(i)
      }
    }
    baseMask = base
    onceMask = once
    isBaseOutside = c.outOfArea.map { $0.appliesToBase && $0.begins == .boarding } ?? false
  }
}

/// The sentences that explain the lines, made once a tariff, not once a fare.
struct RuleTexts: Hashable, Sendable {
  let base: String
  let distance: String
  let time: String
  let surchargeOnBase: [String]
  let surchargeOnSteps: [String]
  let surchargeOnce: [String]
  let limit: String
  let longSteps: [String]
  let discounts: [String]
  let flat: [String]
  let tolls = "tolls, as given"
  let callFee: String
  let rounding: String

  init(_ c: TariffContent, _ prices: StepPrices) {
    let mark = UnverifiedMarks(c.unverified)
    let step = c.stepAmount
    let money = TariffMoneyText(c)
    let moment =
      switch c.chargeOn {
      case .entry: "charged when it begins"
      case .completion: "charged when complete"
      case .proportional: "in proportion"
      }
    let speed = TariffNumberText.plain(c.threshold * 3.6, digits: 2)
    let slow = c.isThresholdSlow ? "at \(speed) km/h or less" : "below \(speed) km/h"
    base =
      "\(money(c.baseAmount)) for the first \(TariffNumberText.plain(c.baseDistanceMeters)) m"
      + mark("base")
    let stepMark = mark("step", "accrual", "chargeOn", "thresholdSpeedKilometersPerHour")
    let each = "\(money(step)) each \(TariffNumberText.plain(c.stepDistanceMeters)) m"
    distance =
      (c.accrual == .exclusive ? "\(each) when not \(slow), \(moment)" : "\(each), \(moment)")
      + stepMark
    let accrual = c.accrual == .exclusive ? "instead of distance" : "on top of distance"
    time =
      "\(money(step)) each \(TariffNumberText.plain(c.stepSeconds)) s \(slow), \(accrual)"
      + stepMark

    let texts = SurchargeTexts(c, increments: prices.increments, money: money, mark: mark)
    surchargeOnBase = texts.onBase
    surchargeOnSteps = texts.onSteps
    surchargeOnce = texts.once
    let limitText = c.stacking.maximumHundredths.map { TariffNumberText.percent($0) } ?? ""
    limit = "surcharges together at most \(limitText)" + mark("stacking")

    var longSteps: [String] = []
    var discounts: [String] = []
    for (i, rule) in c.longDistance.enumerated() {
      let tail = mark("longDistance[\(i)]")
      switch rule {
      case .stepAmount(let from, let amount):
        let start = TariffNumberText.plain(from)
        longSteps.append("a step costs \(money(amount)) from \(start) m on" + tail)
      case .discount(let above, let hundredths, _):
        let percent = TariffNumberText.percent(hundredths)
        discounts.append("\(percent) off the part above \(money(above))" + tail)
      }
    }
    self.longSteps = longSteps
    self.discounts = discounts
    flat = c.flatTrips.enumerated().map { i, flat in
      "flat trip \(flat.id): \(money(flat.amount))" + mark("flatTrips[\(i)]")
    }
    callFee = "call fee" + mark("callFee")
    rounding =
      "\(c.finalRounding.mode.rawValue) multiple of \(money(c.finalRounding.unit))"
      + mark("finalRounding")
  }
}

/// The sentences of the surcharges; the last one is out of area.
private struct SurchargeTexts {
  var onBase: [String] = []
  var onSteps: [String] = []
  var once: [String] = []

  init(_ c: TariffContent, increments: [Int64], money: TariffMoneyText, mark: UnverifiedMarks) {
    let rounded = c.baseRounding > 1 ? ", to \(money(c.baseRounding))" : ""
    for (i, surcharge) in c.surcharges.enumerated() {
      let tail = mark("surcharges[\(i)]")
      let bands = surcharge.bands.map(Self.text).joined(separator: ", ")
      let name = "\(surcharge.name) \(bands)"
      let when = surcharge.chosen == .boarding ? " at boarding" : ""
      switch surcharge.price {
      case .hundredths(let h):
        onBase.append(
          "\(name): \(TariffNumberText.percent(h)) of the base by the time of boarding\(rounded)"
            + mark("surcharges[\(i)]", "baseRounding"))
        onSteps.append(
          "\(name)\(when): \(TariffNumberText.percent(h)) of a step, \(money(increments[i])) each"
            + mark("surcharges[\(i)]", "surchargeRounding"))
        once.append("")
      case .amount(let amount):
        onBase.append("")
        onSteps.append("")
        once.append("\(name)\(when): \(money(amount)) a trip\(tail)")
      }
    }
    guard let rule = c.outOfArea, let increment = increments.last else { return }
    let name = "out of area, from \(rule.begins == .boarding ? "boarding" : "its edge")"
    let percent = TariffNumberText.percent(rule.hundredths)
    onBase.append("\(name): \(percent) of the base\(rounded)" + mark("outOfArea"))
    onSteps.append("\(name): \(percent) of a step, \(money(increment)) each" + mark("outOfArea"))
  }

  private static func text(_ band: LocalTimeBand) -> String {
    let hours =
      "\(TariffNumberText.clock(band.fromMinute))-\(TariffNumberText.clock(band.toMinute))"
    if band.weekdays == LocalTimeBand.everyDay { return hours }
    let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let days = names.indices.filter { band.weekdays >> UInt8($0) & 1 == 1 }.map { names[$0] }
    return "\(hours) \(days.joined(separator: "/"))"
  }
}

/// Ends a rule text with the unverified fields behind it.
struct UnverifiedMarks {
  let paths: [String]

  init(_ paths: [String]) { self.paths = paths }

  func callAsFunction(_ prefixes: String...) -> String {
    let hits = paths.filter { path in
      prefixes.contains { path == $0 || path.hasPrefix($0 + ".") || path.hasPrefix($0 + "[") }
    }
    return hits.isEmpty ? "" : " (unverified: \(hits.joined(separator: ", ")))"
  }
}
