/// A number that only grows, with those who wait until it exceeds the one they know.
///
/// Readers of a log, of a ring or of any state with a version pull from it, and this signal tells
/// them when pulling is worthwhile. Nothing is queued for a reader, so that one that does not come
/// back costs nothing.
package final class ChangeSignal: Sendable {
  private struct Waiter {
    let seen: UInt64
    let continuation: CheckedContinuation<Void, Never>
    var deadline: WaitDeadlines.Place?

    func resume() {
      if let deadline { WaitDeadlines.shared.remove(deadline) }
      continuation.resume()
    }
  }

  private struct State {
    var value: UInt64
    var nextID: UInt64 = 0
    var waiters: [UInt64: Waiter] = [:]
  }

  private let state: StateLock<State>

  package init(_ value: UInt64 = 0) { state = StateLock(State(value: value)) }

  package var value: UInt64 { state.withLock { $0.value } }

  /// The number of readers that wait now.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Raises the number and wakes those who wait for it; a smaller one changes nothing.
  ///
  /// - Complexity: O(readers that wait).
  package func advance(to value: UInt64) {
    let woken = state.withLock { state -> [Waiter] in
      guard value > state.value else { return [] }
      state.value = value
      guard !state.waiters.isEmpty else { return [] }
      let due = state.waiters.filter { $0.value.seen < value }
      for id in due.keys { state.waiters[id] = nil }
      return Array(due.values)
    }
    for waiter in woken { waiter.resume() }
  }

  /// Returns once the number is above `seen`, the time has passed or the task is cancelled.
  ///
  /// - Returns: Whether the number is above `seen`.
  @discardableResult
  package func wait(past seen: UInt64, atMost limit: Duration) async -> Bool {
    let (isAbove, id) = state.withLock { state in
      state.nextID += 1
      return (state.value > seen, state.nextID)
    }
    guard !isAbove, limit > .zero else { return isAbove }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          guard state.value <= seen, !Task.isCancelled else { return false }
          state.waiters[id] = Waiter(seen: seen, continuation: continuation)
          return true
        }
        guard isWaiting else { return continuation.resume() }
        let deadline = WaitDeadlines.shared.add(self, id: id, after: limit)
        let isOver = state.withLock { state in
          guard state.waiters[id] != nil else { return true }
          state.waiters[id]?.deadline = deadline
          return false
        }
        if isOver { WaitDeadlines.shared.remove(deadline) }
      }
    } onCancel: {
      release(id)
    }
    return value > seen
  }

  /// Ends the wait of one reader, if it still waits.
  func release(_ id: UInt64) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
  }
}
