public import ObjectModel

/// The rules of a commute, pure: state, command and `now` in, new state and events out, or a
/// ``CommuteError``.
///
/// A date is decided once: it appears, or is skipped with a reason, and ``Commute/days`` says so until
/// ``Commute/doneBefore`` has passed it. Neither goes back with the clock, so that no date appears twice.
public struct CommuteRules: Sendable {
  /// What the tenant allows.
  public let configuration: CommuteConfiguration
  /// Zones and holidays.
  public let calendars: CommuteCalendars

  /// Makes the rules of one tenant.
  public init(
    configuration: CommuteConfiguration = CommuteConfiguration(), calendars: CommuteCalendars
  ) {
    self.configuration = configuration
    self.calendars = calendars
  }

  // MARK: The owner

  /// Makes a commute; no day has appeared yet.
  ///
  /// - Throws: ``CommuteError/badSchedule(_:)`` with all that is wrong.
  public func create(
    id: String, _ schedule: CommuteSchedule, _ trip: CommuteTrip, now: Instant
  ) throws(CommuteError) -> CommuteChange {
    let offsets = try checked(schedule, now)
    var commute = Commute(
      id: id, version: 1, state: .active, stateSince: now, createdAt: now, schedule: schedule,
      trip: trip, doneBefore: schedule.from)
    pass(&commute, to: now, offsets)
    guard next(commute) != nil else { throw .badSchedule([.nothingRuns]) }
    return CommuteChange(commute, .created, at: now)
  }

  /// Changes what has not appeared. What has appeared stays in ``Commute/days``; see
  /// ``replaceable(_:of:)`` for the days that may be made anew.
  ///
  /// - Throws: ``CommuteError`` where somebody else asks, the commute is over, a field is not of such
  ///   commutes, or the new schedule is none.
  public func update(
    _ command: UpdateCommute, _ commute: Commute, actorID: String?, now: Instant
  ) throws(CommuteError) -> CommuteChange {
    try requireOwner(actorID, commute)
    try requireActive(commute)
    let schedule = command.applied(to: commute.schedule)
    let trip = try command.applied(to: commute.trip)
    if schedule == commute.schedule, trip == commute.trip {
      return CommuteChange(commute, at: now)
    }
    let offsets = try checked(schedule, now)
    var changed = commute
    changed.version += 1
    changed.schedule = schedule
    changed.trip = trip
    pass(&changed, to: now, offsets)
    // A last date that was taken back leaves what has appeared before it.
    guard next(changed) != nil || !changed.days.isEmpty else {
      throw .badSchedule([.nothingRuns])
    }
    return CommuteChange(changed, .updated, at: now)
  }

  /// The days of a commute that have not departed and may be decided anew after an update that includes
  /// them: those that have appeared and would be others now, where nobody has joined, and those that
  /// were skipped.
  ///
  /// - Parameters:
  ///   - before: As it was.
  ///   - commute: After the update.
  ///   - now: Days that have departed by then stay.
  /// - Returns: The days, ascending.
  public func replaceable(
    _ before: Commute, of commute: Commute, now: Instant
  ) -> [CommuteDay] {
    guard let (offsets, holidays) = known(commute) else { return [] }
    let isSame =
      before.trip.timeless == commute.trip.timeless
      && before.schedule.arriveByMinute == commute.schedule.arriveByMinute
    return commute.days.filter { day in
      guard day.departure > now else { return false }
      return day.appearedID == nil || !isSame
        || !commute.schedule.runs(on: day.date, holidays: holidays)
        || commute.schedule.occurrence(on: day.date, offsets).departure != day.departure
    }
  }

  /// Calls it off: no day appears any more. Cancelled already: unchanged.
  ///
  /// - Throws: ``CommuteError`` where somebody else asks, or the commute has ended.
  public func cancel(
    _ commute: Commute, actorID: String?, reason: String, now: Instant
  ) throws(CommuteError) -> CommuteChange {
    try requireOwner(actorID, commute)
    if commute.state == .cancelled { return CommuteChange(commute, at: now) }
    try requireActive(commute)
    var changed = commute
    changed.version += 1
    changed.state = .cancelled
    changed.stateSince = now
    changed.endReason = reason
    return CommuteChange(changed, .cancelled(reason: reason), at: now)
  }

  // MARK: Riders

