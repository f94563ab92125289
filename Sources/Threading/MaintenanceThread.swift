import Synchronization

/// A thread that sleeps until somebody has work for it, waits a moment for more, then does all of
/// it.
///
/// The clusters and the watches of the live layers each have one. ``signal()`` is cheap when the
/// thread is known to be awake, so that every change may call it.
package final class MaintenanceThread: Sendable {
  private let hasWork = Atomic<Bool>(false)
  private let isStopping = Atomic<Bool>(false)
  private let wake = MonotonicSemaphore(value: 0)
  private let name: String
  private let gatheringMilliseconds: Int64
  private let idleMilliseconds: Int64?
  private let work: @Sendable () -> Void
  private let housekeeping: @Sendable () -> Void

  /// - Parameters:
  ///   - name: The thread's name.
  ///   - gatheringMilliseconds: How long changes may gather after the first before `work` runs.
  ///   - idleMilliseconds: How often `housekeeping` runs at least; nil: only after work.
  ///   - work: Does everything that waits.
  ///   - housekeeping: Runs after work and at least once per `idleMilliseconds`.
  package init(
    name: String, gatheringMilliseconds: Int64, idleMilliseconds: Int64? = nil,
    work: @escaping @Sendable () -> Void,
    housekeeping: @escaping @Sendable () -> Void = {}
  ) {
    self.name = name
    self.gatheringMilliseconds = gatheringMilliseconds
    self.idleMilliseconds = idleMilliseconds
    self.work = work
    self.housekeeping = housekeeping
  }

  /// Says that work waits.
  package func signal() {
    if !hasWork.exchange(true, ordering: .acquiringAndReleasing) { wake.signal() }
  }

  /// Starts the thread; it is called once.
  package func start() {
    WorkerThread.start(name: name) { [self] in run() }
  }

  /// Ends the thread after what it is doing now.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    wake.signal()
  }

  private func run() {
    while !isStopping.load(ordering: .acquiring) {
      let isWoken: Bool
      if let idleMilliseconds {
        isWoken = wake.wait(milliseconds: idleMilliseconds)
      } else {
        wake.wait()
        isWoken = true
      }
      if isWoken {
        // A stop ends this wait early.
        _ = wake.wait(milliseconds: gatheringMilliseconds)
        hasWork.store(false, ordering: .releasing)
        work()
      }
      housekeeping()
    }
  }
}
