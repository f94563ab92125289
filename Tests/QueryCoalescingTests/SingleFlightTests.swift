import QueryCoalescing
import Testing
import Threading

/// A computation that ends when it is told to, and counts how often it ran.
final class Gate<Value: Sendable>: Sendable {
  private struct State {
    var starts = 0
    var cancellations = 0
    var waiting: [CheckedContinuation<Value, any Error>] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }
  private let state = StateLock(State())

  var starts: Int { state.withLock { $0.starts } }
  var cancellations: Int { state.withLock { $0.cancellations } }

  func run() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let watchers = state.withLock { state in
          state.starts += 1
          state.waiting.append(continuation)
          let starts = state.starts
          let due = state.watchers.filter { $0.count <= starts }
          state.watchers.removeAll { $0.count <= starts }
          return due
        }
        for watcher in watchers { watcher.continuation.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.cancellations += 1
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume(throwing: CancellationError()) }
    }
  }

  /// Returns once `count` computations have begun.
  func started(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isDue = state.withLock { state in
        if state.starts >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isDue { continuation.resume() }
    }
  }

  /// Ends the computations that wait now.
  func open(_ result: Result<Value, any Error>) {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(with: result) }
  }
}

struct Broken: Error, Equatable {
  var number = 1
}

/// Yields until something other tasks bring about holds; the test's time limit ends a wait in vain.
func eventually(_ condition: () -> Bool) async {
  while !condition() { await Task.yield() }
}