  /// Joins each day as it appears. On the same terms already: unchanged.
  ///
  /// - Throws: ``CommuteError/unknown(id:)`` for a rider's request, which nobody joins.
  public func join(
    _ join: JoinParty, _ commute: Commute, now: Instant
  ) throws(CommuteError) -> CommuteChange {
    guard case .party(let create) = commute.trip else { throw .unknown(id: commute.id) }
    if let known = commute.riders.first(where: { $0.join.riderID == join.riderID }) {
      guard known.join == join else { throw .alreadyRider(riderID: join.riderID) }
      return CommuteChange(commute, at: now)
    }
    try requireActive(commute)
    guard join.riderID != create.hostID else { throw .alreadyRider(riderID: join.riderID) }
    guard commute.riders.count < configuration.maximumRiders else {
      throw .tooManyRiders(limit: configuration.maximumRiders)
    }
    var changed = commute
    changed.version += 1
    changed.riders.append(CommuteRider(join: join, joinedAt: now))
    return CommuteChange(changed, .joined(riderID: join.riderID), at: now)
  }

  /// Joins no further day. Not with it: unchanged.
  public func leave(riderID: String, _ commute: Commute, now: Instant) -> CommuteChange {
    guard commute.riders.contains(where: { $0.join.riderID == riderID }) else {
      return CommuteChange(commute, at: now)
    }
    var changed = commute
    changed.version += 1
    changed.riders.removeAll { $0.join.riderID == riderID }
    var change = CommuteChange(changed, at: now)
    change.tell(
      .left(riderID: riderID), at: now,
      to: [commute.ownerID] + commute.riders.map(\.join.riderID))
    return change
  }

  // MARK: The clock

  /// The days that shall appear by now and are not decided, ascending.
  public func due(_ commute: Commute, now: Instant) -> [CommuteOccurrence] {
    guard commute.isActive, let (offsets, holidays) = known(commute) else { return [] }
    let horizon = now.advanced(milliseconds: configuration.aheadMilliseconds)
    var found: [CommuteOccurrence] = []
    var date = max(commute.doneBefore, commute.schedule.from)
    while date <= commute.schedule.through {
      let occurrence = commute.schedule.occurrence(on: date, offsets)
      guard occurrence.departure <= horizon else { break }
      if commute.schedule.runs(on: date, holidays: holidays), commute.day(date) == nil {
        found.append(occurrence)
      }
      date = date.adding(days: 1)
    }
    return found
  }

  /// Notes what a date came to; a date that is decided, or no longer due, changes nothing.
  ///
  /// - Parameters:
  ///   - date: One of ``due(_:now:)``.
  ///   - outcome: What it came to.
  ///   - message: Why, where nothing appeared.
  ///   - commute: The newest state.
  ///   - now: When.
  /// - Returns: The commute with the day.
  public func decided(
    _ date: CivilDate, _ outcome: CommuteDay.Outcome, message: String = "", _ commute: Commute,
    now: Instant
  ) -> CommuteChange {
    guard let occurrence = due(commute, now: now).first(where: { $0.date == date }),
      let offsets = calendars.offsets(commute.schedule.timeZone)
    else { return CommuteChange(commute, at: now) }
    let day = CommuteDay(date: date, departure: occurrence.departure, outcome: outcome)
    var changed = commute
    changed.version += 1
    changed.days.append(day)
    changed.days.sort { $0.date < $1.date }
    let today = offsets.date(at: now)
    // Days before today are done with once each that ran is decided.
    if due(changed, now: now).allSatisfy({ $0.date >= today }) { pass(&changed, to: today) }
    if case .appeared = outcome { return CommuteChange(changed, .appeared(day), at: now) }
    return CommuteChange(changed, .skipped(day, message: message), at: now)
  }

  /// The commute without days that an update makes anew; they appear again as they are due.
  public func undecided(_ dates: Set<CivilDate>, _ commute: Commute) -> Commute {
    var changed = commute
    changed.days.removeAll { dates.contains($0.date) }
    return changed
  }

  /// Ends a commute whose last date is over.
  public func tick(_ commute: Commute, now: Instant) -> CommuteChange {
    guard commute.isActive, next(commute) == nil, let end = end(commute), end <= now else {
      return CommuteChange(commute, at: now)
    }
    var changed = commute
    changed.version += 1
    changed.state = .ended
    changed.stateSince = end
    return CommuteChange(changed, .ended, at: now)
  }

  /// When ``due(_:now:)`` or ``tick(_:now:)`` next has something to do; nil: never.
  public func nextTick(_ commute: Commute) -> Instant? {
    guard commute.isActive else { return nil }
    if let next = next(commute) {
      return next.departure.advanced(milliseconds: -configuration.aheadMilliseconds)
    }
    return end(commute)
  }

  /// The first date that is not decided; nil: none is left.
  public func next(_ commute: Commute) -> CommuteOccurrence? { upcoming(commute, limit: 1).first }

