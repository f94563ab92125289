public import ObjectModel

/// On which dates a commute runs, and at which local time.
///
/// A date of `from...through` runs when it is one of ``added``, or falls on one of ``weekdays`` and is no
/// holiday; one of ``removed`` does not run.
public struct CommuteSchedule: Hashable, Sendable {
  /// On which it runs, holidays aside.
  public var weekdays: Weekdays
  /// Of the local day as clocks name it, 0 to 1439: the departure in the middle of the window.
  public var minute: Int
  /// Of the local day: the arrival at the latest; the next day's where it is before ``minute``. Nil:
  /// whenever the ride ends.
  public var arriveByMinute: Int?
  /// Its IANA name.
  public var timeZone: String
  /// The first date that may run.
  public var from: CivilDate
  /// The last date that may run, included.
  public var through: CivilDate
  /// Dates that run whatever weekday they are, holidays too; ascending.
  public var added: [CivilDate]
  /// Dates that do not run; ascending.
  public var removed: [CivilDate]
  /// The name of the calendar whose holidays do not run; nil: all weekdays do.
  public var holidays: String?

  /// Makes a schedule; dates are sorted, and each stands once.
  public init(
    weekdays: Weekdays, minute: Int, timeZone: String, from: CivilDate, through: CivilDate,
    added: [CivilDate] = [], removed: [CivilDate] = [], holidays: String? = nil,
    arriveByMinute: Int? = nil
  ) {
    self.arriveByMinute = arriveByMinute
    self.weekdays = weekdays
    self.minute = minute
    self.timeZone = timeZone
    self.from = from
    self.through = through
    self.added = Set(added).sorted()
    self.removed = Set(removed).sorted()
    self.holidays = holidays
  }

  /// When a day's ride must have ended: as long after its departure as the clock says on other days.
  public func arriveBy(departure: Instant) -> Instant? {
    arriveByMinute.map {
      departure.advanced(milliseconds: Int64(($0 - minute + 1440) % 1440) * 60_000)
    }
  }

  /// Whether a date runs. - Parameter holidays: The calendar by that name; nil: there are none.
  public func runs(on date: CivilDate, holidays: HolidayCalendar?) -> Bool {
    guard from <= date, date <= through, !removed.contains(date) else { return false }
    if added.contains(date) { return true }
    return weekdays.contains(isoWeekday: date.isoWeekday) && holidays?.contains(date) != true
  }

  /// The days that run, ascending, each with its departure.
  ///
  /// - Parameters:
  ///   - first: No earlier date than this.
  ///   - offsets: Of the zone.
  ///   - holidays: The calendar by that name; nil: there are none.
  ///   - limit: At most so many.
  /// - Returns: The days, each once.
  /// - Complexity: O(days between the dates).
  public func occurrences(
    from first: CivilDate, offsets: UTCOffsets, holidays: HolidayCalendar?, limit: Int = .max
  ) -> [CommuteOccurrence] {
    var found: [CommuteOccurrence] = []
    var date = max(first, from)
    while date <= through, found.count < limit {
      if runs(on: date, holidays: holidays) { found.append(occurrence(on: date, offsets)) }
      date = date.adding(days: 1)
    }
    return found
  }

  /// A date's departure, whether or not it runs.
  public func occurrence(on date: CivilDate, _ offsets: UTCOffsets) -> CommuteOccurrence {
    let moment = offsets.moment(of: date, minute: minute)
    return CommuteOccurrence(date: date, departure: moment.instant, kind: moment.kind)
  }
}

/// One day of a commute.
public struct CommuteOccurrence: Hashable, Sendable {
  /// In the commute's zone.
  public var date: CivilDate
  /// The departure in the middle of the window.
  public var departure: Instant
  /// Whether clocks show the commute's time once on that day; see ``UTCOffsets/moment(of:minute:)``.
  public var kind: UTCOffsets.LocalMoment.Kind

  /// Puts a day together.
  public init(date: CivilDate, departure: Instant, kind: UTCOffsets.LocalMoment.Kind = .once) {
    self.date = date
    self.departure = departure
    self.kind = kind
  }
}

extension CommuteSchedule {
  /// The local time as `07:45`.
  public var localTimeText: String {
    Self.localTimeText(minute: minute)
  }

  /// A minute of the local day, such as `07:45`.
  public static func localTimeText(minute: Int) -> String {
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }

  /// Reads `07:45`, 24 hours; nil for any other text.
  public static func minute(ofLocalTime text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
    func two(_ at: Int) -> Int? {
      let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
      guard digits.contains(bytes[at]), digits.contains(bytes[at + 1]) else { return nil }
      return Int(bytes[at] - digits.lowerBound) * 10 + Int(bytes[at + 1] - digits.lowerBound)
    }
    guard let hour = two(0), let minute = two(3), hour <= 23, minute <= 59 else { return nil }
    return hour * 60 + minute
  }
}
