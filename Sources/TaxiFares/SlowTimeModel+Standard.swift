extension SlowTimeModel {
  /// Fitted on metered New York trips of 2013 (rate code 1): `moyeo fit-slow-time` makes it again.
  public static let standard: SlowTimeModel = {
    let rows = standardRows.map {
      Row(speedRatio: $0.0, low: $0.1, expected: $0.2, high: $0.3)
    }
    guard
      let model = try? SlowTimeModel(
        name: "new-york-2013", slowSpeedRatio: 0.4583333333333333, rows: rows)
    else { preconditionFailure("the standard slow-time model breaks its invariants") }
    return model
  }()

  /// Speed ratio, low, expected, high.
  private static let standardRows: [(Double, Double, Double, Double)] = [
    (0.225, 1, 1.0333, 1.125),
    (0.31, 1, 1.05, 1.125),
    (0.41, 1, 1.0714, 1.1604),
    (0.51, 1.0459, 1.1168, 1.1988),
    (0.6056, 1.0898, 1.1666, 1.25),
    (0.7026, 1.1343, 1.2181, 1.3125),
    (0.8, 1.179, 1.2777, 1.3823),
    (0.9, 1.2249, 1.3461, 1.4601),
    (1, 1.2708, 1.409, 1.5151),
    (1.0955, 1.3306, 1.4951, 1.6071),
    (1.1975, 1.3888, 1.5526, 1.6836),
    (1.2941, 1.5, 1.625, 1.7542),
    (1.3979, 1.5476, 1.7105, 1.8333),
    (1.4978, 1.625, 1.7891, 1.9166),
    (1.5938, 1.7, 1.8684, 2),
    (1.6972, 1.75, 1.9545, 2.1),
    (1.7966, 1.8333, 2.0503, 2.18),
    (1.8996, 1.909, 2.1388, 2.25),
    (2, 2.0098, 2.2415, 2.3689),
    (2.1, 2.1102, 2.3214, 2.4333),
    (2.1966, 2.1966, 2.425, 2.5192),
    (2.3, 2.3, 2.5, 2.6186),
    (2.4, 2.4, 2.6052, 2.7),
    (2.5714, 2.5714, 2.75, 2.875),
    (2.8034, 2.8034, 2.9562, 3.1071),
    (3.0571, 3.0571, 3.1937, 3.3882),
    (3.3, 3.3, 3.427, 3.5476),
    (3.617, 3.617, 3.7, 3.8883),
    (5, 5, 5, 5.1356),
  ]
}
