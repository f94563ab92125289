import TestSupport
import ObjectModel
import TaxiFares
import Testing

/// Fares that others published, recomputed with the accrual, charging and rounding they used.
@Suite struct PublishedFareTests {
  private let noon = "2026-06-01T12:00:00+09:00"

  /// The distance-only fare without steps or rounding, in tenths of a won.
  private func tenths(_ id: String, at time: String, meters: Double) throws -> Int64 {
    let tariff = try FareFixtures.tariff(id, at: time) {
      $0.chargeOn = .proportional
      $0.finalRounding = Rounding(unit: 1, mode: .nearest)
      $0.minorUnitDigits = 1
      $0.baseAmount *= 10
      $0.stepAmount *= 10
    }
    let trip = Trip(
      .segments([TripSegment(distanceMeters: meters, durationSeconds: meters / 15)]),
      departure: FareFixtures.instant(time))
    return try tariff.fare(for: trip).expected.total
  }

  @Test func daeguOldAndNew() throws {
    #expect(try tenths("kr-daegu", at: "2024-06-01T12:00:00+09:00", meters: 5580) == 67_538)
    #expect(try tenths("kr-daegu", at: noon, meters: 5580) == 76_040)
  }

  @Test(arguments: [("kr-daegu", 6.2), ("kr-gwangju", 8.9), ("kr-ulsan", 2.5)])
  func againstDaejeon(id: String, percent: Double) throws {
    let daejeon = Double(try tenths("kr-daejeon", at: noon, meters: 4670))
    let other = Double(try tenths(id, at: noon, meters: 4670))
    #expect(abs((other / daejeon - 1) * 100 - percent) < 0.1)
  }

  @Test func seoulSevenKilometersWithSlowTime() throws {
    let tariff = try FareFixtures.tariff("kr-seoul-medium", at: noon) { $0.chargeOn = .completion }
    let departure = FareFixtures.instant(noon)
    let segments = Trip(
      .segments([
        TripSegment(distanceMeters: 7000, durationSeconds: 700),
        TripSegment(distanceMeters: 0, durationSeconds: 624),
      ]), departure: departure)
    #expect(try tariff.fare(for: segments).expected.total == 11_000)
    let measured = Trip(
      .measured(distanceMeters: 7000, durationSeconds: 1324, slowSeconds: 624),
      departure: departure)
    let fare = try tariff.fare(for: measured).expected
    #expect(fare.total == 11_000)
    let steps = fare.lines.reduce(0) { $0 + ($1.quantity ?? 0) }
    #expect(steps == 62)
  }

  @Test func gyeonggi2018AcrossTheCountry() throws {
    let tariff = try FareFixtures.tariff("gyeonggi-2018")
    var trip = Trip(
      .totals(distanceMeters: 382_403, durationSeconds: 15_372.873),
      departure: FareFixtures.instant("2018-11-01T12:00:00+09:00"))
    trip.outOfAreaFromMeters = 0
    let fare = try tariff.fare(for: trip).expected
    #expect(fare.metered == 319_920)
    #expect(fare.total == 319_900)
    #expect(fare.lines.first { $0.kind == .distance }?.quantity == 2641)
    #expect(fare.lines.first { $0.kind == .outOfArea }?.amount == Int64(52_820))
    // With its tolls, which are not rounded away.
    trip.tolls = 24_500
    #expect(try tariff.fare(for: trip).expected.total == 344_400)
    trip.tolls = 0
    trip.course = .segments([TripSegment(distanceMeters: 382_403, durationSeconds: 15_372.873)])
    #expect(try tariff.fare(for: trip).expected.total == 319_900)
  }

  @Test func suwonAtNight2020() throws {
    let trip = Trip(
      .segments([TripSegment(distanceMeters: 328, durationSeconds: 60)]),
      departure: FareFixtures.instant("2020-11-01T03:00:00+09:00"))
    #expect(try FareFixtures.tariff("gyeonggi-2019").fare(for: trip).expected.total == 4560)
  }

  @Test func tokyoLongDistance() throws {
    let tariff = try FareFixtures.tariff("jp-tokyo-23", at: noon)
    // 500 + 100 x 100 = 10,500: 10 % off 1,500.
    let trip = Trip(
      .segments([TripSegment(distanceMeters: 1096 + 255 * 99, durationSeconds: 1800)]),
      departure: FareFixtures.instant("2026-06-01T12:00:00+09:00"))
    let fare = try tariff.fare(for: trip).expected
    #expect(fare.total == 10_350)
    #expect(fare.lines.first { $0.kind == .discount }?.amount == -150)
  }

  @Test func jejuBeyondTwentyKilometers() throws {
    let tariff = try FareFixtures.tariff("kr-jeju", at: noon)
    let near = (20_000 - 2000) / 126 + 1
    let all = (30_000 - 2000) / 126 + 1
    var trip = Trip(
      .segments([TripSegment(distanceMeters: 30_000, durationSeconds: 1800)]),
      departure: FareFixtures.instant(noon))
    #expect(
      try tariff.fare(for: trip).expected.total == Int64(4100 + near * 100 + (all - near) * 120))
    trip.departure = FareFixtures.instant("2026-06-01T23:30:00+09:00")
    #expect(
      try tariff.fare(for: trip).expected.total == Int64(4920 + near * 120 + (all - near) * 140))
  }
}
