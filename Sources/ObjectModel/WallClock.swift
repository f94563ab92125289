import Synchronization

/// Where the time comes from. Rules never read a clock: they are given `now`.
public protocol WallClock: Sendable {
  func now() -> Instant
}

/// A clock that stands still until it is told to move: for tests and simulations.
public final class ManualClock: WallClock {
  private let milliseconds: Atomic<Int64>

  /// Makes a clock that stands at a moment.
  public init(_ start: Instant) { milliseconds = Atomic(start.milliseconds) }

  /// Returns the moment that was set last.
  public func now() -> Instant { Instant(milliseconds: milliseconds.load(ordering: .acquiring)) }

  /// Moves the clock on, or back by a negative number.
  public func advance(milliseconds delta: Int64) {
    milliseconds.add(delta, ordering: .acquiringAndReleasing)
  }

  /// Sets the clock.
  public func set(_ instant: Instant) {
    milliseconds.store(instant.milliseconds, ordering: .releasing)
  }
}
