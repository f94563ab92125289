public import Threading

/// Runs at most one request an interval for each viewport session, and always the last one.
///
/// ```swift
/// let throttle = ViewportThrottle<SessionKey>(clock: clock)
/// try await throttle.admit(key, sequence: sequence)   // throws .superseded for an outdated one
/// return try await search(viewport)
/// ```
/// The caller decides what a session is; requests without one should not come here.
public final class ViewportThrottle<Session: Hashable & Sendable>: Sendable {
  /// The settings: how often a session may run, and how many sessions are remembered.
  public typealias Settings = ViewportMachine<Session, Held>.Settings

  /// How a request got its turn.
  public enum Turn: Hashable, Sendable {
    /// The request ran at once.
    case leading
    /// The request ran after this time, as the newest of its session.
    case trailing(waited: Nanoseconds)
  }

  /// The answer to ``submit(_:sequence:whenDecided:)``.
  public enum Decision: Hashable, Sendable {
    case run
    /// The request is held, and the callback will be called; see ``withdraw(_:)``.
    case held(Ticket)
    case superseded(retryAfter: Nanoseconds)
  }

  /// The name of a request that is held.
  public struct Ticket: Hashable, Sendable {
    @usableFromInline let session: Session
    @usableFromInline let number: UInt64

    @inlinable
    init(session: Session, number: UInt64) {
      self.session = session
      self.number = number
    }
  }

  /// A held request.
  public struct Held: Sendable {
    @usableFromInline let since: Nanoseconds
    @usableFromInline let whenDecided: @Sendable (Result<Turn, ViewportThrottleError>) -> Void

    @inlinable
    init(
      since: Nanoseconds,
      whenDecided: @escaping @Sendable (Result<Turn, ViewportThrottleError>) -> Void
    ) {
      self.since = since
      self.whenDecided = whenDecided
    }
  }

  @usableFromInline
  struct State {
    @usableFromInline var machine: ViewportMachine<Session, Held>
    /// The moment at which the timer wakes up, and the task that waits for it.
    @usableFromInline var wakesAt: Nanoseconds?
    @usableFromInline var timer: Task<Void, Never>?

    @usableFromInline
    init(machine: ViewportMachine<Session, Held>) { self.machine = machine }
  }

  @usableFromInline let clock: any MonotonicClock
  @usableFromInline let state: StateLock<State>

  /// Makes a throttle that knows no session.
  public init(clock: any MonotonicClock, settings: Settings = Settings()) {
    self.clock = clock
    state = StateLock(State(machine: ViewportMachine(settings: settings)))
  }

  /// The counts since the start.
  public var statistics: ViewportThrottleStatistics { state.withLock { $0.machine.statistics } }
  /// The number of sessions that are remembered now.
  public var sessionCount: Int { state.withLock { $0.machine.sessionCount } }

  /// Returns when the request may run.
  ///
  /// - Parameters:
  ///   - session: The session of the request.
  ///   - sequence: The client's own numbering of the session; `nil` to go by arrival.
  /// - Returns: Whether it ran at once or had to wait.
  /// - Throws: ``ViewportThrottleError/superseded(retryAfter:)`` as soon as a newer request of the
  ///   session is known, `CancellationError` when the calling task is cancelled.
  @inlinable
  @discardableResult
  public func admit(_ session: Session, sequence: UInt64? = nil) async throws -> Turn {
    var box: TurnBox?
    let now = clock.now()
    let submission = state.withLock { state in
      let submission = state.machine.submit(session, sequence: sequence, at: now) {
        let made = TurnBox()
        box = made
        return Held(since: now) { made.decide($0.mapError { $0 }) }
      }
      if case .held = submission.decision { arm(&state) }
      return submission
    }
    switch conclude(submission, session) {
    case .run: return .leading
    case .superseded(let retryAfter):
      throw ViewportThrottleError.superseded(retryAfter: retryAfter)
    case .held(let ticket):
      return try await wait(box ?? TurnBox(), ticket)
    }
  }

