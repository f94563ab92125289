/// The rules of ``SingleFlight`` without threads, tasks or clocks.
///
/// ```
///             arrive: no flight            finish
///    (none) ------------------> running -------------> (none), or the pending one starts
///                                 |  ^
///   arrive: reading too old       |  | start, when a running one ends
///   and enough are running        v  |
///                               pending      joined by all later arrivals: it reads after them
/// ```
/// A flight that loses its last waiter is cancelled and can no longer be joined.
///
/// `Waiter` and `Work` are opaque: the machine hands them back when something is to be done.
public struct FlightMachine<Key: Hashable, Waiter, Work> {
  public struct Limits: Hashable, Sendable {
    /// More arrivals at one key are refused.
    public var waitersPerKey: Int
    /// Keys with a flight; more are refused.
    public var keys: Int
    /// Flights that run at a time for one key; a caller none of them suits waits for the next.
    public var runningPerKey: Int

    public init(waitersPerKey: Int = 1_024, keys: Int = 65_536, runningPerKey: Int = 1) {
      precondition(waitersPerKey > 0 && keys > 0 && runningPerKey > 0)
      self.waitersPerKey = waitersPerKey
      self.keys = keys
      self.runningPerKey = runningPerKey
    }
  }

  /// A caller's place in a flight.
  public struct Ticket: Hashable, Sendable where Key: Sendable {
    public let key: Key
    public let flight: UInt64
    public let waiter: UInt64
  }

  public enum Arrival {
    /// Nobody is at it: start this work now.
    case lead(flight: UInt64, waiter: UInt64, Work)
    /// A running flight will answer.
    case joined(flight: UInt64, waiter: UInt64)
    /// A flight that starts when a running one ends will answer; `isFirst` for who caused it.
    case queued(flight: UInt64, waiter: UInt64, isFirst: Bool)
    case refused(SingleFlightError)
  }

  /// What to do after a flight ended or lost its last waiter.
  public struct Departure {
    /// To be given the result; empty after a cancellation.
    public var waiters: [Waiter] = []
    /// What the ended flight read; the moment it started if it never said.
    public var reading: Reading?
    /// To be cancelled.
    public var cancel: Work?
    /// To be started: the flight that was pending.
    public var start: Work?
  }

  private struct Flight {
    let id: UInt64
    let work: Work
    let isBackground: Bool
    let marksReading: Bool
    var startedAt: Nanoseconds
    var reading: Reading?
    var waiters: [(id: UInt64, waiter: Waiter)]
  }

  private struct Flights {
    var running: [Flight] = []
    var pending: Flight?

    var waiterCount: Int {
      running.reduce(pending?.waiters.count ?? 0) { $0 + $1.waiters.count }
    }
  }

  public let limits: Limits
  private var flights: [Key: Flights] = [:]
  private var nextId: UInt64 = 0
  public private(set) var statistics = SingleFlightStatistics()

  public init(limits: Limits = Limits()) { self.limits = limits }

  /// Keys with a flight now.
  public var keyCount: Int { flights.count }

  /// A caller asks. `makeWork` is called only if a flight must begin, with its id.
  ///
  /// - Parameter marksReading: the work says by ``mark(_:flight:reading:)`` when it reads;
  ///   otherwise it is taken to read as soon as it starts.
  /// - Complexity: O(1) expected.
  public mutating func arrive(
    _ key: Key, freshness: Freshness, at now: Nanoseconds, marksReading: Bool, waiter: Waiter,
    makeWork: (_ flight: UInt64) -> Work
  ) -> Arrival {
    statistics.arrivals += 1
    nextId += 1
    let waiterId = nextId
    guard let index = flights.index(forKey: key) else {
      guard flights.count < limits.keys else { return refuse(.tooManyKeys(limit: limits.keys)) }
      let flight = begin(
        now, marksReading, waiters: [(waiterId, waiter)], isRunning: true, makeWork: makeWork)
      flights[key] = Flights(running: [flight])
      return .lead(flight: flight.id, waiter: waiterId, flight.work)
    }
    let waiterCount = flights.values[index].waiterCount
    guard waiterCount < limits.waitersPerKey else {
      return refuse(.tooManyWaiters(limit: limits.waitersPerKey))
    }
    let suiting = flights.values[index].running.lastIndex { flight in
      flight.reading.map { freshness.accepts($0, at: now) } ?? true
    }
    if let suiting {
      statistics.joined += 1
      flights.values[index].running[suiting].waiters.append((waiterId, waiter))
      return .joined(flight: flights.values[index].running[suiting].id, waiter: waiterId)
    }
    if let pending = flights.values[index].pending {
      statistics.joined += 1
      flights.values[index].pending?.waiters.append((waiterId, waiter))
      return .queued(flight: pending.id, waiter: waiterId, isFirst: false)
    }
    let starts = flights.values[index].running.count < limits.runningPerKey
    let flight = begin(
      now, marksReading, waiters: [(waiterId, waiter)], isRunning: starts, makeWork: makeWork)
    if starts {
      flights.values[index].running.append(flight)
      return .lead(flight: flight.id, waiter: waiterId, flight.work)
    }
    flights.values[index].pending = flight
    return .queued(flight: flight.id, waiter: waiterId, isFirst: true)
  }

