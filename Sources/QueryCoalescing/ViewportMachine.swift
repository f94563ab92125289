public import Threading

/// The rules of ``ViewportThrottle`` without threads or clocks.
///
/// Each session may run one request an interval. The first runs at once (leading edge). Of those
/// that come too early only the newest is held and runs when its time comes (trailing edge); the
/// one it replaces is superseded at once. The last request of a session therefore always runs.
/// ```
///   requests    a--b-c--------d---------
///   runs        a-------c-----d---------     interval 8: c when it is due, d at once
///   superseded  -----b------------------
/// ```
public struct ViewportMachine<Session: Hashable, Request> {
  /// The settings: how often a session may run, and how many sessions are remembered.
  public struct Settings: Hashable, Sendable {
    /// The time between two requests of a session.
    public var interval: Nanoseconds
    /// The most requests that a session may run at once after a rest.
    public var burst: Int
    /// The time within which a sequence number below one that was seen is late. Below an older one,
    /// the client has started to count anew.
    public var reorderWindow: Nanoseconds
    /// The most sessions that are remembered. Above it the requests of new sessions run
    /// unthrottled.
    public var sessions: Int

    /// Makes settings; interval, burst and sessions are above 0.
    public init(
      interval: Nanoseconds = 800_000_000, burst: Int = 1,
      reorderWindow: Nanoseconds = 5_000_000_000, sessions: Int = 200_000
    ) {
      precondition(interval > 0 && burst >= 1 && reorderWindow >= 0 && sessions > 0)
      self.interval = interval
      self.burst = burst
      self.reorderWindow = reorderWindow
      self.sessions = sessions
    }
  }

  /// What the machine decides about a request.
  public enum Decision: Hashable, Sendable {
    case run
    /// The request is held; it runs at this moment if nothing newer comes before.
    case held(ticket: UInt64, until: Nanoseconds)
    /// A request with a higher sequence number came before this one.
    case superseded(retryAfter: Nanoseconds)
  }

  /// What to do with a request, and with the held one that it replaces.
  public struct Submission {
    /// The decision about the request.
    public var decision: Decision
    /// The request that is to be answered as superseded now.
    public var replaced: Request?
    /// The time from now until the session may run again, for the request that is replaced.
    public var retryAfter: Nanoseconds

    @inlinable
    init(decision: Decision, replaced: Request? = nil, retryAfter: Nanoseconds = 0) {
      self.decision = decision
      self.replaced = replaced
      self.retryAfter = retryAfter
    }
  }

  @usableFromInline
  struct State {
    @usableFromInline var allowance: RateAllowance
    @usableFromInline var newestSequence: UInt64?
    @usableFromInline var newestAt: Nanoseconds = .min
    @usableFromInline var held: (ticket: UInt64, request: Request)?
    /// Whether the heap has an entry for this session; it never has two.
    @usableFromInline var hasDeadline = false

    @inlinable
    init(allowance: RateAllowance) { self.allowance = allowance }
  }

  /// The settings that the machine was made with.
  public let settings: Settings
  /// The sessions seen since the last turn-over, and those seen only before it. A turn-over forgets
  /// the idle ones without looking at each.
  @usableFromInline var recent: [Session: State] = [:]
  @usableFromInline var earlier: [Session: State] = [:]
  @usableFromInline var turnedOverAt: Nanoseconds = .min
  @usableFromInline var deadlines = DeadlineHeap<Session>()
  @usableFromInline var nextTicket: UInt64 = 0
  @usableFromInline let retention: Nanoseconds
  @usableFromInline var counts = ViewportThrottleStatistics()

  /// Makes a machine that knows no session.
  public init(settings: Settings = Settings()) {
    self.settings = settings
    let (rest, overflow) = settings.interval.multipliedReportingOverflow(
      by: Nanoseconds(settings.burst) + 1)
    retention = overflow ? .max : max(rest, settings.reorderWindow)
  }

  /// The counts since the start.
  public var statistics: ViewportThrottleStatistics { counts }
  /// The number of sessions that are remembered now.
  public var sessionCount: Int { recent.count + earlier.count }
  /// The moment at which ``runDue(at:)`` is to be called next.
  public var nextDeadline: Nanoseconds? { deadlines.first }

  /// Decides about a request of a session.
  ///
  /// - Parameters:
  ///   - session: The session of the request.
  ///   - sequence: Orders the session's requests; `nil` stands for "newest".
  ///   - now: The moment of the arrival.
  ///   - makeRequest: Makes the request to hold; it is called only then.
  /// - Returns: Whether it runs, is held or is superseded, and the request that it replaces.
  /// - Complexity: O(1) expected, O(log sessions) when held.
  @inlinable
  public mutating func submit(
    _ session: Session, sequence: UInt64?, at now: Nanoseconds, makeRequest: () -> Request
  ) -> Submission {
    counts.requests &+= 1
    if Self.elapsed(turnedOverAt, now) >= retention { turnOver(at: now) }
    let submission: Submission
    let deadline: Nanoseconds?
    if let index = recent.index(forKey: session) {
      (submission, deadline) = Self.submit(
        &recent.values[index], sequence: sequence, now: now, reorderWindow: settings.reorderWindow,
        nextTicket: &nextTicket, counts: &counts,
        makeRequest: makeRequest)
    } else if var state = remembered(session, at: now) {
      (submission, deadline) = Self.submit(
        &state, sequence: sequence, now: now, reorderWindow: settings.reorderWindow,
        nextTicket: &nextTicket, counts: &counts, makeRequest: makeRequest)
      recent[session] = state
    } else {
      counts.unthrottled &+= 1
      return Submission(decision: .run)
    }
    if let deadline { deadlines.insert(session, at: deadline) }
    return submission
  }