  /// The dates that are not decided, ascending.
  public func upcoming(_ commute: Commute, limit: Int) -> [CommuteOccurrence] {
    guard commute.isActive, let (offsets, holidays) = known(commute) else { return [] }
    let found = commute.schedule.occurrences(
      from: commute.doneBefore, offsets: offsets, holidays: holidays,
      limit: limit > Int.max - commute.days.count ? .max : limit + commute.days.count)
    return Array(found.lazy.filter { commute.day($0.date) == nil }.prefix(limit))
  }

  /// When the local day after the last date begins; nil where the zone is not known.
  public func end(_ commute: Commute) -> Instant? {
    calendars.offsets(commute.schedule.timeZone)?
      .moment(of: commute.schedule.through.adding(days: 1), minute: 0).instant
  }

  // MARK: Checks

  private func known(_ commute: Commute) -> (UTCOffsets, HolidayCalendar?)? {
    guard let offsets = calendars.offsets(commute.schedule.timeZone) else { return nil }
    return (offsets, commute.schedule.holidays.flatMap(calendars.holidays))
  }

  /// Dates before today, and today once its departure has passed, are done with.
  private func pass(_ commute: inout Commute, to now: Instant, _ offsets: UTCOffsets) {
    let today = offsets.date(at: now)
    let isOver = commute.schedule.occurrence(on: today, offsets).departure <= now
    pass(&commute, to: isOver && commute.day(today) == nil ? today.adding(days: 1) : today)
  }

  /// Dates before `date` are done with; the last two of them that are decided stay to be seen.
  private func pass(_ commute: inout Commute, to date: CivilDate) {
    commute.doneBefore = max(commute.doneBefore, date)
    let seen = date.adding(days: -2)
    commute.days.removeAll { $0.date < commute.doneBefore && $0.date < seen }
  }

  func requireActive(_ commute: Commute) throws(CommuteError) {
    switch commute.state {
    case .active: return
    case .cancelled: throw .cancelled(at: commute.stateSince)
    case .ended: throw .ended(at: commute.stateSince)
    }
  }

  private func requireOwner(_ actorID: String?, _ commute: Commute) throws(CommuteError) {
    guard let actorID, actorID != commute.ownerID else { return }
    // A rider's request is known to its rider alone.
    if case .request = commute.trip { throw .unknown(id: commute.id) }
    throw .notHost(actorID: actorID)
  }

  private func checked(
    _ schedule: CommuteSchedule, _ now: Instant
  ) throws(CommuteError) -> UTCOffsets {
    let problems = problems(schedule, now: now)
    guard problems.isEmpty, let offsets = calendars.offsets(schedule.timeZone) else {
      throw .badSchedule(problems)
    }
    return offsets
  }

  /// All that is wrong with a schedule.
  public func problems(_ schedule: CommuteSchedule, now: Instant) -> [CommuteProblem] {
    var found: [CommuteProblem] = []
    if schedule.weekdays.isEmpty, schedule.added.isEmpty { found.append(.noWeekday) }
    let offsets = calendars.offsets(schedule.timeZone)
    if offsets == nil { found.append(.unknownTimeZone(schedule.timeZone)) }
    let (from, through) = (schedule.from, schedule.through)
    let days = through.daysSince1970 - from.daysSince1970 + 1
    let today = (offsets ?? UTCOffsets(initialSeconds: 0)).date(at: now)
    if through < from {
      found.append(.endsBeforeItStarts(from: from, through: through))
    } else if through < today {
      found.append(.isOver(through: through))
    } else if days > configuration.maximumDays {
      found.append(.tooLong(days: days, limit: configuration.maximumDays))
    }
    if from > today.adding(days: configuration.maximumDays) {
      found.append(.startsTooLate(from: from, limit: configuration.maximumDays))
    }
    for (field, dates) in [("added", schedule.added), ("removed", schedule.removed)] {
      guard dates.count <= configuration.maximumDates else {
        found.append(
          .tooManyDates(field: field, count: dates.count, limit: configuration.maximumDates))
        continue
      }
      if let date = dates.first(where: { $0 < from || $0 > through }) {
        found.append(.dateOutside(field: field, date: date))
      }
    }
    if let both = schedule.added.first(where: schedule.removed.contains) {
      found.append(.addedAndRemoved(both))
    }
    if let name = schedule.holidays { found += calendarProblems(name, schedule) }
    return found
  }

  private func calendarProblems(_ name: String, _ schedule: CommuteSchedule) -> [CommuteProblem] {
    guard let calendar = calendars.holidays(name) else { return [.unknownCalendar(name)] }
    func outside(_ field: String) -> CommuteProblem {
      .outsideCalendar(
        field: field, name: name, from: calendar.from, through: calendar.through)
    }
    return (schedule.from < calendar.from ? [outside("from")] : [])
      + (schedule.through > calendar.through ? [outside("to")] : [])
  }
}
