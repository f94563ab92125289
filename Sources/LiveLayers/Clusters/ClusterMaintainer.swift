import Threading
import Dispatch

/// Keeps clusters in step with their layers, on a thread of its own.
///
/// It sleeps until a layer publishes, then applies everything that waits; under a steady stream it
/// goes round every few milliseconds, so that moves of one object merge.
package final class ClusterMaintainer: Sendable {
  private let layers: @Sendable () -> [Layer]
  private let thread: MaintenanceThread

  init(layers: @escaping @Sendable () -> [Layer]) {
    self.layers = layers
    thread = MaintenanceThread(
      name: "moyeo-clusters", gatheringMilliseconds: 4, work: { Self.flushAll(layers()) })
  }

  /// Says that something waits; cheap when that is known already.
  func signal() { thread.signal() }

  /// Starts the thread; call once.
  package func start() { thread.start() }

  /// Ends the thread after what it is doing now; changes then wait unapplied.
  package func stop() { thread.stop() }

  /// Applies all that waits now, in rounds, so that no layer starves another.
  func flushAll() { Self.flushAll(layers()) }

  private static func flushAll(_ layers: [Layer]) {
    var open = layers
    while !open.isEmpty { open = open.filter { $0.feed.flush() } }
  }
}
