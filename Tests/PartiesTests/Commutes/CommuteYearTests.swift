import Foundation
import GeoMath
import ObjectModel
import RideMatching
import Testing

@testable import Parties

/// A year of commutes against another calendar: Foundation's, which knows months, weekdays and clock
/// changes by itself.
struct CommuteYearTests {
  static let calendars: [HolidayCalendar] = {
    var url = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    for _ in 0..<4 { url.deleteLastPathComponent() }
    do {
      return try HolidayCalendarDocument.load(directories: [url.path + "/data/calendars"])
    } catch {
      preconditionFailure("shipped calendars do not load: \(error)")
    }
  }()

  /// What Foundation says of a day at a local time: the first moment at which clocks show it, or where
  /// none does, that which is as far after the last one before the gap as the clock time says.
  private static func departure(
    _ calendar: Calendar, _ day: Date, minute: Int
  ) throws -> (Date, UTCOffsets.LocalMoment.Kind) {
    // Noon is on the day in every zone that this test looks at.
    let midnight = calendar.startOfDay(for: day)
    func shows(_ at: Date) -> Bool {
      let parts = calendar.dateComponents([.day, .hour, .minute, .second], from: at)
      return parts.hour == minute / 60 && parts.minute == minute % 60 && parts.second == 0
        && parts.day == calendar.component(.day, from: day)
    }
    let found = (0..<104).map { midnight.addingTimeInterval(Double($0) * 900) }.filter(shows)
    if let first = found.first { return (first, found.count > 1 ? .repeated : .once) }
    return (midnight.addingTimeInterval(Double(minute) * 60), .skipped)
  }

