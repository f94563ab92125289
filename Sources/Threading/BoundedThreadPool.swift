import CThreads
import DequeModule
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
/// At most ``threadCount`` calls run at a time and ``queueLimit`` wait; more are refused at once, and
/// fewer may wait while they wait too long (``QueueDelayLimit``).
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
  ///   - queueDelay: How long calls should wait at most; nil: as long as it takes.
  ///   - clock: By which waits are measured.
  package init(
    threadCount: Int? = nil, queueLimit: Int = 256, callerLimit: Int? = nil,
    queueDelay: QueueDelayLimit.Settings? = nil,
    clock: any MonotonicClock = SystemMonotonicClock()
  ) {
    let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    self.threadCount = max(1, threadCount ?? cores / 2)
    self.queueLimit = max(0, queueLimit)
    let threads = self.threadCount
    let ceiling = self.queueLimit
    queue = PoolQueue(
      limit: ceiling, callerLimit: min(ceiling, callerLimit ?? ceiling),
      delay: queueDelay.map {
        QueueDelayLimit(threads: threads, ceiling: ceiling, settings: $0)
      }, clock: clock)
  }

  deinit { queue.stop() }

  /// The number of calls that wait now.
  package var waitingCount: Int { queue.waitingCount }

  /// What the queue is like now, and what it has refused.
  package struct Figures: Hashable, Sendable {
    package var waiting = 0
    /// How many may wait now.
    package var limit = 0
    /// Calls refused because too many waited.
    package var refusedByCount: UInt64 = 0
    /// Calls refused because those before them wait too long.
    package var refusedByDelay: UInt64 = 0
  }

  package var figures: Figures { queue.figures }

  /// Looks whether a call would be refused now because calls wait too long, so that one that certainly
  /// is for the pool need not be read first.
  ///
  /// - Parameters:
  ///   - caller: As for ``run(caller:mayBeShed:_:)``.
  ///   - keepsPlace: Whether a call that may try is counted as one that waits until ``arrived(caller:)``
  ///     is called, which it must be just before it is run.
  /// - Returns: Why it is refused, which is counted; nil where it may try.
  package func refusal(caller: UInt64 = 0, keepsPlace: Bool = false) -> ThreadPoolError? {
    queue.refusal(caller, keepsPlace: keepsPlace)
  }

  /// Gives the place up that ``refusal(caller:keepsPlace:)`` kept: the call is about to be run, or has
  /// found its answer elsewhere.
  package func arrived(caller: UInt64 = 0) { queue.arrived(caller) }

  /// Runs `body` on one of the threads.
  ///
  /// - Parameters:
  ///   - caller: The caller whose turn the call takes; calls with the same number share their
  ///     turns.
  ///   - mayBeShed: Whether it is refused while others wait. False for what ends a call that has cost
  ///     something already, and for what others wait for: it is never refused and goes first.
  ///   - body: Is handed a function that tells whether its caller has left, and calls it every few
  ///     hundred steps; there it also lets other threads have its core (``TimeSlice/stepAside()``).
  /// - Returns: What `body` returns.
  /// - Throws: ``ThreadPoolError/overloaded(waiting:)``, `CancellationError`, what `body` throws.
  package func run<Result: Sendable>(
    caller: UInt64 = 0, mayBeShed: Bool = true,
    _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Result
  ) async throws -> Result {
    queue.start(threadCount)
    let job = PoolJob(caller: caller, mayBeShed: mayBeShed)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        job.run = {
          let result = Swift.Result {
            try body {
              TimeSlice.stepAside()
              return job.isCancelled.load(ordering: .relaxed)
            }
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

/// One call. `run`, `refuse` and `since` are set before the queue's lock hands it on. Whoever takes the job
/// from the queue calls one of them, once.
private final class PoolJob: @unchecked Sendable {
  let caller: UInt64
  let mayBeShed: Bool
  /// When it was taken into the queue.
  var since: Nanoseconds = 0
  let isCancelled = Atomic<Bool>(false)
  var run: @Sendable () -> Void = {}
  var refuse: @Sendable (any Error) -> Void = { _ in }

  init(caller: UInt64, mayBeShed: Bool) {
    self.caller = caller
    self.mayBeShed = mayBeShed
  }

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
    /// What nobody may refuse any more. It goes first: it ends calls that hold memory, and there is no
    /// more of it than calls that have begun.
    var promised: Deque<PoolJob> = []
    var arriving = ArrivingCalls()
    var delay: QueueDelayLimit?
    var refusedByCount: UInt64 = 0
    var refusedByDelay: UInt64 = 0
    var hasStarted = false
    var isStopping = false

    var waiting: Int { jobs.count + promised.count }
  }

  /// About a quarter of a core beside an event loop that has as much to do, and the loop first.
  private static let courtesy: Int32 = 5

  private let limit: Int
  private let clock: any MonotonicClock
  private let state: StateLock<State>
  // DispatchSemaphore is thread-safe.
  private let wake = DispatchSemaphore(value: 0)

  init(limit: Int, callerLimit: Int, delay: QueueDelayLimit?, clock: any MonotonicClock) {
    self.limit = limit
    self.clock = clock
    state = StateLock(
      State(
        jobs: FairQueue(capacity: max(1, limit), perSession: max(1, callerLimit)), delay: delay))
  }

  var waitingCount: Int { state.withLock { $0.waiting } }

  var figures: BoundedThreadPool.Figures {
    state.withLock { state in
      BoundedThreadPool.Figures(
        waiting: state.waiting, limit: state.delay?.limit ?? limit,
        refusedByCount: state.refusedByCount, refusedByDelay: state.refusedByDelay)
    }
  }

  func start(_ threadCount: Int) {
    let isFirst = state.withLock { state in
      defer { state.hasStarted = true }
      return !state.hasStarted
    }
    guard isFirst else { return }
    for _ in 0..<threadCount {
      WorkerThread.start(name: "moyeo-pool", stackBytes: 4 << 20, courtesy: Self.courtesy) {
        [self] in
        moyeo_mark_pool_thread()
        work()
      }
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
    let now = clock.now()
    let error = state.withLock { state -> (any Error)? in
      if job.isCancelled.load(ordering: .relaxed) { return CancellationError() }
      job.since = now
      guard job.mayBeShed else {
        state.promised.append(job)
        return nil
      }
      guard limit > 0 else { return ThreadPoolError.overloaded(waiting: 0) }
      guard Self.allows(job.caller, at: now, &state) else {
        state.refusedByDelay += 1
        return ThreadPoolError.overloaded(waiting: state.waiting)
      }
      do {
        try state.jobs.append(job, of: job.caller)
        return nil
      } catch {
        state.refusedByCount += 1
        return ThreadPoolError.overloaded(waiting: state.waiting)
      }
    }
    if error == nil { wake.signal() }
    return error
  }

  /// Whether a job may wait. While calls wait too long, a caller with nothing in the queue still gets
  /// one call in, as long as the queue is not twice as long as it should be: whoever fills the queue
  /// shuts nobody else out.
  private static func allows(_ caller: UInt64, at now: Nanoseconds, _ state: inout State) -> Bool {
    guard let delay = state.delay else { return true }
    let waiting = state.waiting + state.arriving.count(at: now)
    if state.delay?.allows(waiting: waiting, at: now) ?? true { return true }
    return waiting < 2 * delay.limit && !state.jobs.isWaiting(caller)
      && !state.arriving.contains(caller)
  }

  func refusal(_ caller: UInt64, keepsPlace: Bool) -> ThreadPoolError? {
    let now = clock.now()
    return state.withLock { state in
      guard !Self.allows(caller, at: now, &state) else {
        if keepsPlace, state.delay != nil { state.arriving.append(caller, at: now) }
        return nil
      }
      state.refusedByDelay += 1
      return .overloaded(waiting: state.waiting)
    }
  }

  func arrived(_ caller: UInt64) { state.withLock { $0.arriving.remove(caller) } }

  /// Takes a job back.
  ///
  /// - Returns: Whether the job still waited; then nobody else will answer it.
  func withdraw(_ job: PoolJob) -> Bool {
    state.withLock { state in
      guard !job.mayBeShed else {
        return !state.jobs.removeAll(of: job.caller) { $0 === job }.isEmpty
      }
      guard let place = state.promised.firstIndex(where: { $0 === job }) else { return false }
      state.promised.remove(at: place)
      return true
    }
  }

  private func work() {
    while true {
      wake.wait()
      let now = clock.now()
      let (job, isStopping) = state.withLock { state -> (PoolJob?, Bool) in
        // How long those in front waited says nothing of the queue.
        if let job = state.promised.popFirst() { return (job, state.isStopping) }
        let job = state.jobs.popFirst()?.element
        if let job { state.delay?.began(after: now - job.since, at: now) }
        return (job, state.isStopping)
      }
      if let job { job.takeRun()() } else if isStopping { break }
    }
    // Each thread that ends signals the next one, so that one signal ends them all.
    wake.signal()
  }
}
