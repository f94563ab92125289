import ObjectModel
import TestSupport
import Testing

@testable import TaxiFares

@Suite struct SlowTimeModelTests {
  @Test func theStandardModelIsValidAndBounded() {
    let model = SlowTimeModel.standard
    var wrong: [Double] = []
    for (traffic, seconds) in SlowTimeModel.Traffic.allCases.flatMap({ traffic in
      [30.0, 660, 9000].map { (traffic, $0) }
    }) {
      var last = 1.0
      for i in 0..<1000 {
        let x = Double(i) * 0.01
        let y = model.stepsPerStepTime(speedRatio: x, durationSeconds: seconds, traffic)
        let isBounded = y >= max(x, 1) - 1e-9 && y <= x + 1 + 1e-9 && y >= last - 1e-12
        last = y
        let part = model.slowPart(speedRatio: x, durationSeconds: seconds, traffic)
        let isPart =
          part.time >= 0 && part.time <= 1 && part.distance >= 0 && part.distance <= x + 1e-9
        // An exclusive meter counts what the table says.
        let isCounted = abs(x - part.distance + part.time - y) < 1e-9
        if !(isBounded && isPart && isCounted) { wrong.append(x) }
      }
    }
    #expect(wrong.isEmpty)
    #expect(model.slowPart(speedRatio: 6, durationSeconds: 15_000, .expected).time == 0)
    #expect(model.slowPart(speedRatio: 0, durationSeconds: 60, .expected).time == 1)
  }

  private typealias Row = SlowTimeModel.Row
  private typealias Effect = SlowTimeModel.DurationEffect

  /// Where the first problem is; nil for a valid model.
  private func path(_ rows: [Row], ratio: Double = 0.4) -> String? {
    path(.none, rows, ratio: ratio)
  }

  private func path(_ effect: Effect, _ rows: [Row], ratio: Double = 0.4) -> String? {
    do throws(TariffProblem) {
      _ = try SlowTimeModel(
        name: "x", slowSpeedRatio: ratio, durationEffect: effect, rows: rows)
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

  @Test func theEffectOfDurationIsBoundedAndValidated() {
    let effect = Effect(slope: 0.1, referenceSeconds: 660, minimum: 0.9, maximum: 1.1)
    #expect(effect.factor(seconds: 660) == 1)
    #expect(effect.factor(seconds: 1) == 0.9)
    #expect(effect.factor(seconds: 0) == 1)
    #expect(effect.factor(seconds: 1e9) == 1.1)
    let a = Row(speedRatio: 1, low: 1.3, expected: 1.4, high: 1.5)
    let b = Row(speedRatio: 2, low: 2.1, expected: 2.2, high: 2.3)
    #expect(path(effect, [a, b]) == nil)
    var other = effect
    other.slope = -1
    #expect(path(other, [a, b]) == "durationEffect.slope")
    other = effect
    other.maximum = 3
    #expect(path(other, [a, b]) == "durationEffect.maximum")
    let c = Row(speedRatio: 1.1, low: 1.4, expected: 1.5, high: 1.6)
    #expect(path(effect, [c, b]) == "rows")
    // Monotone without the effect, not with its greatest factor.
    other = effect
    other.maximum = 1.4
    let d = Row(speedRatio: 1.5, low: 1.52, expected: 1.62, high: 1.72)
    #expect(path(.none, [a, d]) == nil)
    #expect(path(other, [a, d]) == "rows[1].low")
  }

  /// Trips made by a known table are fitted back.
  @Test(arguments: [61] as [UInt64])
  func theFitFindsTheTableBehindTheTrips(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let truth = SlowTimeModel.standard
    let trips = (0..<12_000).map { _ in
      let x = random.real(0.2...4)
      let times = random.real(4...60)
      let y =
        truth.stepsPerStepTime(speedRatio: x, durationSeconds: times * 60, .expected)
        * random.real(0.97...1.03)
      return SlowTimeFit.Observation(
        speedRatio: x, durationSeconds: times * 60, stepTimes: times,
        steps: (max(y, x, 1) * times).rounded(.down))
    }
    let model = try SlowTimeFit().model(name: "again", trips)
    #expect(abs(model.durationEffect.slope - truth.durationEffect.slope) < 0.03)
    for i in stride(from: 4, through: 38, by: 2) {
      let x = Double(i) * 0.1
      func y(_ model: SlowTimeModel, _ traffic: SlowTimeModel.Traffic) -> Double {
        model.stepsPerStepTime(speedRatio: x, durationSeconds: 1200, traffic)
      }
      #expect(abs(y(model, .expected) / y(truth, .expected) - 1) < 0.025, "\(x)")
      #expect(y(model, .freeFlow) <= y(model, .expected))
      #expect(y(model, .congested) >= y(model, .expected))
    }
  }

  @Test func tooFewTripsAreRefused() {
    #expect(throws: TariffProblem.self) {
      try SlowTimeFit().model(
        name: "few",
        [SlowTimeFit.Observation(speedRatio: 1, durationSeconds: 600, stepTimes: 10, steps: 14)])
    }
  }
}
