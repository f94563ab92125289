#if canImport(Glibc)
  public import Glibc
#elseif canImport(Darwin)
  public import Darwin
#endif

/// A value behind a POSIX mutex.
///
/// Why not `Synchronization.Mutex`: on Linux its contended path takes the lock inside the kernel
/// (priority-inheriting futex), which the thread sanitizer cannot see, so that it reports a race
/// between any two holders who have met; and it spins long before it sleeps (swiftlang/swift issue
/// 88440). Uncontended, both cost about the same.
public final class StateLock<State>: @unchecked Sendable {
  // Sendable is true because `state` is touched only while `mutex` is held.
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline var state: State

  public init(_ state: sending State) {
    self.state = state
    unsafe mutex = UnsafeMutablePointer.allocate(capacity: 1)
    let code = unsafe pthread_mutex_init(mutex, nil)
    precondition(code == 0, "pthread_mutex_init answered \(code)")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs `body` alone; it must not lock the same lock, and must not let a reference to mutable
  /// parts of the state escape.
  @inlinable
  public func withLock<Answer>(_ body: (inout State) throws -> Answer) rethrows -> Answer {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
