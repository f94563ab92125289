import NIOCore
import NIOEmbedded
import ObjectModel
import Testing

@testable import GRPCServerTransport

@Suite struct EventLoopTimersTests {
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func whatIsSetFiresOnceInOrderAndWhatIsCancelledNever(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let loop = EmbeddedEventLoop()
    let timers = EventLoopTimers.of(loop)
    var now: Int64 = 0
    var fired: [Int] = []
    // The model: what is set and neither due nor cancelled, in the order in which it was set.
    var waiting: [(id: Int, deadline: Int64, timer: EventLoopTimer)] = []
    var next = 0
    for _ in 0..<400 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let id = next
        next += 1
        let time = Int64.random(in: 0...50, using: &random)
        let timer = timers.schedule(in: .nanoseconds(time)) { fired.append(id) }
        waiting.append((id, now + time, timer))
      case 5..<8:
        guard let at = waiting.indices.randomElement(using: &random) else { continue }
        waiting[at].timer.cancel()
        waiting.remove(at: at)
      default:
        let time = Int64.random(in: 0...30, using: &random)
        now += time
        fired.removeAll()
        loop.advanceTime(by: .nanoseconds(time))
        let due = waiting.filter { $0.deadline <= now }
          .sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
        waiting.removeAll { $0.deadline <= now }
        #expect(fired == due.map(\.id))
      }
    }
  }

  @Test func whatIsCancelledIsNotKept() {
    let loop = EmbeddedEventLoop()
    let timers = EventLoopTimers.of(loop)
    final class Held {}
    weak var held: Held?
    let kept = (0..<100).map { _ in timers.schedule(in: .hours(1)) {} }
    for round in 0..<10_000 {
      let captured = Held()
      held = captured
      timers.schedule(in: .seconds(Int64(round))) { withExtendedLifetime(captured) {} }.cancel()
    }
    #expect(held == nil)
    #expect(timers.keptCount <= 2 * kept.count + 65)
    for timer in kept { timer.cancel() }
    #expect(timers.keptCount <= 65)
  }

  @Test func aTimerMaySetAndCancelOthersWhenItFires() {
    let loop = EmbeddedEventLoop()
    let timers = EventLoopTimers.of(loop)
    var fired: [String] = []
    let late = timers.schedule(in: .seconds(2)) { fired.append("cancelled") }
    _ = timers.schedule(in: .seconds(1)) {
      late.cancel()
      _ = timers.schedule(in: .seconds(0)) { fired.append("at once") }
      _ = timers.schedule(in: .seconds(1)) { fired.append("later") }
      fired.append("first")
    }
    loop.advanceTime(by: .seconds(1))
    #expect(fired == ["first", "at once"])
    late.cancel()
    loop.advanceTime(by: .seconds(5))
    #expect(fired == ["first", "at once", "later"])
    #expect(timers.keptCount == 0)
  }

  @Test func eachLoopHasItsOwn() {
    let (one, other) = (EmbeddedEventLoop(), EmbeddedEventLoop())
    var fired: [Int] = []
    _ = EventLoopTimers.of(one).schedule(in: .seconds(1)) { fired.append(1) }
    _ = EventLoopTimers.of(other).schedule(in: .seconds(1)) { fired.append(2) }
    other.advanceTime(by: .seconds(1))
    #expect(fired == [2])
    one.advanceTime(by: .seconds(1))
    #expect(fired == [2, 1])
  }
}
