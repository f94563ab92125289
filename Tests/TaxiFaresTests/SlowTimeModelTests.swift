import ObjectModel
import Testing

@testable import TaxiFares

@Suite struct SlowTimeModelTests {
  @Test func theStandardModelIsValidAndBounded() {
    let model = SlowTimeModel.standard
    var wrong: [Double] = []
    for traffic in SlowTimeModel.Traffic.allCases {
      var last = 1.0
      for i in 0..<1000 {
        let x = Double(i) * 0.01
        let y = model.stepsPerStepTime(speedRatio: x, traffic)
        let isBounded = y >= max(x, 1) - 1e-9 && y <= x + 1 + 1e-9 && y >= last - 1e-12
        last = y
        let part = model.slowPart(speedRatio: x, traffic)
        let isPart =
          part.time >= 0 && part.time <= 1 && part.distance >= 0 && part.distance <= x + 1e-9
        // An exclusive meter counts what the table says.
        let isCounted = abs(x - part.distance + part.time - y) < 1e-9
        if !(isBounded && isPart && isCounted) { wrong.append(x) }
      }
    }
    #expect(wrong.isEmpty)
    #expect(model.slowPart(speedRatio: 6, .expected).time == 0)
    #expect(model.slowPart(speedRatio: 0, .expected).time == 1)
  }

  private typealias Row = SlowTimeModel.Row

  /// Where the first problem is; nil for a valid model.
  private func path(_ rows: [Row], ratio: Double = 0.4) -> String? {
    do throws(TariffProblem) {
      _ = try SlowTimeModel(name: "x", slowSpeedRatio: ratio, rows: rows)
      return nil
    } catch {
      return error.path
    }
  }

  @Test func refusesCurvesThatBreakMonotony() {
    let a = Row(speedRatio: 1, low: 1.3, expected: 1.4, high: 1.5)
    let b = Row(speedRatio: 2, low: 2.1, expected: 2.2, high: 2.3)
    #expect(path([a, b]) == nil)
    #expect(path([a]) == "rows")
    #expect(path([b, a]) == "rows[1].speedRatio")
    #expect(path([a, b], ratio: 1) == "slowSpeedRatio")
    #expect(
      path([a, Row(speedRatio: 2, low: 1.9, expected: 2.2, high: 2.3)]) == "rows[1].low")
    #expect(
      path([a, Row(speedRatio: 2, low: 2.1, expected: 2.9, high: 2.95)]) == "rows[1].expected")
    #expect(
      path([a, Row(speedRatio: 2, low: 2.2, expected: 2.15, high: 2.3)]) == "rows[1]")
    #expect(
      path(
        [
          Row(speedRatio: 1, low: 1.2, expected: 1.4, high: 1.5),
          Row(speedRatio: 1.5, low: 1.5, expected: 1.52, high: 1.7),
        ], ratio: 0.45) == "rows[1].expected")
  }

  /// Trips made by a known table are fitted back.
  @Test(arguments: [61] as [UInt64])
  func theFitFindsTheTableBehindTheTrips(seed: UInt64) throws {
    var random = TestRandom(seed: seed)
    let truth = SlowTimeModel.standard
    let trips = (0..<12_000).map { _ in
      let x = random.real(0.2...4)
      let times = random.real(4...60)
      let y = truth.stepsPerStepTime(speedRatio: x, .expected) * random.real(0.97...1.03)
      return SlowTimeFit.Observation(
        speedRatio: x, stepTimes: times, steps: (max(y, x, 1) * times).rounded(.down))
    }
    let model = try SlowTimeFit().model(name: "again", trips)
    for i in stride(from: 4, through: 38, by: 2) {
      let x = Double(i) * 0.1
      let y = model.stepsPerStepTime(speedRatio: x, .expected)
      #expect(abs(y / truth.stepsPerStepTime(speedRatio: x, .expected) - 1) < 0.025, "\(x)")
      #expect(model.stepsPerStepTime(speedRatio: x, .freeFlow) <= y)
      #expect(model.stepsPerStepTime(speedRatio: x, .congested) >= y)
    }
  }

  @Test func tooFewTripsAreRefused() {
    #expect(throws: TariffProblem.self) {
      try SlowTimeFit().model(
        name: "few", [SlowTimeFit.Observation(speedRatio: 1, stepTimes: 10, steps: 14)])
    }
  }
}
