/// Told once that the daemon shuts down, or that the reader of a stream has left; streams that would
/// stay open for ever listen for it.
package final class ShutdownSignal: Sendable {
  private let signal = OneTimeSignal()

  package init() {}

  package var isShuttingDown: Bool { signal.isGiven }

  package func begin() { signal.give() }

  /// Has `body` called when the shutdown begins; at once, when it has begun.
  ///
  /// - Parameter body: Is called once, on any thread, without a lock.
  /// - Returns: What ``remove(_:)`` takes.
  @discardableResult
  package func listen(_ body: @escaping @Sendable () -> Void) -> UInt64 { signal.listen(body) }

  /// Takes back a listener that has not been called.
  package func remove(_ id: UInt64) { signal.remove(id) }

  /// Returns when the shutdown begins, or the task is cancelled.
  package func wait() async { await signal.wait() }
}
