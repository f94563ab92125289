import Threading

/// Held by whoever writes the record. Not recursive.
final class WriteLock: Sendable {
  private let semaphore = MonotonicSemaphore(value: 1)

  func lock() { semaphore.wait() }

  func unlock() { semaphore.signal() }

  /// - Returns: False when the time passed while somebody else held it.
  func lock(withinMilliseconds milliseconds: Int64) -> Bool {
    semaphore.wait(milliseconds: milliseconds)
  }

  func withLock<T>(_ body: () throws -> T) rethrows -> T {
    lock()
    defer { unlock() }
    return try body()
  }
}
