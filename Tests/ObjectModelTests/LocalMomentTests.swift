import ObjectModel
import Testing

/// What clocks make of a local time around their changes.
struct LocalMomentTests {
  /// New York in 2026: an hour forward on 8 March at 02:00, back on 1 November at 02:00.
  static let newYork = UTCOffsets(
    initialSeconds: -5 * 3600,
    transitions: [
      .init(start: Instant(seconds: 1_772_953_200), seconds: -4 * 3600),
      .init(start: Instant(seconds: 1_793_512_800), seconds: -5 * 3600),
    ])

  private func moment(_ date: String, _ hour: Int, _ minute: Int) throws -> UTCOffsets.LocalMoment {
    Self.newYork.moment(
      of: try #require(CivilDate(iso: date)), minute: hour * 60 + minute)
  }

  @Test func anOrdinaryTimeIsShownOnce() throws {
    let winter = try moment("2026-03-07", 7, 45)
    #expect(winter.kind == .once)
    #expect(winter.instant == Instant(seconds: 1_772_887_500))
    // A day later the same clock time comes an hour sooner.
    let summer = try moment("2026-03-08", 7, 45)
    #expect(summer.kind == .once)
    #expect(summer.instant.milliseconds(since: winter.instant) == 23 * 3_600_000)
  }

  @Test func aTimeThatIsSkippedIsReadByTheOffsetBeforeTheChange() throws {
    let skipped = try moment("2026-03-08", 2, 30)
    #expect(skipped.kind == .skipped)
    // 02:30 at -5 is 03:30 at -4.
    #expect(skipped.instant == Instant(seconds: 1_772_953_200 + 1800))
    #expect(try moment("2026-03-08", 3, 30).instant == skipped.instant)
    #expect(try moment("2026-03-08", 1, 59).kind == .once)
    #expect(try moment("2026-03-08", 2, 0).kind == .skipped)
    #expect(try moment("2026-03-08", 3, 0).kind == .once)
  }

  @Test func ofATimeThatIsShownTwiceTheFirstIsMeant() throws {
    let repeated = try moment("2026-11-01", 1, 30)
    #expect(repeated.kind == .repeated)
    #expect(repeated.instant == Instant(seconds: 1_793_512_800 - 1800))
    #expect(try moment("2026-11-01", 0, 59).kind == .once)
    #expect(try moment("2026-11-01", 1, 0).kind == .repeated)
    #expect(try moment("2026-11-01", 2, 0).kind == .once)
    #expect(
      try moment("2026-11-01", 2, 0).instant.milliseconds(since: repeated.instant) == 5_400_000)
  }

  /// Samoa left out 30 December 2011.
  @Test func aDayThatIsSkippedWholeIsReadByTheOffsetBefore() throws {
    let apia = UTCOffsets(
      initialSeconds: -10 * 3600,
      transitions: [.init(start: Instant(seconds: 1_325_239_200), seconds: 14 * 3600)])
    let date = try #require(CivilDate(iso: "2011-12-30"))
    let skipped = apia.moment(of: date, minute: 480)
    #expect(skipped.kind == .skipped)
    #expect(skipped.instant == apia.moment(of: date.adding(days: 1), minute: 480).instant)
    #expect(apia.date(at: Instant(seconds: 1_325_239_199)) == date.adding(days: -1))
    #expect(apia.date(at: Instant(seconds: 1_325_239_200)) == date.adding(days: 1))
  }

  /// Each moment of two days around both changes is found again by what clocks show, unless it is the
  /// second of two.
  @Test(arguments: [1_772_953_200, 1_793_512_800] as [Int64])
  func whatClocksShowLeadsBackToTheMoment(change: Int64) throws {
    var repeated = 0
    for step in -96..<96 {
      let instant = Instant(seconds: change + Int64(step) * 900)
      let local = instant.milliseconds / 1000 + Int64(Self.newYork.seconds(at: instant))
      let minute = Int((local % 86_400 + 86_400) % 86_400) / 60
      let found = Self.newYork.moment(of: Self.newYork.date(at: instant), minute: minute)
      switch found.kind {
      case .once: #expect(found.instant == instant)
      case .repeated:
        repeated += 1
        #expect([0, 3_600_000].contains(instant.milliseconds(since: found.instant)))
      case .skipped: Issue.record("clocks show \(minute) at \(instant)")
      }
    }
    #expect(repeated == (change == 1_772_953_200 ? 0 : 8))
  }

  @Test func datesAreReadAndPrinted() throws {
    let date = try #require(CivilDate(iso: "2028-02-29"))
    #expect(date.isoText == "2028-02-29")
    #expect(date.isoWeekday == 2)
    #expect(date.adding(days: 1).isoText == "2028-03-01")
    #expect(date < date.adding(days: 1))
    for text in [
      "2027-02-29", "2026-13-01", "2026-00-10", "2026-1-01", "26-01-01", "2026/01/01",
      "2026-01-01 ", "２０２６-01-01", "", "2026-01-0a",
    ] {
      #expect(CivilDate(iso: text) == nil, "\(text)")
    }
    for days in stride(from: -800_000, through: 800_000, by: 997) {
      let date = CivilDate(daysSince1970: days)
      #expect(date.year < 0 || date.year > 9999 || CivilDate(iso: date.isoText) == date)
      #expect(date.isoWeekday == (days + 3) - 7 * Int((Double(days + 3) / 7).rounded(.down)) + 1)
    }
  }
}
