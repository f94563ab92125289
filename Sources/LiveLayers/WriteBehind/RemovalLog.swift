import Threading

/// Ids that callers took out of a layer, for whoever keeps its positions; empty while nobody does.
final class RemovalLog: Sendable {
  private struct State {
    var isKept = false
    var ids: [String] = []
  }

  private let state = StateLock(State())

  func begin() { state.withLock { $0.isKept = true } }

  /// Whether somebody keeps the layer's positions.
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
