import Synchronization
import Threading

extension StoreConnection {
  /// Frames in the write-ahead log as of the last commit, and what wakes the thread that copies them.
  final class LogLength: Sendable {
    let frames = Atomic<Int>(0)
    let commits = Atomic<Int>(0)
    /// Whether the next commit wakes the copier.
    private let isCopierResting = Atomic<Bool>(false)
    private let wakes = MonotonicSemaphore(value: 0)

    /// Takes in a commit.
    func note(frames count: Int) {
      frames.store(count, ordering: .relaxed)
      // The copier says that it rests and then looks at the commits, so that one sees the other.
      commits.add(1, ordering: .sequentiallyConsistent)
      guard isCopierResting.load(ordering: .sequentiallyConsistent) else { return }
      if isCopierResting.exchange(false, ordering: .relaxed) { wakes.signal() }
    }

    /// Ends the copier's wait, or the next one.
    func wakeCopier() { wakes.signal() }

    /// Waits as the copier between its looks at the log. It may return early.
    func wait(milliseconds: Int64) { _ = wakes.wait(milliseconds: milliseconds) }

    /// Waits as the copier until there are other commits than `seen`. It may return early.
    func waitForCommit(beyond seen: Int, milliseconds: Int64) {
      isCopierResting.store(true, ordering: .sequentiallyConsistent)
      if commits.load(ordering: .sequentiallyConsistent) == seen {
        wait(milliseconds: milliseconds)
      }
      isCopierResting.store(false, ordering: .relaxed)
    }
  }
}
