import ObjectModel
import TestSupport
import Testing

@testable import TaxiFares

@Suite struct FarePropertyTests {
  static let noon = SampleTariffs.seoulTime(12, 0)

  private static func tariffs() throws -> [Tariff] {
    var yellow = SampleTariffs.newYorkYellow()
    yellow.chargeOn = .completion
    var deluxe = SampleTariffs.seoul()
    deluxe.accrual = .exclusive
    return try [SampleTariffs.seoul(), SampleTariffs.newYorkYellow(), yellow, deluxe].map {
      try Tariff($0)
    }
  }

  private func total(
    _ tariff: Tariff, _ meters: Double, _ seconds: Double, _ traffic: SlowTimeModel.Traffic
  ) throws -> Int64 {
    let trip = Trip(
      .totals(distanceMeters: meters, durationSeconds: seconds), departure: Self.noon)
    return try tariff.breakdown(for: trip, traffic: traffic).total
  }

  @Test(arguments: [11, 12, 13] as [UInt64])
  func totalsAreMonotoneInDistanceAndDuration(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var wrong: [String] = []
    for tariff in try Self.tariffs() {
      for _ in 0..<250 {
        let meters = random.real(0...40_000)
        let seconds = random.real(1...5000)
        let further = meters + random.real(0...3000)
        let longer = seconds + random.real(0...600)
        for traffic in SlowTimeModel.Traffic.allCases {
          let fare = try total(tariff, meters, seconds, traffic)
          let isMonotone =
            try total(tariff, further, seconds, traffic) >= fare
            && total(tariff, meters, longer, traffic) >= fare
          if !isMonotone { wrong.append("\(tariff.id) \(meters) m \(seconds) s \(traffic)") }
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  /// Single seconds and meters, where noise would show first.
  @Test func totalsAreMonotoneInSmallSteps() throws {
    var wrong: [String] = []
    for tariff in try Self.tariffs() {
      var last: Int64 = 0
      for meters in stride(from: 1990.0, to: 2600, by: 0.5) {
        let fare = try total(tariff, meters, 900, .expected)
        if fare < last { wrong.append("\(tariff.id) \(meters) m") }
        last = fare
      }
      last = 0
      for seconds in stride(from: 1.0, to: 1500, by: 0.5) {
        let fare = try total(tariff, 3000, seconds, .expected)
        if fare < last { wrong.append("\(tariff.id) \(seconds) s") }
        last = fare
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test(arguments: [21, 22] as [UInt64])
  func rangeHoldsTheExpected(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var wrong: [String] = []
    for tariff in try Self.tariffs() {
      for _ in 0..<250 {
        let trip = Trip(
          .totals(distanceMeters: random.real(0...30_000), durationSeconds: random.real(0...6000)),
          departure: Self.noon.advanced(milliseconds: Int64(random.below(86_400_000))))
        let fare = try tariff.fare(for: trip)
        let sum = fare.expected.lines.reduce(0) { $0 + $1.amount }
        if fare.low > fare.expected.total || fare.high < fare.expected.total
          || sum != fare.expected.total
        {
          wrong.append("\(tariff.id) \(trip)")
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test func segmentsAreExact() throws {
    let trip = Trip(
      .segments([TripSegment(distanceMeters: 7000, durationSeconds: 600)]), departure: Self.noon)
    let fare = try Tariff(SampleTariffs.seoul()).fare(for: trip)
    #expect(fare.low == fare.high)
  }

  @Test func aFreewayHasNoSlowTime() throws {
    // 6 times the threshold speed: distance only, as published for long trips.
    let seconds = 382_403 / (6.05 * 131 / 30)
    let fare = try total(Tariff(SampleTariffs.seoul()), 382_403, seconds, .expected)
    let steps: Int64 = 380_803 / 131 + 1
    let unrounded: Int64 = 4800 + steps * 100
    let rounded: Int64 = (unrounded + 50) / 100 * 100
    #expect(fare == rounded)
  }

  @Test func refusesWhatCannotBe() throws {
    let tariff = try Tariff(SampleTariffs.seoul())
    func refusal(
      _ course: TripCourse, departure: Instant = FarePropertyTests.noon, tolls: Int64 = 0
    ) -> FareError? {
      do {
        var trip = Trip(course, departure: departure)
        trip.tolls = tolls
        _ = try tariff.fare(for: trip)
        return nil
      } catch {
        return error
      }
    }
    #expect(
      refusal(.totals(distanceMeters: -1, durationSeconds: 1))
        == .distanceOutOfRange(field: "distanceMeters", meters: -1))
    for bad in [Double.nan, .infinity, -.infinity, 1e300] {
      guard
        case .distanceOutOfRange("distanceMeters", _)? =
          refusal(.totals(distanceMeters: bad, durationSeconds: 1))
      else {
        Issue.record("distance \(bad)")
        continue
      }
      guard
        case .durationOutOfRange("durationSeconds", _)? =
          refusal(.totals(distanceMeters: 1, durationSeconds: bad))
      else {
        Issue.record("duration \(bad)")
        continue
      }
    }
    let segments = [
      TripSegment(distanceMeters: 1, durationSeconds: 1),
      TripSegment(distanceMeters: 1, durationSeconds: -2),
    ]
    #expect(
      refusal(.segments(segments))
        == .durationOutOfRange(field: "segments[1].durationSeconds", seconds: -2))
    #expect(refusal(.segments([])) == .segmentCountOutOfRange(0))
    let far = TripSegment(distanceMeters: 9e6, durationSeconds: 1)
    #expect(
      refusal(.segments([far, far]))
        == .distanceOutOfRange(field: "segments", meters: 1.8e7))
    let short = TripCourse.totals(distanceMeters: 1, durationSeconds: 1)
    #expect(refusal(short, tolls: -5) == .amountOutOfRange(field: "tolls", amount: -5))
    #expect(
      refusal(short, departure: .distantFuture) == .departureOutOfRange(.distantFuture))
    #expect(
      refusal(.measured(distanceMeters: 1, durationSeconds: 1, slowSeconds: 2))
        == .slowTimeExceedsDuration(slowSeconds: 2, durationSeconds: 1))
    #expect(refusal(short) == nil)
  }

  @Test func theLimitsThemselvesArePriced() throws {
    let course = TripCourse.totals(
      distanceMeters: FareLimits.maximumDistanceMeters,
      durationSeconds: FareLimits.maximumDurationSeconds)
    for tariff in try Self.tariffs() {
      let fare = try tariff.fare(for: Trip(course, departure: Self.noon))
      #expect(fare.expected.total > 7_000_000 || tariff.currency == "USD")
    }
    var content = SampleTariffs.seoul()
    content.stepSeconds = 3600
    content.stepDistanceMeters = 100_000
    _ = try Tariff(content).fare(for: Trip(course, departure: Self.noon))
  }

  @Test func flatTripsTakeOnlyTheirSurcharges() throws {
    var content = SampleTariffs.newYorkYellow()
    content.callFee = 100
    var trip = Trip(
      .totals(distanceMeters: 25_000, durationSeconds: 3000),
      departure: Instant(seconds: 1_763_672_400), tolls: 694, isCalled: true)
    trip.flatTrip = "jfk"
    var fare = try Tariff(content).fare(for: trip)
    #expect(fare.expected.total == 7000 + 694 + 100)
    #expect(fare.expected.extras == 794)
    #expect(fare.low == fare.high)
    content.flatTrips[0].surcharges = ["rush"]
    fare = try Tariff(content).fare(for: trip)
    #expect(fare.expected.total == 7250 + 694 + 100)
    trip.flatTrip = "lga"
    #expect(throws: FareError.unknownFlatTrip(id: "lga")) { try Tariff(content).fare(for: trip) }
  }

  @Test func discountOnTheHighPart() throws {
    var content = SampleTariffs.seoul()
    content.surcharges = []
    content.longDistance = [.discount(aboveAmount: 9000, hundredths: 1000, rounding: 10)]
    content.finalRounding = Rounding(unit: 1, mode: .nearest)
    let trip = Trip(
      .segments([TripSegment(distanceMeters: 1600 + 131 * 61, durationSeconds: 600)]),
      departure: Self.noon)
    // 62 steps: 11,000; 10 % off 2,000.
    #expect(try Tariff(content).breakdown(for: trip).total == 10_800)
  }

  @Test(arguments: [
    (Rounding(unit: 100, mode: .nearest), 4849, 4800),
    (Rounding(unit: 100, mode: .nearest), 4850, 4900),
    (Rounding(unit: 100, mode: .up), 4801, 4900), (Rounding(unit: 100, mode: .down), 4899, 4800),
    (Rounding(unit: 1, mode: .up), 4899, 4899),
  ])
  func rounds(rounding: Rounding, amount: Int64, result: Int64) {
    #expect(rounding(amount) == result)
  }
}
