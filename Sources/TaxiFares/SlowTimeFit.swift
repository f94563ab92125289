/// Fits a ``SlowTimeModel`` to metered trips of which distance, duration and fare are known.
///
/// For trips of like average speed, `y` = (steps charged + 1/2) / (duration / step seconds); the
/// half because a meter shows whole steps. The curves are quantiles of y, its excess freed from the
/// effect of duration; the slope of that effect is the one with the least error. The model's
/// invariants are enforced row by row.
public struct SlowTimeFit: Sendable {
  /// A metered trip in a tariff's own units.
  public struct Observation: Hashable, Sendable {
    /// Average speed / threshold speed.
    public var speedRatio: Double
    /// How long the recorded trip took.
    public var durationSeconds: Double
    /// Duration / step seconds.
    public var stepTimes: Double
    /// Steps charged, those in the base included.
    public var steps: Double

    /// Makes an observation of one recorded trip.
    public init(speedRatio: Double, durationSeconds: Double, stepTimes: Double, steps: Double) {
      self.speedRatio = speedRatio
      self.durationSeconds = durationSeconds
      self.stepTimes = stepTimes
      self.steps = steps
    }
  }

  /// Quantiles of the three curves.
  public var low = 0.06
  /// The quantile that becomes the expected value.
  public var expected = 0.52
  /// The quantile that becomes the congested value.
  public var high = 0.94
  /// Mean speed while slow / threshold: 5.5 of 12 mph, from the two-speed fit of New York.
  public var slowSpeedRatio = 5.5 / 12
  /// Slopes of the effect of duration to try, its reference and its bounds.
  public var slopes: [Double] = (0...8).map { Double($0) * 2 / 100 }
  /// The duration at which the fitted table holds as it is.
  public var referenceSeconds = 660.0
  /// The least factor that a duration may put on the steps.
  public var minimumFactor = 0.88
  /// The largest factor that a duration may put on the steps.
  public var maximumFactor = 1.15
  /// Fewer trips than this make no row.
  public var minimumTrips = 50
  /// From this ratio on a trip flows freely: no slow time is expected.
  public var freeFlowRatio = 5.0

  /// Makes the settings that the shipped model was fitted with.
  public init() {}

  /// Edges of the bins of speed ratio; the one around 1 stands for 1.
  static let edges: [Double] =
    [0.08] + (0..<24).map { 0.15 + 0.1 * Double($0) } + [2.7, 2.95, 3.2, 3.5, 4, 4.6]

  /// - Throws: ``TariffProblem`` when fewer than two bins hold enough trips.
  /// - Complexity: O(slopes x n log n).
  public func model(
    name: String, _ observations: [Observation]
  ) throws(TariffProblem) -> SlowTimeModel {
    let usable = observations.filter { $0.stepTimes > 0 && $0.durationSeconds > 0 }
    var best: (error: Double, model: SlowTimeModel)?
    for slope in slopes {
      let effect = SlowTimeModel.DurationEffect(
        slope: slope, referenceSeconds: referenceSeconds,
        minimum: slope == 0 ? 1 : minimumFactor, maximum: slope == 0 ? 1 : maximumFactor)
      let model = try model(name: name, usable, effect)
      let error = usable.reduce(0.0) { sum, trip in
        let y = model.stepsPerStepTime(
          speedRatio: trip.speedRatio, durationSeconds: trip.durationSeconds, .expected)
        return sum + ((y * trip.stepTimes).rounded(.down) - trip.steps).magnitude
      }
      if best.map({ error < $0.error }) ?? true { best = (error, model) }
    }
    guard let best else { throw TariffProblem(path: "slopes", message: "must hold at least one") }
    return best.model
  }

  private func model(
    name: String, _ trips: [Observation], _ effect: SlowTimeModel.DurationEffect
  ) throws(TariffProblem) -> SlowTimeModel {
    var rows: [SlowTimeModel.Row] = []
    for (from, to) in zip(Self.edges, Self.edges.dropFirst()) {
      let bin = trips.filter { $0.speedRatio >= from && $0.speedRatio < to }
      guard bin.count >= minimumTrips else { continue }
      let x = from < 1 && to > 1 ? 1 : quantile(bin.map(\.speedRatio), 0.5)
      let y = bin.map { trip in
        let certain = max(trip.speedRatio, 1)
        let excess = (trip.steps + 0.5) / trip.stepTimes - certain
        return max(x, 1) + excess / effect.factor(seconds: trip.durationSeconds)
      }
      rows.append(
        row(
          x, low: quantile(y, low), expected: quantile(y, expected), high: quantile(y, high),
          last: rows.last, effect: effect))
    }
    if let last = rows.last, last.speedRatio < freeFlowRatio {
      let x = freeFlowRatio
      rows.append(
        row(
          x, low: x, expected: x, high: x + (last.high - last.speedRatio) / 2, last: last,
          effect: effect))
    }
    return try SlowTimeModel(
      name: name, slowSpeedRatio: slowSpeedRatio, durationEffect: effect, rows: rows)
  }

  /// A row rounded to 4 digits that keeps the model's invariants after the one before.
  private func row(
    _ speedRatio: Double, low: Double, expected: Double, high: Double,
    last: SlowTimeModel.Row?, effect: SlowTimeModel.DurationEffect
  ) -> SlowTimeModel.Row {
    let x = (speedRatio * 10_000).rounded() / 10_000
    func bounded(_ y: Double, _ before: Double?, atLeast: Double) -> Double {
      var bounds = (least: max(x, 1, atLeast), most: x + 1)
      if let before, let last {
        for factor in [effect.minimum, effect.maximum] {
          narrow(&bounds, x: x, y: y, lastX: last.speedRatio, lastY: before, factor: factor)
        }
      }
      let rounded = (min(max(y, bounds.least), bounds.most) * 10_000).rounded(.down) / 10_000
      return rounded >= bounds.least ? rounded : (bounds.least * 10_000).rounded(.up) / 10_000
    }
    let lowest = bounded(low, last?.low, atLeast: 0)
    let middle = bounded(expected, last?.expected, atLeast: lowest)
    return SlowTimeModel.Row(
      speedRatio: x, low: lowest, expected: middle,
      high: bounded(high, last?.high, atLeast: middle))
  }

  /// The invariants between two rows as bounds of the later one, under a factor of the duration.
  private func narrow(
    _ bounds: inout (least: Double, most: Double), x: Double, y: Double,
    lastX: Double, lastY: Double, factor: Double
  ) {
    let certain = max(x, 1)
    let a = max(lastX, 1) + (lastY - max(lastX, 1)) * factor
    func unscaled(_ b: Double) -> Double { certain + (b - certain) / factor }
    bounds.least = max(bounds.least, unscaled(a))
    let b = certain + (max(y, bounds.least) - certain) * factor
    if b - x < 1 - slowSpeedRatio {
      bounds.least = max(bounds.least, unscaled(a + slowSpeedRatio * (x - lastX)))
    }
    bounds.most = min(bounds.most, unscaled(a / lastX * x))
  }

  /// The lower of the two nearest order statistics.
  private func quantile(_ values: [Double], _ q: Double) -> Double {
    let sorted = values.sorted()
    return sorted[Int(Double(sorted.count - 1) * q)]
  }
}
