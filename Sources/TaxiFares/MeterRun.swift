import ObjectModel

/// One run of the meter: counts units along the trip and the steps charged for them, each under
/// the surcharges in force at the local time and place where it is charged.
///
/// Between two cuts (a band edge, an offset change, the end of a stretch, a distance at which
/// prices change) all steps cost the same, so they are counted by one division.
struct MeterRun {
  private let tariff: Tariff.Prepared
  private let boarding: Instant
  private let outOfAreaFrom: Int64?

  /// Milliseconds and tenths of a millimeter since boarding.
  private var elapsed: Int64 = 0
  private var distance: Int64 = 0
  private(set) var units: Int64 = 0
  private(set) var timeUnits: Int64 = 0
  /// Steps charged so far; in proportional charging, units past the base.
  private(set) var charged: Int64 = 0

  /// Steps charged while surcharge i was active; the last one is out of area.
  private(set) var surchargedSteps: [Int64]
  /// Surcharges that have been active at any moment of the trip.
  private(set) var everActive: UInt64
  /// Steps charged beyond long-distance price i.
  private(set) var longSteps: [Int64]
  /// Taken off because percentages may not add up further: minor units x ``charged``'s unit.
  /// A whole number below 2^53 wherever steps are charged whole.
  private(set) var limited = 0.0

  let boardingMask: UInt64
  private let firstEdge: Instant
  private var mask: UInt64
  private var maskUntil: Instant

  init(_ tariff: Tariff.Prepared, boarding: Instant, outOfAreaFrom: Int64?) {
    self.tariff = tariff
    self.boarding = boarding
    self.outOfAreaFrom = outOfAreaFrom
    let active = tariff.bands.surchargeCount == 0 ? 0 : tariff.bands.active(at: boarding)
    boardingMask = active
    firstEdge =
      tariff.bands.alongMask == 0 ? .distantFuture : tariff.bands.nextEdge(after: boarding)
    mask = active
    everActive = active
    maskUntil = firstEdge
    surchargedSteps = Array(repeating: 0, count: tariff.bands.surchargeCount + 1)
    longSteps = Array(repeating: 0, count: tariff.prices.longSteps.count)
  }

  /// Back to boarding, for the same trip in other traffic.
  mutating func restart() {
    elapsed = 0
    distance = 0
    units = 0
    timeUnits = 0
    charged = 0
    limited = 0
    mask = boardingMask
    everActive = boardingMask
    maskUntil = firstEdge
    for i in surchargedSteps.indices { surchargedSteps[i] = 0 }
    for i in longSteps.indices { longSteps[i] = 0 }
  }

  /// Drives on.
  mutating func advance(_ stretch: MeterScale.Stretch) {
    let start = (elapsed: elapsed, distance: distance, units: units)
    let end = (
      elapsed: elapsed + stretch.duration, distance: distance + stretch.distance,
      units: units + stretch.units
    )
    while true {
      refreshMask()
      let timeCut = maskUntil.milliseconds(since: boarding)
      let distanceCut = nextDistanceCut(beyond: distance)
      // Which comes first inside the stretch, if any: compared as shares of the stretch.
      let timeInside = timeCut < end.elapsed
      let distanceInside = distanceCut.map { $0 < end.distance } ?? false
      guard timeInside || distanceInside else { break }
      if let cut = distanceCut, distanceInside,
        !timeInside
          || MeterScale.part(stretch.duration, cut - start.distance, stretch.distance)
            < timeCut - start.elapsed
      {
        let gone = cut - start.distance
        charge(to: start.units + MeterScale.part(stretch.units, gone, stretch.distance))
        distance = cut
        // Rounding down twice must not turn the clock back.
        elapsed = max(
          elapsed, start.elapsed + MeterScale.part(stretch.duration, gone, stretch.distance))
      } else {
        let gone = timeCut - start.elapsed
        charge(to: start.units + MeterScale.part(stretch.units, gone, stretch.duration))
        elapsed = timeCut
        distance = max(
          distance, start.distance + MeterScale.part(stretch.distance, gone, stretch.duration))
      }
    }
    charge(to: end.units)
    elapsed = end.elapsed
    distance = end.distance
    timeUnits += stretch.timeUnits
  }

  /// Charges what falls exactly on the end of the trip.
  mutating func finish() {
    refreshMask()
    record(tariff.steps(through: units) - charged)
  }

  /// Moves the units on under the present prices. What falls exactly on `target` is left for the
  /// next interval: a band edge belongs to the band that begins there.
  private mutating func charge(to target: Int64) {
    units = max(units, target)
    record(max(0, tariff.steps(before: units) - charged))
  }

  private mutating func record(_ count: Int64) {
    guard count > 0 else { return }
    charged += count
    var sum: Int64 = 0
    var highest: Int64 = 0
    var highestIndex = -1
    let isOutside = outOfAreaFrom.map { distance >= $0 } ?? false
    for i in surchargedSteps.indices {
      let isActive =
        i < surchargedSteps.count - 1 ? mask >> UInt64(i) & 1 == 1 : isOutside
      let price = tariff.prices.increments[i]
      guard isActive && price > 0 else { continue }
      if tariff.prices.isHighestOnly {
        if price > highest {
          highest = price
          highestIndex = i
        }
      } else {
        sum += price
        surchargedSteps[i] += count
      }
    }
    if highestIndex >= 0 {
      sum = highest
      surchargedSteps[highestIndex] += count
    }
    if let limit = tariff.prices.incrementLimit, sum > limit {
      limited += Double(sum - limit) * Double(count)
    }
    // The dearest price reached; the ones before it are replaced.
    if let reached = tariff.prices.longSteps.lastIndex(where: { distance >= $0.from }) {
      longSteps[reached] += count
    }
  }

  private mutating func refreshMask() {
    while maskUntil.milliseconds(since: boarding) <= elapsed {
      let now = boarding.advanced(milliseconds: elapsed)
      let along = tariff.bands.alongMask
      mask = (tariff.bands.active(at: now) & along) | (boardingMask & ~along)
      everActive |= mask
      maskUntil = tariff.bands.nextEdge(after: now)
    }
  }

  private func nextDistanceCut(beyond distance: Int64) -> Int64? {
    var cut: Int64?
    if let outOfAreaFrom, outOfAreaFrom > distance { cut = outOfAreaFrom }
    for rule in tariff.prices.longSteps where rule.from > distance {
      cut = min(cut ?? .max, rule.from)
    }
    return cut
  }
}
