import ObjectModel
import Testing

@testable import TaxiFares

@Suite struct BandTests {
  private func night(_ hour: Int, _ minute: Int, meters: Double, seconds: Double) throws
    -> FareBreakdown
  {
    let trip = Trip(
      .segments([TripSegment(distanceMeters: meters, durationSeconds: seconds)]),
      departure: SampleTariffs.seoulTime(hour, minute))
    return try Tariff(SampleTariffs.seoul()).breakdown(for: trip)
  }

  @Test(arguments: [
    (21, 59, 4800), (22, 0, 5800), (22, 59, 5800), (23, 0, 6700), (1, 59, 6700), (2, 0, 5800),
    (3, 59, 5800), (4, 0, 4800),
  ])
  func baseIsChosenAtBoarding(hour: Int, minute: Int, base: Int64) throws {
    #expect(try night(hour, minute, meters: 1000, seconds: 90).total == base)
  }

  @Test func crossingTenChargesEachStepByItsMoment() throws {
    // 36 km/h from 21:50: at 22:00 the taxi is 6000 m away; steps at 1600 + 131 k.
    let fare = try night(21, 50, meters: 12_000, seconds: 1200)
    let before = (6000 - 1600) / 131 + 1
    let all = (12_000 - 1600) / 131 + 1
    #expect(fare.metered == Int64(4800 + all * 100 + (all - before) * 20))
    let line = fare.lines.first { $0.kind == .surcharge }
    #expect(line?.quantity == Int64(all - before))
  }

  @Test func crossingElevenAndMidnight() throws {
    // 22:50 to 00:10 at 36 km/h: 20 % until 23:00 (6 km), 40 % after.
    let fare = try night(22, 50, meters: 48_000, seconds: 4800)
    let all = (48_000 - 1600) / 131 + 1
    let before = (6000 - 1600) / 131 + 1
    #expect(fare.metered == Int64(5800 + all * 100 + before * 20 + (all - before) * 40))
  }

  @Test func outOfAreaAddsToTheNightUpToTheLimit() throws {
    var content = SampleTariffs.seoul()
    content.stacking.maximumHundredths = 5000
    var trip = Trip(
      .segments([TripSegment(distanceMeters: 1600 + 131 * 9, durationSeconds: 300)]),
      departure: SampleTariffs.seoulTime(0, 30))
    trip.outOfAreaFromMeters = 0
    let fare = try Tariff(content).breakdown(for: trip)
    // 10 steps: 100 + 40 + 20, of which 10 are over the limit of 50 %.
    #expect(fare.metered == 6700 + 10 * 150)
    #expect(fare.lines.first { $0.kind == .surchargeLimit }?.amount == -100)
    content.stacking = Stacking(rule: .highest)
    #expect(try Tariff(content).breakdown(for: trip).metered == 6700 + 10 * 140)
  }

  @Test func boundaryBeginsWhereTheTripLeaves() throws {
    var content = SampleTariffs.seoul()
    content.outOfArea?.begins = .boundary
    var trip = Trip(
      .segments([TripSegment(distanceMeters: 10_000, durationSeconds: 1000)]),
      departure: SampleTariffs.seoulTime(12, 0))
    trip.outOfAreaFromMeters = 1600 + 131 * 4
    let all = (10_000 - 1600) / 131 + 1
    let fare = try Tariff(content).breakdown(for: trip)
    // The step that begins on the edge is outside.
    #expect(fare.metered == Int64(4800 + all * 100 + (all - 4) * 20))
  }

  /// Thursday 2025-11-20 15:59:59, 16:00, 19:59:59, 20:00; Friday 05:59:59, 06:00; Saturday 17:00;
  /// Monday 16:00; all New York time.
  @Test(arguments: [
    (1_763_672_399, 0), (1_763_672_400, 250), (1_763_686_799, 250), (1_763_686_800, 100),
    (1_763_722_799, 100), (1_763_722_800, 0), (1_763_848_800, 0), (1_764_018_000, 250),
  ])
  func newYorkExtrasByWeekdayAndHour(second: Int, extra: Int64) throws {
    let trip = Trip(
      .segments([TripSegment(distanceMeters: 100, durationSeconds: 20)]),
      departure: Instant(seconds: Int64(second)))
    let fare = try Tariff(SampleTariffs.newYorkYellow()).breakdown(for: trip)
    #expect(fare.total - fare.metered == extra)
  }