  @usableFromInline
  func wait(_ box: TurnBox, _ ticket: Ticket) async throws -> Turn {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { box.wait($0) }
    } onCancel: {
      if withdraw(ticket) { box.decide(.failure(CancellationError())) }
    }
  }

  /// Does the same as ``admit(_:sequence:)`` for callers that are not tasks, such as channel
  /// handlers.
  ///
  /// `whenDecided` is called once, on any thread, if and only if the answer is `held` and the
  /// request is not withdrawn.
  public func submit(
    _ session: Session, sequence: UInt64? = nil,
    whenDecided: @escaping @Sendable (Result<Turn, ViewportThrottleError>) -> Void
  ) -> Decision {
    let now = clock.now()
    let submission = state.withLock { state in
      let submission = state.machine.submit(session, sequence: sequence, at: now) {
        Held(since: now, whenDecided: whenDecided)
      }
      if case .held = submission.decision { arm(&state) }
      return submission
    }
    return conclude(submission, session)
  }

  @inlinable
  func conclude(
    _ submission: ViewportMachine<Session, Held>.Submission, _ session: Session
  ) -> Decision {
    submission.replaced?.whenDecided(
      .failure(.superseded(retryAfter: submission.retryAfter)))
    switch submission.decision {
    case .run: return .run
    case .superseded(let retryAfter): return .superseded(retryAfter: retryAfter)
    case .held(let ticket, _): return .held(Ticket(session: session, number: ticket))
    }
  }

  /// Removes a held request whose caller has left.
  ///
  /// - Returns: `false` when the request had been decided already.
  @discardableResult
  public func withdraw(_ ticket: Ticket) -> Bool {
    state.withLock { $0.machine.withdraw(ticket.session, ticket: ticket.number) != nil }
  }

  /// Makes sure that a timer wakes up at the next deadline. It is called under the lock.
  @usableFromInline
  func arm(_ state: inout State) {
    guard let next = state.machine.nextDeadline else { return }
    if let wakesAt = state.wakesAt, wakesAt <= next { return }
    state.timer?.cancel()
    state.wakesAt = next
    state.timer = Task.detached { [self] in
      do { try await clock.sleep(until: next) } catch { return }
      wakeUp(next)
    }
  }

  private func wakeUp(_ moment: Nanoseconds) {
    let now = clock.now()
    let due = state.withLock { state in
      // A timer that was replaced as it woke up does no harm: what is due is due.
      if state.wakesAt == moment { state.wakesAt = nil }
      let due = state.machine.runDue(at: now)
      arm(&state)
      return due
    }
    for held in due { held.whenDecided(.success(.trailing(waited: now - held.since))) }
  }

  /// Brings a decision and the task that waits for it together, whichever comes first.
  @usableFromInline
  final class TurnBox: Sendable {
    private enum State {
      case empty
      case waiting(CheckedContinuation<Turn, any Error>)
      case decided(Result<Turn, any Error>)
    }

    private let state = StateLock(State.empty)

    @usableFromInline
    init() {}

    @usableFromInline
    func decide(_ turn: Result<Turn, any Error>) {
      let continuation = state.withLock { state in
        if case .waiting(let continuation) = state { return Optional(continuation) }
        state = .decided(turn)
        return nil
      }
      continuation?.resume(with: turn)
    }

    func wait(_ continuation: CheckedContinuation<Turn, any Error>) {
      let turn: Result<Turn, any Error>? = state.withLock { state in
        if case .decided(let turn) = state { return turn }
        state = .waiting(continuation)
        return nil
      }
      if let turn { continuation.resume(with: turn) }
    }
  }
}

/// The reasons for which a request of a viewport session did not run.
public enum ViewportThrottleError: Error, Hashable, Sendable {
  /// A newer request of the session answers instead; the session may run again after this time.
  case superseded(retryAfter: Nanoseconds)
}