  @Test(
    arguments: [
      ("America/New_York", "us-federal", [2 * 60 + 30, 60 + 30, 7 * 60 + 45]),
      ("Asia/Seoul", "kr-public", [2 * 60 + 30, 7 * 60 + 45]),
      ("Europe/Berlin", "kr-public", [2 * 60 + 30, 0]),
      ("Australia/Lord_Howe", "us-federal", [2 * 60 + 15, 60 + 45]),
    ])
  func everyDayOfAYearIsWhereAnotherCalendarHasIt(
    zone: String, holidays: String, minutes: [Int]
  ) throws {
    let offsets = try #require(TimeZoneTables.shared.offsets(zone))
    let known = try #require(Self.calendars.first { $0.name == holidays })
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    let free = try Self.holidays(holidays)
    for minute in minutes {
      let schedule = CommuteSchedule(
        weekdays: Weekdays.all.subtracting(Weekdays(word: "SAT") ?? []), minute: minute,
        timeZone: zone,
        from: CommuteFixture.date("2026-11-25"), through: CommuteFixture.date("2027-11-24"),
        added: [CommuteFixture.date("2027-03-13"), CommuteFixture.date("2026-12-25")],
        removed: [CommuteFixture.date("2027-06-01")], holidays: holidays)
      var expected: [CommuteOccurrence] = []
      var day = try #require(
        calendar.date(from: DateComponents(year: 2026, month: 11, day: 25, hour: 12)))
      for _ in 0..<365 {
        let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: day)
        let text = String(
          format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
        // 7 is Saturday.
        let isWorkday = parts.weekday != 7 && !free.contains(text)
        if text != "2027-06-01",
          isWorkday || ["2027-03-13", "2026-12-25"].contains(text)
        {
          let (at, kind) = try Self.departure(calendar, day, minute: minute)
          expected.append(
            CommuteOccurrence(
              date: CommuteFixture.date(text),
              departure: Instant(seconds: Int64(at.timeIntervalSince1970)), kind: kind))
        }
        day = try #require(calendar.date(byAdding: .day, value: 1, to: day))
      }
      let found = schedule.occurrences(
        from: schedule.from, offsets: offsets, holidays: known)
      #expect(found == expected)
      #expect((295...312).contains(found.count))
    }
  }

  /// The file's dates as text, read by another reader.
  private static func holidays(_ name: String) throws -> Set<String> {
    var url = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    for _ in 0..<4 { url.deleteLastPathComponent() }
    url.appendPathComponent("data/calendars/\(name).json")
    let tree = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
    let days = try #require(tree?["holidays"] as? [[String: String]])
    return Set(days.compactMap { $0["date"] })
  }

  @Test func bothClockChangesOfTheYearAreMet() throws {
    let offsets = try #require(TimeZoneTables.shared.offsets("America/New_York"))
    func kind(_ date: String, _ minute: Int) -> UTCOffsets.LocalMoment.Kind {
      offsets.moment(of: CommuteFixture.date(date), minute: minute).kind
    }
    #expect(kind("2027-03-14", 150) == .skipped)
    #expect(kind("2027-11-07", 90) == .repeated)
    #expect(kind("2027-11-07", 150) == .once)
  }

  /// Zones also move for good: Kazakhstan in 2024, which is no daylight-saving change.
  @Test func aZoneThatMovedForGoodIsReadWhole() throws {
    let almaty = try #require(TimeZoneTables.shared.offsets("Asia/Almaty"))
    #expect(almaty.seconds(at: Instant(seconds: 1_700_000_000)) == 6 * 3600)
    let zone = try #require(TimeZone(identifier: "Asia/Almaty"))
    let now = Instant(seconds: 1_795_575_600)
    #expect(
      almaty.seconds(at: now)
        == zone.secondsFromGMT(for: Date(timeIntervalSince1970: 1_795_575_600)))
  }

  @Test func whatIsNoZoneIsNone() {
    for name in [
      "", "Seoul", "KST", "GMT+9", "+09:00", "Asia/Atlantis", "../etc/passwd", "Asia/Seoul\n",
      "Asia/" + String(repeating: "x", count: 100),
    ] {
      #expect(TimeZoneTables.shared.offsets(name) == nil, "\(name)")
    }
    #expect(TimeZoneTables.shared.offsets("UTC")?.seconds(at: Instant(seconds: 0)) == 0)
  }

  @Test func shippedCalendarsKnowWhatTheyShould() throws {
    #expect(Self.calendars.map(\.name).sorted() == ["kr-public", "us-federal"])
    let korea = try #require(Self.calendars.first { $0.name == "kr-public" })
    // Seollal of 2027 falls on a Sunday: the Tuesday after it is free as well.
    for date in ["2027-02-06", "2027-02-07", "2027-02-08", "2027-02-09", "2026-12-25"] {
      #expect(korea.contains(CommuteFixture.date(date)), "\(date)")
    }
    #expect(!korea.contains(CommuteFixture.date("2027-02-10")))
  }

  @Test(
    arguments: [
      ("\"from\": \"2026-01-01\"", "\"from\": \"2027-01-01\"", "through"),
      ("2026-05-05", "2027-05-05", "holidays[0].date"),
      ("\"source\": \"law\"", "\"source\": \"\"", "source"),
      ("\"licence\": \"none\"", "\"licence\": \"\"", "licence"),
      ("\"name\": \"xx\"", "\"name\": \"X X\"", "name"),
      ("2026-05-05", "2026-02-30", "holidays[0].date"),
    ])
  func aWrongCalendarFileIsNamed(from: String, to: String, path: String) throws {
    let good = """
      {"name": "xx", "title": "t", "source": "law", "licence": "none", "from": "2026-01-01",
       "through": "2026-12-31", "holidays": [{"date": "2026-05-05", "name": "n"}]}
      """
    #expect(try HolidayCalendarDocument.read(Data(good.utf8), file: "f").count == 1)
    let bad = good.replacingOccurrences(of: from, with: to)
    #expect {
      _ = try HolidayCalendarDocument.read(Data(bad.utf8), file: "f")
    } throws: { "\($0)".contains(path) }
  }
}
