/// How much of a trip was slow, when only its distance and duration are known.
///
/// All is relative to the tariff's threshold speed. For an average speed of `x` thresholds, the
/// table holds `y`: the steps an exclusive meter counts in the time of one step (y >= x, as far
/// as distance goes, and y >= 1, as far as time goes). With `s` the share of slow time and `r`
/// the mean speed while slow, in thresholds, y = x + s (1 - r), so s = (y - x) / (1 - r).
///
/// Invariants, checked by ``init(name:slowSpeedRatio:rows:)``: every curve y is nondecreasing and
/// y / x is nonincreasing, and so is x + s nondecreasing, so that fares are monotone in distance
/// and in duration under both kinds of accrual; low <= expected <= high.
public struct SlowTimeModel: Hashable, Sendable {
  /// One row of the table.
  public struct Row: Hashable, Sendable {
    /// Average speed / threshold speed.
    public var speedRatio: Double
    /// Steps in the time of one step: free flow, expected, congested.
    public var low: Double
    public var expected: Double
    public var high: Double

    public init(speedRatio: Double, low: Double, expected: Double, high: Double) {
      self.speedRatio = speedRatio
      self.low = low
      self.expected = expected
      self.high = high
    }
  }

  /// Which of the curves.
  public enum Traffic: Hashable, Sendable, CaseIterable {
    case freeFlow
    case expected
    case congested
  }

  public let name: String
  /// Mean speed while slow / threshold speed: only simultaneous meters depend on it.
  public let slowSpeedRatio: Double
  public let rows: [Row]

  /// - Throws: ``TariffProblem`` with a path such as `rows[3].high`.
  public init(name: String, slowSpeedRatio: Double, rows: [Row]) throws(TariffProblem) {
    guard slowSpeedRatio >= 0 && slowSpeedRatio < 1 else {
      throw TariffProblem(path: "slowSpeedRatio", message: "must be 0..<1, is \(slowSpeedRatio)")
    }
    guard rows.count >= 2 else {
      throw TariffProblem(path: "rows", message: "must hold at least two, holds \(rows.count)")
    }
    for (i, row) in rows.enumerated() {
      try Self.check(row, i, previous: i == 0 ? nil : rows[i - 1])
      if i > 0 { try Self.checkSimultaneous(row, i, previous: rows[i - 1], slowSpeedRatio) }
    }
    self.name = name
    self.slowSpeedRatio = slowSpeedRatio
    self.rows = rows
  }

  private static func check(_ row: Row, _ i: Int, previous: Row?) throws(TariffProblem) {
    guard row.speedRatio > 0 && row.speedRatio <= 100 else {
      throw TariffProblem(
        path: "rows[\(i)].speedRatio", message: "must be more than 0, at most 100")
    }
    if let previous, row.speedRatio <= previous.speedRatio {
      throw TariffProblem(path: "rows[\(i)].speedRatio", message: "must grow from row to row")
    }
    let least = max(row.speedRatio, 1) - 1e-9
    let curves: [(String, Double, Double?)] = [
      ("low", row.low, previous?.low), ("expected", row.expected, previous?.expected),
      ("high", row.high, previous?.high),
    ]
    for (name, value, before) in curves {
      guard value >= least && value <= row.speedRatio + 1 + 1e-9 else {
        throw TariffProblem(
          path: "rows[\(i)].\(name)",
          message: "must lie between max(speedRatio, 1) and speedRatio + 1, is \(value)")
      }
      guard let before, let previous else { continue }
      guard value >= before else {
        throw TariffProblem(path: "rows[\(i)].\(name)", message: "falls from row to row")
      }
      guard value / row.speedRatio <= before / previous.speedRatio + 1e-12 else {
        throw TariffProblem(
          path: "rows[\(i)].\(name)", message: "\(name) / speedRatio grows from row to row")
      }
    }
    guard row.low <= row.expected && row.expected <= row.high else {
      throw TariffProblem(path: "rows[\(i)]", message: "must have low <= expected <= high")
    }
  }

  /// x + s must not fall where s < 1; with y - x = s (1 - r) that is y - r x.
  private static func checkSimultaneous(
    _ row: Row, _ i: Int, previous: Row, _ r: Double
  ) throws(TariffProblem) {
    let pairs = [
      ("low", previous.low, row.low), ("expected", previous.expected, row.expected),
      ("high", previous.high, row.high),
    ]
    for (name, before, value) in pairs where value - row.speedRatio < 1 - r {
      guard value - r * row.speedRatio >= before - r * previous.speedRatio - 1e-12 else {
        throw TariffProblem(
          path: "rows[\(i)].\(name)",
          message: "speedRatio + slow share falls from row to row: grow slower towards speedRatio")
      }
    }
  }

  /// Steps of an exclusive meter in the time of one step, for an average speed in thresholds.
  /// - Complexity: O(log rows).
  public func stepsPerStepTime(speedRatio x: Double, _ traffic: Traffic) -> Double {
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

  /// The share of the duration spent below the threshold speed, 0...1, and the distance covered
  /// meanwhile in thresholds x duration.
  func slowPart(speedRatio x: Double, _ traffic: Traffic) -> (time: Double, distance: Double) {
    let excess = max(0, stepsPerStepTime(speedRatio: x, traffic) - x)
    let time = excess / (1 - slowSpeedRatio)
    guard time <= 1 else { return (1, 1 - excess) }
    return (time, time * slowSpeedRatio)
  }

  private func value(_ row: Row, _ traffic: Traffic) -> Double {
    switch traffic {
    case .freeFlow: row.low
    case .expected: row.expected
    case .congested: row.high
    }
  }
}
