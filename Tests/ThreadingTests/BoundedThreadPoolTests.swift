import Foundation
import Synchronization
import Testing

@testable import Threading

struct BoundedThreadPoolTests {
  private struct Refused: Error {}

  /// Keeps a pool's threads busy until it is opened.
  private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    let entered = DispatchSemaphore(value: 0)
    func pass() {
      entered.signal()
      semaphore.wait()
      semaphore.signal()
    }
    func open() { semaphore.signal() }
    func waitUntilEntered() async {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          self.entered.wait()
          continuation.resume()
        }
      }
    }
  }

  private final class Counter: Sendable {
    private let atomic = Atomic<Int>(0)
    var value: Int { atomic.load(ordering: .relaxed) }
    func add() { atomic.add(1, ordering: .relaxed) }
  }

  private static func waitUntil(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  #if os(Linux)
    /// Event loops come first where there are fewer cores than threads with work.
    @Test func itsThreadsStandBehindTheOthers() async throws {
      let pool = BoundedThreadPool(threadCount: 1)
      let process = __priority_which_t(PRIO_PROCESS.rawValue)
      let others = getpriority(process, 0)
      #expect(try await pool.run { _ in getpriority(process, 0) } == min(19, others + 5))
    }
  #endif

  @Test("What a pool's thread wakes runs there, and what that wakes in its turn does not")
  func tasksAreCarriedOnByThePool() async throws {
    let pool = BoundedThreadPool(threadCount: 1)
    @Sendable func thread() -> pthread_t { pthread_self() }
    @Sendable func task(_ body: @escaping @Sendable () -> Void) {
      Task(executorPreference: PoolTaskExecutor.shared) { body() }
    }
    for _ in 0..<3 {
      let (inner, noteInner) = AsyncStream.makeStream(of: pthread_t.self)
      let (poolThread, outer) = try await pool.run { _ in
        let outer = StateLock<pthread_t?>(nil)
        task {
          outer.withLock { $0 = thread() }
          task { noteInner.yield(thread()) }
        }
        // It has run before this line, so that the pool is not done before its task is.
        return (thread(), outer.withLock { $0 })
      }
      #expect(outer == poolThread)
      for await thread in inner {
        #expect(thread != poolThread)
        break
      }
    }
    // However often a task gives way, it does not run inside itself.
    let answer = try await Task(executorPreference: PoolTaskExecutor.shared) {
      try await pool.run { _ in }
      for _ in 0..<100_000 { await Task.yield() }
      return try await pool.run { _ in 7 }
    }.value
    #expect(answer == 7)
  }

  @Test func resultsAndErrorsComeBackFromOtherThreads() async throws {
    let pool = BoundedThreadPool(threadCount: 2)
    let sums = try await withThrowingTaskGroup(of: Int.self) { group in
      for n in 0..<100 { group.addTask { try await pool.run { _ in n * n } } }
      return try await group.reduce(0, +)
    }
    #expect(sums == (0..<100).reduce(0) { $0 + $1 * $1 })
    await #expect(throws: Refused.self) { try await pool.run { _ in throw Refused() } }
  }

  /// Tells when it goes.
  private final class Held: Sendable {
    private let onEnd: @Sendable () -> Void
    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
    deinit { onEnd() }
  }

  @Test(.timeLimit(.minutes(1)))
  func whatACallHoldsGoesWithIt() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Int.self)
    let pool = BoundedThreadPool(threadCount: 1)
    let full = BoundedThreadPool(threadCount: 1, queueLimit: 0)
    func use(_ pool: BoundedThreadPool, _ number: Int) async throws {
      let held = Held { end.yield(number) }
      try await pool.run { _ in withExtendedLifetime(held) {} }
    }
    try await use(pool, 1)
    await #expect(throws: ThreadPoolError.self) { try await use(full, 2) }
    var ended: Set<Int> = []
    for await number in ends {
      ended.insert(number)
      if ended.count == 2 { break }
    }
    #expect(ended == [1, 2])
  }

  @Test func whatDoesNotFitIsRefusedAtOnce() async throws {
    let pool = BoundedThreadPool(threadCount: 1, queueLimit: 2)
    let gate = Gate()
    let running = Task { try await pool.run { _ in gate.pass() } }
    await gate.waitUntilEntered()
    let waiting = (0..<2).map { n in Task { try await pool.run { _ in n } } }
    await Self.waitUntil { pool.waitingCount == 2 }
    await #expect(throws: ThreadPoolError.overloaded(waiting: 2)) { try await pool.run { _ in 9 } }
    gate.open()
    try await running.value
    for (n, task) in waiting.enumerated() { #expect(try await task.value == n) }
    #expect(try await pool.run { _ in 9 } == 9)
  }

  @Test("What may not be shed finds room in a full queue and goes before all who wait")
  func promisedWorkGoesFirst() async throws {
    let pool = BoundedThreadPool(threadCount: 1, queueLimit: 1)
    let gate = Gate()
    let order = StateLock<[String]>([])
    let running = Task { try await pool.run { _ in gate.pass() } }
    await gate.waitUntilEntered()
    func add(_ name: String, mayBeShed: Bool) async -> Task<Void, any Error> {
      let before = pool.waitingCount
      let task = Task {
        try await pool.run(mayBeShed: mayBeShed) { _ in order.withLock { $0.append(name) } }
      }
      await Self.waitUntil { pool.waitingCount > before }
      return task
    }
    let shed = await add("may be shed", mayBeShed: true)
    let left = await add("left", mayBeShed: false)
    let promised = [await add("first", mayBeShed: false), await add("second", mayBeShed: false)]
    await #expect(throws: ThreadPoolError.overloaded(waiting: 4)) { try await pool.run { _ in } }
    left.cancel()
    await #expect(throws: CancellationError.self) { try await left.value }
    #expect(pool.waitingCount == 3)
    gate.open()
    try await running.value
    for task in promised + [shed] { try await task.value }
    #expect(order.withLock { $0 } == ["first", "second", "may be shed"])
  }

  @Test func whatWaitedWhenItsCallerLeftNeverBegins() async throws {
    let pool = BoundedThreadPool(threadCount: 1)
    let gate = Gate()
    let began = Counter()
    let running = Task { try await pool.run { _ in gate.pass() } }
    await gate.waitUntilEntered()
    let left = Task { try await pool.run { _ in began.add() } }
    await Self.waitUntil { pool.waitingCount == 1 }
    left.cancel()
    await #expect(throws: CancellationError.self) { _ = try await left.value }
    #expect(pool.waitingCount == 0)
    // Cancelled before it asked.
    let early = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await pool.run { _ in began.add() }
    }
    early.cancel()
    await #expect(throws: CancellationError.self) { _ = try await early.value }
    gate.open()
    try await running.value
    #expect(began.value == 0)
  }

  @Test func runningWorkIsToldThatItsCallerLeft() async throws {
    let pool = BoundedThreadPool(threadCount: 1)
    let gate = Gate()
    let task = Task {
      try await pool.run { isCancelled in
        gate.entered.signal()
        while !isCancelled() { sched_yield() }
        return 7
      }
    }
    await gate.waitUntilEntered()
    task.cancel()
    #expect(try await task.value == 7)
  }
}
