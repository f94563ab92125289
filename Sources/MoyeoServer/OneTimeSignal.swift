import Threading

/// Given once; whoever waits for it goes on then.
final class OneTimeSignal: Sendable {
  private struct State {
    var isGiven = false
    var nextID: UInt64 = 0
    var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = StateLock(State())

  var isGiven: Bool { state.withLock { $0.isGiven } }

  func give() {
    let waiters = state.withLock { state in
      state.isGiven = true
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns when the signal is given, or the task is cancelled.
  func wait() async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let resumeNow = state.withLock { state in
          if state.isGiven || Task.isCancelled { return true }
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