  @inlinable
  static func submit(
    _ state: inout State, sequence: UInt64?, now: Nanoseconds, reorderWindow: Nanoseconds,
    nextTicket: inout UInt64, counts: inout ViewportThrottleStatistics,
    makeRequest: () -> Request
  ) -> (Submission, deadline: Nanoseconds?) {
    if let sequence {
      if let newest = state.newestSequence, sequence < newest,
        elapsed(state.newestAt, now) < reorderWindow
      {
        counts.superseded &+= 1
        let retryAfter = elapsed(now, max(now, state.allowance.nextAllowed))
        return (Submission(decision: .superseded(retryAfter: retryAfter)), nil)
      }
      state.newestSequence = sequence
      state.newestAt = now
    }
    let replaced = state.held?.request
    if replaced != nil { counts.superseded &+= 1 }
    guard let wait = state.allowance.take(at: now) else {
      state.held = nil
      counts.leading &+= 1
      return (Submission(decision: .run, replaced: replaced), nil)
    }
    nextTicket &+= 1
    state.held = (nextTicket, makeRequest())
    let until = state.allowance.nextAllowed
    let isScheduled = state.hasDeadline
    state.hasDeadline = true
    return (
      Submission(
        decision: .held(ticket: nextTicket, until: until), replaced: replaced, retryAfter: wait),
      isScheduled ? nil : until
    )
  }

  /// Returns the held requests whose time has come, the earliest first. Each has now taken its
  /// session's turn.
  public mutating func runDue(at now: Nanoseconds) -> [Request] {
    var due: [Request] = []
    while let session = deadlines.popFirst(notAfter: now) {
      guard var state = recent[session] ?? earlier[session] else { continue }
      state.hasDeadline = false
      if let held = state.held {
        if state.allowance.take(at: now) == nil {
          counts.trailing += 1
          due.append(held.request)
          state.held = nil
        } else {
          // Another request ran meanwhile, after which this one was held.
          state.hasDeadline = true
          deadlines.insert(session, at: state.allowance.nextAllowed)
        }
      }
      if recent[session] != nil { recent[session] = state } else { earlier[session] = state }
    }
    return due
  }

  /// Removes a held request whose caller has left.
  ///
  /// - Returns: The request, `nil` if it is held no more.
  public mutating func withdraw(_ session: Session, ticket: UInt64) -> Request? {
    guard let held = (recent[session] ?? earlier[session])?.held, held.ticket == ticket else {
      return nil
    }
    counts.withdrawn += 1
    if recent[session] != nil {
      recent[session]?.held = nil
    } else {
      earlier[session]?.held = nil
    }
    return held.request
  }

  /// Returns a known session, or a new one if there is room for it.
  @usableFromInline
  mutating func remembered(_ session: Session, at now: Nanoseconds) -> State? {
    if let state = earlier.removeValue(forKey: session) { return state }
    if sessionCount >= settings.sessions {
      turnOver(at: now, early: true)
      if sessionCount >= settings.sessions { return nil }
    }
    return State(
      allowance: RateAllowance(interval: settings.interval, burst: settings.burst))
  }

  /// Forgets sessions that were idle for a whole retention time, after which they are owed the same
  /// as new ones. When it is early, because memory is short, they may run a little more often than
  /// the interval says.
  @usableFromInline
  mutating func turnOver(at now: Nanoseconds, early: Bool = false) {
    guard Self.elapsed(turnedOverAt, now) >= (early ? settings.interval : retention) else { return }
    // Requests in `earlier` were held an interval ago, so that they are due; none is lost.
    if let due = deadlines.first, due <= now { return }
    earlier = recent
    recent = [:]
    turnedOverAt = now
  }

  @inlinable
  static func elapsed(_ since: Nanoseconds, _ now: Nanoseconds) -> Nanoseconds {
    let (span, overflow) = now.subtractingReportingOverflow(since)
    return overflow ? .max : span
  }
}

/// The counts of a throttle since its start.
public struct ViewportThrottleStatistics: Hashable, Sendable {
  /// The number of requests that came.
  public var requests: UInt64 = 0
  /// The number of requests that ran at once.
  public var leading: UInt64 = 0
  /// The number of requests that ran when their time came.
  public var trailing: UInt64 = 0
  /// The number of requests that a newer one of their session replaced.
  public var superseded: UInt64 = 0
  /// The number of requests whose callers left while they were held.
  public var withdrawn: UInt64 = 0
  /// The number of requests that ran because there was no room to remember their session.
  public var unthrottled: UInt64 = 0

  /// Makes counts that are all 0.
  @inlinable
  public init() {}
}
