import Synchronization
package import Threading

/// A ``RateAllowance`` from which many threads take at once, without a lock.
package final class SharedAllowance: Sendable {
  private let rate: RateAllowance
  private let fullAt: Atomic<Nanoseconds>

  /// - Parameter rate: How much there is, beginning with all of it.
  package init(_ rate: RateAllowance) {
    self.rate = rate
    fullAt = Atomic(rate.fullAt)
  }

  /// Takes one event if it is allowed; otherwise returns how long to wait, above 0.
  package func take(at now: Nanoseconds) -> Nanoseconds? {
    var seen = fullAt.load(ordering: .relaxed)
    while true {
      var allowance = rate
      allowance.fullAt = seen
      if let wait = allowance.take(at: now) { return wait }
      let (isTaken, found) = fullAt.weakCompareExchange(
        expected: seen, desired: allowance.fullAt, ordering: .relaxed)
      if isTaken { return nil }
      seen = found
    }
  }

  /// Gives an event back that was taken and then not used.
  package func giveBack() { fullAt.wrappingSubtract(rate.interval, ordering: .relaxed) }
}
