import Synchronization
import Threading

/// Whether the daemon serves: each part that must start first is waited for by name.
package final class Readiness: Sendable {
  private let waitingFor: StateLock<Set<String>>
  private let serves = OneTimeSignal()
  private let draining = Atomic(false)

  package init(waitingFor parts: Set<String>) {
    waitingFor = StateLock(parts)
    if parts.isEmpty { serves.give() }
  }

  package var isReady: Bool { serves.isGiven }

  /// Whether the operator has asked that no new work be sent here; what comes all the same is served.
  package var isDraining: Bool { draining.load(ordering: .acquiring) }

  /// - Returns: Whether it was draining before.
  func setDraining(_ isDraining: Bool) -> Bool {
    draining.exchange(isDraining, ordering: .acquiringAndReleasing)
  }

  package func markReady(_ part: String) {
    let isLast = waitingFor.withLock { parts in
      parts.remove(part)
      return parts.isEmpty
    }
    if isLast { serves.give() }
  }

  /// Returns when all parts have started, or the task is cancelled.
  package func wait() async { await serves.wait() }
}
