public import ObjectModel

/// Changes of a commute; nil and empty stay as they are.
public struct UpdateCommute: Hashable, Sendable {
  /// Nil: as they are.
  public var weekdays: Weekdays?
  /// Of the local day, 0 to 1439.
  public var minute: Int?
  /// The IANA name.
  public var timeZone: String?
  /// The first date.
  public var from: CivilDate?
  /// The last date.
  public var through: CivilDate?
  /// Dates that run from now on, removed ones too.
  public var added: [CivilDate] = []
  /// Dates that no longer run, added ones too.
  public var removed: [CivilDate] = []
  /// Dates that are as their weekday has it again.
  public var restored: [CivilDate] = []
  /// The name of a calendar; empty: none from now on.
  public var holidays: String?
  /// Of the local day, 0 to 1439: the arrival at the latest. Nil in it: none from now on.
  public var arriveByMinute: Int??
  /// What is set of the trip.
  public var trip: CommuteTripChange?
  /// Whether days that have appeared and that nobody has joined are made anew as well.
  public var includesAppeared = false

  /// Changes nothing yet.
  public init() {}

  /// The schedule with these changes. Earlier dates that a new first or last date leaves outside are
  /// dropped.
  public func applied(to schedule: CommuteSchedule) -> CommuteSchedule {
    let moved = Set(added).union(removed).union(restored)
    let (from, through) = (from ?? schedule.from, through ?? schedule.through)
    func stays(_ date: CivilDate) -> Bool {
      !moved.contains(date) && from <= date && date <= through
    }
    return CommuteSchedule(
      weekdays: weekdays ?? schedule.weekdays, minute: minute ?? schedule.minute,
      timeZone: timeZone ?? schedule.timeZone, from: from, through: through,
      added: schedule.added.filter(stays) + added,
      removed: schedule.removed.filter(stays) + removed,
      holidays: holidays.map { $0.isEmpty ? nil : $0 } ?? schedule.holidays,
      arriveByMinute: arriveByMinute ?? schedule.arriveByMinute)
  }

  /// The trip with these changes.
  ///
  /// - Throws: ``CommuteError/fieldOfOthers(_:)`` for a field that such a commute does not have.
  public func applied(to trip: CommuteTrip) throws(CommuteError) -> CommuteTrip {
    guard let change = self.trip else { return trip }
    return try change.applied(to: trip)
  }
}

/// What happened to a commute.
public struct CommuteEvent: Hashable, Sendable {
  /// What it was.
  public enum Detail: Hashable, Sendable {
    case created
    case updated
    case cancelled(reason: String)
    case ended
    case joined(riderID: String)
    case left(riderID: String)
    /// A day's party or request is there.
    case appeared(CommuteDay)
    /// A day comes to nothing.
    case skipped(CommuteDay, message: String)
    /// Somebody who rides with the series does not ride on this day.
    case joinRefused(riderID: String, CommuteDay, reason: String, message: String)
  }

  /// What it was.
  public var detail: Detail
  /// When it happened, by the clock of the command.
  public var at: Instant
  /// Who should hear of it.
  public var userIDs: [String]

  /// The event's name without `commute.` in front.
  public var kind: String {
    switch detail {
    case .created: "created"
    case .updated: "updated"
    case .cancelled: "cancelled"
    case .ended: "ended"
    case .joined: "joined"
    case .left: "left"
    case .appeared: "appeared"
    case .skipped: "skipped"
    case .joinRefused: "join_refused"
    }
  }
}

/// What a rule makes of a command.
public struct CommuteChange: Hashable, Sendable {
  /// The newest state.
  public var commute: Commute
  /// In order; empty where nothing changed.
  public var events: [CommuteEvent]

  /// Whether nothing changed.
  public var unchanged: Bool { events.isEmpty }

  init(_ commute: Commute, _ details: CommuteEvent.Detail..., at now: Instant) {
    self.commute = commute
    events = []
    for detail in details { tell(detail, at: now) }
  }

  /// Adds an event that everybody of the commute should hear of, or some of them.
  public mutating func tell(
    _ detail: CommuteEvent.Detail, at now: Instant, to userIDs: [String]? = nil
  ) {
    let all = [commute.ownerID] + commute.riders.map(\.join.riderID)
    events.append(CommuteEvent(detail: detail, at: now, userIDs: userIDs ?? all))
  }
}
