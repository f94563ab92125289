extension Tariff {
  /// Adds the lines of a metered trip.
  func charge(_ run: MeterRun, _ trip: Trip, into bill: inout FareBreakdown) {
    bill.add(.base, prepared.content.baseAmount, rule: prepared.texts.base)
    chargeBaseSurcharges(run, isOutside: trip.outOfAreaFromMeters != nil, into: &bill)
    chargeSteps(run, into: &bill)
    chargeLongSteps(run, into: &bill)
    let last = run.surchargedSteps.count - 1
    for (i, count) in run.surchargedSteps.enumerated() where count > 0 {
      bill.add(
        i == last ? .outOfArea : .surcharge, money(prepared.prices.increments[i], run: count),
        quantity: quantity(count), rule: prepared.texts.surchargeOnSteps[i])
    }
    if run.limited > 0 {
      let amount =
        prepared.content.chargeOn == .proportional
        ? run.limited / Double(prepared.scale.stepUnits) : run.limited
      bill.add(.surchargeLimit, -Int64(amount.rounded()), rule: prepared.texts.limit)
    }
    chargeDiscounts(into: &bill)
    bill.metered = bill.total
    guard run.everActive & prepared.prices.onceMask != 0 else { return }
    for (i, surcharge) in prepared.content.surcharges.enumerated() {
      guard case .amount(let amount) = surcharge.price, run.everActive >> UInt64(i) & 1 == 1
      else { continue }
      bill.add(.surcharge, amount, rule: prepared.texts.surchargeOnce[i])
    }
  }

  /// The base with the percentages chosen at boarding; each line is what it adds after rounding.
  private func chargeBaseSurcharges(
    _ run: MeterRun, isOutside: Bool, into bill: inout FareBreakdown
  ) {
    let prices = prepared.prices
    guard run.boardingMask & prices.baseMask != 0 || (isOutside && prices.isBaseOutside) else {
      return
    }
    var parts: [(index: Int, hundredths: Int64, kind: FareLine.Kind)] = []
    for (i, surcharge) in prepared.content.surcharges.enumerated() where surcharge.appliesToBase {
      guard case .hundredths(let h) = surcharge.price, run.boardingMask >> UInt64(i) & 1 == 1
      else { continue }
      parts.append((i, h, .surcharge))
    }
    // At the edge, boarding lies before it.
    if let rule = prepared.content.outOfArea, isOutside, prices.isBaseOutside {
      parts.append((prepared.content.surcharges.count, rule.hundredths, .outOfArea))
    }
    if prepared.content.stacking.rule == .highest,
      let top = parts.max(by: { $0.hundredths < $1.hundredths })
    {
      parts = [top]
    }
    let limit = prepared.content.stacking.maximumHundredths ?? .max
    let rounding = Rounding(unit: prepared.content.baseRounding, mode: .nearest)
    var sum: Int64 = 0
    var reached = prepared.content.baseAmount
    for part in parts {
      sum = min(sum + part.hundredths, max(limit, sum))
      let next = rounding(
        prepared.content.baseAmount + (prepared.content.baseAmount * sum + 5000) / 10_000)
      if next != reached {
        bill.add(part.kind, next - reached, rule: prepared.texts.surchargeOnBase[part.index])
      }
      reached = next
    }
  }

  /// Steps are mixed sums of distance and time; they are told apart by what each contributed.
  private func chargeSteps(_ run: MeterRun, into bill: inout FareBreakdown) {
    guard run.charged > 0 else { return }
    let share = run.units > 0 ? Double(run.timeUnits) / Double(run.units) : 0
    let timeCount = Int64((Double(run.charged) * min(share, 1)).rounded())
    let total = money(prepared.content.stepAmount, run: run.charged)
    let timeAmount = money(prepared.content.stepAmount, run: timeCount)
    if run.charged > timeCount {
      bill.add(
        .distance, total - timeAmount, quantity: quantity(run.charged - timeCount),
        rule: prepared.texts.distance)
    }
    if timeCount > 0 {
      bill.add(.time, timeAmount, quantity: quantity(timeCount), rule: prepared.texts.time)
    }
  }

  /// What steps past a distance cost more or less. Where steps are charged in proportion, each line is what the
  /// sum grows by after rounding, so that a longer way never costs less.
  private func chargeLongSteps(_ run: MeterRun, into bill: inout FareBreakdown) {
    // Most tariffs have none, and fares are what matching asks for most.
    guard !run.longSteps.isEmpty else { return }
    var exact = exactMoney(prepared.content.stepAmount, run: run.charged)
    var reached = money(prepared.content.stepAmount, run: run.charged)
    let isWhole = prepared.content.chargeOn != .proportional
    for (i, count) in run.longSteps.enumerated() where count > 0 {
      let increment = prepared.prices.longSteps[i].increment
      exact += exactMoney(increment, run: count)
      let next = isWhole ? reached + increment * count : Int64(exact.rounded())
      bill.add(
        .longDistance, next - reached, quantity: quantity(count),
        rule: prepared.texts.longSteps[i])
      reached = next
    }
  }

  private func chargeDiscounts(into bill: inout FareBreakdown) {
    var next = 0
    for rule in prepared.content.longDistance {
      guard case .discount(let above, let hundredths, let rounding) = rule else { continue }
      let text = prepared.texts.discounts[next]
      next += 1
      guard bill.total > above else { continue }
      let exact = ((bill.total - above) * hundredths + 5000) / 10_000
      let off = min(Rounding(unit: rounding, mode: .nearest)(exact), bill.total - above)
      if off > 0 { bill.add(.discount, -off, rule: text) }
    }
  }

  /// Adds the line of a flat trip and the surcharges that it takes.
  func chargeFlat(_ index: Int, _ trip: Trip, into bill: inout FareBreakdown) {
    let flat = prepared.content.flatTrips[index]
    bill.add(.flat, flat.amount, rule: prepared.texts.flat[index])
    bill.metered = bill.total
    guard !flat.surcharges.isEmpty else { return }
    let active = prepared.bands.active(at: trip.departure)
    for (i, surcharge) in prepared.content.surcharges.enumerated()
    where flat.surcharges.contains(surcharge.id) {
      guard active >> UInt64(i) & 1 == 1 else { continue }
      switch surcharge.price {
      case .amount(let amount):
        bill.add(.surcharge, amount, rule: prepared.texts.surchargeOnce[i])
      case .hundredths(let h):
        let rounding = Rounding(unit: prepared.content.baseRounding, mode: .nearest)
        let next = rounding(flat.amount + (flat.amount * h + 5000) / 10_000)
        bill.add(.surcharge, next - flat.amount, rule: prepared.texts.surchargeOnBase[i])
      }
    }
  }

  /// Tolls, call fee and the rounding of the bill.
  func chargeExtras(_ trip: Trip, into bill: inout FareBreakdown) {
    if trip.tolls > 0 { bill.add(.tolls, trip.tolls, rule: prepared.texts.tolls) }
    if trip.isCalled && prepared.content.callFee > 0 {
      bill.add(.callFee, prepared.content.callFee, rule: prepared.texts.callFee)
      bill.extras += prepared.content.callFee
    }
    bill.extras += trip.tolls
    let rounded = prepared.content.finalRounding(bill.total)
    if rounded != bill.total {
      bill.add(.rounding, rounded - bill.total, rule: prepared.texts.rounding)
    }
  }

  /// `count` is in steps, or in units where steps are charged in proportion.
  private func money(_ price: Int64, run count: Int64) -> Int64 {
    guard prepared.content.chargeOn == .proportional else { return price * count }
    return Int64(exactMoney(price, run: count).rounded())
  }

  /// The same before rounding, where steps are charged in proportion.
  private func exactMoney(_ price: Int64, run count: Int64) -> Double {
    Double(price) * (Double(count) / Double(prepared.scale.stepUnits))
  }

  private func quantity(_ count: Int64) -> Int64 {
    prepared.content.chargeOn == .proportional
      ? Int64((Double(count) / Double(prepared.scale.stepUnits)).rounded()) : count
  }
}
