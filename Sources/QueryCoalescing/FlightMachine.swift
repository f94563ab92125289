public import Threading

/// The rules of ``SingleFlight`` without threads, tasks or clocks.
///
/// ```
///             arrive: no flight            finish
///    (none) ------------------> running -------------> (none), or the pending one starts
///                                 |  ^
///   arrive: it has read too       |  | the running one ends
///   early for this caller         v  |
///                               pending      joined by all later arrivals: it reads after them
/// ```
/// A key therefore has at most one computation running and one waiting to run. A flight that loses
/// its last waiter is cancelled and can no longer be joined.
///
/// `Waiter` and `Work` are opaque: the machine hands them back when something is to be done.
public struct FlightMachine<Key: Hashable, Waiter, Work> {
  @usableFromInline
  struct Flight {
    @usableFromInline let id: UInt64
    @usableFromInline let work: Work
    @usableFromInline let isBackground: Bool
    @usableFromInline let marksReading: Bool
    @usableFromInline var startedAt: Nanoseconds
    @usableFromInline var reading: Reading?
    /// The caller who began the flight, until it leaves. Its waiter is `nil` while it does not
    /// wait.
    @usableFromInline var leader: (id: UInt64, waiter: Waiter?)?
    @usableFromInline var others: [(id: UInt64, waiter: Waiter)] = []

    @inlinable
    init(
      id: UInt64, work: Work, isBackground: Bool, marksReading: Bool, startedAt: Nanoseconds,
      reading: Reading?, leader: (id: UInt64, waiter: Waiter?)?
    ) {
      self.id = id
      self.work = work
      self.isBackground = isBackground
      self.marksReading = marksReading
      self.startedAt = startedAt
      self.reading = reading
      self.leader = leader
    }

    @inlinable var waiterCount: Int { others.count + (leader == nil ? 0 : 1) }

    /// Removes a waiter.
    ///
    /// - Returns: Whether it was there.
    @usableFromInline
    mutating func remove(_ waiter: UInt64) -> Bool {
      if leader?.id == waiter {
        leader = nil
        return true
      }
      guard let place = others.firstIndex(where: { $0.id == waiter }) else { return false }
      others.remove(at: place)
      return true
    }
  }

  /// Invariant: a key in the table has a running flight.
  @usableFromInline
  struct Flights {
    @usableFromInline var running: Flight?
    @usableFromInline var pending: Flight?

    @usableFromInline
    enum End { case unknown, last, next }

    @inlinable
    init() {}

    // Changed in place, because the values of the dictionary are large and costly to copy.
    @inlinable
    mutating func attach(_ flight: UInt64, _ waiter: UInt64, _ payload: Waiter) -> Bool {
      guard running?.id == flight, running?.leader?.id == waiter else { return false }
      running?.leader = (waiter, payload)
      return true
    }

    @inlinable
    mutating func end(_ flight: UInt64, _ departure: inout Departure) -> End {
      guard let id = running?.id, id == flight else { return .unknown }
      if let leader = running?.leader { departure.leader = leader.waiter }
      if let others = running?.others, !others.isEmpty {
        departure.others = others.map(\.waiter)
      }
      departure.reading = running?.reading ?? Reading(time: running?.startedAt ?? 0)
      return pending == nil ? .last : .next
    }
  }

  /// The bounds on how many may wait and how many keys may be in flight.
  public let limits: SingleFlightLimits
  @usableFromInline var flights: [Key: Flights] = [:]
  @usableFromInline var nextId: UInt64 = 0
  @usableFromInline var counts = SingleFlightStatistics()

  /// Makes a machine with nothing in flight.
  @inlinable
  public init(limits: SingleFlightLimits = SingleFlightLimits()) { self.limits = limits }

  /// What the machine decides about a caller.
  public enum Arrival {
    /// Nobody works on the answer: the caller starts this work now. It has a place in the flight;
    /// to wait in it, it calls ``attach(_:flight:waiter:_:)``.
    case lead(flight: UInt64, waiter: UInt64, Work)
    /// A running flight will answer.
    case joined(flight: UInt64, waiter: UInt64)
    /// A flight that starts when the running one ends will answer; `isFirst` is `true` for the
    /// caller who caused it.
    case queued(flight: UInt64, waiter: UInt64, isFirst: Bool)
    case refused(SingleFlightError)
  }

  /// What to do after a flight ended or lost its last waiter.
  public struct Departure {
    /// The leader, who is given the result; `nil` after a cancellation.
    public var leader: Waiter?
    /// Everyone else who waited.
    public var others: [Waiter] = []
    /// The reading of the ended flight; the moment at which it started if it never said.
    public var reading = Reading(time: 0)
    /// The work that is to be cancelled.
    public var cancel: Work?
    /// The work that is to be started, of the flight that was pending.
    public var start: Work?