  /// Clocks go from 01:59:59 to 03:00 on 2025-03-09: a night band of 02:00-04:00 lasts one hour.
  @Test func springForwardSkipsAnHourOfTheBand() throws {
    var content = SampleTariffs.newYorkYellow()
    content.surcharges = [
      Surcharge(
        id: "late", name: "late", price: .hundredths(10_000),
        bands: [LocalTimeBand(fromMinute: 120, toMinute: 240)])
    ]
    // Boards at 01:30 EST; one step a minute for three hours: steps at minutes 1...180.
    let trip = Trip(
      .segments([TripSegment(distanceMeters: 0, durationSeconds: 3 * 3600)]),
      departure: Instant(seconds: 1_741_503_600 - 1800))
    let fare = try Tariff(content).breakdown(for: trip)
    let line = fare.lines.first { $0.kind == .surcharge }
    // 03:00 to 04:00 summer time are the minutes 30..<90.
    #expect(line?.quantity == 60)
    #expect(fare.metered == 300 + 180 * 70 + 60 * 70)
  }

  /// Clocks go from 01:59:59 back to 01:00 on 2025-11-02: a band of 01:00-02:00 lasts two hours.
  @Test func fallBackRepeatsAnHourOfTheBand() throws {
    var content = SampleTariffs.newYorkYellow()
    content.surcharges = [
      Surcharge(
        id: "late", name: "late", price: .hundredths(10_000),
        bands: [LocalTimeBand(fromMinute: 60, toMinute: 120)])
    ]
    // Boards at 00:30 EDT, 04:30 UTC.
    let trip = Trip(
      .segments([TripSegment(distanceMeters: 0, durationSeconds: 4 * 3600)]),
      departure: Instant(seconds: 1_762_063_200 - 5400))
    let fare = try Tariff(content).breakdown(for: trip)
    #expect(fare.lines.first { $0.kind == .surcharge }?.quantity == 120)
  }

  /// Band edges an hour and more after a change of the clocks, which must be found anew there.
  @Test(arguments: [
    // 01:30 EST; the band 03:30-04:30 EDT are the minutes 60..<120.
    (1_741_503_600 - 1800, 210, 270, 60...119),
    // 00:30 EDT; the band 02:30-03:30 EST are the minutes 180..<240.
    (1_762_063_200 - 5400, 150, 210, 180...239),
  ])
  func edgesAfterAClockChange(boarding: Int, from: Int, to: Int, minutes: ClosedRange<Int>) throws {
    var content = SampleTariffs.newYorkYellow()
    content.surcharges = [
      Surcharge(
        id: "late", name: "late", price: .hundredths(10_000),
        bands: [LocalTimeBand(fromMinute: from, toMinute: to)])
    ]
    // A step each minute: the trip ends within, at the end of, and after the band.
    for end in [minutes.lowerBound - 1, minutes.lowerBound, minutes.upperBound, 300] {
      let trip = Trip(
        .segments([TripSegment(distanceMeters: 0, durationSeconds: Double(end) * 60)]),
        departure: Instant(seconds: Int64(boarding)))
      let fare = try Tariff(content).breakdown(for: trip)
      let surcharged = (1...end).filter { minutes.contains($0) }.count
      #expect(fare.metered == Int64(300 + end * 70 + surcharged * 70))
    }
  }

  /// Boarding seconds before an edge.
  @Test(arguments: [1, 30, 59, 60, 61])
  func anEdgeSoonAfterBoarding(seconds: Int) throws {
    let trip = Trip(
      .segments([TripSegment(distanceMeters: 12_000, durationSeconds: 1200)]),
      departure: SampleTariffs.seoulTime(22, 0).advanced(milliseconds: -Int64(seconds) * 1000))
    // 10 m/s: all steps come after 22:00.
    #expect(
      try Tariff(SampleTariffs.seoul()).breakdown(for: trip).metered
        == Int64(4800 + ((12_000 - 1600) / 131 + 1) * 120))
  }

  @Test func weekdayOfABandIsTheDayItBeginsOn() {
    // Friday 22:00 to Saturday 04:00.
    let band = LocalTimeBand(fromMinute: 1320, toMinute: 240, weekdays: 0b001_0000)
    #expect(band.contains(weekday: 4, millisecond: 1320 * 60_000))
    #expect(band.contains(weekday: 5, millisecond: 239 * 60_000))
    #expect(!band.contains(weekday: 5, millisecond: 240 * 60_000))
    #expect(!band.contains(weekday: 4, millisecond: 239 * 60_000))
    #expect(!band.contains(weekday: 5, millisecond: 1320 * 60_000))
  }

  @Test func localTimeBeforeTheEpoch() {
    let table = BandTable(SampleTariffs.seoul())
    // 1969-12-31 23:59 in Seoul, a Wednesday.
    let (weekday, millisecond) = table.localTime(Instant(seconds: -9 * 3600 - 60))
    #expect(weekday == 2)
    #expect(millisecond == 86_400_000 - 60_000)
  }
}
