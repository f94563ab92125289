/// How many calls may wait for the threads of a pool, found from how long they do.
///
/// Calls of a pool differ a thousandfold in length, so that how long they run says nothing about load;
/// how long they wait before they run does. Two published methods are put together:
///
/// - What is measured is the **shortest** wait of an interval: it is above the target only where a
///   queue stands, whereas a burst that is worked off leaves somebody who did not wait (CoDel: RFC 8289,
///   section 3).
/// - What follows is additive increase and multiplicative decrease by how far the wait is above the
///   target (Breakwater: Cho et al., "Overload Control for microsecond-scale RPCs with Breakwater",
///   OSDI 2020): `limit += step` while the wait is within it and calls are refused, and
///   `limit *= max(1 - 0.2 * (wait - target) / target, 0.5)` while it is above.
///
/// It begins at its most, so that it refuses nobody before a queue has stood for an interval, and
/// returns there after the first interval that ends without a standing queue and without a refusal, as
/// CoDel leaves off dropping. Nothing here reads a clock.
package struct QueueDelayLimit: Sendable {
  package struct Settings: Hashable, Sendable {
    /// The wait that is aimed at.
    package var target: Nanoseconds = 100_000_000
    /// How long a queue must stand before it counts.
    package var interval: Nanoseconds = 500_000_000

    package init() {}
  }

  /// The least limit: threads that end a call find the next one.
  package let floor: Int
  package let ceiling: Int
  private let settings: Settings
  private let step: Double
  private var exact: Double
  private var intervalEnd: Nanoseconds?
  private var shortestWait: Nanoseconds?
  private var wasReached = false

  /// - Parameters:
  ///   - threads: Of the pool.
  ///   - ceiling: The most calls that wait, however fast the pool is.
  ///   - settings: What is aimed at.
  package init(threads: Int, ceiling: Int, settings: Settings = Settings()) {
    self.settings = settings
    self.ceiling = max(1, ceiling)
    floor = min(self.ceiling, 2 * max(1, threads))
    step = Double(max(1, threads))
    exact = Double(self.ceiling)
  }

  /// Calls that may wait now.
  package var limit: Int { Int(exact) }

  /// Whether one more call may wait.
  ///
  /// - Parameters:
  ///   - waiting: Calls that wait already.
  ///   - now: The present moment.
  /// - Returns: False where the call is refused at once.
  package mutating func allows(waiting: Int, at now: Nanoseconds) -> Bool {
    endInterval(at: now, waiting: waiting)
    guard waiting < limit else {
      wasReached = true
      return false
    }
    return true
  }

  /// Says that a call has left the queue to run.
  ///
  /// - Parameters:
  ///   - wait: How long it waited.
  ///   - now: The present moment.
  package mutating func began(after wait: Nanoseconds, at now: Nanoseconds) {
    // Its wait is of the interval that ends: where threads are slow, it may be the only one.
    shortestWait = min(shortestWait ?? wait, wait)
    endInterval(at: now, waiting: 0)
  }

  private mutating func endInterval(at now: Nanoseconds, waiting: Int) {
    guard let end = intervalEnd else {
      intervalEnd = now &+ settings.interval
      return
    }
    guard now >= end else { return }
    // Where none could begin, those that wait have waited for all of it.
    adjust(for: shortestWait ?? (waiting > 0 ? settings.interval : 0))
    intervalEnd = now &+ settings.interval
    shortestWait = nil
    wasReached = false
  }

  private mutating func adjust(for wait: Nanoseconds) {
    if wait > settings.target {
      let excess = Double(wait - settings.target) / Double(max(1, settings.target))
      exact = max(Double(floor), exact * max(1 - 0.2 * excess, 0.5))
    } else {
      exact = wasReached ? min(Double(ceiling), exact + step) : Double(ceiling)
    }
  }
}
