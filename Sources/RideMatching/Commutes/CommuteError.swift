public import ObjectModel

/// Why a command on a commute is refused. ``reason`` and ``field`` are words for the wire.
public enum CommuteError: Error, Hashable, Sendable {
  /// There is none of that id, or it is a request of another rider.
  case unknown(id: String)
  /// The schedule cannot be: all that is wrong with it.
  case badSchedule([CommuteProblem])
  case cancelled(at: Instant)
  case ended(at: Instant)
  /// Only its host changes it.
  case notHost(actorID: String)
  /// Rides with it already, on other terms, or is its host.
  case alreadyRider(riderID: String)
  /// As many ride with each day as may.
  case tooManyRiders(limit: Int)
  /// A host's commute does not have the field, or a rider's does not.
  case fieldOfOthers(CommuteTripChange.Field)
}

/// One thing that is wrong with a schedule.
public enum CommuteProblem: Hashable, Sendable {
  /// Neither a weekday nor an added date.
  case noWeekday
  /// No zone has this name.
  case unknownTimeZone(String)
  /// No calendar has this name.
  case unknownCalendar(String)
  /// The calendar knows no holidays of all the dates.
  case outsideCalendar(field: String, name: String, from: CivilDate, through: CivilDate)
  case endsBeforeItStarts(from: CivilDate, through: CivilDate)
  /// The last date is over.
  case isOver(through: CivilDate)
  /// More days from the first date to the last than are allowed.
  case tooLong(days: Int, limit: Int)
  /// So many days ahead nothing begins.
  case startsTooLate(from: CivilDate, limit: Int)
  /// An added or a removed date outside the first and the last.
  case dateOutside(field: String, date: CivilDate)
  /// Both added and removed.
  case addedAndRemoved(CivilDate)
  /// More added, or removed, dates than are allowed.
  case tooManyDates(field: String, count: Int, limit: Int)
  /// No date from now on runs.
  case nothingRuns
}

extension CommuteProblem {
  /// One word a cause, as in the error table.
  public var reason: String {
    switch self {
    case .noWeekday: "bad_weekday"
    case .unknownTimeZone: "bad_time_zone"
    case .unknownCalendar: "unknown_calendar"
    case .tooManyDates: "quota_exceeded"
    case .outsideCalendar, .endsBeforeItStarts, .isOver, .tooLong, .startsTooLate, .dateOutside,
      .addedAndRemoved, .nothingRuns:
      "bad_date"
    }
  }

  /// The field of the request.
  public var field: String {
    switch self {
    case .noWeekday: "weekdays"
    case .unknownTimeZone: "timeZone"
    case .unknownCalendar: "holidays"
    case .endsBeforeItStarts, .isOver, .tooLong, .nothingRuns: "to"
    case .startsTooLate: "from"
    case .addedAndRemoved: "removed"
    case .outsideCalendar(let field, _, _, _), .dateOutside(let field, _),
      .tooManyDates(let field, _, _):
      field
    }
  }

  /// What is wrong, as a sentence.
  public var message: String {
    switch self {
    case .noWeekday: "name a weekday (MON to SUN) or an added date"
    case .unknownTimeZone(let name):
      "there is no time zone \"\(name.prefix(64))\": use an IANA name such as Asia/Seoul"
    case .unknownCalendar(let name): "there is no calendar of holidays \"\(name.prefix(64))\""
    case .outsideCalendar(_, let name, let from, let through):
      "the calendar \(name) knows the holidays of \(from.isoText) to \(through.isoText)"
    case .endsBeforeItStarts(let from, let through):
      "the last date, \(through.isoText), is before the first, \(from.isoText)"
    case .isOver(let through): "the last date, \(through.isoText), is over"
    case .tooLong(let days, let limit): "a commute spans at most \(limit) days; got \(days)"
    case .startsTooLate(let from, let limit):
      "a commute begins at most \(limit) days from now; got \(from.isoText)"
    case .dateOutside(let field, let date):
      "the \(field) date \(date.isoText) lies outside the first and the last date"
    case .addedAndRemoved(let date): "\(date.isoText) is both added and removed"
    case .tooManyDates(let field, let count, let limit):
      "at most \(limit) \(field) dates; got \(count)"
    case .nothingRuns: "no date from now on runs"
    }
  }
}

extension CommuteError {
  /// One word a cause, as in the error table; of a bad schedule that of the first problem.
  public var reason: String {
    switch self {
    case .unknown: "unknown_commute"
    case .badSchedule(let problems): problems.first?.reason ?? "bad_date"
    case .cancelled: "commute_cancelled"
    case .ended: "commute_ended"
    case .notHost: "not_host"
    case .alreadyRider: "already_member"
    case .tooManyRiders: "quota_exceeded"
    case .fieldOfOthers: "conflicting_fields"
    }
  }

  /// The offending field of the request, where there is one.
  public var field: String? {
    switch self {
    case .badSchedule(let problems): problems.first?.field
    case .tooManyRiders: "riders"
    case .fieldOfOthers(let field): field.rawValue
    case .unknown, .cancelled, .ended, .notHost, .alreadyRider: nil
    }
  }

  /// What happened, as a sentence; names no other rider.
  public var message: String {
    switch self {
    case .unknown(let id): "there is no commute \(id)"
    case .badSchedule(let problems): problems.map(\.message).joined(separator: "; ")
    case .cancelled: "the commute was cancelled"
    case .ended: "the commute is over"
    case .notHost: "only who made the commute changes it"
    case .alreadyRider: "rides with it already, or is its host"
    case .tooManyRiders(let limit): "at most \(limit) riders join each day of a commute"
    case .fieldOfOthers(let field):
      "\(field.rawValue) is of a \(field.owner == .host ? "host" : "rider")'s commute"
    }
  }
}
