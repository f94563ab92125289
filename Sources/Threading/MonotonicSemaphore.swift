#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A counting semaphore whose timed waits follow the monotonic clock.
///
/// `DispatchSemaphore`, `NSCondition` and `NSLock.lock(before:)` wait by the wall clock on Linux
/// (`sem_timedwait`, `pthread_cond_timedwait`, `pthread_mutex_timedlock`): when somebody sets the
/// clock back by two hours during a wait of 20 ms, that wait takes two hours.
package final class MonotonicSemaphore: @unchecked Sendable {
  // Sendable is true because `count` is touched only while `mutex` is held.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var count: Int

  /// - Parameter value: The number of waits that pass before the first signal; 1 makes a lock.
  package init(value: Int) {
    precondition(value >= 0, "a semaphore's value must be 0 or greater")
    count = value
    unsafe mutex = UnsafeMutablePointer.allocate(capacity: 1)
    unsafe condition = UnsafeMutablePointer.allocate(capacity: 1)
    let code = unsafe pthread_mutex_init(mutex, nil)
    precondition(code == 0, "pthread_mutex_init answered \(code)")
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    #if canImport(Glibc)
      unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    #endif
    let made = unsafe pthread_cond_init(condition, &attributes)
    precondition(made == 0, "pthread_cond_init answered \(made)")
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe condition.deallocate()
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Lets one wait pass.
  package func signal() {
    unsafe pthread_mutex_lock(mutex)
    count += 1
    unsafe pthread_cond_signal(condition)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Blocks the thread until a signal is left over for it.
  package func wait() {
    unsafe pthread_mutex_lock(mutex)
    while count == 0 { unsafe pthread_cond_wait(condition, mutex) }
    count -= 1
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Blocks the thread until a signal is left over for it, at most for `milliseconds`.
  ///
  /// - Returns: `false` when the time passed without a signal.
  package func wait(milliseconds: Int64) -> Bool {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    var deadline = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
    // Callers wait in a loop, so that a day is as good as any longer wait.
    let milliseconds = min(max(0, milliseconds), 86_400_000)
    deadline.tv_sec += Int(milliseconds / 1_000)
    deadline.tv_nsec += Int(milliseconds % 1_000) * 1_000_000
    if deadline.tv_nsec >= 1_000_000_000 {
      deadline.tv_sec += 1
      deadline.tv_nsec -= 1_000_000_000
    }
    while count == 0 {
      guard unsafe !waitOnce(until: &deadline) else {
        guard count > 0 else { return false }
        break
      }
    }
    count -= 1
    return true
  }

  /// Waits for the condition or the deadline.
  ///
  /// - Returns: Whether the deadline has passed.
  private func waitOnce(until deadline: UnsafeMutablePointer<timespec>) -> Bool {
    #if canImport(Glibc)
      return unsafe pthread_cond_timedwait(condition, mutex, deadline) == ETIMEDOUT
    #else
      var now = timespec()
      unsafe clock_gettime(CLOCK_MONOTONIC, &now)
      var left = timespec(
        tv_sec: unsafe deadline.pointee.tv_sec - now.tv_sec,
        tv_nsec: unsafe deadline.pointee.tv_nsec - now.tv_nsec)
      if left.tv_nsec < 0 {
        left.tv_sec -= 1
        left.tv_nsec += 1_000_000_000
      }
      guard left.tv_sec >= 0 else { return true }
      return unsafe pthread_cond_timedwait_relative_np(condition, mutex, &left) == ETIMEDOUT
    #endif
  }
}