    @inlinable
    init() {}
  }

  /// The number of keys with a flight now.
  public var keyCount: Int { flights.count }
  /// The counts since the start.
  public var statistics: SingleFlightStatistics { counts }

  /// Decides about a caller who asks.
  ///
  /// - Parameters:
  ///   - key: The question.
  ///   - freshness: What the caller accepts.
  ///   - now: The moment of the arrival.
  ///   - marksReading: The work says by ``mark(_:flight:reading:)`` when it reads; otherwise it is
  ///     taken to read as soon as it starts.
  ///   - makeWaiter: Makes a waiter, unless the caller leads or is refused.
  ///   - makeWork: Makes the work of a flight, of which it is given the id.
  /// - Returns: Whether the caller leads, waits or is refused.
  /// - Complexity: O(1) expected.
  @inlinable
  public mutating func arrive(
    _ key: Key, freshness: Freshness, at now: Nanoseconds, marksReading: Bool,
    makeWaiter: () -> Waiter, makeWork: (_ flight: UInt64) -> Work
  ) -> Arrival {
    counts.arrivals &+= 1
    if flights.count >= limits.keys, flights[key] == nil {
      counts.refused &+= 1
      return .refused(.tooManyKeys(limit: limits.keys))
    }
    // Safe: 2^64 callers do not come.
    let waiter = nextId &+ 1
    let id = nextId &+ 2
    nextId &+= 2
    return Self.arrive(
      &flights[key, default: Flights()], freshness: freshness, now: now, marksReading: marksReading,
      ids: (waiter, id), limits: limits,
      statistics: &counts, makeWaiter: makeWaiter, makeWork)
  }

  @inlinable
  static func arrive(
    _ here: inout Flights, freshness: Freshness, now: Nanoseconds, marksReading: Bool,
    ids: (waiter: UInt64, flight: UInt64), limits: SingleFlightLimits,
    statistics: inout SingleFlightStatistics, makeWaiter: () -> Waiter,
    _ makeWork: (UInt64) -> Work
  ) -> Arrival {
    guard let runningId = here.running?.id else {
      statistics.started &+= 1
      let work = makeWork(ids.flight)
      here.running = Flight(
        id: ids.flight, work: work, isBackground: false, marksReading: marksReading,
        startedAt: now, reading: marksReading ? nil : Reading(time: now),
        leader: (ids.waiter, nil))
      return .lead(flight: ids.flight, waiter: ids.waiter, work)
    }
    let waiters = (here.running?.waiterCount ?? 0) + (here.pending?.waiterCount ?? 0)
    guard waiters < limits.waitersPerKey else {
      statistics.refused &+= 1
      return .refused(.tooManyWaiters(limit: limits.waitersPerKey))
    }
    if here.running?.reading.map({ freshness.accepts($0, at: now) }) ?? true {
      statistics.joined &+= 1
      here.running?.others.append((ids.waiter, makeWaiter()))
      return .joined(flight: runningId, waiter: ids.waiter)
    }
    if let pending = here.pending {
      statistics.joined &+= 1
      here.pending?.others.append((ids.waiter, makeWaiter()))
      return .queued(flight: pending.id, waiter: ids.waiter, isFirst: false)
    }
    here.pending = Flight(
      id: ids.flight, work: makeWork(ids.flight), isBackground: false, marksReading: marksReading,
      startedAt: now, reading: nil, leader: (ids.waiter, makeWaiter()))
    return .queued(flight: ids.flight, waiter: ids.waiter, isFirst: true)
  }

  /// Lets the leader wait, whose work did not end at once.
  ///
  /// - Returns: `false` when the flight has ended meanwhile.
  @inlinable
  public mutating func attach(
    _ key: Key, flight: UInt64, waiter: UInt64, _ payload: Waiter
  ) -> Bool {
    guard let index = flights.index(forKey: key) else { return false }
    return flights.values[index].attach(flight, waiter, payload)
  }

  /// Begins a flight that renews a cached answer for nobody in particular; it is never cancelled.
  ///
  /// - Returns: `nil` if there is a flight for the key or there is no room.
  public mutating func refresh(
    _ key: Key, at now: Nanoseconds, marksReading: Bool, makeWork: (_ flight: UInt64) -> Work
  ) -> Work? {
    guard flights[key] == nil, flights.count < limits.keys else { return nil }
    counts.started += 1
    nextId += 1
    let work = makeWork(nextId)
    var here = Flights()
    here.running = Flight(
      id: nextId, work: work, isBackground: true, marksReading: marksReading, startedAt: now,
      reading: marksReading ? nil : Reading(time: now), leader: nil)
    flights[key] = here
    return work
  }

