import Foundation
import ObjectModel
import Testing

@Suite struct CivilDateTests {
  /// Against Foundation's calendar, over both eras and all shapes of years.
  @Test(arguments: [-719_162, -1, 0, 10_957, 11_016, 20_778, 47_541, 2_932_896])
  func daysAndDatesAreTheSameAsFoundationS(first: Int) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for days in stride(from: first, to: first + 1500, by: 7) where days >= -140_000 {
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400))
      let date = CivilDate(daysSince1970: days)
      #expect(date.year == parts.year && date.month == parts.month && date.day == parts.day)
    }
  }

  @Test func daysAndDatesAreInverse() {
    for days in stride(from: -1_000_000, through: 4_000_000, by: 997) {
      let date = CivilDate(daysSince1970: days)
      #expect(date.daysSince1970 == days)
      #expect(CivilDate(year: date.year, month: date.month, day: date.day) == date)
    }
    #expect(CivilDate(year: 1, month: 1, day: 1)?.daysSince1970 == -719_162)
    #expect(CivilDate(year: 9999, month: 12, day: 31)?.daysSince1970 == 2_932_896)
  }

  @Test(arguments: [
    (2026, 0, 1), (2026, 13, 1), (2026, 4, 31), (2026, 2, 29), (1900, 2, 29), (2000, 2, 30),
    (2026, 1, 0), (2026, 1, 32), (2026, 1, -1),
  ])
  func datesThatAreNone(year: Int, month: Int, day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test func leapDays() {
    #expect(CivilDate(year: 2000, month: 2, day: 29) != nil)
    #expect(CivilDate(year: 2024, month: 2, day: 29) != nil)
  }
}

@Suite struct SplitMix64Tests {
  /// The first numbers of the reference implementation (S. Vigna, splitmix64.c) for seed 1234567.
  @Test func theReferenceSNumbers() {
    var random = SplitMix64(seed: 1_234_567)
    #expect(
      (0..<5).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test(arguments: 1...3) func drawsStayInTheirRange(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for bound in [1, 2, 3, 1000, .max] {
      for _ in 0..<200 {
        #expect((0..<bound).contains(random.below(bound)))
        #expect((0..<1).contains(random.unit()))
      }
    }
  }
}