@Suite(.timeLimit(.minutes(10))) struct SingleFlightTests {
  let clock = ManualMonotonicClock(1_000)

  @Test func concurrentCallersShareOneComputation() async throws {
    let flights = SingleFlight<String, Int>(clock: clock)
    let gate = Gate<Int>()
    let tasks = (0..<100).map { _ in
      Task { try await flights.value(for: "k") { _ in try await gate.run() } }
    }
    await eventually { flights.statistics.arrivals == 100 }
    gate.open(.success(42))
    var coalesced = 0
    for task in tasks {
      let answer = try await task.value
      #expect(answer.value == 42)
      if answer.isCoalesced { coalesced += 1 }
    }
    #expect(gate.starts == 1 && coalesced == 99)
    #expect(flights.statistics.started == 1 && flights.keyCount == 0)
  }

  @Test func workThatNeedsNoWaitingRunsOnTheCallersTask() async throws {
    let flights = SingleFlight<Int, Int>(clock: clock)
    for i in 0..<10 {
      let answer = try await flights.value(for: i) { _ in i * i }
      #expect(answer.value == i * i && !answer.isCoalesced && answer.ageNanoseconds == 0)
    }
    #expect(flights.statistics.started == 10 && clock.sleeperCount == 0)
  }

  @Test func theLeadersCancellationHurtsNobodyElse() async throws {
    let flights = SingleFlight<String, Int>(clock: clock)
    let gate = Gate<Int>()
    let leader = Task { try await flights.value(for: "k") { _ in try await gate.run() } }
    await gate.started(1)
    let other = Task { try await flights.value(for: "k") { _ in try await gate.run() } }
    await eventually { flights.statistics.joined == 1 }
    leader.cancel()
    await #expect(throws: CancellationError.self) { try await leader.value }
    #expect(gate.cancellations == 0)
    gate.open(.success(7))
    #expect(try await other.value.value == 7)
    #expect(gate.starts == 1)
  }

  @Test func theWorkIsCancelledWhenTheLastWaiterLeaves() async throws {
    let flights = SingleFlight<String, Int>(clock: clock)
    let gate = Gate<Int>()
    let callers = (0..<3).map { _ in
      Task { try await flights.value(for: "k") { _ in try await gate.run() } }
    }
    await eventually { flights.statistics.arrivals == 3 && gate.starts == 1 }
    callers[0].cancel()
    callers[2].cancel()
    await eventually { flights.statistics.left == 2 }
    #expect(gate.cancellations == 0)
    callers[1].cancel()
    await eventually { gate.cancellations == 1 }
    for caller in callers {
      await #expect(throws: CancellationError.self) { try await caller.value }
    }
    // A cancelled flight cannot be joined.
    let next = Task { try await flights.value(for: "k") { _ in try await gate.run() } }
    await gate.started(2)
    gate.open(.success(3))
    #expect(try await next.value.value == 3)
    #expect(flights.keyCount == 0)
  }

  @Test func aDeadlineIsTheWaitersOwn() async throws {
    let flights = SingleFlight<String, Int>(clock: clock)
    let gate = Gate<Int>()
    let patient = Task { try await flights.value(for: "k") { _ in try await gate.run() } }
    await gate.started(1)
    let hasty = Task {
      try await flights.value(for: "k", deadline: 1_500) { _ in try await gate.run() }
    }
    await eventually { clock.sleeperCount == 2 }
    clock.advance(by: 500)
    await #expect(throws: SingleFlightError.deadlineExceeded) { try await hasty.value }
    gate.open(.success(1))
    #expect(try await patient.value.value == 1)
    await #expect(throws: SingleFlightError.deadlineExceeded) {
      try await flights.value(for: "k", deadline: 1_500) { _ in 1 }
    }
  }

  @Test func nobodyWaitsForEver() async throws {
    let flights = SingleFlight<String, Int>(clock: clock, maximumWait: 10_000)
    let gate = Gate<Int>()
    let callers = (0..<5).map { _ in
      Task { try await flights.value(for: "k") { _ in try await gate.run() } }
    }
    await eventually { clock.sleeperCount == 5 }
    clock.advance(by: 10_000)
    for caller in callers {
      await #expect(throws: SingleFlightError.deadlineExceeded) { try await caller.value }
    }
    await eventually { gate.cancellations == 1 }
    #expect(flights.keyCount == 0)
  }

  @Test func errorsAreSharedAndForgotten() async throws {
    let flights = SingleFlight<String, Int>(clock: clock)
    let gate = Gate<Int>()
    let callers = (0..<10).map { _ in
      Task { try await flights.value(for: "k") { _ in try await gate.run() } }
    }
    await eventually { flights.statistics.arrivals == 10 && gate.starts == 1 }
    gate.open(.failure(Broken()))
    for caller in callers { await #expect(throws: Broken()) { try await caller.value } }
    #expect(gate.starts == 1 && flights.statistics.failed == 1)
    #expect(try await flights.value(for: "k") { _ in 5 }.value == 5)
  }

  @Test func waitersAreBounded() async throws {
    let flights = SingleFlight<Int, Int>(
      clock: clock, limits: .init(waitersPerKey: 3, keys: 2))
    let gate = Gate<Int>()
    let callers = (0..<3).map { _ in
      Task { try await flights.value(for: 1) { _ in try await gate.run() } }
    }
    await eventually { flights.statistics.arrivals == 3 }
    await #expect(throws: SingleFlightError.tooManyWaiters(limit: 3)) {
      try await flights.value(for: 1) { _ in 1 }
    }
    let second = Task { try await flights.value(for: 2) { _ in try await gate.run() } }
    await gate.started(2)
    await #expect(throws: SingleFlightError.tooManyKeys(limit: 2)) {
      try await flights.value(for: 3) { _ in 1 }
    }
    gate.open(.success(9))
    for caller in callers + [second] { #expect(try await caller.value.value == 9) }
  }

  @Test func aReadingBeforeTheArrivalIsNotShared() async throws {
    let flights = SingleFlight<String, Int>(clock: clock)
    let (first, second) = (Gate<Int>(), Gate<Int>())
    let leader = Task {
      try await flights.value(for: "k", freshness: .current) { _ in try await first.run() }
    }
    await first.started(1)
    clock.advance(by: 1)
    // Both arrive after the first flight has read, so they share the second one.
    let late = (0..<2).map { _ in
      Task {
        try await flights.value(for: "k", freshness: .current) { _ in try await second.run() }
      }
    }
    await eventually { flights.statistics.arrivals == 3 }
    // One that accepts a little age joins the first.
    let tolerant = Task {
      try await flights.value(for: "k", freshness: Freshness(maximumAge: 1)) { _ in 0 }
    }
    await eventually { flights.statistics.arrivals == 4 }
    first.open(.success(1))
    #expect(try await leader.value.value == 1)
    let joined = try await tolerant.value
    #expect(joined.value == 1 && joined.ageNanoseconds == 1 && joined.isCoalesced)
    await second.started(1)
    second.open(.success(2))
    for task in late { #expect(try await task.value.value == 2) }
    #expect(second.starts == 1 && flights.statistics.started == 2)
  }

  @Test func callersJoinUntilTheWorkReads() async throws {
    let flights = SingleFlight<String, Int>(clock: clock)
    let (queue, reads) = (Gate<Int>(), Gate<Int>())
    let work: @Sendable (SingleFlight<String, Int>.Flight) async throws -> Int = { flight in
      _ = try await queue.run()
      flight.willRead(version: 8)
      return try await reads.run()
    }
    let ask: @Sendable (Freshness) -> Task<SharedAnswer<Int>, any Error> = { freshness in
      Task {
        try await flights.value(for: "k", freshness: freshness, reading: .whenMarked, work)
      }
    }
    let leader = ask(.current)
    await queue.started(1)
    clock.advance(by: 50)
    let early = ask(.current)
    await eventually { flights.statistics.joined == 1 }
    queue.open(.success(0))
    await reads.started(1)
    clock.advance(by: 50)
    let knowing = ask(Freshness(sufficientVersion: 8))
    await eventually { flights.statistics.joined == 2 }
    let late = ask(Freshness(sufficientVersion: 9))
    await eventually { flights.statistics.arrivals == 4 }
    reads.open(.success(1))
    for task in [leader, early, knowing] { #expect(try await task.value.value == 1) }
    #expect(try await early.value.reading == Reading(time: 1_050, version: 8))
    await queue.started(2)
    queue.open(.success(0))
    await reads.started(2)
    reads.open(.success(2))
    #expect(try await late.value.value == 2)
  }
}
