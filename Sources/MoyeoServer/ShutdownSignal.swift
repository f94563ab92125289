import Threading

/// Told once that the daemon shuts down, or that the reader of a stream has left; streams that would
/// stay open for ever listen for it.
package final class ShutdownSignal: Sendable {
  private struct State {
    var isShuttingDown = false
    var nextID: UInt64 = 0
    var listeners: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state = StateLock(State())

  package init() {}

  package var isShuttingDown: Bool { state.withLock { $0.isShuttingDown } }

  package func begin() {
    let listeners = state.withLock { state in
      state.isShuttingDown = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener() }
  }

  /// Has `body` called when the shutdown begins; at once, when it has begun.
  ///
  /// A listener costs a closure, where a task that waits would cost kilobytes.
  ///
  /// - Parameter body: Is called once, on any thread, without a lock.
  /// - Returns: What ``remove(_:)`` takes.
  @discardableResult
  package func listen(_ body: @escaping @Sendable () -> Void) -> UInt64 {
    let (id, isOver) = state.withLock { state in
      state.nextID += 1
      if !state.isShuttingDown { state.listeners[state.nextID] = body }
      return (state.nextID, state.isShuttingDown)
    }
    if isOver { body() }
    return id
  }

  /// Takes back a listener that has not been called.
  package func remove(_ id: UInt64) {
    state.withLock { _ = $0.listeners.removeValue(forKey: id) }
  }

  /// Returns when the shutdown begins, or the task is cancelled.
  package func wait() async {
    let waiter = StateLock<CheckedContinuation<Void, Never>?>(nil)
    let resume: @Sendable () -> Void = {
      let continuation = waiter.withLock { waiter in
        defer { waiter = nil }
        return waiter
      }
      continuation?.resume()
    }
    let id = StateLock<UInt64?>(nil)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiter.withLock { $0 = continuation }
        let place = listen(resume)
        id.withLock { $0 = place }
        if Task.isCancelled { resume() }
      }
    } onCancel: {
      resume()
    }
    if let place = id.withLock({ $0 }) { remove(place) }
  }
}
