#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How much of a trip was slow, when only its distance and duration are known.
///
/// All is relative to the tariff's threshold speed. For an average speed of `x` thresholds, the
/// table holds `y`: the steps an exclusive meter counts in the time of one step. At least m =
/// max(x, 1) are certain, by distance and by time; the excess over m grows with the duration (see
/// ``DurationEffect``), because long trips change more between streets and highways. With `s` the
/// share of slow time and `r` the mean speed while slow, in thresholds, y = x + s (1 - r), so
/// s = (y - x) / (1 - r).
///
/// Invariants, checked by the initialiser for the least and the greatest effect of duration: every
/// curve y is nondecreasing and y / x is nonincreasing, and so is x + s nondecreasing, so that fares
/// are monotone in distance and in duration under both kinds of accrual; low <= expected <= high.
public struct SlowTimeModel: Hashable, Sendable {
  /// One row of the table.
  public struct Row: Hashable, Sendable {
    /// Average speed / threshold speed.
    public var speedRatio: Double
    /// Steps in the time of one step: free flow, expected, congested.
    public var low: Double
    /// The same in usual traffic.
    public var expected: Double
    /// The same in congested traffic.
    public var high: Double

    /// Makes a row of the table.
    public init(speedRatio: Double, low: Double, expected: Double, high: Double) {
      self.speedRatio = speedRatio
      self.low = low
      self.expected = expected
      self.high = high
    }
  }

  /// The excess over max(x, 1) times 1 + slope x ln(duration / reference), kept within bounds.
  public struct DurationEffect: Hashable, Sendable {
    /// At least 0.
    public var slope: Double
    /// The duration at which the table holds as it is.
    public var referenceSeconds: Double
    /// Bounds of the factor.
    public var minimum: Double
    /// The largest factor.
    public var maximum: Double

    /// Makes an effect that grows with the logarithm of the duration.
    public init(slope: Double, referenceSeconds: Double, minimum: Double, maximum: Double) {
      self.slope = slope
      self.referenceSeconds = referenceSeconds
      self.minimum = minimum
      self.maximum = maximum
    }

    /// Does not depend on the duration.
    public static let none = DurationEffect(
      slope: 0, referenceSeconds: 600, minimum: 1, maximum: 1)

    /// The factor for a trip of some seconds, within ``minimum`` and ``maximum``.
    public func factor(seconds: Double) -> Double {
      guard slope > 0 && seconds > 0 else { return max(minimum, min(maximum, 1)) }
      return max(minimum, min(maximum, 1 + slope * log(seconds / referenceSeconds)))
    }
  }

  /// Which of the curves.
  public enum Traffic: Hashable, Sendable, CaseIterable {
    case freeFlow
    case expected
    case congested
  }

  /// Names the model in tariffs.
  public let name: String
  /// Mean speed while slow / threshold speed: only simultaneous meters depend on it.
  public let slowSpeedRatio: Double
  /// How the part that is not certain changes with the duration.
  public let durationEffect: DurationEffect
  /// Ascending by speed.
  public let rows: [Row]

  /// - Throws: ``TariffProblem`` with a path such as `rows[3].high`.
  public init(
    name: String, slowSpeedRatio: Double, durationEffect: DurationEffect = .none, rows: [Row]
  ) throws(TariffProblem) {
    self.name = name
    self.slowSpeedRatio = slowSpeedRatio
    self.durationEffect = durationEffect
    self.rows = rows
    try validate()
  }

  /// Steps of an exclusive meter in the time of one step.
  ///
  /// - Parameters:
  ///   - x: Average speed in thresholds.
  ///   - durationSeconds: Of the whole trip.
  ///   - traffic: Which column of the table.
  /// - Returns: The number of steps, interpolated between rows.
  /// - Complexity: O(log rows).
  public func stepsPerStepTime(
    speedRatio x: Double, durationSeconds: Double, _ traffic: Traffic
  ) -> Double {
    let certain = max(x, 1)
    let excess = max(0, tableValue(speedRatio: x, traffic) - certain)
    return min(certain + excess * durationEffect.factor(seconds: durationSeconds), x + 1)
  }

  /// The share of the duration spent below the threshold speed, 0...1, and the distance covered
  /// meanwhile in thresholds x duration.
  func slowPart(
    speedRatio x: Double, durationSeconds: Double, _ traffic: Traffic
  ) -> (time: Double, distance: Double) {
    let y = stepsPerStepTime(speedRatio: x, durationSeconds: durationSeconds, traffic)
    let excess = max(0, y - x)
    let time = excess / (1 - slowSpeedRatio)
    guard time <= 1 else { return (1, 1 - excess) }
    return (time, time * slowSpeedRatio)
  }

  private func tableValue(speedRatio x: Double, _ traffic: Traffic) -> Double {
    let first = rows[0]
    if x <= first.speedRatio {
      // To (0, 1): a standing taxi is charged its time.
      let y = value(first, traffic)
      return 1 + (y - 1) * (x / first.speedRatio)
    }
    let last = rows[rows.count - 1]
    if x >= last.speedRatio { return x + (value(last, traffic) - last.speedRatio) }
    var low = 0
    var high = rows.count - 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if rows[middle].speedRatio <= x { low = middle } else { high = middle }
    }
    let a = rows[low]
    let b = rows[high]
    let f = (x - a.speedRatio) / (b.speedRatio - a.speedRatio)
    return value(a, traffic) * (1 - f) + value(b, traffic) * f
  }

  func value(_ row: Row, _ traffic: Traffic) -> Double {
    switch traffic {
    case .freeFlow: row.low
    case .expected: row.expected
    case .congested: row.high
    }
  }
}
