import Foundation
import ObjectModel
import Synchronization

/// The thread that tells watches of what happens in their layers.
///
/// It sleeps until a watched layer publishes, lets a burst gather, then matches all that waits.
public final class WatchMaintainer: Sendable {
  private let hasWork = Atomic<Bool>(false)
  private let isStopping = Atomic<Bool>(false)
  // DispatchSemaphore is thread-safe.
  private let wake = DispatchSemaphore(value: 0)
  private let layers: @Sendable () -> [Layer]
  private let now: @Sendable () -> ObjectModel.Instant
  /// How long changes may gather before they are matched.
  private static let gatherMilliseconds = 10
  /// How often idle watches are looked for.
  private static let idleSeconds = 5

  init(
    layers: @escaping @Sendable () -> [Layer], now: @escaping @Sendable () -> ObjectModel.Instant
  ) {
    self.layers = layers
    self.now = now
  }

  /// Says that something waits; cheap when that is known already.
  func signal() {
    if !hasWork.exchange(true, ordering: .acquiringAndReleasing) { wake.signal() }
  }

  /// Starts the thread; call once.
  public func start() {
    let thread = Thread { [self] in run() }
    thread.name = "moyeo-watches"
    thread.start()
  }

  public func stop() {
    isStopping.store(true, ordering: .releasing)
    wake.signal()
  }

  private func run() {
    while !isStopping.load(ordering: .acquiring) {
      if wake.wait(timeout: .now() + .seconds(Self.idleSeconds)) == .success {
        _ = wake.wait(timeout: .now() + .milliseconds(Self.gatherMilliseconds))
        hasWork.store(false, ordering: .releasing)
        flushAll()
      }
      let now = now()
      for layer in layers() { layer.watches.prune(now: now) }
    }
  }

  /// Matches all that waits now, in rounds, so that no layer starves another.
  func flushAll() {
    var open = layers()
    while !open.isEmpty {
      let now = now()
      open = open.filter { $0.watches.flush(now: now) }
    }
  }
}
