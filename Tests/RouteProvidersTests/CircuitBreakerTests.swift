import Testing

@testable import RouteProviders
import Threading

@Suite struct CircuitBreakerTests {
  static let millisecond: Nanoseconds = 1_000_000
  let settings = CircuitBreaker.Settings(
    failureThreshold: 3, pauseMilliseconds: 100, maximumPauseMilliseconds: 350)

  func ticket(_ admission: CircuitBreaker.Admission) throws -> CircuitBreaker.Ticket {
    guard case .allowed(let ticket) = admission else { throw Refused() }
    return ticket
  }
  struct Refused: Error {}

  @Test func opensAfterFailuresInARow() throws {
    var breaker = CircuitBreaker(settings)
    for outcome in [.failure, .failure, .success, .failure, .failure] as [CircuitBreaker.Outcome] {
      breaker.report(outcome, of: try ticket(breaker.admit(at: 0)), at: 0)
      #expect(breaker.state != .halfOpen)
    }
    #expect(breaker.state == .closed(failures: 2))
    breaker.report(.failure, of: try ticket(breaker.admit(at: 5)), at: 5)
    #expect(breaker.state == .open(until: 5 + 100 * Self.millisecond))
    #expect(breaker.admit(at: 5) == .refused(retryAfterMilliseconds: 100))
    #expect(
      breaker.admit(at: 4 + 100 * Self.millisecond) == .refused(retryAfterMilliseconds: 1))
  }

  @Test func oneProbeDecides() throws {
    var breaker = CircuitBreaker(settings)
    var now: Nanoseconds = 0
    for _ in 0..<3 { breaker.report(.failure, of: try ticket(breaker.admit(at: 0)), at: 0) }
    for pause in [100, 200, 350, 350] as [Nanoseconds] {
      #expect(breaker.state == .open(until: now + pause * Self.millisecond))
      now += pause * Self.millisecond
      let probe = try ticket(breaker.admit(at: now))
      #expect(breaker.state == .halfOpen)
      guard case .refused = breaker.admit(at: now) else {
        Issue.record("a second probe")
        return
      }
      breaker.report(.failure, of: probe, at: now)
    }
    now += 350 * Self.millisecond
    breaker.report(.success, of: try ticket(breaker.admit(at: now)), at: now)
    #expect(breaker.state == .closed(failures: 0))
    // The first pause is short again.
    for _ in 0..<3 { breaker.report(.failure, of: try ticket(breaker.admit(at: now)), at: now) }
    #expect(breaker.state == .open(until: now + 100 * Self.millisecond))
  }

  @Test func lateReportsAreIgnored() throws {
    var breaker = CircuitBreaker(settings)
    let slow = try ticket(breaker.admit(at: 0))
    for _ in 0..<3 { breaker.report(.failure, of: try ticket(breaker.admit(at: 0)), at: 0) }
    let opened = breaker.state
    breaker.report(.success, of: slow, at: 1)
    breaker.report(.failure, of: slow, at: 1)
    #expect(breaker.state == opened)
    let probe = try ticket(breaker.admit(at: 100 * Self.millisecond))
    breaker.report(.success, of: slow, at: 100 * Self.millisecond)
    #expect(breaker.state == .halfOpen)
    breaker.report(.success, of: probe, at: 100 * Self.millisecond)
    #expect(breaker.state == .closed(failures: 0))
  }

  @Test func anAbandonedProbeMakesRoomForTheNext() throws {
    var breaker = CircuitBreaker(settings)
    for _ in 0..<3 { breaker.report(.failure, of: try ticket(breaker.admit(at: 0)), at: 0) }
    let now = 100 * Self.millisecond
    breaker.report(.abandoned, of: try ticket(breaker.admit(at: now)), at: now)
    breaker.report(.success, of: try ticket(breaker.admit(at: now)), at: now)
    #expect(breaker.state == .closed(failures: 0))
    breaker.report(.abandoned, of: try ticket(breaker.admit(at: now)), at: now)
    #expect(breaker.state == .closed(failures: 0))
  }

  /// Random histories against the rules: never more than one probe, never admitted in a pause.
  @Test(arguments: [UInt64(1), 2, 3, 4]) func randomHistories(seed: UInt64) {
    var state = seed
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var breaker = CircuitBreaker(settings)
    var now: Nanoseconds = 0
    var out: [CircuitBreaker.Ticket] = []
    var (admitted, refused) = (0, 0)
    for _ in 0..<5_000 {
      now += Nanoseconds(random(40)) * Self.millisecond
      let before = breaker.state
      if random(2) == 0 || out.isEmpty {
        switch (before, breaker.admit(at: now)) {
        case (.closed, .allowed(let ticket)):
          out.append(ticket)
          admitted += 1
        case (.open(let until), .allowed(let ticket)):
          #expect(now >= until && breaker.state == .halfOpen)
          out.append(ticket)
          admitted += 1
        case (.open(let until), .refused(let milliseconds)):
          #expect(now < until && milliseconds > 0)
          #expect(now + milliseconds * Self.millisecond >= until)
          refused += 1
        case (.halfOpen, .refused(let milliseconds)):
          #expect(milliseconds > 0)
          refused += 1
        case (.closed, .refused), (.halfOpen, .allowed):
          Issue.record("\(before)")
        }
      } else {
        let ticket = out.remove(at: random(out.count))
        breaker.report([.success, .failure, .failure, .abandoned][random(4)], of: ticket, at: now)
      }
    }
    #expect(admitted > 100 && refused > 100)
  }

  @Test func retryDelays() {
    let retries = RetrySchedule(
      maximumAttempts: 4, firstDelayMilliseconds: 100, maximumDelayMilliseconds: 300)
    #expect(retries.delayMilliseconds(afterAttempts: 1, random: 0.5) == 50)
    #expect(retries.delayMilliseconds(afterAttempts: 2, random: 0.5) == 100)
    #expect(retries.delayMilliseconds(afterAttempts: 3, random: 0.5) == 150)
    #expect(retries.delayMilliseconds(afterAttempts: 3, random: 0) == 0)
    #expect(retries.delayMilliseconds(afterAttempts: 4, random: 0.5) == nil)
    #expect(
      retries.delayMilliseconds(afterAttempts: 1, minimumMilliseconds: 900, random: 0.9) == 900)
    #expect(retries.delayMilliseconds(afterAttempts: 1, random: .nan) == 50)
    let endless = RetrySchedule(
      maximumAttempts: .max, firstDelayMilliseconds: .max, maximumDelayMilliseconds: 1_000)
    #expect(endless.delayMilliseconds(afterAttempts: 1_000_000, random: 0.5) == 500)
    #expect(RetrySchedule(maximumAttempts: -1).maximumAttempts == 1)
  }
}
