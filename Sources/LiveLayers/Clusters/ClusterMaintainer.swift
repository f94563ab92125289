import Threading
import Dispatch

/// Applies the changes of layers to their clusters, on a thread of its own.
///
/// The thread sleeps until a layer publishes, then applies everything that waits. Under a steady
/// stream it runs every few milliseconds, so that several moves of one object become one.
package final class ClusterMaintainer: Sendable {
  private let layers: @Sendable () -> [Layer]
  private let thread: MaintenanceThread

  init(layers: @escaping @Sendable () -> [Layer]) {
    self.layers = layers
    thread = MaintenanceThread(
      name: "moyeo-clusters", gatheringMilliseconds: 4, work: { Self.flushAll(layers()) })
  }

  /// Says that changes wait; it costs little when that is known already.
  func signal() { thread.signal() }

  /// Starts the thread; it is called once.
  package func start() { thread.start() }

  /// Ends the thread after what it is doing now. Later changes stay unapplied.
  package func stop() { thread.stop() }

  /// Applies everything that waits now, in rounds, so that no layer holds up another.
  func flushAll() { Self.flushAll(layers()) }

  private static func flushAll(_ layers: [Layer]) {
    var open = layers
    while !open.isEmpty { open = open.filter { $0.feed.flush() } }
  }
}
