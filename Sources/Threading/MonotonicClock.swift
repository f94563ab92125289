#if canImport(Glibc)
  public import Glibc
#elseif canImport(Darwin)
  public import Darwin
#endif

/// A span or a moment in nanoseconds. Moments count from an arbitrary origin, the same for one
/// coalescer, and never run backwards; they say nothing about the date.
public typealias Nanoseconds = Int64

/// Tells the present moment and waits for a moment to come. State machines are given `now`; only
/// their asynchronous callers hold a clock.
public protocol MonotonicClock: Sendable {
  func now() -> Nanoseconds
  /// Returns at or after a moment.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(until moment: Nanoseconds) async throws
}

/// The machine's monotonic clock, whose origin is the system's own.
public struct SystemMonotonicClock: MonotonicClock {
  /// Makes a clock; all clocks of one machine share their origin.
  public init() {}

  /// Returns the nanoseconds since the system's origin (`CLOCK_MONOTONIC`).
  @inlinable
  public func now() -> Nanoseconds {
    // This costs half of `ContinuousClock.now`, whose Duration counts attoseconds.
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Nanoseconds(time.tv_sec) &* 1_000_000_000 &+ Nanoseconds(time.tv_nsec)
  }

  /// Returns at or after a moment, at once for one that has passed.
  ///
  /// - Parameter moment: The moment, counted from the origin of ``now()``.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until moment: Nanoseconds) async throws {
    let (span, overflow) = moment.subtractingReportingOverflow(now())
    try await Task.sleep(nanoseconds: UInt64(max(0, overflow ? .max : span)))
  }
}

/// A clock that stands still until it is told to move, for tests and simulations.
public final class ManualMonotonicClock: MonotonicClock {
  private struct Sleeper {
    let moment: Nanoseconds
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now: Nanoseconds
    var nextId: UInt64 = 0
    var sleepers: [UInt64: Sleeper] = [:]
    /// The sleepers that were cancelled between asking to sleep and falling asleep.
    var cancelled: Set<UInt64> = []
  }

  private let state: StateLock<State>

  /// Makes a clock that stands at `now` nanoseconds until ``advance(by:)`` moves it.
  public init(_ now: Nanoseconds = 0) { state = StateLock(State(now: now)) }

  /// Returns the nanoseconds that the clock was made with and was moved by since.
  public func now() -> Nanoseconds { state.withLock { $0.now } }

  /// The number of tasks that sleep now.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Returns once the clock was moved to a moment or past it, at once if it is there already.
  ///
  /// - Parameter moment: The moment on this clock.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until moment: Nanoseconds) async throws {
    let id = state.withLock { state in
      state.nextId += 1
      return state.nextId
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
          if moment <= state.now { return .success(()) }
          state.sleepers[id] = Sleeper(moment: moment, continuation: continuation)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: id)
        if sleeper == nil { state.cancelled.insert(id) }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
    // A cancellation after the wake-up leaves its number in the set.
    _ = state.withLock { $0.cancelled.remove(id) }
  }

  /// Moves the clock and wakes those whose moment has come, the earliest first.
  public func advance(by span: Nanoseconds) {
    let woken = state.withLock { state in
      state.now += span
      let now = state.now
      let due = state.sleepers.filter { $0.value.moment <= now }
        .sorted { ($0.value.moment, $0.key) < ($1.value.moment, $1.key) }
      for (id, _) in due { state.sleepers.removeValue(forKey: id) }
      return due.map(\.value)
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }
}
