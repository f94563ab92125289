public import ObjectModel

/// A trip that repeats: of a host, whose party appears anew for each day, or of a rider, whose request
/// does. The newest state, a value; ``CommuteRules`` make a new one of it.
public struct Commute: Hashable, Sendable {
  /// What can still happen to a commute.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Days appear.
    case active
    /// Called off: no day appears any more.
    case cancelled
    /// Its last date is over, by the clock.
    case ended
  }

  /// From the engine's id maker; never used again.
  public var id: String
  /// 1 at creation, one more with each change.
  public var version: UInt64
  /// Whether days still appear.
  public var state: State
  /// When the state last became what it is.
  public var stateSince: Instant
  /// When it was made.
  public var createdAt: Instant
  /// On which dates it runs.
  public var schedule: CommuteSchedule
  /// What appears on each of them.
  public var trip: CommuteTrip
  /// Who joins each day's party as it appears, in the order of joining.
  public var riders: [CommuteRider]
  /// Dates before it are done with: none of them appears any more, wherever the clock stands. It only
  /// grows.
  public var doneBefore: CivilDate
  /// The dates that are decided and not long past, ascending; each once.
  public var days: [CommuteDay]
  /// Why it was cancelled, or nil.
  public var endReason: String?

  /// Puts a commute together from its record.
  public init(
    id: String, version: UInt64, state: State, stateSince: Instant, createdAt: Instant,
    schedule: CommuteSchedule, trip: CommuteTrip, riders: [CommuteRider] = [],
    doneBefore: CivilDate, days: [CommuteDay] = [], endReason: String? = nil
  ) {
    self.id = id
    self.version = version
    self.state = state
    self.stateSince = stateSince
    self.createdAt = createdAt
    self.schedule = schedule
    self.trip = trip
    self.riders = riders
    self.doneBefore = doneBefore
    self.days = days
    self.endReason = endReason
  }

  /// Whose it is: the host, or the rider whose request it is.
  public var ownerID: String {
    switch trip {
    case .party(let create): create.hostID
    case .request(let query, _): query.riderID
    }
  }

  /// The party of a day; nil where the trip is a request.
  public func party(at departure: Instant) -> CreateParty? {
    guard var create = trip.party(at: departure) else { return nil }
    if let latest = schedule.arriveBy(departure: departure) { create.limits.arriveBy = latest }
    return create
  }

  /// The request of a day; nil where the trip is a party.
  public func query(at departure: Instant, now: Instant) -> MatchQuery? {
    guard var query = trip.query(at: departure, now: now) else { return nil }
    if let latest = schedule.arriveBy(departure: departure) { query.wishes.arriveBy = latest }
    return query
  }

  /// Whether days still appear.
  public var isActive: Bool { state == .active }

  /// What is decided of a date; nil: nothing yet.
  public func day(_ date: CivilDate) -> CommuteDay? { days.first { $0.date == date } }
}

/// What a commute makes of a day. Its times are not looked at: each day has its own.
public enum CommuteTrip: Hashable, Sendable {
  /// A party of its host; nobody comes along from the start.
  case party(CreateParty)
  /// A rider's request, and the tags that a party must carry.
  case request(MatchQuery, tags: [String])

  /// How far the departure may be from its time both ways.
  public var toleranceMilliseconds: Int64 {
    get {
      switch self {
      case .party(let create): create.window.toleranceMilliseconds
      case .request(let query, _): query.window.toleranceMilliseconds
      }
    }
    set {
      switch self {
      case .party(var create):
        create.window.toleranceMilliseconds = newValue
        self = .party(create)
      case .request(var query, let tags):
        query.window.toleranceMilliseconds = newValue
        self = .request(query, tags: tags)
      }
    }
  }

  /// The party of a day; nil where the trip is a request.
  public func party(at departure: Instant) -> CreateParty? {
    guard case .party(var create) = self else { return nil }
    create.window.time = departure
    return create
  }

  /// The request of a day; nil where the trip is a party.
  public func query(at departure: Instant, now: Instant) -> MatchQuery? {
    guard case .request(var query, _) = self else { return nil }
    query.window.time = departure
    query.now = now
    return query
  }

  /// The same without its times, for comparing.
  var timeless: CommuteTrip {
    let never = Instant(milliseconds: 0)
    switch self {
    case .party(var create):
      create.window.time = never
      return .party(create)
    case .request(var query, let tags):
      query.window.time = never
      query.now = never
      return .request(query, tags: tags)
    }
  }
}

/// Somebody who joins each day as it appears.
public struct CommuteRider: Hashable, Sendable {
  /// What they join with; without times of its own.
  public var join: JoinParty
  /// When they joined the series.
  public var joinedAt: Instant

  /// Puts a rider together.
  public init(join: JoinParty, joinedAt: Instant) {
    self.join = join
    self.joinedAt = joinedAt
  }
}

/// What became of a date.
public struct CommuteDay: Hashable, Sendable {
  /// What a date came to.
  public enum Outcome: Hashable, Sendable {
    /// The party, or the request, of this id.
    case appeared(id: String)
    /// Nothing appeared; a word of the error table says why.
    case skipped(reason: String)
  }

  /// In the commute's zone.
  public var date: CivilDate
  /// The departure that it was decided for.
  public var departure: Instant
  /// What it came to.
  public var outcome: Outcome

  /// Puts a day together.
  public init(date: CivilDate, departure: Instant, outcome: Outcome) {
    self.date = date
    self.departure = departure
    self.outcome = outcome
  }

  /// The party or request of the day; nil where nothing appeared.
  public var appearedID: String? {
    if case .appeared(let id) = outcome { id } else { nil }
  }
}
