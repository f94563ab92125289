import ObjectModel
import Threading
import Dispatch

/// Tells watches what happens in their layers, on a thread of its own.
///
/// The thread sleeps until a watched layer publishes, waits a moment for more changes, then matches
/// all that wait. Every few seconds it ends watches whose readers have left.
package final class WatchMaintainer: Sendable {
  private let layers: @Sendable () -> [Layer]
  private let now: @Sendable () -> ObjectModel.Instant
  private let thread: MaintenanceThread

  init(
    layers: @escaping @Sendable () -> [Layer], now: @escaping @Sendable () -> ObjectModel.Instant
  ) {
    self.layers = layers
    self.now = now
    thread = MaintenanceThread(
      name: "moyeo-watches", gatheringMilliseconds: 10, idleMilliseconds: 5000,
      work: { Self.flushAll(layers(), now) },
      housekeeping: {
        let now = now()
        for layer in layers() { layer.watches.prune(now: now) }
      })
  }

  /// Says that changes wait; it costs little when that is known already.
  func signal() { thread.signal() }

  /// Starts the thread; it is called once.
  package func start() { thread.start() }

  /// Ends the thread after what it is doing now. Watches then learn of nothing more.
  package func stop() { thread.stop() }

  /// Matches everything that waits now, in rounds, so that no layer holds up another.
  func flushAll() { Self.flushAll(layers(), now) }

  private static func flushAll(_ layers: [Layer], _ now: @Sendable () -> ObjectModel.Instant) {
    var open = layers
    while !open.isEmpty {
      let now = now()
      open = open.filter { $0.watches.flush(now: now) }
    }
  }
}
