import DequeModule

/// Calls that were told that they may wait and have not come to the queue yet.
///
/// Between the two a call is handed from one thread to another. Whoever asks in the meantime counts it,
/// so that of many that ask at once no more are let in than there is room for; one that is turned away at
/// the queue has cost a hundred times what a refusal costs. A call that never comes, because its caller has
/// left, is forgotten after ``patience``.
struct ArrivingCalls {
  /// How long a call may be on its way.
  static let patience: Nanoseconds = 20_000_000

  private var calls: Deque<(caller: UInt64, since: Nanoseconds)> = []

  /// The number of calls on their way.
  ///
  /// - Complexity: O(1) amortised: each call is forgotten once.
  mutating func count(at now: Nanoseconds) -> Int {
    while let oldest = calls.first, now - oldest.since > Self.patience { calls.removeFirst() }
    return calls.count
  }

  /// Whether a call of the caller is on its way.
  ///
  /// - Complexity: O(calls on their way), which are no more than may wait.
  func contains(_ caller: UInt64) -> Bool { calls.contains { $0.caller == caller } }

  mutating func append(_ caller: UInt64, at now: Nanoseconds) { calls.append((caller, now)) }

  /// Says that a call of the caller, the oldest, has come. One that was forgotten counts nowhere.
  mutating func remove(_ caller: UInt64) {
    guard let place = calls.firstIndex(where: { $0.caller == caller }) else { return }
    calls.remove(at: place)
  }
}
