import Synchronization

extension SingleFlight {
  /// One computation: what its work sees of it, and the handle that cancels it.
  public final class Flight: Sendable {
    private enum Handle {
      case notStarted
      case started(Task<Void, Never>)
      case cancelled
      case finished
    }

    let key: Key
    let id: UInt64
    let storage: SingleFlightStorage<Key, Value>
    private let work: @Sendable (Flight) async throws -> Value
    private let handle = Mutex(Handle.notStarted)

    init(
      key: Key, id: UInt64, storage: SingleFlightStorage<Key, Value>,
      work: @escaping @Sendable (Flight) async throws -> Value
    ) {
      self.key = key
      self.id = id
      self.storage = storage
      self.work = work
    }

    /// Says that the work is about to read live state, and what version that state has reached.
    /// - Returns: the reading its answer will carry.
    @discardableResult
    public func willRead(version: UInt64? = nil) -> Reading {
      let reading = Reading(time: storage.clock.now(), version: version)
      storage.machine.withLock { $0.mark(key, flight: id, reading: reading) }
      return reading
    }

    /// What the work reads; `nil` while it has not said so.
    public var reading: Reading? {
      storage.machine.withLock { $0.reading(key, flight: id) }
    }

    /// Starts the work detached from everybody; `onThisThread` until it first waits.
    func start(onThisThread: Bool) {
      let task =
        onThisThread
        ? Task.immediateDetached { [self] in await run() } : Task.detached { [self] in await run() }
      let wasCancelled = handle.withLock { handle in
        switch handle {
        case .notStarted: handle = .started(task)
        case .cancelled: return true
        case .started, .finished: break
        }
        return false
      }
      if wasCancelled { task.cancel() }
    }

    private func run() async {
      do {
        storage.finish(self, .success(try await work(self)))
      } catch {
        storage.finish(self, .failure(error))
      }
      handle.withLock { $0 = .finished }
    }

    func cancel() {
      let task: Task<Void, Never>? = handle.withLock { handle in
        switch handle {
        case .started(let task):
          handle = .cancelled
          return task
        case .notStarted:
          handle = .cancelled
          return nil
        case .cancelled, .finished: return nil
        }
      }
      task?.cancel()
    }
  }
}

/// Where an answer and the one who waits for it meet, whichever comes first.
public final class WaiterBox<Value: Sendable>: Sendable {
  typealias Answer = Result<(Value, Reading), any Error>

  private enum State {
    case empty
    case waiting(CheckedContinuation<(Value, Reading), any Error>)
    case answered(Answer)
    case taken
  }

  private let state = Mutex(State.empty)

  /// Called once, by whoever took the waiter out of the machine.
  func answer(_ answer: Answer) {
    let continuation = state.withLock { state in
      if case .waiting(let continuation) = state {
        state = .taken
        return Optional(continuation)
      }
      state = .answered(answer)
      return nil
    }
    continuation?.resume(with: answer)
  }

  func take() -> Answer? {
    state.withLock { state in
      guard case .answered(let answer) = state else { return nil }
      state = .taken
      return answer
    }
  }

  func wait(_ continuation: CheckedContinuation<(Value, Reading), any Error>) {
    let answer: Answer? = state.withLock { state in
      if case .answered(let answer) = state {
        state = .taken
        return answer
      }
      state = .waiting(continuation)
      return nil
    }
    if let answer { continuation.resume(with: answer) }
  }
}

