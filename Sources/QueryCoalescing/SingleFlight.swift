public import Threading

/// Shares one computation among all callers of one key.
///
/// ```swift
/// let flights = SingleFlight<RouteKey, Route>(clock: SystemMonotonicClock())
/// let answer = try await flights.value(for: key, deadline: deadline) { _ in
///   try await provider.route(key)
/// }
/// ```
/// - The work runs detached from its callers: none of them can cancel it for the others, and it is
///   cancelled when the last one leaves. It starts on the first caller's thread and costs no
///   thread hop unless it waits for something.
/// - A waiter's deadline and cancellation are its own.
/// - An error goes to all who wait and is forgotten.
/// - Over live state, a caller joins only if the flight's reading satisfies its ``Freshness``;
///   otherwise it waits for the next flight, which reads after its arrival.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The bounds on how many may wait and how many keys may be in flight.
  public typealias Limits = SingleFlightLimits

  /// The moment at which a computation reads the live state.
  public enum ReadingMark: Hashable, Sendable {
    /// The work reads at its start.
    case atStart
    /// The work reads when it calls ``Flight/willRead(version:)``, which it must before it reads.
    /// Callers may join until then, for instance while it queues for a thread.
    case whenMarked
  }

  @usableFromInline typealias Machine = FlightMachine<Key, WaiterBox<Value>, Flight>

  @usableFromInline let clock: any MonotonicClock
  @usableFromInline let machine: StateLock<Machine>
  @usableFromInline let maximumWait: Nanoseconds

  /// Makes a single flight in which no caller waits longer than `maximumWait` nanoseconds, with or
  /// without a deadline of its own.
  public init(
    clock: any MonotonicClock, limits: Limits = Limits(),
    maximumWait: Nanoseconds = 30_000_000_000
  ) {
    precondition(maximumWait > 0)
    self.clock = clock
    self.maximumWait = maximumWait
    machine = StateLock(Machine(limits: limits))
  }

  /// The counts since the start.
  public var statistics: SingleFlightStatistics { machine.withLock { $0.statistics } }

  /// The number of keys that are worked on now.
  public var keyCount: Int { machine.withLock { $0.keyCount } }

  /// Returns the answer to a question, worked out once for all who ask it at the same time.
  ///
  /// Values need not be equal for equal keys, but the caller must be content with any of them.
  ///
  /// - Parameters:
  ///   - key: The question.
  ///   - freshness: Which running computation this caller may join.
  ///   - reading: Whether the work itself says when it reads.
  ///   - deadline: This caller's own deadline, a moment of the clock given at creation.
  ///   - work: Works the answer out.
  /// - Returns: The answer with its age, and whether it was shared.
  /// - Throws: ``SingleFlightError``, `CancellationError` when the calling task is cancelled, and
  ///   whatever the work throws.
  @inlinable
  public func value(
    for key: Key, freshness: Freshness = .unlimited, reading: ReadingMark = .atStart,
    deadline: Nanoseconds? = nil,
    _ work: @escaping @Sendable (Flight) async throws -> Value
  ) async throws -> SharedAnswer<Value> {
    if Task.isCancelled { throw CancellationError() }
    let now = clock.now()
    if let deadline, deadline <= now { throw SingleFlightError.deadlineExceeded }
    var box: WaiterBox<Value>?
    let arrival = machine.withLock { machine in
      machine.arrive(
        key, freshness: freshness, at: now, marksReading: reading == .whenMarked,
        makeWaiter: {
          let made = WaiterBox<Value>()
          box = made
          return made
        },
        makeWork: { Flight(key: key, id: $0, owner: self, work: work) })
    }
    var isLeader = false
    let place: Place
    switch arrival {
    case .refused(let error): throw error
    case .lead(let id, let waiter, let flight):
      if let answer = flight.startHere() { return try leaderAnswer(answer) }
      isLeader = true
      place = Place(flight: id, waiter: waiter)
      let waiting = WaiterBox<Value>()
      box = waiting
      // The work may have ended on another thread after `startHere` looked.
      let late = machine.withLock {
        $0.attach(key, flight: id, waiter: waiter, waiting) ? nil : flight.takeAnswer()
      }
      if let late { return try leaderAnswer(late) }
    case .joined(let flight, let waiter):
      place = Place(flight: flight, waiter: waiter)
    case .queued(let flight, let waiter, let isFirst):
      isLeader = isFirst
      place = Place(flight: flight, waiter: waiter)
    }
    let (value, found) = try await wait(
      box ?? WaiterBox(), key, place, until: earlier(deadline, now))
    return SharedAnswer(
      value: value, reading: found, ageNanoseconds: found.age(at: now), isCoalesced: !isLeader)
  }

  /// Renews an answer that nobody waits for.
  ///
  /// - Returns: Whether a computation began.
  @discardableResult
  public func refresh(
    _ key: Key, reading: ReadingMark = .atStart,
    _ work: @escaping @Sendable (Flight) async throws -> Value
  ) -> Bool {
    let now = clock.now()
    let flight = machine.withLock { machine in
      machine.refresh(key, at: now, marksReading: reading == .whenMarked) {
        Flight(key: key, id: $0, owner: self, work: work)
      }
    }
    flight?.startElsewhere()
    return flight != nil
  }

  @usableFromInline
  struct Place: Sendable {
    @usableFromInline let flight: UInt64
    @usableFromInline let waiter: UInt64
    @inlinable
    init(flight: UInt64, waiter: UInt64) {
      self.flight = flight
      self.waiter = waiter
    }
  }

  @inlinable
  func leaderAnswer(_ answer: WaiterBox<Value>.Answer) throws -> SharedAnswer<Value> {
    let (value, found) = try answer.get()
    return SharedAnswer(value: value, reading: found, ageNanoseconds: 0, isCoalesced: false)
  }

  @inlinable
  func finish(_ flight: Flight, _ result: Result<Value, any Error>) {
    var failed = false
    if case .failure = result { failed = true }
    let departure = machine.withLock { machine in
      let departure = machine.finish(flight.key, flight: flight.id, failed: failed) { clock.now() }
      if let departure, departure.leader == nil {
        // A leader that has not begun to wait finds its answer there.
        flight.answer = result.map { ($0, departure.reading) }
      }
      flight.phase = .ended
      return departure
    }
    guard let departure else { return }
    if departure.leader != nil || !departure.others.isEmpty || departure.start != nil {
      deliver(departure, result)
    }
  }

  @usableFromInline
  func deliver(_ departure: Machine.Departure, _ result: Result<Value, any Error>) {
    let answer = result.map { ($0, departure.reading) }
    departure.leader?.answer(answer)
    for waiter in departure.others { waiter.answer(answer) }
    // It starts on another thread, because a chain of quick flights would grow the stack.
    departure.start?.startElsewhere()
  }

  @usableFromInline
  func wait(
    _ box: WaiterBox<Value>, _ key: Key, _ place: Place, until deadline: Nanoseconds
  ) async throws -> (Value, Reading) {
    if let answer = box.take() { return try answer.get() }
    let timer = Task.detached { [self] in
      try await clock.sleep(until: deadline)
      leave(box, key: key, place: place, error: SingleFlightError.deadlineExceeded)
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { box.wait($0) }
    } onCancel: {
      leave(box, key: key, place: place, error: CancellationError())
    }
  }

  private func leave(
    _ box: WaiterBox<Value>, key: Key, place: Place, error: any Error
  ) {
    let now = clock.now()
    let departure = machine.withLock {
      $0.leave(key, flight: place.flight, waiter: place.waiter, at: now)
    }
    guard let departure else { return }
    box.answer(.failure(error))
    departure.cancel?.cancel()
    departure.start?.startElsewhere()
  }

  @usableFromInline
  func earlier(_ deadline: Nanoseconds?, _ now: Nanoseconds) -> Nanoseconds {
    let (end, overflow) = now.addingReportingOverflow(maximumWait)
    return min(deadline ?? .max, overflow ? .max : end)
  }
}
