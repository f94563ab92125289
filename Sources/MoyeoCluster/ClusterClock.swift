package import ObjectModel
import Synchronization
package import Threading

/// The time of the server that keeps the record, told by this machine's monotonic clock: the same on all
/// daemons, however their own clocks are set, and it goes on while the server is away.
///
/// The server's clock is read again and again. Each reading says within which bounds the two clocks are
/// apart: half of the time that the answer took. A reading replaces what is known when it is the narrower
/// one, or when both cannot be right: the server's clock was set, or another server took over.
package final class ClusterClock: WallClock {
  private struct Estimate {
    /// Nanoseconds that may be added to `offset`, or taken from it.
    var bound: Nanoseconds
    var at: Nanoseconds
    /// From the monotonic clock to the server's time since 1970.
    var offset: Nanoseconds
  }

  /// How far two clocks drift apart: 200 parts in a million, more than any quartz.
  private static let driftPart: Nanoseconds = 5_000

  private let monotonic: any MonotonicClock
  private let known = StateLock<Estimate?>(nil)
  private let offset: Atomic<Nanoseconds>

  /// Tells this machine's time until the server's is known.
  package init(
    monotonic: any MonotonicClock = SystemMonotonicClock(), wall: any WallClock = SystemClock()
  ) {
    self.monotonic = monotonic
    offset = Atomic(wall.now().milliseconds * 1_000_000 - monotonic.now())
  }

  package func now() -> Instant {
    let nanoseconds = monotonic.now() &+ offset.load(ordering: .relaxed)
    return Instant(milliseconds: nanoseconds.quotientRoundedDown(by: 1_000_000))
  }

  /// The moment of the clock by which readings are taken.
  package func moment() -> Nanoseconds { monotonic.now() }

  /// Takes a reading of the server's clock.
  ///
  /// - Parameters:
  ///   - microseconds: What the server said, since 1970.
  ///   - asked: The moment before the question was sent.
  ///   - answered: The moment after the answer had come.
  package func take(microseconds: Int64, asked: Nanoseconds, answered: Nanoseconds) {
    let half = max(0, answered - asked) / 2
    let read = microseconds * 1000 - (asked + half)
    known.withLock { known in
      if let before = known {
        let grown = before.bound + max(0, answered - before.at) / Self.driftPart
        guard half <= grown || abs(read - before.offset) > half + grown else { return }
      }
      known = Estimate(bound: half, at: answered, offset: read)
      offset.store(read, ordering: .relaxed)
    }
  }
}

extension Nanoseconds {
  fileprivate func quotientRoundedDown(by divisor: Nanoseconds) -> Nanoseconds {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }
}
