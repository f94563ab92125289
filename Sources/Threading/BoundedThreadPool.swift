import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why a ``BoundedThreadPool`` did not do its work.
package enum ThreadPoolError: Error, Hashable, Sendable {
  /// As many calls as allowed wait already, in all or of this caller; the payload is how many.
  case overloaded(waiting: Int)
}

/// A few threads for calls too long for an event loop, such as cold tiles or wide polygons.
///
/// At most ``threadCount`` calls run at a time and ``queueLimit`` wait; more are refused at once.
/// Callers take turns (``FairQueue``), so that one who asks for much delays another by one of its
/// calls at most. Threads start with the first call and end with the pool. Work that never began
/// when its caller was cancelled never begins; running work is told through the closure it is
/// given.
package final class BoundedThreadPool: Sendable {
  package let threadCount: Int
  package let queueLimit: Int
  private let queue: PoolQueue

  /// - Parameters:
  ///   - threadCount: The number of threads; nil for half the cores, so that the event loops have
  ///     room.
  ///   - queueLimit: The most calls that wait.
  ///   - callerLimit: The most calls of one caller that wait; nil for as many as may wait at all.
  package init(threadCount: Int? = nil, queueLimit: Int = 256, callerLimit: Int? = nil) {
    let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    self.threadCount = max(1, threadCount ?? cores / 2)
    self.queueLimit = max(0, queueLimit)
    queue = PoolQueue(
      limit: self.queueLimit, callerLimit: min(self.queueLimit, callerLimit ?? self.queueLimit))
  }

  deinit { queue.stop() }

  /// The number of calls that wait now.
  package var waitingCount: Int { queue.waitingCount }

  /// Runs `body` on one of the threads.
  ///
  /// - Parameters:
  ///   - caller: The caller whose turn the call takes; calls with the same number share their
  ///     turns.
  ///   - body: Is handed a function that tells whether its caller has left, and calls it every few
  ///     hundred steps.
  /// - Returns: What `body` returns.
  /// - Throws: ``ThreadPoolError/overloaded(waiting:)``, `CancellationError`, what `body` throws.
  package func run<Result: Sendable>(
    caller: UInt64 = 0,
    _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Result
  ) async throws -> Result {
    queue.start(threadCount)
    let job = PoolJob(caller: caller)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        job.run = {
          let result = Swift.Result {
            try body { job.isCancelled.load(ordering: .relaxed) }
          }
          continuation.resume(with: result)
        }
        job.refuse = { continuation.resume(throwing: $0) }
        if let error = queue.enqueue(job) { job.takeRefusal()(error) }
      }
    } onCancel: {
      job.isCancelled.store(true, ordering: .relaxed)
      if queue.withdraw(job) { job.takeRefusal()(CancellationError()) }
    }
  }
}

/// One call. `run` and `refuse` are set before the queue's lock hands it on. Whoever takes the job
/// from the queue calls one of them, once.
private final class PoolJob: @unchecked Sendable {
  let caller: UInt64
  let isCancelled = Atomic<Bool>(false)
  var run: @Sendable () -> Void = {}
  var refuse: @Sendable (any Error) -> Void = { _ in }

  init(caller: UInt64) { self.caller = caller }

  /// Returns what runs the call, and forgets it: it knows the job, and what the call holds would
  /// otherwise stay with the job for ever.
  func takeRun() -> @Sendable () -> Void {
    defer { forget() }
    return run
  }

  /// Returns what refuses the call, and forgets the call.
  func takeRefusal() -> @Sendable (any Error) -> Void {
    defer { forget() }
    return refuse
  }

  private func forget() {
    run = {}
    refuse = { _ in }
  }
}

/// What the pool and its threads share.
private final class PoolQueue: Sendable {
  private struct State {
    var jobs: FairQueue<UInt64, PoolJob>
    var hasStarted = false
    var isStopping = false
  }

  private let limit: Int
  private let state: StateLock<State>
  // DispatchSemaphore is thread-safe.
  private let wake = DispatchSemaphore(value: 0)

  init(limit: Int, callerLimit: Int) {
    self.limit = limit
    state = StateLock(
      State(jobs: FairQueue(capacity: max(1, limit), perSession: max(1, callerLimit))))
  }

  var waitingCount: Int { state.withLock { $0.jobs.count } }

  func start(_ threadCount: Int) {
    let isFirst = state.withLock { state in
      defer { state.hasStarted = true }
      return !state.hasStarted
    }
    guard isFirst else { return }
    for _ in 0..<threadCount {
      WorkerThread.start(name: "moyeo-pool", stackBytes: 4 << 20) { [self] in work() }
    }
  }

  func stop() {
    state.withLock { $0.isStopping = true }
    wake.signal()
  }

  /// Enqueues a job.
  ///
  /// - Returns: Why the job was refused; nil when it was enqueued.
  func enqueue(_ job: PoolJob) -> (any Error)? {
    let error = state.withLock { state -> (any Error)? in
      if job.isCancelled.load(ordering: .relaxed) { return CancellationError() }
      guard limit > 0 else { return ThreadPoolError.overloaded(waiting: 0) }
      do {
        try state.jobs.append(job, of: job.caller)
        return nil
      } catch {
        return ThreadPoolError.overloaded(waiting: state.jobs.count)
      }
    }
    if error == nil { wake.signal() }
    return error
  }

  /// Takes a job back.
  ///
  /// - Returns: Whether the job still waited; then nobody else will answer it.
  func withdraw(_ job: PoolJob) -> Bool {
    state.withLock { !$0.jobs.removeAll(of: job.caller) { $0 === job }.isEmpty }
  }

  private func work() {
    while true {
      wake.wait()
      let (job, isStopping) = state.withLock { ($0.jobs.popFirst()?.element, $0.isStopping) }
      if let job { job.takeRun()() } else if isStopping { break }
    }
    // Each thread that ends signals the next one, so that one signal ends them all.
    wake.signal()
  }
}
