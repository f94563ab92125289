import HeapModule
package import NIOCore
import NIOPosix

/// A timer that ``EventLoopTimers`` has set. It belongs to its event loop.
package final class EventLoopTimer {
  /// `nil` once the timer has fired or is cancelled.
  fileprivate var action: (() -> Void)?
  private weak var timers: EventLoopTimers?

  fileprivate init(_ timers: EventLoopTimers, _ action: @escaping () -> Void) {
    self.timers = timers
    self.action = action
  }

  /// Sees to it that the timer does not fire; afterwards nothing that it captured is kept.
  package func cancel() {
    guard action != nil else { return }
    action = nil
    timers?.noteCancelled()
  }
}

/// The timers of the connections of one event loop: O(log n) to set, O(1) to cancel.
///
/// NIO searches all tasks of a loop for the one that is cancelled. Of 5,000 connections with four
/// timers each, every one that closed cost 100 us so, and every call with a deadline some of it.
/// Here a cancelled timer stays where it is until it is due, or until more than half of them are
/// cancelled; the loop itself knows only when to look next.
///
/// All of it is used on its event loop alone.
package final class EventLoopTimers {
  private struct Entry: Comparable {
    let deadline: NIODeadline
    /// Of timers with one deadline, the one that was set first fires first.
    let order: UInt64
    let timer: EventLoopTimer

    static func < (a: Entry, b: Entry) -> Bool {
      (a.deadline, a.order) < (b.deadline, b.order)
    }

    static func == (a: Entry, b: Entry) -> Bool { a.order == b.order }
  }

  /// So few cancelled timers are left alone, however few others there are.
  private static let minimumSweptCount = 64

  // It is only ever read and written by the thread of the loop that it is about.
  private nonisolated(unsafe) static let current = ThreadSpecificVariable<EventLoopTimers>()

  private let eventLoop: any EventLoop
  private var heap = Heap<Entry>()
  private var setCount: UInt64 = 0
  private var cancelledCount = 0
  /// When the loop will call ``fire()``; the soonest is last.
  private var wakes: [NIODeadline] = []

  private init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  /// The timers of the event loop that runs now.
  package static func of(_ eventLoop: any EventLoop) -> EventLoopTimers {
    eventLoop.assertInEventLoop()
    if let known = current.currentValue, known.eventLoop === eventLoop { return known }
    let made = EventLoopTimers(eventLoop)
    current.currentValue = made
    return made
  }

  /// Timers that are kept, with those that are cancelled: at most twice those that are not, and
  /// some.
  package var keptCount: Int { heap.count }

  package func schedule(
    in time: TimeAmount, _ action: @escaping () -> Void
  ) -> EventLoopTimer { schedule(deadline: eventLoop.now + time, action) }

  package func schedule(
    deadline: NIODeadline, _ action: @escaping () -> Void
  ) -> EventLoopTimer {
    let timer = EventLoopTimer(self, action)
    setCount += 1
    heap.insert(Entry(deadline: deadline, order: setCount, timer: timer))
    wake(at: deadline)
    return timer
  }

  private func wake(at deadline: NIODeadline) {
    if let soonest = wakes.last, soonest <= deadline { return }
    wakes.append(deadline)
    eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.fire() }
  }

  private func fire() {
    wakes.removeLast()
    let now = eventLoop.now
    // What an action sets for now waits for the loop's next turn.
    let newest = setCount
    while let first = heap.min, first.deadline <= now, first.order <= newest {
      heap.removeMin()
      if let action = first.timer.action {
        first.timer.action = nil
        action()
      } else {
        cancelledCount -= 1
      }
    }
    while let first = heap.min, first.timer.action == nil {
      heap.removeMin()
      cancelledCount -= 1
    }
    if let next = heap.min { wake(at: next.deadline) }
  }

  fileprivate func noteCancelled() {
    cancelledCount += 1
    guard cancelledCount > Self.minimumSweptCount, cancelledCount * 2 > heap.count else { return }
    heap = Heap(heap.unordered.filter { $0.timer.action != nil })
    cancelledCount = 0
  }
}
