import GeoMath
import ObjectModel
import RideMatching
import Testing

/// The rules of commutes: which days run, which are due, and that each is decided once.
struct CommuteRulesTests {
  static let seoul = UTCOffsets(initialSeconds: 9 * 3600)
  static let calendar = HolidayCalendar(
    name: "test", from: date("2026-01-01"), through: date("2027-12-31"), source: "made up",
    dates: [date("2026-12-25"), date("2027-01-01")])
  static let rules = CommuteRules(
    calendars: CommuteCalendars(offsets: { $0 == "Asia/Seoul" ? seoul : nil }, [calendar]))
  /// Wednesday, 2026-11-25 12:00 in Seoul.
  static let now = Instant(seconds: 1_795_575_600)
  static let hour: Int64 = 3_600_000

  static func date(_ text: String) -> CivilDate {
    guard let date = CivilDate(iso: text) else { preconditionFailure("no date: \(text)") }
    return date
  }

  static let trip = CommuteTrip.party(
    CreateParty(
      hostID: "ann",
      origin: RidePlace(
        coordinate: Coordinate(uncheckedLatitude: 37.5551, longitude: 126.9368)),
      destination: RidePlace(
        coordinate: Coordinate(uncheckedLatitude: 37.4979, longitude: 127.0276)),
      window: DepartureWindow(time: now)))

  static func schedule(
    _ change: (inout CommuteSchedule) -> Void = { _ in }
  ) -> CommuteSchedule {
    var schedule = CommuteSchedule(
      weekdays: .workdays, minute: 7 * 60 + 45, timeZone: "Asia/Seoul", from: date("2026-11-25"),
      through: date("2027-03-31"), holidays: "test")
    change(&schedule)
    return schedule
  }

  static func commute(
    _ change: (inout CommuteSchedule) -> Void = { _ in }
  ) throws -> Commute {
    try rules.create(id: "c", schedule(change), trip, now: now).commute
  }

  @Test func weekdaysHolidaysAddedAndRemovedDatesDecideWhatRuns() {
    let schedule = Self.schedule {
      $0.added = [Self.date("2026-12-25"), Self.date("2026-12-26")]
      $0.removed = [Self.date("2026-12-28"), Self.date("2027-01-02")]
    }
    func runs(_ text: String) -> Bool {
      schedule.runs(on: Self.date(text), holidays: Self.calendar)
    }
    #expect(runs("2026-12-24"))
    #expect(runs("2026-12-25"), "added although a holiday")
    #expect(runs("2026-12-26"), "added although a Saturday")
    #expect(!runs("2026-12-27"))
    #expect(!runs("2026-12-28"), "removed although a Monday")
    #expect(!runs("2027-01-01"), "a holiday")
    #expect(!runs("2026-11-24"), "before the first date")
    #expect(runs("2027-03-31"))
    #expect(!runs("2027-04-01"), "after the last date")
  }

