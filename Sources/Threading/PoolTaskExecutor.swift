import CThreads

/// Carries a task on where a ``BoundedThreadPool`` has just answered what it waited for: on the pool's
/// thread. Anything else of it runs where Swift's tasks usually do.
///
/// To wake one of Swift's threads for the few lines behind an answer takes two switches between
/// threads, and the pool's bounds hold for what follows the answer, too.
package final class PoolTaskExecutor: TaskExecutor {
  package static let shared = PoolTaskExecutor()

  package func enqueue(_ job: consuming ExecutorJob) {
    // What a task carried on here wakes in its turn, itself included, would run inside it, ever deeper.
    guard moyeo_begin_carrying_on() != 0 else { return globalConcurrentExecutor.enqueue(job) }
    job.runSynchronously(on: asUnownedTaskExecutor())
    moyeo_stop_carrying_on()
  }
}
