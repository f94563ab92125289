import Threading

/// The ids that callers removed from a layer, for the ``PositionWriteBehind``. It is empty unless
/// one has begun it.
final class RemovalLog: Sendable {
  private struct State {
    var isKept = false
    var ids: [String] = []
  }

  private let state = StateLock(State())

  func begin() { state.withLock { $0.isKept = true } }

  /// Whether a write-behind wants the removals.
  var isBegun: Bool { state.withLock { $0.isKept } }

  func note(_ id: String) {
    state.withLock { state in if state.isKept { state.ids.append(id) } }
  }

  func take() -> [String] {
    state.withLock { state in
      defer { state.ids = [] }
      return state.ids
    }
  }

  func putBack(_ ids: [String]) { state.withLock { $0.ids = ids + $0.ids } }
}
