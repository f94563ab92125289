#if canImport(Glibc)
  public import Glibc
#elseif canImport(Darwin)
  public import Darwin
#endif

/// A value behind a POSIX mutex.
///
/// It is not `Synchronization.Mutex`, whose contended path on Linux takes the lock inside the
/// kernel (priority-inheriting futex). The thread sanitizer cannot see that, so that it reports a
/// race between any two holders who have met; and it spins long before it sleeps (swiftlang/swift
/// issue 88440). Uncontended, both cost about the same.
public final class StateLock<State: ~Copyable>: @unchecked Sendable {
  // Sendable is true because `state` is touched only while `mutex` is held. It stands behind a
  // pointer because a stored property of a class is checked for exclusive access at each use.
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let state: UnsafeMutablePointer<State>

  /// Takes the state over, so that it is reached through ``withLock(_:)`` alone; traps if the
  /// system gives no mutex.
  public init(_ initial: consuming sending State) {
    unsafe state = UnsafeMutablePointer.allocate(capacity: 1)
    unsafe state.initialize(to: initial)
    unsafe mutex = UnsafeMutablePointer.allocate(capacity: 1)
    let code = unsafe pthread_mutex_init(mutex, nil)
    precondition(code == 0, "pthread_mutex_init answered \(code)")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Runs `body` with exclusive access to the state. It must not lock the same lock, and must not
  /// let a reference to mutable parts of the state escape.
  ///
  /// - Throws: What `body` throws.
  @inlinable
  public func withLock<Answer: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try unsafe body(&state.pointee)
  }
}
