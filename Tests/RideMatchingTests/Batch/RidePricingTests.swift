import ObjectModel
import TaxiFares
import Testing

@testable import RideMatching

@Suite struct RidePricingTests {
  /// Seoul's medium taxi in plain numbers, with its night band.
  private func tariff(night: Bool) throws -> Tariff {
    var content = TariffContent(
      id: "test", name: "test", area: "test", vehicleClasses: ["medium"], currency: "KRW",
      timeZone: "Asia/Seoul", offsets: UTCOffsets(initialSeconds: 9 * 3600),
      effective: Instant(seconds: 0), baseAmount: 4800, baseDistanceMeters: 1600,
      stepAmount: 100, stepDistanceMeters: 131, stepSeconds: 30, accrual: .exclusive,
      chargeOn: .entry, source: "test")
    if night { content.stepAmount = 140 }
    return try Tariff(content)
  }

  @Test func tableFollowsTheMeter() throws {
    let tariff = try tariff(night: false)
    let begin = Instant(seconds: 1_767_200_000)
    let pricing = try RidePricing.tariff(
      tariff, departures: begin...begin.advanced(milliseconds: 3_600_000))
    var random = SplitMix64(seed: 3)
    for _ in 0..<500 {
      let meters = 300 + 30_000 * random.unit() * random.unit()
      let seconds = meters / (3 + 12 * random.unit())
      let exact = Double(pricing.exact(meters, seconds, begin))
      let fast = pricing.estimate(meters, seconds, begin)
      // Steps of 100, and curvature between the knots.
      #expect(abs(fast - exact) <= 260 + 0.03 * exact, "\(meters) m \(seconds) s \(exact) \(fast)")
    }
    #expect(pricing.walkCostPerMeter > 0.5 && pricing.walkCostPerMeter < 5)
  }

  @Test func oddWaysHaveAPriceOrNone() throws {
    let begin = Instant(seconds: 1_767_200_000)
    let pricing = try RidePricing.tariff(try tariff(night: true), departures: begin...begin)
    #expect(pricing.estimate(0, 0, begin) == 4800)
    #expect(pricing.estimate(.nan, 0, begin) == .infinity)
    #expect(pricing.estimate(-1, 0, begin) == .infinity)
    #expect(pricing.estimate(1_000_000, 50_000, .distantFuture).isFinite)
    #expect(pricing.estimate(1_000_000, 50_000, .distantPast) > pricing.estimate(9e4, 5e3, begin))
    #expect(RidePricing.rounded(.infinity) == FareLimits.maximumAmount)
    #expect(RidePricing.rounded(-3) == 0)
  }
}
