/// Ends the waits of ``ChangeSignal`` whose time has passed, on one thread for all of them: a task
/// that sleeps for each would take more memory than the wait itself.
///
/// Deadlines are rounded up to whole ticks, so that the waits of a thousand streams share a few
/// wake-ups. The thread starts with the first wait and sleeps until the earliest deadline.
final class WaitDeadlines: Sendable {
  /// A wait in the registry.
  struct Place: Hashable {
    let tick: Int64
    let number: UInt64
  }

  private struct Wait {
    let signal: ChangeSignal
    let id: UInt64
  }

  private struct State {
    var waits: [Int64: [UInt64: Wait]] = [:]
    /// The keys of `waits`, the earliest last.
    var ticks: [Int64] = []
    var nextNumber: UInt64 = 0
    var hasStarted = false

    /// Adds a wait.
    ///
    /// - Returns: Its number, and whether the thread sleeps past it.
    mutating func insert(_ wait: Wait, at tick: Int64) -> (number: UInt64, isEarliest: Bool) {
      nextNumber += 1
      let isNew = waits[tick] == nil
      waits[tick, default: [:]][nextNumber] = wait
      guard isNew else { return (nextNumber, false) }
      var (low, high) = (0, ticks.count)
      while low < high {
        let middle = (low + high) / 2
        if ticks[middle] > tick { low = middle + 1 } else { high = middle }
      }
      ticks.insert(tick, at: low)
      return (nextNumber, low == ticks.count - 1)
    }

    /// Removes the waits up to a tick.
    mutating func removeDue(_ now: Int64) -> [Wait] {
      var due: [Wait] = []
      while let tick = ticks.last, tick <= now {
        ticks.removeLast()
        if let waits = waits.removeValue(forKey: tick) { due += waits.values }
      }
      return due
    }
  }

  static let shared = WaitDeadlines()
  private static let tick: Nanoseconds = 4_000_000
  /// The longest time that is counted; a wait beyond it ends with it.
  private static let longest = Duration.seconds(1 << 30)

  private let state = StateLock(State())
  private let wake = MonotonicSemaphore(value: 0)
  private let clock = SystemMonotonicClock()

  /// The number of waits that have a deadline now.
  var count: Int { state.withLock { $0.waits.values.reduce(0) { $0 + $1.count } } }

  /// Has a signal release a waiter once a time has passed, unless ``remove(_:)`` comes first.
  func add(_ signal: ChangeSignal, id: UInt64, after time: Duration) -> Place {
    let (seconds, attoseconds) = min(time, Self.longest).components
    let moment = clock.now() + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    // Rounded up, and never the tick that is passing.
    let tick = moment / Self.tick + 1
    let (number, isEarliest, isFirst) = state.withLock { state in
      let (number, isEarliest) = state.insert(Wait(signal: signal, id: id), at: tick)
      defer { state.hasStarted = true }
      return (number, isEarliest, !state.hasStarted)
    }
    if isFirst {
      WorkerThread.start(name: "moyeo-deadlines", stackBytes: 256 << 10) { [self] in run() }
    } else if isEarliest {
      wake.signal()
    }
    return Place(tick: tick, number: number)
  }

  /// Forgets a wait that has ended.
  ///
  /// Its tick stays until it passes, so that streams that wait again and again do not search for
  /// it each time.
  func remove(_ place: Place) {
    state.withLock { _ = $0.waits[place.tick]?.removeValue(forKey: place.number) }
  }

  private func run() {
    while true {
      let (due, next) = state.withLock { state in
        (state.removeDue(clock.now() / Self.tick), state.ticks.last)
      }
      for wait in due { wait.signal.release(wait.id) }
      guard let next else {
        wake.wait()
        continue
      }
      let left = next * Self.tick - clock.now()
      if left > 0 { _ = wake.wait(milliseconds: (left + 999_999) / 1_000_000) }
    }
  }
}
