import Threading

/// Whether the daemon serves: each part that must start first is waited for by name.
package final class Readiness: Sendable {
  private let waitingFor: StateLock<Set<String>>

  package init(waitingFor parts: Set<String>) { waitingFor = StateLock(parts) }

  package var isReady: Bool { waitingFor.withLock { $0.isEmpty } }

  package func markReady(_ part: String) { waitingFor.withLock { _ = $0.remove(part) } }
}
