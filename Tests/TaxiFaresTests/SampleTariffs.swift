import ObjectModel
import TaxiFares

/// Tariffs for tests, written out: the shipped documents are tested with the engine.
enum SampleTariffs {
  static let korea = UTCOffsets(initialSeconds: 9 * 3600)

  /// New York in 2025: to summer time on March 9 at 07:00 UTC, back on November 2 at 06:00 UTC.
  static let newYork = UTCOffsets(
    initialSeconds: -5 * 3600,
    transitions: [
      .init(start: Instant(seconds: 1_741_503_600), seconds: -4 * 3600),
      .init(start: Instant(seconds: 1_762_063_200), seconds: -5 * 3600),
    ])

  static func seoul() -> TariffContent {
    var content = TariffContent(
      id: "kr-seoul-medium", name: "Seoul", area: "kr-seoul", vehicleClasses: ["medium"],
      currency: "KRW", timeZone: "Asia/Seoul", offsets: korea,
      effective: Instant(seconds: 1_675_191_600), baseAmount: 4800, baseDistanceMeters: 1600,
      stepAmount: 100, stepDistanceMeters: 131, stepSeconds: 30, accrual: .simultaneous,
      chargeOn: .entry, source: "test")
    content.surcharges = [
      Surcharge(
        id: "night", name: "night", price: .hundredths(2000),
        bands: [
          LocalTimeBand(fromMinute: 22 * 60, toMinute: 23 * 60),
          LocalTimeBand(fromMinute: 2 * 60, toMinute: 4 * 60),
        ]),
      Surcharge(
        id: "late-night", name: "late night", price: .hundredths(4000),
        bands: [LocalTimeBand(fromMinute: 23 * 60, toMinute: 2 * 60)]),
    ]
    content.stacking = Stacking(rule: .add, maximumHundredths: 6000)
    content.surchargeRounding = 10
    content.baseRounding = 100
    content.outOfArea = OutOfAreaRule(hundredths: 2000)
    content.finalRounding = Rounding(unit: 100, mode: .nearest)
    return content
  }

  static func newYorkYellow() -> TariffContent {
    var content = TariffContent(
      id: "us-nyc-yellow", name: "New York", area: "us-nyc", vehicleClasses: ["yellow"],
      currency: "USD", timeZone: "America/New_York", offsets: newYork,
      effective: Instant(seconds: 1_671_426_000), baseAmount: 300,
      baseDistanceMeters: 321.8688, stepAmount: 70, stepDistanceMeters: 321.8688,
      stepSeconds: 60, accrual: .exclusive, chargeOn: .entry, source: "test")
    content.minorUnitDigits = 2
    content.surcharges = [
      Surcharge(
        id: "rush", name: "rush hour", price: .amount(250),
        bands: [
          LocalTimeBand(
            fromMinute: 16 * 60, toMinute: 20 * 60, weekdays: 0b001_1111)
        ], chosen: .boarding),
      Surcharge(
        id: "night", name: "night", price: .amount(100),
        bands: [LocalTimeBand(fromMinute: 20 * 60, toMinute: 6 * 60)], chosen: .boarding),
    ]
    content.flatTrips = [FlatTrip(id: "jfk", rateCode: "2", amount: 7000)]
    return content
  }

  /// Local time of Seoul on 2025-11-20, a Thursday.
  static func seoulTime(_ hour: Int, _ minute: Int, _ second: Int = 0) -> Instant {
    Instant(seconds: 1_763_564_400 + Int64(hour * 3600 + minute * 60 + second))
  }
}
