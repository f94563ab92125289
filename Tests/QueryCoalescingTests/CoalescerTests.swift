import ObjectModel
import QueryCoalescing
import Testing
import Threading

@Suite(.timeLimit(.minutes(10))) struct CoalescerTests {
  let clock = ManualMonotonicClock(0)

  private func coalescer(_ capacity: Int = 1 << 20) -> Coalescer<Int, Int> {
    Coalescer(clock: clock, capacityBytes: capacity) { $0 < 0 ? nil : 8 }
  }

  @Test func anAnswerIsGivenAgainUntilTheCallersBound() async throws {
    let coalescer = coalescer()
    let runs = StateLock(0)
    let work: @Sendable (Coalescer<Int, Int>.Flight) async throws -> Int = { _ in
      runs.withLock { runs in
        runs += 1
        return runs
      }
    }
    let bound = Freshness(maximumAge: 100)
    #expect(try await coalescer.value(for: 1, freshness: bound, work).value == 1)
    clock.advance(by: 100)
    let again = try await coalescer.value(for: 1, freshness: bound, work)
    #expect(again.value == 1 && again.isCoalesced && again.ageNanoseconds == 100)
    clock.advance(by: 1)
    #expect(try await coalescer.value(for: 1, freshness: bound, work).value == 2)
    #expect(try await coalescer.value(for: 1, freshness: .current, work).value == 3)
  }

  @Test func errorsAndUnkeepableValuesAreNotKept() async throws {
    let coalescer = coalescer()
    await #expect(throws: Broken()) {
      try await coalescer.value(for: 1, freshness: .unlimited) { _ in throw Broken() }
    }
    #expect(try await coalescer.value(for: 1, freshness: .unlimited) { _ in -1 }.value == -1)
    #expect(try await coalescer.value(for: 1, freshness: .unlimited) { _ in 5 }.value == 5)
    #expect(coalescer.cache.count == 1)
    #expect(throws: Broken()) {
      try coalescer.inlineValue(for: 2, freshness: .unlimited) { () throws(Broken) in throw Broken()
      }
    }
    #expect(coalescer.cache.count == 1)
  }

  @Test func anAgingAnswerIsRenewedBehindTheCaller() async throws {
    let coalescer = coalescer()
    let gate = Gate<Int>()
    _ = try await coalescer.value(for: 1, freshness: .unlimited) { _ in 1 }
    clock.advance(by: 60)
    for _ in 0..<10 {
      let answer = try await coalescer.value(
        for: 1, freshness: Freshness(maximumAge: 100), renewAfter: 50
      ) { _ in try await gate.run() }
      #expect(answer.value == 1 && answer.ageNanoseconds == 60)
    }
    await gate.started(1)
    gate.open(.success(2))
    await eventually { coalescer.flights.keyCount == 0 }
    let renewed = try await coalescer.value(for: 1, freshness: Freshness(maximumAge: 0)) { _ in 9 }
    #expect(renewed.value == 9 && gate.starts == 1)
    let kept = try await coalescer.value(for: 1, freshness: Freshness(maximumAge: 1)) { _ in 0 }
    #expect(kept.value == 9)
  }

  @Test func inlineAnswersAreSharedByVersion() {
    let coalescer = coalescer()
    func ask(_ version: UInt64, _ value: Int) -> SharedAnswer<Int> {
      coalescer.inlineValue(
        for: 1, freshness: Freshness(sufficientVersion: version), version: version
      ) { value }
    }
    #expect(ask(1, 10).value == 10)
    clock.advance(by: 1_000_000)
    #expect(ask(1, 11).value == 10 && ask(1, 11).isCoalesced)
    #expect(ask(2, 12).value == 12)
    let alone = coalescer.inlineValue(for: 1, freshness: .current, version: 2) { 13 }
    #expect(alone.value == 13 && !alone.isCoalesced)
  }

  /// A world that changes while many ask about it: with coalescing everybody gets an answer that
  /// was true at some moment between asking and being answered, as without it.
  @Test(arguments: [81, 82, 83, 84] as [UInt64])
  func coalescedEqualsDirect(seed: UInt64) async throws {
    let coalescer = coalescer()
    let world = StateLock((version: UInt64(0), values: [Int](repeating: 0, count: 4)))
    let executions = StateLock(0)
    try await withThrowingTaskGroup { group in
      for caller in 0..<64 {
        group.addTask {
          var random = SplitMix64(seed: seed &+ UInt64(caller) &* 1_000)
          for _ in 0..<60 {
            let key = random.below(4)
            if random.below(4) == 0 {
              world.withLock { world in
                world.version += 1
                world.values[key] = Int(world.version)
              }
            }
            let before = world.withLock { $0.values[key] }
            let version = world.withLock { $0.version }
            let freshness = [
              Freshness.current, Freshness(sufficientVersion: version),
            ][random.below(2)]
            let pauses = random.below(4)
            // The manual clock stands, so "not older than the arrival" is told by marks alone.
            let answer = try await coalescer.value(
              for: key,
              freshness: Freshness(
                maximumAge: 0, minimumVersion: version,
                sufficientVersion: freshness.sufficientVersion),
              reading: .whenMarked
            ) { flight in
              executions.withLock { $0 += 1 }
              for _ in 0..<pauses { await Task.yield() }
              flight.willRead(version: world.withLock { $0.version })
              return world.withLock { $0.values[key] }
            }
            let after = world.withLock { $0.values[key] }
            #expect(answer.value >= before && answer.value <= after)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(coalescer.flights.keyCount == 0)
    #expect(executions.withLock { $0 } <= 64 * 60)
  }

  /// Callers, cancellations and deadlines from many threads; everyone is answered once.
  @Test(arguments: [91, 92] as [UInt64])
  func nobodyIsForgotten(seed: UInt64) async throws {
    let clock = SystemMonotonicClock()
    let flights = SingleFlight<Int, Int>(clock: clock)
    let outcomes = StateLock((answers: 0, cancelled: 0, late: 0, broken: 0))
    await withTaskGroup { group in
      for caller in 0..<400 {
        group.addTask {
          var random = SplitMix64(seed: seed &+ UInt64(caller) &* 77)
          let key = random.below(5)
          let pauses = random.below(30)
          let fails = random.below(6) == 0
          let deadline = random.below(5) == 0 ? clock.now() + Int64(random.below(200_000)) : nil
          let task = Task {
            try await flights.value(for: key, freshness: .current, deadline: deadline) { _ in
              for _ in 0..<pauses { await Task.yield() }
              try Task.checkCancellation()
              if fails { throw Broken() }
              return key
            }
          }
          if random.below(4) == 0 {
            for _ in 0..<random.below(20) { await Task.yield() }
            task.cancel()
          }
          do {
            let answer = try await task.value
            #expect(answer.value == key)
            outcomes.withLock { $0.answers += 1 }
          } catch is CancellationError {
            outcomes.withLock { $0.cancelled += 1 }
          } catch SingleFlightError.deadlineExceeded {
            outcomes.withLock { $0.late += 1 }
          } catch is Broken {
            outcomes.withLock { $0.broken += 1 }
          } catch { Issue.record(error) }
        }
      }
      await group.waitForAll()
    }
    let total = outcomes.withLock { $0 }
    #expect(total.answers + total.cancelled + total.late + total.broken == 400)
    #expect(total.answers > 0 && flights.keyCount == 0)
  }
}
