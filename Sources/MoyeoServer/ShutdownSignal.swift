import Threading

/// Told once that the daemon shuts down; streams that would stay open for ever wait for it.
package final class ShutdownSignal: Sendable {
  private struct State {
    var isShuttingDown = false
    var nextID: UInt64 = 0
    var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = StateLock(State())

  package init() {}

  package var isShuttingDown: Bool { state.withLock { $0.isShuttingDown } }

  package func begin() {
    let waiters = state.withLock { state in
      state.isShuttingDown = true
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns when the shutdown begins, or the task is cancelled.
  package func wait() async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let resumeNow = state.withLock { state in
          if state.isShuttingDown || Task.isCancelled { return true }
          state.waiters[id] = continuation
          return false
        }
        if resumeNow { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
    }
  }
}
