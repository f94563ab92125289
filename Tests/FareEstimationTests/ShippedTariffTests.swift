import TestSupport
import Foundation
import ObjectModel
import TaxiFares
import Testing

@testable import WireFormat
@testable import FareEstimation

/// The documents in data/tariffs, against the table they were made from.
@Suite struct ShippedTariffTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var id: String
    var effective: String
    var base: Int64
    var baseMeters: Double
    var step: Int64
    var stepMeters: Double
    var stepSeconds: Double
    /// Local hour of boarding and the base it has then.
    var bases: [(String, Int64)]
    /// Local hour and the price of a step charged then.
    var steps: [(String, Int64)]
    /// The price of a step out of area by day and at the dearest hour; 0: no such rule.
    var outside: (day: Int64, night: String, dearest: Int64)

    var testDescription: String { "\(id) \(effective)" }
  }

  static let table: [Row] = [
    Row(
      id: "kr-seoul-medium", effective: "2023-02-01T04:00:00+09:00", base: 4800,
      baseMeters: 1600, step: 100, stepMeters: 131, stepSeconds: 30,
      bases: [("22:00", 5800), ("23:00", 6700), ("02:00", 5800), ("04:00", 4800)],
      steps: [("21:59", 100), ("22:00", 120), ("23:00", 140), ("02:00", 120), ("04:00", 100)],
      outside: (120, "00:30", 160)),
    Row(
      id: "kr-seoul-deluxe", effective: "2023-02-01T04:00:00+09:00", base: 7000,
      baseMeters: 3000, step: 200, stepMeters: 151, stepSeconds: 36,
      bases: [("22:00", 8400), ("03:59", 8400), ("04:00", 7000)],
      steps: [("21:59", 200), ("22:00", 240), ("04:00", 200)], outside: (240, "22:30", 280)),
    Row(
      id: "kr-gyeonggi-standard", effective: "2023-07-01T04:00:00+09:00", base: 4800,
      baseMeters: 1600, step: 100, stepMeters: 131, stepSeconds: 30,
      bases: [("22:59", 4800), ("23:00", 6240), ("04:00", 4800)],
      steps: [("22:59", 100), ("23:00", 130), ("03:59", 130), ("04:00", 100)],
      outside: (120, "23:30", 150)),
    Row(
      id: "kr-gyeonggi-ga", effective: "2023-07-01T04:00:00+09:00", base: 4800,
      baseMeters: 1800, step: 100, stepMeters: 104, stepSeconds: 25, bases: [("23:00", 6240)],
      steps: [("23:00", 130), ("04:00", 100)], outside: (120, "23:30", 150)),
    Row(
      id: "kr-gyeonggi-na", effective: "2023-07-01T04:00:00+09:00", base: 4800,
      baseMeters: 2000, step: 100, stepMeters: 83, stepSeconds: 20, bases: [("23:00", 6240)],
      steps: [("23:00", 130), ("04:00", 100)], outside: (120, "23:30", 150)),
    Row(
      id: "kr-busan", effective: "2023-06-01T00:00:00+09:00", base: 4800, baseMeters: 2000,
      step: 100, stepMeters: 132, stepSeconds: 33,
      bases: [("22:59", 4800), ("23:00", 5760), ("00:00", 6240), ("02:00", 5760)],
      steps: [("22:59", 100), ("23:00", 120), ("00:00", 130), ("02:00", 120), ("04:00", 100)],
      outside: (130, "00:30", 140)),
    Row(
      id: "kr-busan-deluxe", effective: "2023-06-01T00:00:00+09:00", base: 7500,
      baseMeters: 3000, step: 200, stepMeters: 140, stepSeconds: 33, bases: [("23:30", 7500)],
      steps: [("23:30", 200)], outside: (200, "00:30", 200)),
    Row(
      id: "kr-incheon", effective: "2023-07-01T04:00:00+09:00", base: 4800, baseMeters: 1600,
      step: 100, stepMeters: 135, stepSeconds: 33, bases: [("22:00", 5760), ("23:00", 6720)],
      steps: [("22:00", 120), ("23:00", 140), ("02:00", 120), ("04:00", 100)],
      outside: (130, "23:30", 170)),
    Row(
      id: "kr-daegu", effective: "2023-01-16T00:00:00+09:00", base: 4000, baseMeters: 2000,
      step: 100, stepMeters: 130, stepSeconds: 31, bases: [("23:00", 4800)],
      steps: [("22:59", 100), ("23:00", 120), ("00:30", 120), ("04:00", 100)],
      outside: (130, "23:30", 140)),
    Row(
      id: "kr-daegu", effective: "2025-02-22T00:00:00+09:00", base: 4500, baseMeters: 1700,
      step: 100, stepMeters: 125, stepSeconds: 31, bases: [("23:00", 5400), ("00:00", 5850)],
      steps: [("23:00", 120), ("00:00", 130), ("02:00", 120), ("04:00", 100)],
      outside: (130, "00:30", 140)),
    Row(
      id: "kr-daejeon", effective: "2023-07-01T00:00:00+09:00", base: 4300, baseMeters: 1800,
      step: 100, stepMeters: 132, stepSeconds: 33, bases: [("23:00", 5160)],
      steps: [("23:00", 120), ("00:30", 120), ("04:00", 100)], outside: (130, "00:30", 150)),
    Row(
      id: "kr-daejeon", effective: "2026-03-16T00:00:00+09:00", base: 4300, baseMeters: 1800,
      step: 100, stepMeters: 132, stepSeconds: 33, bases: [("23:00", 5160), ("00:00", 5590)],
      steps: [("23:00", 120), ("00:00", 130), ("02:00", 120), ("04:00", 100)],
      outside: (130, "00:30", 150)),
    Row(
      id: "kr-gwangju", effective: "2023-07-01T00:00:00+09:00", base: 4300, baseMeters: 2000,
      step: 100, stepMeters: 134, stepSeconds: 32, bases: [("23:00", 4300), ("00:00", 5160)],
      steps: [("23:59", 100), ("00:00", 120), ("04:00", 100)], outside: (140, "00:30", 160)),
    Row(
      id: "kr-gwangju", effective: "2025-10-22T00:00:00+09:00", base: 4800, baseMeters: 1700,
      step: 100, stepMeters: 132, stepSeconds: 32, bases: [("23:00", 5760), ("00:00", 6240)],
      steps: [("23:00", 120), ("00:00", 130), ("02:00", 120), ("04:00", 100)],
      outside: (140, "00:30", 170)),
    Row(
      id: "kr-ulsan", effective: "2023-01-01T00:00:00+09:00", base: 4000, baseMeters: 2000,
      step: 100, stepMeters: 125, stepSeconds: 30, bases: [("22:00", 4800)],
      steps: [("22:00", 120), ("04:00", 100)], outside: (130, "23:30", 150)),
    Row(
      id: "kr-ulsan", effective: "2025-03-10T00:00:00+09:00", base: 4500, baseMeters: 2000,
      step: 100, stepMeters: 125, stepSeconds: 30, bases: [("22:00", 5400)],
      steps: [("21:59", 100), ("22:00", 120), ("04:00", 100)], outside: (130, "23:30", 150)),
    Row(
      id: "kr-jeju", effective: "2023-11-20T00:00:00+09:00", base: 4100, baseMeters: 2000,
      step: 100, stepMeters: 126, stepSeconds: 31, bases: [("23:00", 4920), ("04:00", 4100)],
      steps: [("22:59", 100), ("23:00", 120), ("04:00", 100)], outside: (100, "23:30", 120)),
    Row(
      id: "us-nyc-yellow", effective: "2012-09-04T00:00:00-04:00", base: 250,
      baseMeters: 321.8688, step: 50, stepMeters: 321.8688, stepSeconds: 60,
      bases: [("21:00", 250)], steps: [("21:00", 50), ("17:00", 50)],
      outside: (50, "21:00", 50)),
    Row(
      id: "us-nyc-yellow", effective: "2022-12-19T00:00:00-05:00", base: 300,
      baseMeters: 321.8688, step: 70, stepMeters: 321.8688, stepSeconds: 60,
      bases: [("21:00", 300)], steps: [("21:00", 70), ("17:00", 70)],
      outside: (70, "21:00", 70)),
    Row(
      id: "jp-tokyo-23", effective: "2022-11-14T00:00:00+09:00", base: 500, baseMeters: 1096,
      step: 100, stepMeters: 255, stepSeconds: 95, bases: [("22:00", 600), ("05:00", 500)],
      steps: [("21:59", 100), ("22:00", 120), ("04:59", 120), ("05:00", 100)],
      outside: (100, "22:30", 120)),
    Row(
      id: "kr-chuncheon", effective: "2024-08-05T00:00:00+09:00", base: 4600,
      baseMeters: 2000, step: 100, stepMeters: 131, stepSeconds: 31,
      bases: [("12:00", 4600), ("00:00", 5980), ("02:00", 5520), ("04:00", 4600), ("23:00", 5520)],
      steps: [("12:00", 100), ("00:00", 130), ("02:00", 120), ("04:00", 100), ("23:00", 120)],
      outside: (120, "00:30", 150)),
    Row(
      id: "kr-wonju", effective: "2024-08-05T00:00:00+09:00", base: 4600,
      baseMeters: 2000, step: 100, stepMeters: 131, stepSeconds: 31,
      bases: [("12:00", 4600), ("00:00", 5980), ("02:00", 5520), ("04:00", 4600), ("23:00", 5520)],
      steps: [("12:00", 100), ("00:00", 130), ("02:00", 120), ("04:00", 100), ("23:00", 120)],
      outside: (100, "00:30", 130)),
    Row(
      id: "kr-gangneung", effective: "2024-08-05T00:00:00+09:00", base: 4600,
      baseMeters: 2000, step: 100, stepMeters: 131, stepSeconds: 31,
      bases: [("12:00", 4600), ("00:00", 5980), ("02:00", 5520), ("04:00", 4600), ("23:00", 5520)],
      steps: [("12:00", 100), ("00:00", 130), ("02:00", 120), ("04:00", 100), ("23:00", 120)],
      outside: (120, "00:30", 150)),
    Row(
      id: "kr-cheongju", effective: "2023-08-21T00:00:00+09:00", base: 4000,
      baseMeters: 1800, step: 100, stepMeters: 127, stepSeconds: 32,
      bases: [("12:00", 4000), ("02:00", 4800), ("04:00", 4000), ("22:00", 4800), ("23:00", 5600)],
      steps: [("12:00", 100), ("02:00", 120), ("04:00", 100), ("22:00", 120), ("23:00", 140)],
      outside: (120, "23:30", 160)),
    Row(
      id: "kr-chungju", effective: "2023-08-21T00:00:00+09:00", base: 4000,
      baseMeters: 1800, step: 100, stepMeters: 127, stepSeconds: 32,
      bases: [("12:00", 4000), ("02:00", 4800), ("04:00", 4000), ("22:00", 4800), ("23:00", 5600)],
      steps: [("12:00", 100), ("02:00", 120), ("04:00", 100), ("22:00", 120), ("23:00", 140)],
      outside: (120, "23:30", 160)),
    Row(
      id: "kr-cheonan", effective: "2023-09-01T00:00:00+09:00", base: 4000,
      baseMeters: 1400, step: 100, stepMeters: 110, stepSeconds: 30,
      bases: [("12:00", 4000), ("04:00", 4000), ("22:00", 5200)],
      steps: [("12:00", 100), ("04:00", 100), ("22:00", 130)],
      outside: (130, "22:30", 160)),
    Row(
      id: "kr-asan", effective: "2023-09-01T00:00:00+09:00", base: 4000,
      baseMeters: 1400, step: 100, stepMeters: 105, stepSeconds: 30,
      bases: [("12:00", 4000), ("04:00", 4000), ("22:00", 5200)],
      steps: [("12:00", 100), ("04:00", 100), ("22:00", 130)],
      outside: (130, "22:30", 160)),
    Row(
      id: "kr-sejong", effective: "2024-08-01T00:00:00+09:00", base: 4000,
      baseMeters: 1400, step: 100, stepMeters: 97, stepSeconds: 29,
      bases: [("12:00", 4000), ("04:00", 4000), ("22:00", 5200)],
      steps: [("12:00", 100), ("04:00", 100), ("22:00", 130)],
      outside: (130, "22:30", 160)),
    Row(
      id: "kr-jeonju", effective: "2023-08-01T00:00:00+09:00", base: 4300,
      baseMeters: 2000, step: 100, stepMeters: 134, stepSeconds: 32,
      bases: [("12:00", 4300), ("00:00", 5160), ("04:00", 4300)],
      steps: [("12:00", 100), ("00:00", 120), ("04:00", 100)],
      outside: (150, "00:30", 170)),
    Row(
      id: "kr-iksan", effective: "2023-08-01T00:00:00+09:00", base: 4300,
      baseMeters: 2000, step: 100, stepMeters: 134, stepSeconds: 32,
      bases: [("12:00", 4300), ("00:00", 5160), ("04:00", 4300)],
      steps: [("12:00", 100), ("00:00", 120), ("04:00", 100)],
      outside: (100, "00:30", 120)),
    Row(
      id: "kr-gunsan", effective: "2023-08-01T00:00:00+09:00", base: 4300,
      baseMeters: 2000, step: 100, stepMeters: 134, stepSeconds: 32,
      bases: [("12:00", 4300), ("00:00", 5160), ("04:00", 4300)],
      steps: [("12:00", 100), ("00:00", 120), ("04:00", 100)],
      outside: (120, "00:30", 140)),
    Row(
      id: "kr-yeosu", effective: "2023-11-01T00:00:00+09:00", base: 4300,
      baseMeters: 2000, step: 100, stepMeters: 130, stepSeconds: 30,
      bases: [("12:00", 4300), ("00:00", 5160), ("04:00", 4300)],
      steps: [("12:00", 100), ("00:00", 120), ("04:00", 100)],
      outside: (140, "00:30", 160)),
    Row(
      id: "kr-suncheon", effective: "2023-11-01T00:00:00+09:00", base: 4300,
      baseMeters: 2000, step: 100, stepMeters: 130, stepSeconds: 30,
      bases: [("12:00", 4300), ("00:00", 5160), ("04:00", 4300)],
      steps: [("12:00", 100), ("00:00", 120), ("04:00", 100)],
      outside: (140, "00:30", 160)),
    Row(
      id: "kr-mokpo", effective: "2023-11-01T00:00:00+09:00", base: 4300,
      baseMeters: 2000, step: 100, stepMeters: 130, stepSeconds: 30,
      bases: [("12:00", 4300), ("00:00", 5160), ("04:00", 4300)],
      steps: [("12:00", 100), ("00:00", 120), ("04:00", 100)],
      outside: (120, "00:30", 140)),
    Row(
      id: "kr-pohang", effective: "2026-01-20T00:00:00+09:00", base: 4500,
      baseMeters: 1700, step: 100, stepMeters: 128, stepSeconds: 30,
      bases: [("12:00", 4500), ("04:00", 4500), ("23:00", 5400)],
      steps: [("12:00", 100), ("04:00", 100), ("23:00", 120)],
      outside: (100, "23:30", 120)),
    Row(
      id: "kr-gyeongju", effective: "2026-02-01T00:00:00+09:00", base: 4500,
      baseMeters: 1700, step: 100, stepMeters: 128, stepSeconds: 30,
      bases: [("12:00", 4500), ("04:00", 4500), ("23:00", 5400)],
      steps: [("12:00", 100), ("04:00", 100), ("23:00", 120)],
      outside: (100, "23:30", 120)),
    Row(
      id: "kr-gumi", effective: "2026-01-30T00:00:00+09:00", base: 4500,
      baseMeters: 1700, step: 100, stepMeters: 128, stepSeconds: 30,
      bases: [("12:00", 4500), ("04:00", 4500), ("23:00", 5400)],
      steps: [("12:00", 100), ("04:00", 100), ("23:00", 120)],
      outside: (100, "23:30", 120)),
    Row(
      id: "kr-pohang", effective: "2023-08-21T00:00:00+09:00", base: 4000,
      baseMeters: 2000, step: 100, stepMeters: 131, stepSeconds: 31,
      bases: [("12:00", 4000), ("04:00", 4000), ("23:00", 4800)],
      steps: [("12:00", 100), ("04:00", 100), ("23:00", 120)],
      outside: (100, "23:30", 120)),
    Row(
      id: "kr-gyeongju", effective: "2023-08-21T00:00:00+09:00", base: 4000,
      baseMeters: 2000, step: 100, stepMeters: 131, stepSeconds: 31,
      bases: [("12:00", 4000), ("04:00", 4000), ("23:00", 4800)],
      steps: [("12:00", 100), ("04:00", 100), ("23:00", 120)],
      outside: (100, "23:30", 120)),
    Row(
      id: "kr-gimhae", effective: "2023-06-10T04:00:00+09:00", base: 4000,
      baseMeters: 2000, step: 100, stepMeters: 130, stepSeconds: 31,
      bases: [("12:00", 4000), ("04:00", 4000), ("22:00", 4800)],
      steps: [("12:00", 100), ("04:00", 100), ("22:00", 120)],
      outside: (130, "22:30", 150)),
    Row(
      id: "kr-jinju", effective: "2023-06-10T04:00:00+09:00", base: 4000,
      baseMeters: 2000, step: 100, stepMeters: 130, stepSeconds: 31,
      bases: [("12:00", 4000), ("04:00", 4000), ("22:00", 4800)],
      steps: [("12:00", 100), ("04:00", 100), ("22:00", 120)],
      outside: (130, "22:30", 150)),
    Row(
      id: "kr-changwon", effective: "2023-06-10T00:00:00+09:00", base: 4000,
      baseMeters: 2000, step: 100, stepMeters: 130, stepSeconds: 31,
      bases: [("12:00", 4000), ("04:00", 4000), ("22:00", 4800)],
      steps: [("12:00", 100), ("04:00", 100), ("22:00", 120)],
      outside: (130, "22:30", 150)),
    Row(
      id: "kr-gwangju-deluxe", effective: "2025-10-22T00:00:00+09:00", base: 5400,
      baseMeters: 1700, step: 200, stepMeters: 149, stepSeconds: 36, bases: [("23:00", 6480)],
      steps: [("22:59", 200), ("23:00", 240), ("04:00", 200)], outside: (240, "23:30", 280)),
    Row(
      id: "kr-gyeonggi-deluxe", effective: "2023-07-01T00:00:00+09:00", base: 7000,
      baseMeters: 3000, step: 200, stepMeters: 144, stepSeconds: 35, bases: [("23:30", 7000)],
      steps: [("23:30", 200)], outside: (200, "23:30", 200)),
    Row(
      id: "jp-osaka", effective: "2023-05-31T00:00:00+09:00", base: 600, baseMeters: 1300,
      step: 100, stepMeters: 260, stepSeconds: 95, bases: [("22:00", 720), ("05:00", 600)],
      steps: [("21:59", 100), ("22:00", 120), ("05:00", 100)], outside: (100, "22:30", 120)),
    Row(
      id: "us-sf", effective: "2022-11-17T00:00:00-08:00", base: 415, baseMeters: 321.8688,
      step: 65, stepMeters: 321.8688, stepSeconds: 60, bases: [("23:00", 415)],
      steps: [("23:00", 65)], outside: (65, "23:30", 65)),
    Row(
      id: "hk-urban", effective: "2022-07-17T00:00:00+08:00", base: 2700, baseMeters: 2000,
      step: 190, stepMeters: 200, stepSeconds: 60, bases: [("23:00", 2700)],
      steps: [("23:00", 190)], outside: (190, "23:30", 190)),
    Row(
      id: "hk-urban", effective: "2024-07-14T00:00:00+08:00", base: 2900, baseMeters: 2000,
      step: 210, stepMeters: 200, stepSeconds: 60, bases: [("23:00", 2900)],
      steps: [("23:00", 210)], outside: (210, "23:30", 210)),
    Row(
      id: "sg-comfort", effective: "2022-03-01T06:00:00+08:00", base: 390, baseMeters: 1000,
      step: 24, stepMeters: 400, stepSeconds: 45,
      bases: [("08:00", 488), ("18:00", 488), ("00:00", 585), ("05:59", 585), ("12:00", 390)],
      steps: [("08:00", 30), ("20:00", 30), ("03:00", 36), ("12:00", 24)],
      outside: (24, "02:30", 36)),
  ]

  private func tariff(_ row: Row) throws -> Tariff {
    let at = FareFixtures.instant(row.effective)
    let tariff = try FareFixtures.library.catalog.tariff(id: row.id, at: at)
    try #require(tariff.effective == at)
    return tariff
  }

  /// What the meter shows for one segment.
  private func metered(
    _ tariff: Tariff, _ meters: Double, _ seconds: Double, at departure: Instant,
    outside: Bool = false
  ) throws -> Int64 {
    var trip = Trip(
      .segments([TripSegment(distanceMeters: meters, durationSeconds: seconds)]),
      departure: departure)
    if outside { trip.outOfAreaFromMeters = 0 }
    return try tariff.breakdown(for: trip).metered
  }

  /// A local hour on the first Monday after the tariff took effect.
  private func moment(_ tariff: Tariff, _ clock: String) -> Instant {
    let offsets = tariff.content.offsets
    let local =
      tariff.effective.milliseconds
      + Int64(offsets.seconds(at: tariff.effective)) * 1000
    // 1970-01-05 was a Monday.
    let monday = ((local / 86_400_000 - 4) / 7 + 1) * 7 + 4
    let parts = clock.split(separator: ":").compactMap { Int64($0) }
    return offsets.instant(
      localMilliseconds: monday * 86_400_000 + parts[0] * 3_600_000 + parts[1] * 60_000)
  }

  @Test func everyRowIsShippedAndNothingElse() {
    let shipped = FareFixtures.library.catalog.tariffs.map {
      "\($0.id) \(RFC3339.local($0.effective, $0.content.offsets))"
    }
    // Berlin has no steps.
    let known =
      Self.table.map { "\($0.id) \($0.effective)" } + ["de-berlin 2022-12-20T00:00:00+01:00"]
    #expect(shipped.sorted() == known.sorted())
  }

  @Test(arguments: table)
  func lastMeterOfTheBase(row: Row) throws {
    let tariff = try tariff(row)
    let noon = moment(tariff, "12:00")
    let base = row.baseMeters
    // 100 km/h: no slow time.
    func fare(_ meters: Double) throws -> Int64 {
      try metered(tariff, meters, meters / 27.8, at: noon)
    }
    #expect(try fare(0) == row.base)
    #expect(try fare(base - 0.001) == row.base)
    #expect(try fare(base) == row.base + row.step)
    #expect(try fare(base + row.stepMeters - 0.001) == row.base + row.step)
    #expect(try fare(base + row.stepMeters) == row.base + 2 * row.step)
    #expect(try fare(base + 10.5 * row.stepMeters) == row.base + 11 * row.step)
  }

  /// Trips at 100 km/h by day past the distance from which steps have another price, summed by hand.
  static let longTrips: [(id: String, at: String, meters: Double, sum: Int64)] = [
    // 4,300; 23 steps from 2,000 m to 4,948; then 15 of 140 from 5,082 to 6,958.
    ("kr-gunsan", "2026-06-01T12:00:00+09:00", 6999.9, 8700),
    // 4,600; 31 steps from 2,000 m to 5,930; then 15 of 200 from 6,061 to 7,895.
    ("kr-chuncheon", "2026-06-01T12:00:00+09:00", 7999.9, 10_700),
    // 35 steps to 8,800 m make 102.50 and 93.50; then 15 of 1.40 and 1.30.
    ("hk-urban", "2026-06-01T12:00:00+08:00", 11_999.9, 12_350),
    ("hk-urban", "2023-06-01T12:00:00+08:00", 11_999.9, 11_300),
    // 3.90; 23 steps to 9,800 m; then 5 of 0.27.
    ("sg-comfort", "2023-06-01T12:00:00+08:00", 11_999.9, 1077),
    // 4.30, three km at 2.80, four at 2.60, three at 2.10.
    ("de-berlin", "2026-06-01T12:00:00+02:00", 10_000, 2940),
  ]

  @Test(arguments: longTrips)
  func pricesPastADistance(id: String, at: String, meters: Double, sum: Int64) throws {
    let tariff = try FareFixtures.tariff(id, at: at)
    let departure = FareFixtures.instant(at)
    #expect(try metered(tariff, meters, meters / 27.8, at: departure) == sum)
  }

  /// Prices per kilometre that fall: a meter further never costs less.
  @Test func aLongerWayInBerlinCostsNoLess() throws {
    let at = "2026-06-01T12:00:00+02:00"
    let tariff = try FareFixtures.tariff("de-berlin", at: at)
    var (before, falls): (Int64, [Int]) = (0, [])
    for meters in 0...12_000 {
      let fare = try metered(
        tariff, Double(meters), Double(meters) / 27.8, at: FareFixtures.instant(at))
      if fare < before { falls.append(meters) }
      before = fare
    }
    #expect(falls.isEmpty)
  }

  @Test(arguments: table)
  func slowTime(row: Row) throws {
    let tariff = try tariff(row)
    let noon = moment(tariff, "12:00")
    let baseSeconds = row.baseMeters / row.stepMeters * row.stepSeconds
    #expect(try metered(tariff, 0, baseSeconds - 0.01, at: noon) == row.base)
    #expect(try metered(tariff, 0, baseSeconds + 0.01, at: noon) == row.base + row.step)
    #expect(
      try metered(tariff, 0, baseSeconds + 4.5 * row.stepSeconds, at: noon)
        == row.base + 5 * row.step)
  }

  @Test(arguments: table)
  func bandEdges(row: Row) throws {
    let tariff = try tariff(row)
    for (clock, base) in row.bases {
      #expect(try metered(tariff, 0, 0, at: moment(tariff, clock)) == base, "\(clock)")
    }
    for (clock, price) in row.steps {
      // The step falls on the end of a trip of no time: exactly at the hour.
      let at = moment(tariff, clock)
      let base = try metered(tariff, 0, 0, at: at)
      #expect(try metered(tariff, row.baseMeters, 0, at: at) - base == price, "\(clock)")
      // And a minute of standing later, as the boarding was in the band before.
      let before = at.advanced(milliseconds: -60_000)
      let early = try metered(tariff, 0, 0, at: before)
      let trip = Trip(
        .segments([
          TripSegment(distanceMeters: 0, durationSeconds: 60),
          TripSegment(
            distanceMeters: row.baseMeters - 60 / row.stepSeconds * row.stepMeters + 0.001,
            durationSeconds: 0),
        ]), departure: before)
      if row.baseMeters > 60 / row.stepSeconds * row.stepMeters {
        #expect(try tariff.breakdown(for: trip).metered - early == price, "\(clock)")
      }
    }
  }

  @Test(arguments: table)
  func outOfArea(row: Row) throws {
    let tariff = try tariff(row)
    func step(_ clock: String) throws -> Int64 {
      let at = moment(tariff, clock)
      return try metered(tariff, row.baseMeters, 0, at: at, outside: true)
        - metered(tariff, 0, 0, at: at, outside: true)
    }
    #expect(try step("12:00") == row.outside.day)
    #expect(try step(row.outside.night) == row.outside.dearest)
    // The base stays.
    #expect(try metered(tariff, 0, 0, at: moment(tariff, "12:00"), outside: true) == row.base)
  }

  /// Ends of months and years, a leap day, and the hours around daylight saving: never an error,
  /// and the same as an ordinary day.
  @Test(arguments: table)
  func calendarEnds(row: Row) throws {
    let tariff = try tariff(row)
    let offsets = tariff.content.offsets
    let ordinary = try metered(tariff, 5000, 400, at: moment(tariff, "12:00"))
    for day in ["2027-12-31", "2028-01-01", "2028-02-29", "2028-03-01", "2027-06-30"] {
      let noon = try #require(LocalInstant.parse("\(day)T12:00", in: offsets))
      #expect(try metered(tariff, 5000, 400, at: noon) == ordinary)
      let night = try #require(LocalInstant.parse("\(day)T23:50", in: offsets))
      let other = moment(tariff, "23:50")
      #expect(
        try metered(tariff, 20_000, 1500, at: night)
          == metered(tariff, 20_000, 1500, at: other))
    }
  }

  @Test func unverifiedFieldsAreNamedInTheLines() throws {
    var trip = Trip(
      .totals(distanceMeters: 8000, durationSeconds: 1200),
      departure: FareFixtures.instant("2026-06-01T23:30:00+09:00"))
    trip.outOfAreaFromMeters = 0
    func charged(_ id: String) throws -> [FareLine] {
      try FareFixtures.tariff(id, at: "2026-06-01T12:00:00+09:00").breakdown(for: trip).lines
    }
    let night = try #require(try charged("kr-gumi").last { $0.kind == .surcharge })
    #expect(night.rule.contains("unverified: surcharges[0].percent"))
    let lines = try charged("kr-gyeonggi-standard")
    #expect(
      lines.first { $0.kind == .outOfArea }?.rule.contains("unverified: outOfArea.percent") == true)
    #expect(lines.first { $0.kind == .base }?.rule.contains("unverified") == false)
  }

  @Test func theShippedSlowTimeModelIsTheStandardOne() {
    for tariff in FareFixtures.library.catalog.tariffs {
      #expect(tariff.content.slowTimeModel == .standard)
    }
  }

  @Test func newYorkExtrasAcrossTheChangeOfTariff() throws {
    let catalog = FareFixtures.library.catalog
    let old = FareFixtures.instant("2022-12-18T23:59:59-05:00")
    let new = FareFixtures.instant("2022-12-19T00:00:00-05:00")
    let trip = Trip(.totals(distanceMeters: 5000, durationSeconds: 900), departure: old)
    let before = try catalog.tariff(id: "us-nyc-yellow", at: old).fare(for: trip).expected
    #expect(before.total - before.metered == 50)
    var later = trip
    later.departure = new
    let after = try catalog.tariff(id: "us-nyc-yellow", at: new).fare(for: later).expected
    #expect(after.total - after.metered == 100)
    #expect(
      throws: FareError.departureBeforeTariffs(
        id: "us-nyc-yellow", departure: FareFixtures.instant("2012-09-03T23:59:59-04:00"),
        firstEffective: FareFixtures.instant("2012-09-04T00:00:00-04:00"))
    ) {
      try catalog.tariff(
        id: "us-nyc-yellow", at: FareFixtures.instant("2012-09-03T23:59:59-04:00"))
    }
  }
}