  @Test func allThatIsWrongWithAScheduleIsTold() {
    let schedule = Self.schedule {
      $0.weekdays = []
      $0.timeZone = "Asia/Atlantis"
      $0.through = Self.date("2029-01-01")
      $0.holidays = "nowhere"
      $0.removed = [Self.date("2026-01-01")]
    }
    #expect(
      Self.rules.problems(schedule, now: Self.now).map { "\($0.field) \($0.reason)" } == [
        "weekdays bad_weekday", "timeZone bad_time_zone", "to bad_date", "removed bad_date",
        "holidays unknown_calendar",
      ])
    #expect(Self.rules.problems(Self.schedule(), now: Self.now) == [])
  }

  @Test(
    arguments: [
      ["2026-11-25", "2026-11-24", "", "", "to"], ["2026-01-05", "2026-11-24", "", "", "to"],
      ["2026-12-01", "2026-11-30", "", "", "to"], ["2027-12-01", "2027-12-31", "", "", "from"],
      ["2026-11-25", "2027-03-31", "2027-04-01", "", "added"],
      ["2026-11-25", "2027-03-31", "", "2026-11-24", "removed"],
      ["2026-11-25", "2027-03-31", "2026-12-26", "2026-12-26", "removed"],
      ["2027-06-01", "2028-01-01", "", "", "to"], ["2025-12-31", "2026-12-30", "", "", "from"],
    ])
  func aWrongDateIsRefusedByItsField(_ words: [String]) {
    let schedule = Self.schedule {
      ($0.from, $0.through) = (Self.date(words[0]), Self.date(words[1]))
      $0.added = words[2].isEmpty ? [] : [Self.date(words[2])]
      $0.removed = words[3].isEmpty ? [] : [Self.date(words[3])]
    }
    #expect {
      _ = try Self.rules.create(id: "c", schedule, Self.trip, now: Self.now)
    } throws: { error in
      (error as? CommuteError)?.field == words[4] && (error as? CommuteError)?.reason == "bad_date"
    }
  }

  @Test func moreDatesThanAllowedAreRefused() {
    let first = Self.date("2026-11-25").daysSince1970
    let many = Self.schedule {
      $0.removed = (0...100).map { CivilDate(daysSince1970: first + $0) }
    }
    #expect(
      Self.rules.problems(many, now: Self.now) == [
        .tooManyDates(field: "removed", count: 101, limit: 100)
      ])
  }

  @Test func aScheduleOfNoDayIsRefused() {
    #expect(throws: CommuteError.badSchedule([.nothingRuns])) {
      try Self.rules.create(
        id: "c", Self.schedule { $0.through = Self.date("2026-11-25") }, Self.trip, now: Self.now)
    }
  }

  @Test func todayWhoseTimeHasPassedIsNotDue() throws {
    let commute = try Self.commute()
    // At noon 07:45 is over; 48 hours ahead reach to Friday noon.
    #expect(
      Self.rules.due(commute, now: Self.now).map(\.date.isoText) == ["2026-11-26", "2026-11-27"])
    #expect(
      Self.rules.nextTick(commute)
        == Instant(seconds: 1_795_575_600 - 12 * 3600 + 7 * 3600 + 45 * 60 + 86_400 - 2 * 86_400))
  }

  @Test func aDateIsDecidedOnceWhereverTheClockStands() throws {
    var commute = try Self.commute()
    let first = Self.date("2026-11-26")
    let change = Self.rules.decided(first, .appeared(id: "p"), commute, now: Self.now)
    #expect(change.events.map(\.kind) == ["appeared"])
    commute = change.commute
    #expect(commute.version == 2)
    for shift in [0, 24, -24, -24 * 400] as [Int64] {
      let now = Self.now.advanced(milliseconds: shift * Self.hour)
      #expect(Self.rules.decided(first, .appeared(id: "q"), commute, now: now).unchanged)
      #expect(!Self.rules.due(commute, now: now).contains { $0.date == first })
    }
    // Weeks later it is forgotten, and stays done with when the clock goes back.
    var now = Self.now
    for _ in 0..<30 {
      now = now.advanced(milliseconds: 24 * Self.hour)
      for due in Self.rules.due(commute, now: now) {
        commute =
          Self.rules.decided(due.date, .appeared(id: due.date.isoText), commute, now: now)
          .commute
      }
    }
    #expect(commute.day(first) == nil)
    #expect(commute.days.count < 8)
    #expect(commute.doneBefore == Self.date("2026-12-22"))
    #expect(Self.rules.due(commute, now: Self.now) == [])
  }

  @Test func daysThatWereMissedAreDecidedBeforeTheyAreDoneWith() throws {
    var commute = try Self.commute()
    // Nobody looked for a week.
    let now = Self.now.advanced(milliseconds: 7 * 24 * Self.hour)
    let due = Self.rules.due(commute, now: now)
    #expect(due.count == 7)
    for day in due {
      commute =
        Self.rules.decided(
          day.date, .skipped(reason: "departure_in_past"), message: "late", commute, now: now
        ).commute
    }
    #expect(commute.doneBefore == Self.date("2026-12-02"))
    #expect(Self.rules.due(commute, now: now) == [])
    #expect(Self.rules.next(commute)?.date == Self.date("2026-12-07"))
  }

  @Test func anUpdateMovesDatesBetweenTheLists() throws {
    let commute = try Self.commute {
      $0.added = [Self.date("2026-12-26")]
      $0.removed = [Self.date("2026-12-01")]
    }
    var update = UpdateCommute()
    update.added = [Self.date("2026-12-01")]
    update.removed = [Self.date("2026-12-26"), Self.date("2026-12-02")]
    update.minute = 480
    let changed = try Self.rules.update(update, commute, actorID: "ann", now: Self.now).commute
    #expect(changed.schedule.added == [Self.date("2026-12-01")])
    #expect(changed.schedule.removed == [Self.date("2026-12-02"), Self.date("2026-12-26")])
    #expect(changed.schedule.localTimeText == "08:00")
    // Asked again, nothing changes.
    #expect(try Self.rules.update(update, changed, actorID: "ann", now: Self.now).unchanged)
    var restore = UpdateCommute()
    restore.restored = [Self.date("2026-12-01"), Self.date("2026-12-26")]
    restore.through = Self.date("2026-12-31")
    restore.arriveByMinute = 9 * 60
    let restored = try Self.rules.update(restore, changed, actorID: nil, now: Self.now).commute
    #expect(restored.schedule.arriveByMinute == 9 * 60)
    var whenever = UpdateCommute()
    whenever.arriveByMinute = .some(nil)
    #expect(
      try Self.rules.update(whenever, restored, actorID: nil, now: Self.now).commute.schedule
        .arriveByMinute == nil)
    #expect(restored.schedule.added == [])
    #expect(restored.schedule.removed == [Self.date("2026-12-02")])
    #expect(throws: CommuteError.notHost(actorID: "eve")) {
      try Self.rules.update(update, commute, actorID: "eve", now: Self.now)
    }
  }

  @Test func onlyDaysThatWouldBeOthersAreReplaceable() throws {
    var commute = try Self.commute()
    for due in Self.rules.due(commute, now: Self.now) {
      commute =
        Self.rules.decided(due.date, .appeared(id: due.date.isoText), commute, now: Self.now)
        .commute
    }
    func replaceable(_ update: UpdateCommute, now: Instant = Self.now) throws -> [String] {
      let changed = try Self.rules.update(update, commute, actorID: nil, now: now).commute
      return Self.rules.replaceable(commute, of: changed, now: now).map(\.date.isoText)
    }
    var removed = UpdateCommute()
    removed.removed = [Self.date("2026-11-27")]
    #expect(try replaceable(removed) == ["2026-11-27"])
    var later = UpdateCommute()
    later.minute = 480
    #expect(try replaceable(later) == ["2026-11-26", "2026-11-27"])
    // What has departed stays.
    #expect(
      try replaceable(later, now: Self.now.advanced(milliseconds: 24 * Self.hour))
        == ["2026-11-27"])
    var longer = UpdateCommute()
    longer.through = Self.date("2027-04-30")
    #expect(try replaceable(longer) == [])
    guard case .party(var create) = Self.trip else { preconditionFailure("a host's") }
    create.seats = 3
    var smaller = UpdateCommute()
    smaller.trip = CommuteTripChange(
      [.seats], party: create,
      query: MatchQuery(
        riderID: "-", origin: create.origin.coordinate, destination: create.destination,
        window: create.window, now: Self.now), queryTags: [])
    #expect(try replaceable(smaller).count == 2)
    var sooner = UpdateCommute()
    sooner.arriveByMinute = 9 * 60
    #expect(try replaceable(sooner).count == 2)
  }

  @Test func ridersJoinOnceAndAsManyAsMay() throws {
    var configuration = CommuteConfiguration()
    configuration.maximumRiders = 2
    let rules = CommuteRules(configuration: configuration, calendars: Self.rules.calendars)
    var commute = try Self.commute()
    func join(_ id: String, seats: Int? = nil) throws -> CommuteChange {
      try rules.join(JoinParty(riderID: id, seats: seats), commute, now: Self.now)
    }
    #expect(throws: CommuteError.alreadyRider(riderID: "ann")) { try join("ann") }
    commute = try join("ben").commute
    #expect(try join("ben").unchanged)
    #expect(throws: CommuteError.alreadyRider(riderID: "ben")) { try join("ben", seats: 2) }
    commute = try join("carl").commute
    #expect(throws: CommuteError.tooManyRiders(limit: 2)) { try join("dora") }
    let left = rules.leave(riderID: "ben", commute, now: Self.now)
    #expect(left.events.first?.userIDs == ["ann", "ben", "carl"])
    #expect(left.commute.riders.map(\.join.riderID) == ["carl"])
    #expect(rules.leave(riderID: "ben", left.commute, now: Self.now).unchanged)
  }

  @Test func aCommuteEndsAfterItsLastDateAndNotBefore() throws {
    var commute = try Self.commute { $0.through = Self.date("2026-11-26") }
    commute =
      Self.rules.decided(
        Self.date("2026-11-26"), .appeared(id: "p"), commute, now: Self.now
      ).commute
    // 2026-11-27 00:00 in Seoul.
    let end = Self.now.advanced(milliseconds: 36 * Self.hour)
    #expect(Self.rules.nextTick(commute) == end)
    #expect(Self.rules.tick(commute, now: end.advanced(milliseconds: -1)).unchanged)
    let ended = Self.rules.tick(commute, now: end).commute
    #expect(ended.state == .ended)
    #expect(Self.rules.nextTick(ended) == nil)
    #expect(throws: CommuteError.ended(at: end)) {
      try Self.rules.cancel(ended, actorID: nil, reason: "x", now: end)
    }
  }

  @Test func aRequestIsUnknownToOthers() throws {
    let query = MatchQuery(
      riderID: "ann", origin: Coordinate(uncheckedLatitude: 37.5551, longitude: 126.9368),
      destination: RidePlace(coordinate: Coordinate(uncheckedLatitude: 37.4979, longitude: 127)),
      window: DepartureWindow(time: Self.now), now: Self.now)
    let commute = try Self.rules.create(
      id: "c", Self.schedule(), .request(query, tags: []), now: Self.now
    ).commute
    #expect(throws: CommuteError.unknown(id: "c")) {
      try Self.rules.cancel(commute, actorID: "eve", reason: "x", now: Self.now)
    }
    #expect(throws: CommuteError.unknown(id: "c")) {
      try Self.rules.join(JoinParty(riderID: "ben"), commute, now: Self.now)
    }
  }

  @Test func localTimesAreReadAndPrinted() {
    #expect(CommuteSchedule.minute(ofLocalTime: "00:00") == 0)
    #expect(CommuteSchedule.minute(ofLocalTime: "23:59") == 1439)
    for text in ["24:00", "7:45", "07:60", "0745", "07:45:00", "ab:cd", ""] {
      #expect(CommuteSchedule.minute(ofLocalTime: text) == nil, "\(text)")
    }
    #expect(Weekdays(word: "MON") == Weekdays(rawValue: 1))
    #expect(Weekdays(word: "Mon") == nil)
    #expect(Weekdays.workdays.words == ["MON", "TUE", "WED", "THU", "FRI"])
  }
}
