import Synchronization
import Threading

/// Whether the daemon serves: each part that must start first is waited for by name.
package final class Readiness: Sendable {
  private struct Watchers {
    var next: UInt64 = 0
    var all: [UInt64: AsyncStream<Void>.Continuation] = [:]
  }

  private let waitingFor: StateLock<Set<String>>
  private let serves = OneTimeSignal()
  private let draining = Atomic(false)
  private let findBehind = StateLock<@Sendable () -> String?>({ nil })
  private let wasBehind = Atomic(false)
  private let watchers = StateLock(Watchers())

  package init(waitingFor parts: Set<String>) {
    waitingFor = StateLock(parts)
    if parts.isEmpty { serves.give() }
  }

  package var isReady: Bool { serves.isGiven }

  /// Whether the operator has asked that no new work be sent here; what comes all the same is served.
  package var isDraining: Bool { draining.load(ordering: .acquiring) }

  /// Why the daemon, though it has started, should get no new callers for a while; nil: it may.
  ///
  /// It is found anew for everybody who asks: a process that stood still has noted nothing.
  package var behindReason: String? { findBehind.withLock { $0 }() }

  /// Tells how to find ``behindReason``.
  package func findsBehind(_ find: @escaping @Sendable () -> String?) {
    findBehind.withLock { $0 = find }
  }

  /// Tells those who wait for changes if it has begun or ended; call it as often as you like.
  package func noteBehind() {
    let isBehind = behindReason != nil
    if wasBehind.exchange(isBehind, ordering: .acquiringAndReleasing) != isBehind { tellWatchers() }
  }

  /// - Returns: Whether it was draining before.
  func setDraining(_ isDraining: Bool) -> Bool {
    let before = draining.exchange(isDraining, ordering: .acquiringAndReleasing)
    if before != isDraining { tellWatchers() }
    return before
  }

  package func markReady(_ part: String) {
    let isLast = waitingFor.withLock { parts in
      parts.remove(part)
      return parts.isEmpty
    }
    guard isLast else { return }
    serves.give()
    tellWatchers()
  }

  /// Returns when all parts have started, or the task is cancelled.
  package func wait() async { await serves.wait() }

  /// An element at once, and one after changes of ``isReady`` and ``isDraining``; who is slow gets one
  /// for several.
  func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = watchers.withLock { watchers in
      watchers.next += 1
      watchers.all[watchers.next] = continuation
      return watchers.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.watchers.withLock { _ = $0.all.removeValue(forKey: id) }
    }
    continuation.yield()
    return stream
  }

  /// How many look on.
  var watcherCount: Int { watchers.withLock { $0.all.count } }

  private func tellWatchers() {
    for watcher in watchers.withLock({ Array($0.all.values) }) { watcher.yield() }
  }
}
