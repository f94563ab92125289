import ObjectModel
import TaxiFares

/// The meter as a loop over single steps, each looked up at its own moment: the oracle.
///
/// Slow and plain: positions are found by walking the segments, local time by adding the offset,
/// and every step is priced by itself.
struct NaiveMeter {
  let content: TariffContent

  struct Bill: Equatable {
    var steps = 0
    var metered: Int64 = 0
  }

  func bill(_ segments: [TripSegment], boarding: Instant, outsideFromMeters: Double?) -> Bill {
    var bill = Bill(steps: 0, metered: base(boarding))
    // (units in steps, seconds, meters) at the end of each segment.
    var points: [(units: Double, seconds: Double, meters: Double)] = [(0, 0, 0)]
    for segment in segments {
      let last = points[points.count - 1]
      let slow = isSlow(segment)
      var units = 0.0
      if !slow || content.accrual == .simultaneous {
        units += segment.distanceMeters / content.stepDistanceMeters
      }
      if slow { units += segment.durationSeconds / content.stepSeconds }
      points.append(
        (
          last.units + units, last.seconds + segment.durationSeconds,
          last.meters + segment.distanceMeters
        ))
    }
    let base = content.baseDistanceMeters / content.stepDistanceMeters
    var threshold = content.chargeOn == .entry ? base : base + 1
    // What falls on the end is charged; a hair of tolerance for sums of fractions.
    while threshold <= points[points.count - 1].units + 1e-9 {
      let at = position(of: threshold, points)
      bill.steps += 1
      bill.metered += price(at, boarding: boarding, outsideFromMeters)
      threshold += 1
    }
    return bill
  }

  private func isSlow(_ segment: TripSegment) -> Bool {
    guard segment.durationSeconds > 0 else { return false }
    // By cross products, so that exactly the threshold is told apart.
    let travelled = segment.distanceMeters * content.stepSeconds
    let limit = segment.durationSeconds * content.stepDistanceMeters
    return travelled < limit - 1e-6 || (content.isThresholdSlow && travelled <= limit + 1e-6)
  }

  private func position(
    of threshold: Double, _ points: [(units: Double, seconds: Double, meters: Double)]
  ) -> (seconds: Double, meters: Double) {
    for (a, b) in zip(points, points.dropFirst()) where b.units > threshold + 1e-9 {
      let f = max(0, (threshold - a.units) / (b.units - a.units))
      return (a.seconds + f * (b.seconds - a.seconds), a.meters + f * (b.meters - a.meters))
    }
    return (points[points.count - 1].seconds, points[points.count - 1].meters)
  }

  private func isActive(_ surcharge: Surcharge, _ instant: Instant) -> Bool {
    let local = instant.milliseconds + Int64(content.offsets.seconds(at: instant)) * 1000
    let minutes = Int((local / 60_000) % 1440)
    // 1970-01-01 is a Thursday; 0 is Monday.
    let weekday = Int((local / 86_400_000 + 3) % 7)
    return surcharge.bands.contains { band in
      let today = band.weekdays >> UInt8(weekday) & 1 == 1
      let yesterday = band.weekdays >> UInt8((weekday + 6) % 7) & 1 == 1
      if band.fromMinute < band.toMinute {
        return today && minutes >= band.fromMinute && minutes < band.toMinute
      }
      return (today && minutes >= band.fromMinute) || (yesterday && minutes < band.toMinute)
    }
  }

  private func base(_ boarding: Instant) -> Int64 {
    var percent: Int64 = 0
    for surcharge in content.surcharges where surcharge.appliesToBase {
      if case .hundredths(let h) = surcharge.price, isActive(surcharge, boarding) { percent += h }
    }
    percent = min(percent, content.stacking.maximumHundredths ?? .max)
    guard percent > 0 else { return content.baseAmount }
    let exact = content.baseAmount + content.baseAmount * percent / 10_000
    return (exact + content.baseRounding / 2) / content.baseRounding * content.baseRounding
  }

  private func price(
    _ at: (seconds: Double, meters: Double), boarding: Instant, _ outsideFrom: Double?
  ) -> Int64 {
    func rounded(_ hundredths: Int64) -> Int64 {
      let exact = Double(content.stepAmount) * Double(hundredths) / 10_000
      return Int64((exact / Double(content.surchargeRounding) + 0.5).rounded(.down))
        * content.surchargeRounding
    }
    let now = boarding.advanced(milliseconds: Int64((at.seconds * 1000 + 1e-4).rounded(.down)))
    var extra: Int64 = 0
    for surcharge in content.surcharges where surcharge.appliesToSteps {
      guard case .hundredths(let h) = surcharge.price else { continue }
      if isActive(surcharge, surcharge.chosen == .along ? now : boarding) { extra += rounded(h) }
    }
    if let rule = content.outOfArea, let outsideFrom,
      rule.begins == .boarding || at.meters >= outsideFrom - 1e-6
    {
      extra += rounded(rule.hundredths)
    }
    if let limit = content.stacking.maximumHundredths { extra = min(extra, rounded(limit)) }
    var step = content.stepAmount
    for case .stepAmount(let from, let amount) in content.longDistance
    where at.meters >= from - 1e-6 {
      step = amount
    }
    return step + extra
  }
}