  /// Sets the reading of a flight whose work is about to read, or knows the least that it will have
  /// read.
  public mutating func mark(_ key: Key, flight: UInt64, reading: Reading) {
    guard let index = flights.index(forKey: key), flights.values[index].running?.id == flight
    else { return }
    flights.values[index].running?.reading = reading
  }

  /// Returns the reading of a running flight, if it has one.
  public func reading(_ key: Key, flight: UInt64) -> Reading? {
    guard let running = flights[key]?.running, running.id == flight else { return nil }
    return running.reading
  }

  /// Ends a flight whose work ended, with or without an error. It returns `nil` when the flight was
  /// cancelled before. `now` is called only if another flight starts.
  @inlinable
  public mutating func finish(
    _ key: Key, flight: UInt64, failed: Bool, now: () -> Nanoseconds
  ) -> Departure? {
    guard let index = flights.index(forKey: key) else { return nil }
    var departure = Departure()
    switch flights.values[index].end(flight, &departure) {
    case .unknown: return nil
    case .last: flights.remove(at: index)
    case .next: departure.start = startPending(index, at: now())
    }
    if failed { counts.failed &+= 1 }
    return departure
  }

  /// Removes a waiter at its deadline or cancellation. It returns `nil` when the waiter has been
  /// answered already.
  ///
  /// - Complexity: O(waiters of the flight).
  public mutating func leave(
    _ key: Key, flight: UInt64, waiter: UInt64, at now: Nanoseconds
  ) -> Departure? {
    guard let index = flights.index(forKey: key) else { return nil }
    if flights.values[index].pending?.id == flight {
      guard flights.values[index].pending?.remove(waiter) == true else { return nil }
      counts.left += 1
      if flights.values[index].pending?.waiterCount == 0 { flights.values[index].pending = nil }
      return Departure()
    }
    guard flights.values[index].running?.id == flight,
      flights.values[index].running?.remove(waiter) == true
    else { return nil }
    counts.left += 1
    var departure = Departure()
    guard let rest = flights.values[index].running, rest.waiterCount == 0, !rest.isBackground
    else { return departure }
    counts.cancelled += 1
    departure.cancel = rest.work
    if flights.values[index].pending == nil {
      flights.remove(at: index)
    } else {
      departure.start = startPending(index, at: now)
    }
    return departure
  }

  @usableFromInline
  mutating func startPending(
    _ index: Dictionary<Key, Flights>.Index, at now: Nanoseconds
  ) -> Work? {
    guard var flight = flights.values[index].pending else { return nil }
    counts.started += 1
    flight.startedAt = now
    if !flight.marksReading { flight.reading = Reading(time: now) }
    flights.values[index].pending = nil
    flights.values[index].running = flight
    return flight.work
  }
}

/// The bounds beyond which a single flight refuses callers.
public struct SingleFlightLimits: Hashable, Sendable {
  /// The most callers that wait for one key; more are refused.
  public var waitersPerKey: Int
  /// The most keys that are worked on; more are refused.
  public var keys: Int

  /// Makes limits, both of which are at least 1.
  public init(waitersPerKey: Int = 1_024, keys: Int = 65_536) {
    precondition(waitersPerKey > 0 && keys > 0)
    self.waitersPerKey = waitersPerKey
    self.keys = keys
  }
}

/// The reasons for which a caller got no answer, apart from the work's own errors.
public enum SingleFlightError: Error, Hashable, Sendable {
  /// As many callers as allowed wait for this key.
  case tooManyWaiters(limit: Int)
  /// As many keys as allowed are being worked on.
  case tooManyKeys(limit: Int)
  /// The caller's own deadline passed; the others wait on.
  case deadlineExceeded
}

/// The counts of a single flight since its start.
public struct SingleFlightStatistics: Hashable, Sendable {
  /// The number of callers that came.
  public var arrivals: UInt64 = 0
  /// The number of computations begun.
  public var started: UInt64 = 0
  /// The number of arrivals that caused no computation.
  public var joined: UInt64 = 0
  /// The number of callers refused because too many waited.
  public var refused: UInt64 = 0
  /// The number of waiters that left before the answer.
  public var left: UInt64 = 0
  /// The number of computations cancelled because nobody waited any more.
  public var cancelled: UInt64 = 0
  /// The number of computations that threw an error.
  public var failed: UInt64 = 0

  /// Makes counts that are all 0.
  @inlinable
  public init() {}
}
