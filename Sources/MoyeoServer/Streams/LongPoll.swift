/// How long a long poll still waits: in slices, so that a shutdown does not wait for it.
struct LongPoll {
  private static let slice = Duration.milliseconds(500)

  private let end: ContinuousClock.Instant
  private let shutdown: ShutdownSignal

  /// Begins to wait now.
  init(_ wait: Duration, shutdown: ShutdownSignal) {
    end = .now + wait
    self.shutdown = shutdown
  }

  /// How long to wait before the next look; nil: the poll is over.
  /// - Throws: `CancellationError` when nobody waits for the answer any more.
  func nextSlice() throws(CancellationError) -> Duration? {
    let left = end - .now
    guard left > .zero, !shutdown.isShuttingDown else { return nil }
    guard !Task.isCancelled else { throw CancellationError() }
    return min(left, Self.slice)
  }
}
