import Synchronization

/// N callers of one key share one computation.
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
  public typealias Limits = FlightMachine<Key, WaiterBox<Value>, Flight>.Limits

  /// When a computation reads the live state.
  public enum ReadingMark: Hashable, Sendable {
    /// At its start.
    case atStart
    /// When it calls ``Flight/willRead(version:)``, which it must before it reads: callers may
    /// join until then, for instance while it queues for a thread.
    case whenMarked
  }

  let storage: SingleFlightStorage<Key, Value>

  /// - Parameter maximumWait: no caller waits longer, with or without a deadline of its own.
  public init(
    clock: any MonotonicClock, limits: Limits = Limits(),
    maximumWait: Nanoseconds = 30_000_000_000
  ) {
    storage = SingleFlightStorage(clock: clock, limits: limits, maximumWait: maximumWait)
  }

  public var statistics: SingleFlightStatistics {
    storage.machine.withLock { $0.statistics }
  }

  /// Keys being worked on now.
  public var keyCount: Int { storage.machine.withLock { $0.keyCount } }

  /// The answer to a question, worked out once for all who ask it at the same time.
  ///
  /// Values need not be equal for equal keys, but the caller must be content with any of them.
  /// - Parameters:
  ///   - freshness: which running computation this caller may join.
  ///   - deadline: a moment of the clock given at creation.
  /// - Throws: ``SingleFlightError``, `CancellationError` when the calling task is cancelled, and
  ///   whatever the work throws.
  public func value(
    for key: Key, freshness: Freshness = .unlimited, reading: ReadingMark = .atStart,
    deadline: Nanoseconds? = nil,
    _ work: @escaping @Sendable (Flight) async throws -> Value
  ) async throws -> SharedAnswer<Value> {
    try await storage.value(key, freshness, reading, deadline, work)
  }

  /// Renews an answer nobody waits for. - Returns: whether a computation began.
  @discardableResult
  public func refresh(
    _ key: Key, reading: ReadingMark = .atStart,
    _ work: @escaping @Sendable (Flight) async throws -> Value
  ) -> Bool {
    storage.refresh(key, reading, work)
  }
}
