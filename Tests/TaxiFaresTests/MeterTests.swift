import ObjectModel
import TestSupport
import Testing

@testable import TaxiFares

@Suite struct MeterTests {
  private func metered(_ content: TariffContent, _ trip: Trip) throws -> FareBreakdown {
    try Tariff(content).breakdown(for: trip)
  }

  /// Random tariffs and routes whose steps do not fall on a millisecond of a band edge, against
  /// single steps priced one by one.
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func agreesWithSingleSteps(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var wrong: [String] = []
    for _ in 0..<100 {
      var content = SampleTariffs.seoul()
      content.accrual = random.below(2) == 0 ? .exclusive : .simultaneous
      content.chargeOn = random.below(2) == 0 ? .entry : .completion
      content.stepDistanceMeters = Double(80 + random.below(80))
      content.stepSeconds = Double(20 + random.below(20))
      content.baseDistanceMeters = Double(random.below(3000))
      if random.below(3) == 0 { content.surcharges[0].chosen = .boarding }
      if random.below(3) == 0 { content.surcharges[1].bands[0].weekdays = 0b101_0101 }
      if random.below(2) == 0 { content.outOfArea?.begins = .boundary }
      if random.below(2) == 0 {
        content.longDistance = [
          .stepAmount(fromMeters: 5000, amount: random.below(2) == 0 ? 120 : 70)
        ]
      }
      let segments = (0..<(1 + random.below(12))).map { _ in
        TripSegment(
          distanceMeters: Double(random.below(2500)),
          durationSeconds: Double(random.below(5) == 0 ? 0 : 1 + random.below(900)))
      }
      let boarding = Instant(seconds: 1_763_500_000 + Int64(random.below(900_000)))
      let outside = random.below(2) == 0 ? Double(random.below(8000)) + 0.5 : nil
      var trip = Trip(.segments(segments), departure: boarding)
      trip.outOfAreaFromMeters = outside
      let fare = try metered(content, trip)
      let oracle = NaiveMeter(content: content).bill(
        segments, boarding: boarding, outsideFromMeters: outside)
      let steps = fare.lines.filter { $0.kind == .distance || $0.kind == .time }
        .reduce(0) { $0 + ($1.quantity ?? 0) }
      let sum = fare.lines.reduce(0) { $0 + $1.amount }
      if Int(steps) != oracle.steps || fare.metered != oracle.metered || sum != fare.total {
        wrong.append("\(steps) \(oracle) \(fare) \(content) \(segments) \(boarding)")
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test(arguments: [
    (1599.9, 4800), (1600, 4900), (1730.9, 4900), (1731, 5000), (1862, 5100), (0, 4800),
  ])
  func chargesOnEntry(meters: Double, total: Int64) throws {
    let trip = Trip(
      .segments([TripSegment(distanceMeters: meters, durationSeconds: meters / 10)]),
      departure: SampleTariffs.seoulTime(12, 0))
    #expect(try metered(SampleTariffs.seoul(), trip).total == total)
  }

  @Test(arguments: [(1600, 4800), (1730.9, 4800), (1731, 4900), (1862, 5000)])
  func chargesOnCompletion(meters: Double, total: Int64) throws {
    var content = SampleTariffs.seoul()
    content.chargeOn = .completion
    let trip = Trip(
      .segments([TripSegment(distanceMeters: meters, durationSeconds: meters / 10)]),
      departure: SampleTariffs.seoulTime(12, 0))
    #expect(try metered(content, trip).total == total)
  }

  @Test func slowTimeUsesUpTheBase() throws {
    // 0 m, 367 s: 12.23 steps of slow time; the base is 12.21 steps.
    let trip = Trip(
      .segments([TripSegment(distanceMeters: 0, durationSeconds: 367)]),
      departure: SampleTariffs.seoulTime(12, 0))
    let fare = try metered(SampleTariffs.seoul(), trip)
    #expect(fare.total == 4900)
    #expect(fare.lines.map(\.kind) == [.base, .time])
  }

  @Test func thresholdBelongsToTheFastSideUnlessTheTariffSaysSo() throws {
    var content = SampleTariffs.newYorkYellow()
    // A mile in 5 minutes is exactly 12 mph: 5 units by distance, and 5 by time.
    let trip = Trip(
      .segments([TripSegment(distanceMeters: 1609.344, durationSeconds: 300)]),
      departure: Instant(seconds: 1_763_650_000))
    #expect(try metered(content, trip).lines.map(\.kind).contains(.distance))
    content.isThresholdSlow = true
    #expect(try metered(content, trip).lines.map(\.kind).contains(.time))
    #expect(try metered(content, trip).metered == 300 + 5 * 70)
  }

  @Test func fifthsOfAMileAreWhole() throws {
    let tariff = try Tariff(SampleTariffs.newYorkYellow())
    for tenths in stride(from: 2, through: 400, by: 2) {
      let meters = Double(tenths) / 10 * 1609.344
      let trip = Trip(
        .segments([TripSegment(distanceMeters: meters, durationSeconds: meters / 20)]),
        departure: Instant(seconds: 1_763_650_000))
      #expect(try tariff.breakdown(for: trip).metered == 300 + Int64(tenths / 2) * 70)
    }
  }

  @Test func proportionalFaresHaveNoSteps() throws {
    var content = SampleTariffs.seoul()
    content.chargeOn = .proportional
    content.finalRounding = Rounding(unit: 1, mode: .nearest)
    let trip = Trip(
      .segments([TripSegment(distanceMeters: 5000, durationSeconds: 400)]),
      departure: SampleTariffs.seoulTime(12, 0))
    // 4800 + 3400 / 131 x 100 = 7395.4
    #expect(try metered(content, trip).total == 7395)
  }

  @Test func aStepOnTheLastMeterIsCharged() throws {
    // The band edge falls on the end of the trip, and a step does too: it has the new price.
    let trip = Trip(
      .segments([TripSegment(distanceMeters: 1600, durationSeconds: 160)]),
      departure: Instant(
        milliseconds: SampleTariffs.seoulTime(22, 0).milliseconds - 160_000))
    let fare = try metered(SampleTariffs.seoul(), trip)
    #expect(fare.metered == 4800 + 120)
  }
}
