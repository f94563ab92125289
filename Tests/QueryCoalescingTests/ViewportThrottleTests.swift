import QueryCoalescing
import Testing
import Threading

@Suite(.timeLimit(.minutes(10))) struct ViewportThrottleTests {
  let clock = ManualMonotonicClock(1_000_000)

  private func throttle() -> ViewportThrottle<String> {
    ViewportThrottle(clock: clock, settings: .init(interval: 800))
  }

  @Test func leadingTrailingSuperseded() async throws {
    let throttle = throttle()
    #expect(try await throttle.admit("s") == .leading)
    clock.advance(by: 100)
    let second = Task { try await throttle.admit("s") }
    await eventually { throttle.statistics.requests == 2 }
    clock.advance(by: 100)
    let third = Task { try await throttle.admit("s") }
    await #expect(throws: ViewportThrottleError.superseded(retryAfter: 600)) {
      try await second.value
    }
    #expect(try await throttle.admit("other") == .leading)
    await eventually { clock.sleeperCount == 1 }
    clock.advance(by: 600)
    #expect(try await third.value == .trailing(waited: 600))
    #expect(throttle.statistics.trailing == 1)
  }

  @Test func aCallerThatLeavesIsNotHeld() async throws {
    let throttle = throttle()
    try await throttle.admit("s")
    let held = Task { try await throttle.admit("s") }
    await eventually { throttle.statistics.requests == 2 }
    held.cancel()
    await #expect(throws: CancellationError.self) { try await held.value }
    #expect(throttle.statistics.withdrawn == 1)
    await eventually { clock.sleeperCount == 1 }
    clock.advance(by: 800)
    await eventually { clock.sleeperCount == 0 }
    #expect(try await throttle.admit("s") == .leading)
  }

  @Test func anOutdatedSequenceIsSupersededAtOnce() async throws {
    let throttle = throttle()
    try await throttle.admit("s", sequence: 5)
    await #expect(throws: ViewportThrottleError.superseded(retryAfter: 800)) {
      try await throttle.admit("s", sequence: 4)
    }
  }

  /// Sessions whose times come apart, held in an order that makes the timer turn back.
  @Test func everyHeldRequestGetsItsTurn() async throws {
    let throttle = throttle()
    var tasks: [Task<ViewportThrottle<String>.Turn, any Error>] = []
    for i in 0..<50 {
      try await throttle.admit("s\(i)")
      clock.advance(by: 10)
    }
    for i in (0..<50).reversed() {
      tasks.append(Task { try await throttle.admit("s\(i)") })
      await eventually { throttle.statistics.requests == UInt64(50 + tasks.count) }
    }
    for round in 0..<80 {
      // All who are due have been woken before the clock moves on.
      await eventually { clock.sleeperCount == 1 || throttle.statistics.trailing == 50 }
      clock.advance(by: 10)
      if round == 79 { break }
      await Task.yield()
    }
    for task in tasks {
      guard case .trailing(let waited) = try await task.value else {
        Issue.record("ran too early")
        continue
      }
      #expect(waited <= 900)
    }
  }
}
