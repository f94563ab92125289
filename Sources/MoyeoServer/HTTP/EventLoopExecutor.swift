import NIOCore
import NIOPosix

/// Runs the jobs of HTTP connections where they become ready: a connection's own event loop, once
/// it has spoken. Each hop to another thread and back costs as much as a short read.
///
/// What is not short leaves by ``awayFromEventLoops(_:)``.
final class EventLoopExecutor: TaskExecutor {
  private let group: MultiThreadedEventLoopGroup
  private let loops: Set<ObjectIdentifier>

  init(_ group: MultiThreadedEventLoopGroup) {
    self.group = group
    loops = Set(group.makeIterator().map { ObjectIdentifier($0) })
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    let loop: any EventLoop
    // Not that of a client's own group, which may have told of an answer.
    if let current = MultiThreadedEventLoopGroup.currentEventLoop,
      loops.contains(ObjectIdentifier(current))
    {
      loop = current
    } else {
      loop = group.next()
    }
    loop.execute { unowned.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Runs what may take long, or wait, on the pool of threads that tasks have by default.
func awayFromEventLoops<Answer>(_ work: () async throws -> Answer) async rethrows -> Answer {
  try await withTaskExecutorPreference(globalConcurrentExecutor, operation: work)
}
