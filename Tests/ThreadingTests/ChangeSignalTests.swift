import Testing

@testable import Threading

@Suite(.timeLimit(.minutes(10))) struct ChangeSignalTests {
  private static let long = Duration.seconds(3600)

  private func whenWaiting(_ signal: ChangeSignal, _ count: Int) async {
    while signal.waiterCount < count { await Task.yield() }
  }

  @Test func whatIsPastIsNotWaitedFor() async {
    let signal = ChangeSignal(7)
    #expect(await signal.wait(past: 6, atMost: Self.long))
    #expect(await !signal.wait(past: 7, atMost: .zero))
    #expect(signal.waiterCount == 0)
  }

  @Test func anAdvanceWakesThoseItPasses() async {
    let signal = ChangeSignal(1)
    async let first = signal.wait(past: 1, atMost: Self.long)
    async let second = signal.wait(past: 5, atMost: Self.long)
    await whenWaiting(signal, 2)
    signal.advance(to: 5)
    #expect(await first)
    #expect(signal.waiterCount == 1)
    signal.advance(to: 4)
    #expect(signal.value == 5)
    signal.advance(to: 6)
    #expect(await second)
    #expect(signal.waiterCount == 0)
  }

  @Test func aWaitEndsWithItsTime() async {
    let signal = ChangeSignal(1)
    #expect(await !signal.wait(past: 1, atMost: .milliseconds(5)))
    #expect(signal.waiterCount == 0)
  }

  @Test func aCancelledWaiterLeavesAtOnce() async {
    let signal = ChangeSignal(1)
    let waiter = Task { await signal.wait(past: 1, atMost: Self.long) }
    await whenWaiting(signal, 1)
    waiter.cancel()
    #expect(await !waiter.value)
    #expect(signal.waiterCount == 0)
    let born = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await signal.wait(past: 1, atMost: Self.long)
    }
    #expect(await !born.value)
  }

  /// However often readers wait, nothing of the waits that have ended is kept.
  @Test func waitsThatEndedLeaveTheDeadlines() async {
    let signals = (0..<50).map { _ in ChangeSignal(0) }
    let deadlines = WaitDeadlines()
    let places = signals.map { deadlines.add($0, id: 1, after: Self.long) }
    #expect(deadlines.count == 50)
    // Those of one moment share a tick, and each is a wait of its own.
    #expect(Set(places).count == 50)
    for place in places { deadlines.remove(place) }
    #expect(deadlines.count == 0)
    await withTaskGroup(of: Bool.self) { group in
      for (number, signal) in signals.enumerated() {
        group.addTask {
          await signal.wait(past: 0, atMost: number % 2 == 0 ? .milliseconds(3) : Self.long)
        }
      }
      for (number, signal) in signals.enumerated() where number % 2 == 1 {
        await whenWaiting(signal, 1)
        signal.advance(to: 1)
      }
      var ends: [Bool: Int] = [:]
      for await isAbove in group { ends[isAbove, default: 0] += 1 }
      #expect(ends == [true: 25, false: 25])
    }
    #expect(signals.allSatisfy { $0.waiterCount == 0 })
  }

  /// Nobody misses the last advance, however the two meet.
  @Test func noAdvanceIsMissed() async {
    let signal = ChangeSignal(0)
    await withTaskGroup(of: UInt64.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var seen: UInt64 = 0
          while seen < 500 {
            guard await signal.wait(past: seen, atMost: Self.long) else { return seen }
            seen = signal.value
          }
          return seen
        }
      }
      for value in 1...500 as ClosedRange<UInt64> {
        signal.advance(to: value)
        if value % 7 == 0 { await Task.yield() }
      }
      for await seen in group { #expect(seen == 500) }
    }
  }
}
