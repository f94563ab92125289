import Synchronization

/// Whether the daemon serves: each part that must start first is waited for by name.
public final class Readiness: Sendable {
  private let waitingFor: Mutex<Set<String>>

  public init(waitingFor parts: Set<String>) { waitingFor = Mutex(parts) }

  public var isReady: Bool { waitingFor.withLock { $0.isEmpty } }

  public func markReady(_ part: String) { waitingFor.withLock { _ = $0.remove(part) } }
}