/// Runs the machine under its lock and its actions outside of it.
final class SingleFlightStorage<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Flight = SingleFlight<Key, Value>.Flight
  typealias Machine = FlightMachine<Key, WaiterBox<Value>, Flight>

  let clock: any MonotonicClock
  let machine: Mutex<Machine>
  private let maximumWait: Nanoseconds

  init(clock: any MonotonicClock, limits: Machine.Limits, maximumWait: Nanoseconds) {
    precondition(maximumWait > 0)
    self.clock = clock
    self.maximumWait = maximumWait
    machine = Mutex(Machine(limits: limits))
  }

  func value(
    _ key: Key, _ freshness: Freshness, _ mark: SingleFlight<Key, Value>.ReadingMark,
    _ deadline: Nanoseconds?, _ work: @escaping @Sendable (Flight) async throws -> Value
  ) async throws -> SharedAnswer<Value> {
    try Task.checkCancellation()
    let now = clock.now()
    if let deadline, deadline <= now { throw SingleFlightError.deadlineExceeded }
    let box = WaiterBox<Value>()
    let arrival = machine.withLock { machine in
      machine.arrive(
        key, freshness: freshness, at: now, marksReading: mark == .whenMarked, waiter: box
      ) { Flight(key: key, id: $0, storage: self, work: work) }
    }
    let isLeader: Bool
    let place: (flight: UInt64, waiter: UInt64)
    switch arrival {
    case .refused(let error): throw error
    case .lead(let flight, let waiter, let work):
      isLeader = true
      place = (flight, waiter)
      work.start(onThisThread: true)
    case .joined(let flight, let waiter):
      isLeader = false
      place = (flight, waiter)
    case .queued(let flight, let waiter, let isFirst):
      isLeader = isFirst
      place = (flight, waiter)
    }
    let (value, reading) =
      if let answer = box.take() {
        try answer.get()
      } else {
        try await wait(box, key, place, until: min(deadline ?? .max, saturatingEnd(now)))
      }
    return SharedAnswer(
      value: value, reading: reading, ageNanoseconds: reading.age(at: now),
      isCoalesced: !isLeader)
  }

  func refresh(
    _ key: Key, _ mark: SingleFlight<Key, Value>.ReadingMark,
    _ work: @escaping @Sendable (Flight) async throws -> Value
  ) -> Bool {
    let now = clock.now()
    let flight = machine.withLock { machine in
      machine.refresh(key, at: now, marksReading: mark == .whenMarked) {
        Flight(key: key, id: $0, storage: self, work: work)
      }
    }
    flight?.start(onThisThread: false)
    return flight != nil
  }

  func finish(_ flight: Flight, _ result: Result<Value, any Error>) {
    let now = clock.now()
    var failed = false
    if case .failure = result { failed = true }
    let departure = machine.withLock {
      $0.finish(flight.key, flight: flight.id, at: now, failed: failed)
    }
    guard let departure else { return }
    let reading = departure.reading ?? Reading(time: now)
    let answer = result.map { ($0, reading) }
    for waiter in departure.waiters { waiter.answer(answer) }
    // Not on this thread: a chain of quick flights would grow the stack.
    departure.start?.start(onThisThread: false)
  }

  private func wait(
    _ box: WaiterBox<Value>, _ key: Key, _ place: (flight: UInt64, waiter: UInt64),
    until deadline: Nanoseconds
  ) async throws -> (Value, Reading) {
    let timer = Task.detached { [self] in
      try await clock.sleep(until: deadline)
      leave(box, key, place, SingleFlightError.deadlineExceeded)
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { box.wait($0) }
    } onCancel: {
      leave(box, key, place, CancellationError())
    }
  }

  private func leave(
    _ box: WaiterBox<Value>, _ key: Key, _ place: (flight: UInt64, waiter: UInt64),
    _ error: any Error
  ) {
    let now = clock.now()
    let departure = machine.withLock {
      $0.leave(key, flight: place.flight, waiter: place.waiter, at: now)
    }
    guard let departure else { return }
    box.answer(.failure(error))
    departure.cancel?.cancel()
    departure.start?.start(onThisThread: false)
  }

  private func saturatingEnd(_ now: Nanoseconds) -> Nanoseconds {
    let (end, overflow) = now.addingReportingOverflow(maximumWait)
    return overflow ? .max : end
  }
}
