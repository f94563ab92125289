/// Told once that the daemon shuts down; streams that would stay open for ever wait for it.
package final class ShutdownSignal: Sendable {
  private let signal = OneTimeSignal()

  package init() {}

  package var isShuttingDown: Bool { signal.isGiven }

  package func begin() { signal.give() }

  /// Returns when the shutdown begins, or the task is cancelled.
  package func wait() async { await signal.wait() }
}
