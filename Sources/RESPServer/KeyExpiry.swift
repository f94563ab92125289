import LiveLayers
import ObjectModel
import Synchronization
import Threading

/// The moments at which keys end (EXPIRE). They are kept in memory: a restart forgets them, as
/// docs/redis.md says.
///
/// A key that is due ends before the next command of any connection that looks, and at the latest
/// when the door's timer looks.
final class KeyExpiry: Sendable {
  private let deadlines = StateLock<[String: Instant]>([:])
  /// Called when there is a deadline again, and whether it has been since there was none.
  private let timer = StateLock<(start: (@Sendable () -> Void)?, isRunning: Bool)>((nil, false))
  /// The number of deadlines, so that those who have none pay next to nothing.
  private let count = Atomic<Int>(0)

  /// Whether any key has a deadline.
  var isInUse: Bool { count.load(ordering: .relaxed) > 0 }

  /// Has a timer look from now on while any key has a deadline.
  ///
  /// - Parameter start: Starts it; it ends when ``timerGoesOn()`` says so.
  func follow(_ start: @escaping @Sendable () -> Void) { timer.withLock { $0.start = start } }

  /// Returns whether the timer is to look again; if not, ``follow(_:)``'s closure starts it anew.
  func timerGoesOn() -> Bool {
    timer.withLock { timer in
      // Under the lock, so that a deadline which is set meanwhile finds it stopped.
      timer.isRunning = isInUse
      return timer.isRunning
    }
  }

  private func startTimer() {
    let start = timer.withLock { timer -> (@Sendable () -> Void)? in
      guard !timer.isRunning, let start = timer.start else { return nil }
      timer.isRunning = true
      return start
    }
    start?()
  }

  func deadline(of key: String) -> Instant? {
    guard isInUse else { return nil }
    return deadlines.withLock { $0[key] }
  }

  /// - Returns: Whether there was a deadline.
  @discardableResult
  func clear(_ key: String) -> Bool {
    guard isInUse else { return false }
    return deadlines.withLock { deadlines in
      defer { count.store(deadlines.count, ordering: .relaxed) }
      return deadlines.removeValue(forKey: key) != nil
    }
  }

  /// Sets the deadline of a key if `allows` does, which is handed the one before.
  ///
  /// - Returns: Whether it was set.
  func set(_ key: String, _ deadline: Instant, if allows: (Instant?) -> Bool) -> Bool {
    let isSet = deadlines.withLock { deadlines in
      guard allows(deadlines[key]) else { return false }
      deadlines[key] = deadline
      count.store(deadlines.count, ordering: .relaxed)
      return true
    }
    if isSet { startTimer() }
    return isSet
  }

  /// Ends the keys that are due, and returns what takes their members away.
  func endDue(in layers: LayerRegistry) -> [EndedLayer] {
    guard isInUse else { return [] }
    let now = layers.clock.now()
    return deadlines.withLock { deadlines in
      // Under the lock, so that nobody finds a due key as it was.
      var ended: [EndedLayer] = []
      for (key, deadline) in deadlines where deadline <= now {
        deadlines[key] = nil
        if let layer = try? layers.endLayer(key) { ended.append(layer) }
      }
      count.store(deadlines.count, ordering: .relaxed)
      return ended
    }
  }
}
