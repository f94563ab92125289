#if canImport(Glibc)
  public import Glibc
#elseif canImport(Darwin)
  public import Darwin
#endif

/// A readers-writer lock that lets a waiting writer in before new readers.
///
/// `@unchecked Sendable`: the pthread lock itself is made for use from many threads, and the
/// storage is allocated once and freed with the last reference.
@safe public final class ReadersWriterLock: @unchecked Sendable {
  @usableFromInline let lock: UnsafeMutablePointer<pthread_rwlock_t>

  package init() {
    unsafe lock = .allocate(capacity: 1)
    #if canImport(Glibc)
      var attributes = pthread_rwlockattr_t()
      unsafe pthread_rwlockattr_init(&attributes)
      // PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP is the only kind in which glibc prefers
      // writers.
      unsafe pthread_rwlockattr_setkind_np(&attributes, 2)
      unsafe pthread_rwlock_init(lock, &attributes)
      unsafe pthread_rwlockattr_destroy(&attributes)
    #else
      unsafe pthread_rwlock_init(lock, nil)
    #endif
  }

  deinit {
    unsafe pthread_rwlock_destroy(lock)
    unsafe lock.deallocate()
  }

  @inlinable @inline(__always)
  package func withReadLock<R>(_ body: () -> R) -> R {
    unsafe pthread_rwlock_rdlock(lock)
    defer { unsafe pthread_rwlock_unlock(lock) }
    return body()
  }

  @inlinable @inline(__always)
  package func withWriteLock<R>(_ body: () -> R) -> R {
    unsafe pthread_rwlock_wrlock(lock)
    defer { unsafe pthread_rwlock_unlock(lock) }
    return body()
  }
}
