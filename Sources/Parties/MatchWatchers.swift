import Threading

/// Those who watch for matches, and which parties changed since each looked.
///
/// The commit thread only notes ids; watchers work out their own matches. One that falls behind is
/// told to look at everything again.
final class MatchWatchers: Sendable {
  /// What changed for one watcher.
  enum News: Sendable {
    case changed(Set<String>)
    case everything
    case closed
  }

  private struct Mailbox {
    var changed: Set<String> = []
    var hasMissed = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private struct State {
    var boxes: [UInt64: Mailbox] = [:]
    var nextID: UInt64 = 0
    var isClosed = false
  }

  /// Ids noted for a watcher before it has to look at everything.
  static let mailboxLimit = 4096
  private let state = StateLock(State())

  var count: Int { state.withLock { $0.boxes.count } }

  /// Nil: there are as many as may be.
  func open(limit: Int) -> UInt64? {
    state.withLock { state in
      guard state.boxes.count < limit, !state.isClosed else { return nil }
      state.nextID += 1
      state.boxes[state.nextID] = Mailbox()
      return state.nextID
    }
  }

  func close(_ id: UInt64) {
    state.withLock { $0.boxes.removeValue(forKey: id)?.waiter }?.resume()
  }

  func closeAll() {
    let waiters = state.withLock { state in
      state.isClosed = true
      defer { state.boxes = [:] }
      return state.boxes.values.compactMap(\.waiter)
    }
    for waiter in waiters { waiter.resume() }
  }

  func tell(_ parties: [String]) {
    guard !parties.isEmpty else { return }
    note { box in
      box.changed.formUnion(parties)
      if box.changed.count > Self.mailboxLimit {
        box.changed = []
        box.hasMissed = true
      }
    }
  }

  func tellAll() { note { $0.hasMissed = true } }

  private func note(_ change: (inout Mailbox) -> Void) {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard !state.boxes.isEmpty else { return [] }
      var waiters: [CheckedContinuation<Void, Never>] = []
      for id in state.boxes.keys {
        change(&state.boxes[id]!)
        if let waiter = state.boxes[id]?.waiter {
          waiters.append(waiter)
          state.boxes[id]?.waiter = nil
        }
      }
      return waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for something to look at. One caller a watcher.
  func next(_ id: UInt64) async -> News {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard let box = state.boxes[id], box.changed.isEmpty, !box.hasMissed,
            !Task.isCancelled
          else { return true }
          state.boxes[id]?.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      close(id)
    }
    return state.withLock { state in
      guard let box = state.boxes[id] else { return .closed }
      defer { state.boxes[id] = Mailbox() }
      return box.hasMissed ? .everything : .changed(box.changed)
    }
  }
}
