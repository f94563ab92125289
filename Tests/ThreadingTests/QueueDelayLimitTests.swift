import Dispatch
import Foundation
import ObjectModel
import Testing

@testable import Threading

/// A pool of threads by the clock of a simulation: calls arrive, wait, run and end.
private struct SimulatedPool {
  var limit: QueueDelayLimit
  let threads: Int
  var now: Nanoseconds = 0
  var waiting: [Nanoseconds] = []
  var free: [Nanoseconds]
  var refused = 0
  var ended = 0
  var longestWait: Nanoseconds = 0

  init(threads: Int, ceiling: Int) {
    limit = QueueDelayLimit(threads: threads, ceiling: ceiling)
    self.threads = threads
    free = Array(repeating: 0, count: threads)
  }

  /// Begins what can begin before `moment`, each call for `service`.
  mutating func run(until moment: Nanoseconds, service: Nanoseconds) {
    while let since = waiting.first, let thread = free.indices.min(by: { free[$0] < free[$1] }) {
      let begin = max(since, free[thread])
      guard begin <= moment else { break }
      waiting.removeFirst()
      limit.began(after: begin - since, at: begin)
      longestWait = max(longestWait, begin - since)
      free[thread] = begin + service
      ended += 1
    }
    now = moment
  }

  mutating func arrive(service: Nanoseconds) {
    run(until: now, service: service)
    if limit.allows(waiting: waiting.count, at: now) { waiting.append(now) } else { refused += 1 }
  }
}

