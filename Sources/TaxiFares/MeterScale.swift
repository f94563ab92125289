/// The integer units of the meter.
///
/// Distance counts in tenths of a millimeter, so that 1/5 mile is whole; time in milliseconds. A
/// step is `stepDistance` x `stepTime` units: a tenth of a millimeter is worth `stepTime` units, a
/// millisecond `stepDistance`, and mixed sums stay exact.
struct MeterScale: Hashable, Sendable {
  let stepDistance: Int64
  let stepTime: Int64
  /// Units of one step.
  let stepUnits: Int64
  /// Units that the base pays for.
  let baseUnits: Int64
  let threshold: Double
  /// Whether the threshold is step meters / step seconds, so that it can be decided exactly.
  let isThresholdOfStep: Bool
  let isThresholdSlow: Bool
  let accrual: Accrual

  init(_ content: TariffContent) {
    stepDistance = Self.distance(content.stepDistanceMeters)
    stepTime = Self.time(content.stepSeconds)
    stepUnits = stepDistance * stepTime
    baseUnits = Self.distance(content.baseDistanceMeters) * stepTime
    threshold = content.threshold
    let ofStep = content.stepDistanceMeters / content.stepSeconds
    isThresholdOfStep = (threshold - ofStep).magnitude <= 1e-9 * ofStep
    isThresholdSlow = content.isThresholdSlow
    accrual = content.accrual
  }

  // Safe: at most 1e11 and 6e8 (FareLimits); times 3.6e6 and 1e9 (validation), below 2^63.
  static func distance(_ meters: Double) -> Int64 { nearest(meters * 10_000) }
  static func time(_ seconds: Double) -> Int64 { nearest(seconds * 1000) }

  /// As `rounded()`, halves away from 0, without a call of the C library. Exact: below 2^63 a
  /// double and its whole part differ by a double.
  @inline(__always)
  static func nearest(_ value: Double) -> Int64 {
    let whole = Int64(value)
    let rest = value - Double(whole)
    return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
  }

  /// What has come of an amount at a part of a whole: `amount` x `part` / `whole` rounded down, without overflow.
  /// Requires 0 <= part <= whole, whole > 0, 0 <= amount.
  static func part(_ amount: Int64, _ part: Int64, _ whole: Int64) -> Int64 {
    whole.dividingFullWidth(amount.multipliedFullWidth(by: part)).quotient
  }

  /// A part of the trip along which units grow evenly with time.
  struct Stretch {
    var distance: Int64
    var duration: Int64
    /// Units counted, and the part of them that time contributed.
    var units: Int64
    var timeUnits: Int64
  }

  func stretch(_ segment: TripSegment) -> Stretch {
    let distance = Self.distance(segment.distanceMeters)
    let duration = Self.time(segment.durationSeconds)
    let isSlow: Bool
    if isThresholdOfStep {
      // distance / duration < stepDistance / stepTime
      let a = distance * stepTime
      let b = duration * stepDistance
      isSlow = duration > 0 && (a < b || (isThresholdSlow && a == b))
    } else {
      let limit = threshold * segment.durationSeconds
      isSlow =
        segment.durationSeconds > 0
        && (segment.distanceMeters < limit - 1e-9
          || (isThresholdSlow && segment.distanceMeters <= limit + 1e-9))
    }
    let timeUnits = isSlow ? duration * stepDistance : 0
    let countsDistance = !isSlow || accrual == .simultaneous
    let distanceUnits = countsDistance ? distance * stepTime : 0
    return Stretch(
      distance: distance, duration: duration, units: distanceUnits + timeUnits,
      timeUnits: timeUnits)
  }

  /// A trip of which only the sums are known.
  func stretch(
    distanceMeters: Double, durationSeconds: Double, model: SlowTimeModel,
    traffic: SlowTimeModel.Traffic
  ) -> Stretch {
    guard durationSeconds > 0 else {
      return stretch(distanceMeters: distanceMeters, durationSeconds: 0, slowSeconds: 0)
    }
    let ratio = distanceMeters / durationSeconds / threshold
    let part = model.slowPart(
      speedRatio: ratio, durationSeconds: durationSeconds, traffic)
    return stretch(
      distanceMeters: distanceMeters, durationSeconds: durationSeconds,
      slowSeconds: part.time * durationSeconds,
      slowMeters: min(part.distance * threshold * durationSeconds, distanceMeters))
  }

  /// A trip whose slow time is known. An exclusive meter needs the distance covered meanwhile too;
  /// unknown, it counts as none.
  func stretch(
    distanceMeters: Double, durationSeconds: Double, slowSeconds: Double, slowMeters: Double = 0
  ) -> Stretch {
    let distance = Self.distance(distanceMeters)
    // Rounded once, as units: rounding to milliseconds would cost monotony.
    let timeUnits = slowSeconds * 1000 * Double(stepDistance)
    let lost = accrual == .exclusive ? slowMeters * 10_000 * Double(stepTime) : 0
    return Stretch(
      distance: distance, duration: Self.time(durationSeconds),
      units: max(0, distance * stepTime + Self.nearest(timeUnits - lost)),
      timeUnits: Self.nearest(timeUnits))
  }
}
