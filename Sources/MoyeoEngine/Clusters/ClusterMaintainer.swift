import Foundation
import Synchronization

/// The thread that keeps clusters in step with their layers.
///
/// It sleeps until a layer publishes, then applies everything that waits; under a steady stream it
/// goes round every few milliseconds, so that moves of one object merge.
public final class ClusterMaintainer: Sendable {
  private let hasWork = Atomic<Bool>(false)
  private let isStopping = Atomic<Bool>(false)
  // DispatchSemaphore is thread-safe.
  private let wake = DispatchSemaphore(value: 0)
  private let layers: @Sendable () -> [Layer]
  /// How long records may gather before they are applied.
  private static let gatherMilliseconds = 4

  init(layers: @escaping @Sendable () -> [Layer]) { self.layers = layers }

  /// Says that something waits; cheap when that is known already.
  func signal() {
    if !hasWork.exchange(true, ordering: .acquiringAndReleasing) { wake.signal() }
  }

  /// Starts the thread; call once.
  public func start() {
    let thread = Thread { [self] in run() }
    thread.name = "moyeo-clusters"
    thread.start()
  }

  public func stop() {
    isStopping.store(true, ordering: .releasing)
    wake.signal()
  }

  private func run() {
    while !isStopping.load(ordering: .acquiring) {
      wake.wait()
      // Lets a burst gather; a stop ends the wait.
      _ = wake.wait(timeout: .now() + .milliseconds(Self.gatherMilliseconds))
      hasWork.store(false, ordering: .releasing)
      flushAll()
    }
  }

  /// Applies all that waits now, in rounds, so that no layer starves another.
  func flushAll() {
    var open = layers()
    while !open.isEmpty { open = open.filter { $0.feed.flush() } }
  }
}