@Suite(.timeLimit(.minutes(10))) struct QueueDelayLimitTests {
  private static let millisecond: Nanoseconds = 1_000_000

  /// Three times what two threads can do, for a minute: they stay busy, and once a queue has stood for
  /// a while nobody waits much longer than is aimed at.
  @Test(arguments: [1, 2, 3, 4])
  func threeTimesCapacity(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var pool = SimulatedPool(threads: 2, ceiling: 256)
    let service = 10 * Self.millisecond
    // 200 a second can be done; 600 come.
    for step in 0..<36_000 {
      pool.now += Nanoseconds(random.below(3_333_334))
      pool.arrive(service: service)
      if step == 6000 {
        pool.longestWait = 0
        pool.ended = 0
      }
    }
    // 30,000 arrivals take about 50 s.
    #expect(pool.refused > 18_000)
    #expect(pool.longestWait < 400 * Self.millisecond, "\(pool.longestWait)")
    let capacity = Double(pool.now) / Double(service) * 2 * 5 / 6
    #expect(Double(pool.ended) > 0.95 * capacity, "\(pool.ended) of \(capacity)")
  }

  @Test func aBurstThatIsWorkedOffCostsNobodyHisPlace() {
    var pool = SimulatedPool(threads: 1, ceiling: 256)
    for _ in 0..<20 {
      for _ in 0..<200 { pool.arrive(service: Self.millisecond) }
      pool.run(until: pool.now + 1000 * Self.millisecond, service: Self.millisecond)
    }
    #expect(pool.refused == 0)
    #expect(pool.limit.limit == 256)
    #expect(pool.ended == 4000)
  }

  @Test func itReturnsWhenTheCrowdHasGone() {
    var limit = QueueDelayLimit(threads: 2, ceiling: 100)
    #expect(limit.limit == 100)
    var now: Nanoseconds = 0
    let isFirst = limit.allows(waiting: 0, at: now)
    #expect(isFirst)
    for _ in 0..<20 {
      now += 500 * Self.millisecond
      limit.began(after: 300 * Self.millisecond, at: now)
    }
    #expect(limit.limit == limit.floor)
    #expect(limit.floor == 4)
    let isFifth = limit.allows(waiting: 4, at: now)
    #expect(!isFifth)
    let isFourth = limit.allows(waiting: 3, at: now)
    #expect(isFourth)
    // Refusals go on though nobody waits long: a little more each interval.
    now += 500 * Self.millisecond
    limit.began(after: 0, at: now)
    #expect(limit.limit == 6)
    now += 500 * Self.millisecond
    limit.began(after: 0, at: now)
    #expect(limit.limit == 100)
  }

  @Test func oneThatNeverEndsCountsAsAWait() {
    var limit = QueueDelayLimit(threads: 1, ceiling: 64)
    let isAlone = limit.allows(waiting: 0, at: 0)
    #expect(isAlone)
    let isLate = limit.allows(waiting: 1, at: 600 * Self.millisecond)
    #expect(isLate)
    #expect(limit.limit == 32)
    // Nobody waits: nothing is wrong.
    var idle = QueueDelayLimit(threads: 1, ceiling: 64)
    let isIdle = idle.allows(waiting: 0, at: 0)
    #expect(isIdle)
    let isIdleLater = idle.allows(waiting: 0, at: 3_600_000 * Self.millisecond)
    #expect(isIdleLater)
    #expect(idle.limit == 64)
  }

  /// The pool itself, its one thread busy, on a clock that the test moves.
  @Test func whoFillsTheQueueShutsNobodyElseOut() async throws {
    let clock = ManualMonotonicClock()
    var settings = QueueDelayLimit.Settings()
    settings.target = 10
    settings.interval = 50
    let pool = BoundedThreadPool(
      threadCount: 1, queueLimit: 8, queueDelay: settings, clock: clock)
    let gate = DispatchSemaphore(value: 0)
    let (entered, enters) = AsyncStream.makeStream(of: Void.self)
    let busy = Task {
      try await pool.run { _ in
        enters.yield()
        gate.wait()
      }
    }
    for await _ in entered { break }
    var waiting: [Task<Void, any Error>] = []
    func add(_ caller: UInt64, mayBeShed: Bool = true) async {
      let before = pool.figures.waiting
      waiting.append(Task { try await pool.run(caller: caller, mayBeShed: mayBeShed) { _ in } })
      while pool.figures.waiting == before { await Task.yield() }
    }
    await add(1)
    clock.advance(by: 60)
    // The first interval saw a call begin at once.
    await add(1)
    #expect(pool.figures.limit == 8)
    clock.advance(by: 60)
    // One in which nothing began: 8 become 4, and so on down to 2.
    await add(1)
    #expect(pool.figures.limit == 4)
    clock.advance(by: 60)
    await #expect(throws: ThreadPoolError.overloaded(waiting: 3)) {
      try await pool.run(caller: 1) { _ in }
    }
    #expect(pool.figures.limit == 2)
    #expect(pool.figures.refusedByDelay == 1)
    // Asked beforehand it says the same, of each caller.
    #expect(pool.refusal(caller: 1) == .overloaded(waiting: 3))
    #expect(pool.refusal(caller: 2) == nil)
    await add(2)
    // The other has a call in the queue now, and is refused as well.
    await #expect(throws: ThreadPoolError.overloaded(waiting: 4)) {
      try await pool.run(caller: 2) { _ in }
    }
    // Twice as many as should wait: not even a third finds room, but what must be done does.
    await #expect(throws: ThreadPoolError.overloaded(waiting: 4)) {
      try await pool.run(caller: 3) { _ in }
    }
    await add(1, mayBeShed: false)
    #expect(pool.figures.refusedByDelay == 4)
    #expect(pool.figures.refusedByCount == 0)
    gate.signal()
    try await busy.value
    for task in waiting { try await task.value }
    #expect(pool.figures.waiting == 0)
  }

  /// Of many that ask at once no more are let in than there is room for, on a clock that the test moves.
  @Test func whoWasLetInCountsUntilTheyCome() async throws {
    let clock = ManualMonotonicClock()
    let pool = BoundedThreadPool(
      threadCount: 1, queueLimit: 4, queueDelay: QueueDelayLimit.Settings(), clock: clock)
    let answers = (0..<10).map { pool.refusal(caller: $0 % 2, keepsPlace: true) }
    // Four, and none for those who are on their way already.
    #expect(answers.prefix(4).allSatisfy { $0 == nil })
    #expect(answers.dropFirst(4).allSatisfy { $0 == .overloaded(waiting: 0) })
    #expect(pool.refusal(caller: 1) != nil)
    #expect(pool.refusal(caller: 2) == nil)
    // Who only asks keeps nothing.
    #expect(pool.refusal(caller: 2) == nil)
    pool.arrived(caller: 1)
    #expect(pool.refusal(caller: 1) == nil)
    try await pool.run(caller: 1) { _ in }
    #expect(pool.refusal(caller: 1, keepsPlace: true) == nil)
    #expect(pool.refusal(caller: 1) != nil)
    // One that never comes is forgotten.
    clock.advance(by: ArrivingCalls.patience)
    #expect(pool.refusal(caller: 1) != nil)
    clock.advance(by: 1)
    let later = (0..<5).map { _ in pool.refusal(caller: 1, keepsPlace: true) == nil }
    #expect(later == [true, true, true, true, false])
    // So is what never was on its way.
    for _ in 0..<9 { pool.arrived(caller: 1) }
    #expect(pool.refusal(caller: 1) == nil)
    #expect(pool.figures.waiting == 0)
  }
}
