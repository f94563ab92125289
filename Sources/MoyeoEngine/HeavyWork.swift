import Foundation
import QueryCoalescing
import Synchronization

/// Why heavy work was not done.
public enum HeavyWorkError: Error, Hashable, Sendable {
  /// As many calls as allowed wait already: ask again in a moment.
  case overloaded(waiting: Int)
}

/// A few threads for calls too long for an event loop, such as cold tiles or wide polygons.
///
/// At most `threadCount` run at a time and `queueLimit` wait; more are refused at once. Threads
/// start with the first call and end with the pool. Work that never began when its caller was
/// cancelled never begins; running work is told through the closure it is given.
public final class HeavyWork: Sendable {
  public let threadCount: Int
  public let queueLimit: Int
  private let queue: HeavyWorkQueue

  /// - Parameter threadCount: `nil` for half the cores, so that the event loops have room.
  public init(threadCount: Int? = nil, queueLimit: Int = 256) {
    self.threadCount = max(1, threadCount ?? ProcessInfo.processInfo.activeProcessorCount / 2)
    self.queueLimit = max(0, queueLimit)
    queue = HeavyWorkQueue()
  }

  deinit { queue.stop() }

  /// Calls waiting now.
  public var waitingCount: Int { queue.waitingCount }

  /// Runs `body` on one of the threads.
  ///
  /// - Parameter body: is handed a question to ask now and then: whether its caller has left.
  /// - Throws: ``HeavyWorkError/overloaded(waiting:)``, `CancellationError`, what `body` throws.
  public func run<Result: Sendable>(
    _ body: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) throws -> Result
  ) async throws -> Result {
    queue.start(threadCount)
    let job = HeavyJob()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        job.run = {
          let result = Swift.Result {
            try body { job.isCancelled.load(ordering: .relaxed) }
          }
          continuation.resume(with: result)
        }
        job.refuse = { continuation.resume(throwing: $0) }
        if let error = queue.enqueue(job, limit: queueLimit) {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      job.isCancelled.store(true, ordering: .relaxed)
      if queue.withdraw(job) { job.refuse(CancellationError()) }
    }
  }
}

/// One call. `run` and `refuse` are set before the queue's lock hands it on, and one of them is
/// called, once: whoever takes it from the queue does.
private final class HeavyJob: @unchecked Sendable {
  let isCancelled = Atomic<Bool>(false)
  var run: @Sendable () -> Void = {}
  var refuse: @Sendable (any Error) -> Void = { _ in }
}

/// What the pool and its threads share.
private final class HeavyWorkQueue: Sendable {
  private struct State {
    var jobs: [HeavyJob] = []
    /// Jobs before it are taken.
    var first = 0
    var hasStarted = false
    var isStopping = false

    var waitingCount: Int { jobs.count - first }

    mutating func next() -> HeavyJob? {
      guard first < jobs.count else { return nil }
      defer {
        first += 1
        if first == jobs.count || first > 64 && first * 2 > jobs.count {
          jobs.removeFirst(first)
          first = 0
        }
      }
      return jobs[first]
    }
  }

  private let state = StateLock(State())
  // DispatchSemaphore is thread-safe.
  private let wake = DispatchSemaphore(value: 0)

  var waitingCount: Int { state.withLock { $0.waitingCount } }

  func start(_ threadCount: Int) {
    let isFirst = state.withLock { state in
      defer { state.hasStarted = true }
      return !state.hasStarted
    }
    guard isFirst else { return }
    for _ in 0..<threadCount {
      let thread = Thread { [self] in work() }
      thread.name = "moyeo-heavy"
      thread.start()
    }
  }

  func stop() {
    state.withLock { $0.isStopping = true }
    wake.signal()
  }

  /// - Returns: why it was not put in.
  func enqueue(_ job: HeavyJob, limit: Int) -> (any Error)? {
    let error = state.withLock { state -> (any Error)? in
      if job.isCancelled.load(ordering: .relaxed) { return CancellationError() }
      if state.waitingCount >= limit {
        return HeavyWorkError.overloaded(waiting: state.waitingCount)
      }
      state.jobs.append(job)
      return nil
    }
    if error == nil { wake.signal() }
    return error
  }

  /// Takes a job back. - Returns: whether it still waited; then nobody else will answer it.
  func withdraw(_ job: HeavyJob) -> Bool {
    state.withLock { state in
      guard let i = state.jobs[state.first...].firstIndex(where: { $0 === job }) else {
        return false
      }
      state.jobs.remove(at: i)
      return true
    }
  }

  private func work() {
    while true {
      wake.wait()
      let (job, isStopping) = state.withLock { ($0.next(), $0.isStopping) }
      if let job { job.run() } else if isStopping { break }
    }
    // One by one, so that one signal ends them all.
    wake.signal()
  }
}
