import Threading

/// Given once; whoever waits or listens for it hears of it then.
final class OneTimeSignal: Sendable {
  private struct State {
    var isGiven = false
    var nextID: UInt64 = 0
    var listeners: [UInt64: @Sendable () -> Void] = [:]

    mutating func newID() -> UInt64 {
      nextID += 1
      return nextID
    }
  }

  private let state = StateLock(State())

  var isGiven: Bool { state.withLock { $0.isGiven } }

  func give() {
    let listeners = state.withLock { state in
      state.isGiven = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener() }
  }

  /// Has `body` called when the signal is given; at once, when it has been.
  ///
  /// A listener costs a closure, where a task that waits would cost kilobytes.
  ///
  /// - Parameter body: Is called once, on any thread, without a lock.
  /// - Returns: What ``remove(_:)`` takes.
  @discardableResult
  func listen(_ body: @escaping @Sendable () -> Void) -> UInt64 {
    let (id, isGiven) = state.withLock { state in
      let id = state.newID()
      if !state.isGiven { state.listeners[id] = body }
      return (id, state.isGiven)
    }
    if isGiven { body() }
    return id
  }

  /// Takes back a listener that has not been called.
  func remove(_ id: UInt64) {
    state.withLock { _ = $0.listeners.removeValue(forKey: id) }
  }

  /// Returns when the signal is given, or the task is cancelled.
  func wait() async {
    let id = state.withLock { $0.newID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let resumeNow = state.withLock { state in
          if state.isGiven || Task.isCancelled { return true }
          state.listeners[id] = { continuation.resume() }
          return false
        }
        if resumeNow { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.listeners.removeValue(forKey: id) }?()
    }
  }
}
