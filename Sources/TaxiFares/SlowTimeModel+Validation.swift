extension SlowTimeModel {
  func validate() throws(TariffProblem) {
    try require(
      slowSpeedRatio >= 0 && slowSpeedRatio < 1, "slowSpeedRatio",
      "must be 0..<1, is \(slowSpeedRatio)")
    try validateEffect()
    try require(rows.count >= 2, "rows", "must hold at least two, holds \(rows.count)")
    for (i, row) in rows.enumerated() {
      try require(
        row.speedRatio > 0 && row.speedRatio <= 100, "rows[\(i)].speedRatio",
        "must be more than 0, at most 100")
      if i > 0 {
        try require(
          row.speedRatio > rows[i - 1].speedRatio, "rows[\(i)].speedRatio",
          "must grow from row to row")
      }
      for (name, traffic) in Self.curves { try validate(i, name, traffic) }
      try require(
        row.low <= row.expected && row.expected <= row.high, "rows[\(i)]",
        "must have low <= expected <= high")
    }
    // The certain part max(x, 1) has its corner there.
    try require(
      durationEffect.slope == 0 || rows.contains { $0.speedRatio == 1 }, "rows",
      "must hold a row of speedRatio 1 when there is a durationEffect")
  }

  private static let curves: [(String, Traffic)] = [
    ("low", .freeFlow), ("expected", .expected), ("high", .congested),
  ]

  private func validateEffect() throws(TariffProblem) {
    let effect = durationEffect
    try require(
      effect.slope >= 0 && effect.slope <= 1, "durationEffect.slope",
      "must be 0-1, is \(effect.slope)")
    try require(
      effect.referenceSeconds > 0 && effect.referenceSeconds <= 86_400,
      "durationEffect.referenceSeconds", "must be more than 0, at most 86,400")
    try require(
      effect.minimum > 0 && effect.minimum <= 1, "durationEffect.minimum",
      "must be more than 0, at most 1")
    try require(
      effect.maximum >= 1 && effect.maximum <= 2, "durationEffect.maximum", "must be 1-2")
  }

  private func validate(_ i: Int, _ name: String, _ traffic: Traffic) throws(TariffProblem) {
    let path = "rows[\(i)].\(name)"
    let x = rows[i].speedRatio
    let y = value(rows[i], traffic)
    try require(
      y >= max(x, 1) - 1e-9 && y <= x + 1 + 1e-9, path,
      "must lie between max(speedRatio, 1) and speedRatio + 1, is \(y)")
    guard i > 0 else { return }
    for factor in [durationEffect.minimum, durationEffect.maximum] {
      let before = rows[i - 1].speedRatio
      let a = scaled(value(rows[i - 1], traffic), before, factor)
      let b = scaled(y, x, factor)
      try require(b >= a - 1e-12, path, "falls from row to row")
      try require(
        b / x <= a / before + 1e-12, path, "\(name) / speedRatio grows from row to row")
      // x + s must not fall where s < 1; with y - x = s (1 - r) that is y - r x.
      let isPart = b - x < 1 - slowSpeedRatio
      try require(
        !isPart || b - slowSpeedRatio * x >= a - slowSpeedRatio * before - 1e-12, path,
        "speedRatio + slow share falls from row to row: grow slower towards speedRatio")
    }
  }

  /// The curve under a factor of the duration.
  private func scaled(_ y: Double, _ x: Double, _ factor: Double) -> Double {
    max(x, 1) + (y - max(x, 1)) * factor
  }

  private func require(
    _ condition: Bool, _ path: String, _ message: @autoclosure () -> String
  ) throws(TariffProblem) {
    if !condition { throw TariffProblem(path: path, message: message()) }
  }
}
