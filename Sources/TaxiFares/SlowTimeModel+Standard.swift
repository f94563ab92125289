extension SlowTimeModel {
  /// Fitted on metered New York trips of 2013 (rate code 1): `moyeo fit-slow-time` makes it again.
  public static let standard: SlowTimeModel = {
    let rows = standardRows.map {
      Row(speedRatio: $0.0, low: $0.1, expected: $0.2, high: $0.3)
    }
    guard
      let model = try? SlowTimeModel(
        name: "new-york-2013", slowSpeedRatio: 0.4583333333333333,
        durationEffect: DurationEffect(
          slope: 0.1, referenceSeconds: 660, minimum: 0.88, maximum: 1.15), rows: rows)
    else { preconditionFailure("the standard slow-time model breaks its invariants") }
    return model
  }()

  /// Speed ratio, low, expected, high.
  private static let standardRows: [(Double, Double, Double, Double)] = [
    (0.225, 1, 1.0323, 1.1363),
    (0.31, 1, 1.0504, 1.1363),
    (0.41, 1, 1.0707, 1.1616),
    (0.51, 1.0521, 1.1149, 1.2032),
    (0.6056, 1.1019, 1.1651, 1.2661),
    (0.7026, 1.1525, 1.2244, 1.3256),
    (0.8, 1.2033, 1.2834, 1.4172),
    (0.9, 1.2554, 1.3424, 1.4788),
    (1, 1.3075, 1.4026, 1.5427),
    (1.0955, 1.3581, 1.4827, 1.6266),
    (1.1975, 1.4156, 1.5573, 1.7056),
    (1.2941, 1.4835, 1.6293, 1.782),
    (1.3979, 1.5503, 1.7148, 1.8613),
    (1.4978, 1.6308, 1.792, 1.9186),
    (1.5938, 1.7178, 1.8664, 1.9878),
    (1.6972, 1.7824, 1.9545, 2.0916),
    (1.7966, 1.835, 2.043, 2.1926),
    (1.8996, 1.8996, 2.142, 2.2594),
    (2, 2, 2.2324, 2.3591),
    (2.1, 2.1, 2.317, 2.412),
    (2.1966, 2.1966, 2.4106, 2.5164),
    (2.3, 2.3, 2.5018, 2.5943),
    (2.4, 2.4, 2.5985, 2.6875),
    (2.5714, 2.5714, 2.7427, 2.8281),
    (2.8034, 2.8034, 2.9454, 3.0329),
    (3.0571, 3.0571, 3.1838, 3.3073),
    (3.3, 3.3, 3.3915, 3.5272),
    (3.617, 3.617, 3.685, 3.738),
    (5, 5, 5, 5.0605),
  ]
}