  /// Begins a flight for nobody in particular, to renew a cached answer; it is never cancelled.
  /// - Returns: `nil` if a flight for the key exists or there is no room.
  public mutating func refresh(
    _ key: Key, at now: Nanoseconds, marksReading: Bool, makeWork: (_ flight: UInt64) -> Work
  ) -> Work? {
    guard flights[key] == nil, flights.count < limits.keys else { return nil }
    let flight = begin(
      now, marksReading, waiters: [], isRunning: true, isBackground: true, makeWork: makeWork)
    flights[key] = Flights(running: [flight])
    return flight.work
  }

  /// The work is about to read, or knows what it will have read at least.
  public mutating func mark(_ key: Key, flight: UInt64, reading: Reading) {
    guard let index = flights.index(forKey: key),
      let place = flights.values[index].running.firstIndex(where: { $0.id == flight })
    else { return }
    flights.values[index].running[place].reading = reading
  }

  /// The reading a running flight has, if it has one.
  public func reading(_ key: Key, flight: UInt64) -> Reading? {
    flights[key]?.running.first { $0.id == flight }?.reading
  }

  /// The work ended, well or with an error. `nil` when the flight was cancelled before.
  public mutating func finish(
    _ key: Key, flight: UInt64, at now: Nanoseconds, failed: Bool
  ) -> Departure? {
    guard let index = flights.index(forKey: key),
      let place = flights.values[index].running.firstIndex(where: { $0.id == flight })
    else { return nil }
    if failed { statistics.failed += 1 }
    let ended = flights.values[index].running.remove(at: place)
    let start = startPending(index, at: now)
    return Departure(
      waiters: ended.waiters.map(\.waiter),
      reading: ended.reading ?? Reading(time: ended.startedAt), cancel: nil, start: start)
  }

  /// A waiter's own deadline or cancellation. `nil` when it has been answered already.
  public mutating func leave(
    _ key: Key, flight: UInt64, waiter: UInt64, at now: Nanoseconds
  ) -> Departure? {
    guard let index = flights.index(forKey: key) else { return nil }
    if flights.values[index].pending?.id == flight {
      guard
        let place = flights.values[index].pending?.waiters.firstIndex(where: { $0.id == waiter })
      else { return nil }
      flights.values[index].pending?.waiters.remove(at: place)
      statistics.left += 1
      if flights.values[index].pending?.waiters.isEmpty == true {
        flights.values[index].pending = nil
      }
      return Departure()
    }
    guard let at = flights.values[index].running.firstIndex(where: { $0.id == flight }),
      let place = flights.values[index].running[at].waiters.firstIndex(where: { $0.id == waiter })
    else { return nil }
    flights.values[index].running[at].waiters.remove(at: place)
    statistics.left += 1
    let rest = flights.values[index].running[at]
    guard rest.waiters.isEmpty, !rest.isBackground else { return Departure() }
    statistics.cancelled += 1
    flights.values[index].running.remove(at: at)
    let start = startPending(index, at: now)
    return Departure(cancel: rest.work, start: start)
  }

  private mutating func begin(
    _ now: Nanoseconds, _ marksReading: Bool, waiters: [(id: UInt64, waiter: Waiter)],
    isRunning: Bool, isBackground: Bool = false, makeWork: (UInt64) -> Work
  ) -> Flight {
    if isRunning { statistics.started += 1 }
    nextId += 1
    return Flight(
      id: nextId, work: makeWork(nextId), isBackground: isBackground, marksReading: marksReading,
      startedAt: now, reading: isRunning && !marksReading ? Reading(time: now) : nil,
      waiters: waiters)
  }

  /// Starts the pending flight, or forgets a key nobody asks for any more.
  private mutating func startPending(
    _ index: Dictionary<Key, Flights>.Index, at now: Nanoseconds
  ) -> Work? {
    guard var flight = flights.values[index].pending else {
      if flights.values[index].running.isEmpty { flights.remove(at: index) }
      return nil
    }
    statistics.started += 1
    flight.startedAt = now
    if !flight.marksReading { flight.reading = Reading(time: now) }
    flights.values[index].pending = nil
    flights.values[index].running.append(flight)
    return flight.work
  }

  private mutating func refuse(_ error: SingleFlightError) -> Arrival {
    statistics.refused += 1
    return .refused(error)
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
  public var arrivals: UInt64 = 0
  /// Computations begun.
  public var started: UInt64 = 0
  /// Arrivals that caused no computation.
  public var joined: UInt64 = 0
  public var refused: UInt64 = 0
  /// Waiters that left before the answer.
  public var left: UInt64 = 0
  /// Computations cancelled because nobody waited any more.
  public var cancelled: UInt64 = 0
  /// Computations that threw.
  public var failed: UInt64 = 0

  public init() {}
}
