/// Fits a ``SlowTimeModel`` to metered trips of which distance, duration and fare are known.
///
/// For trips of like average speed, `y` = (steps charged + 1/2) / (duration / step seconds); the
/// half because a meter shows whole steps. The curves are quantiles of y: the model's invariants
/// are enforced afterwards, and where they had to be, the sample was too small.
public struct SlowTimeFit: Sendable {
  /// A metered trip in a tariff's own units.
  public struct Observation: Hashable, Sendable {
    /// Average speed / threshold speed.
    public var speedRatio: Double
    /// Duration / step seconds.
    public var stepTimes: Double
    /// Steps charged, those in the base included.
    public var steps: Double

    public init(speedRatio: Double, stepTimes: Double, steps: Double) {
      self.speedRatio = speedRatio
      self.stepTimes = stepTimes
      self.steps = steps
    }
  }

  /// Quantiles of the three curves.
  public var low = 0.06
  public var expected = 0.52
  public var high = 0.94
  /// Mean speed while slow / threshold: 5.5 of 12 mph, from the two-speed fit of New York.
  public var slowSpeedRatio = 5.5 / 12
  /// Fewer trips than this make no row.
  public var minimumTrips = 50
  /// From this ratio on a trip flows freely: no slow time is expected.
  public var freeFlowRatio = 5.0

  public init() {}

  /// Edges of the bins of speed ratio.
  static let edges: [Double] =
    [0.08] + (0..<24).map { 0.15 + 0.1 * Double($0) } + [2.7, 2.95, 3.2, 3.5, 4, 4.6]

  /// - Throws: ``TariffProblem`` when fewer than two bins hold enough trips.
  /// - Complexity: O(n log n).
  public func model(
    name: String, _ observations: [Observation]
  ) throws(TariffProblem) -> SlowTimeModel {
    var rows: [SlowTimeModel.Row] = []
    for (from, to) in zip(Self.edges, Self.edges.dropFirst()) {
      let bin = observations.filter {
        $0.speedRatio >= from && $0.speedRatio < to && $0.stepTimes > 0
      }
      guard bin.count >= minimumTrips else { continue }
      let x = quantile(bin.map(\.speedRatio), 0.5)
      let y = bin.map { ($0.steps + 0.5) / $0.stepTimes }
      rows.append(
        row(x, quantile(y, low), quantile(y, expected), quantile(y, high), after: rows.last))
    }
    if let last = rows.last, last.speedRatio < freeFlowRatio {
      let x = freeFlowRatio
      rows.append(row(x, x, x, x + (last.high - last.speedRatio) / 2, after: last))
    }
    return try SlowTimeModel(name: name, slowSpeedRatio: slowSpeedRatio, rows: rows)
  }

  /// A row rounded to 4 digits that keeps the model's invariants after the one before.
  private func row(
    _ speedRatio: Double, _ low: Double, _ expected: Double, _ high: Double,
    after last: SlowTimeModel.Row?
  ) -> SlowTimeModel.Row {
    let x = (speedRatio * 10_000).rounded() / 10_000
    func bounded(_ y: Double, _ before: Double?, atLeast: Double) -> Double {
      var least = max(x, 1, atLeast)
      var most = x + 1
      if let before, let last {
        least = max(least, before)
        if max(y, least) - x < 1 - slowSpeedRatio {
          least = max(least, before + slowSpeedRatio * (x - last.speedRatio))
        }
        most = min(most, before / last.speedRatio * x)
      }
      // The bounds lie further apart than the rounding wherever two bins' medians differ.
      let rounded = (min(max(y, least), most) * 10_000).rounded(.down) / 10_000
      return rounded >= least ? rounded : (least * 10_000).rounded(.up) / 10_000
    }
    let lowest = bounded(low, last?.low, atLeast: 0)
    let middle = bounded(expected, last?.expected, atLeast: lowest)
    return SlowTimeModel.Row(
      speedRatio: x, low: lowest, expected: middle,
      high: bounded(high, last?.high, atLeast: middle))
  }

  /// The lower of the two nearest order statistics.
  private func quantile(_ values: [Double], _ q: Double) -> Double {
    let sorted = values.sorted()
    return sorted[Int(Double(sorted.count - 1) * q)]
  }
}
