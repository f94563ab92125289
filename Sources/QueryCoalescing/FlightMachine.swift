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
/// So a key has at most one computation running and one waiting to run. A flight that loses its
/// last waiter is cancelled and can no longer be joined.
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
    /// The one who caused the flight, while it has not left; `nil` inside: not waiting yet.
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

    /// Takes a waiter out. - Returns: whether it was there.
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

    // In place: what stands in a dictionary is large and costly to copy.
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

  /// How many may wait and how many keys may be in flight.
  public let limits: SingleFlightLimits
  @usableFromInline var flights: [Key: Flights] = [:]
  @usableFromInline var nextId: UInt64 = 0
  @usableFromInline var counts = SingleFlightStatistics()

  /// Makes a machine with nothing in flight.
  @inlinable
  public init(limits: SingleFlightLimits = SingleFlightLimits()) { self.limits = limits }

  /// What becomes of a caller.
  public enum Arrival {
    /// Nobody is at it: start this work now. The caller has a place in the flight; to wait in it
    /// it calls ``attach(_:flight:waiter:_:)``.
    case lead(flight: UInt64, waiter: UInt64, Work)
    /// A running flight will answer.
    case joined(flight: UInt64, waiter: UInt64)
    /// A flight that starts when the running one ends will answer; `isFirst` for who caused it.
    case queued(flight: UInt64, waiter: UInt64, isFirst: Bool)
    case refused(SingleFlightError)
  }

  /// What to do after a flight ended or lost its last waiter.
  public struct Departure {
    /// To be given the result; empty after a cancellation.
    public var leader: Waiter?
    /// Everyone who waited but the one who led.
    public var others: [Waiter] = []
    /// What the ended flight read; the moment it started if it never said.
    public var reading = Reading(time: 0)
    /// To be cancelled.
    public var cancel: Work?
    /// To be started: the flight that was pending.
    public var start: Work?

    @inlinable
    init() {}
  }

  /// Keys with a flight now.
  public var keyCount: Int { flights.count }
  /// Counts since the start.
  public var statistics: SingleFlightStatistics { counts }

  /// A caller asks.
  ///
  /// - Parameters:
  ///   - key: What is asked.
  ///   - freshness: What the caller accepts.
  ///   - now: The moment of the arrival.
  ///   - marksReading: The work says by ``mark(_:flight:reading:)`` when it reads; otherwise it is
  ///     taken to read as soon as it starts.
  ///   - makeWaiter: Called unless the caller leads or is refused.
  ///   - makeWork: Called only if a flight must begin, with its id.
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

  /// The leader whose work did not end at once begins to wait.
  /// - Returns: `false` when the flight has ended meanwhile.
  @inlinable
  public mutating func attach(
    _ key: Key, flight: UInt64, waiter: UInt64, _ payload: Waiter
  ) -> Bool {
    guard let index = flights.index(forKey: key) else { return false }
    return flights.values[index].attach(flight, waiter, payload)
  }

  /// Begins a flight for nobody in particular, to renew a cached answer; it is never cancelled.
  /// - Returns: `nil` if a flight for the key exists or there is no room.
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

  /// The work is about to read, or knows what it will have read at least.
  public mutating func mark(_ key: Key, flight: UInt64, reading: Reading) {
    guard let index = flights.index(forKey: key), flights.values[index].running?.id == flight
    else { return }
    flights.values[index].running?.reading = reading
  }

  /// The reading a running flight has, if it has one.
  public func reading(_ key: Key, flight: UInt64) -> Reading? {
    guard let running = flights[key]?.running, running.id == flight else { return nil }
    return running.reading
  }

  /// The work ended, well or with an error. `nil` when the flight was cancelled before.
  /// `now` is asked for only if another flight starts.
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

  /// A waiter's own deadline or cancellation. `nil` when it has been answered already.
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

/// What a single flight refuses rather than exceeds.
public struct SingleFlightLimits: Hashable, Sendable {
  /// Callers that wait for one key; more are refused.
  public var waitersPerKey: Int
  /// Keys being worked on; more are refused.
  public var keys: Int

  /// Makes limits; both are at least 1.
  public init(waitersPerKey: Int = 1_024, keys: Int = 65_536) {
    precondition(waitersPerKey > 0 && keys > 0)
    self.waitersPerKey = waitersPerKey
    self.keys = keys
  }
}

/// Why a caller got no answer, apart from the work's own errors.
public enum SingleFlightError: Error, Hashable, Sendable {
  /// As many callers as allowed wait for this key: overloaded.
  case tooManyWaiters(limit: Int)
  /// As many keys as allowed are being worked on: overloaded.
  case tooManyKeys(limit: Int)
  /// The caller's own deadline passed; the others wait on.
  case deadlineExceeded
}

/// Counts since the start.
public struct SingleFlightStatistics: Hashable, Sendable {
  /// Callers that came.
  public var arrivals: UInt64 = 0
  /// Computations begun.
  public var started: UInt64 = 0
  /// Arrivals that caused no computation.
  public var joined: UInt64 = 0
  /// Callers turned away because too many waited.
  public var refused: UInt64 = 0
  /// Waiters that left before the answer.
  public var left: UInt64 = 0
  /// Computations cancelled because nobody waited any more.
  public var cancelled: UInt64 = 0
  /// Computations that threw.
  public var failed: UInt64 = 0

  /// Makes counts of nothing.
  @inlinable
  public init() {}
}
