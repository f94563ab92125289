import MoyeoClient
import Synchronization

/// Sends requests and measures them.
///
/// *Closed loop*: a fixed number of callers, each asks again when it has its answer; the rate is
/// the service's. *Open loop*: requests leave at fixed times whatever the answers do, and a latency
/// counts from the time at which the request was to leave, so that a stall is paid for by all who
/// would have come during it (G. Tene's coordinated omission).
final class LoadGenerator: Sendable {
  enum Pace: Hashable, Sendable {
    case closed(callers: Int)
    case open(requestsPerSecond: Double, maximumInFlight: Int)
  }

  struct Outcome: Sendable {
    var pace: Pace
    var seconds: Double
    var requests = 0
    var items = 0
    var hits = 0
    var failures: [String: Int] = [:]
    /// Requests that did not leave because too many were under way.
    var unsent = 0
    var latencies: [BenchOperation.Kind: Latencies] = [:]
    /// How late requests left; open loop only.
    var lateness: Latencies?
    var serverSeconds: Double?
    var ownSeconds: Double
    /// Share of the machine that neither we nor the server used.
    var foreignShare: Double?

    var requestsPerSecond: Double { seconds > 0 ? Double(requests) / seconds : 0 }
    var failureCount: Int { failures.values.reduce(0, +) }
  }

  private let operation: BenchOperation
  private let pace: Pace
  private let warmUp: Duration
  private let duration: Duration
  private let serverID: Int32?
  private let clock = ContinuousClock()

  private let recorders = BenchOperation.Kind.allCases.map { _ in LatencyRecorder() }
  private let lateness = LatencyRecorder()
  private let requests = Atomic(0)
  private let items = Atomic(0)
  private let hits = Atomic(0)
  private let unsent = Atomic(0)
  private let inFlight = Atomic(0)
  private let next: Atomic<Int>
  private let isOver = Atomic(false)
  private let failures = Mutex<[String: Int]>([:])

  /// - Parameter firstNumber: Numbers of requests go on from here.
  init(
    _ operation: BenchOperation, pace: Pace, warmUp: Duration, duration: Duration,
    serverID: Int32?, firstNumber: Int
  ) {
    self.operation = operation
    self.pace = pace
    self.warmUp = warmUp
    self.duration = duration
    self.serverID = serverID
    next = Atomic(firstNumber)
  }

  var nextNumber: Int { next.load(ordering: .relaxed) }

  func run(isStopped: @Sendable @escaping () -> Bool) async -> Outcome {
    let measureFrom = clock.now + warmUp
    let end = measureFrom + duration
    await withDiscardingTaskGroup { group in
      switch pace {
      case .closed(let callers):
        for lane in 0..<callers {
          group.addTask { await self.call(lane: lane, from: measureFrom, until: end) }
        }
      case .open(let rate, let maximum):
        group.addTask {
          await self.send(rate: rate, maximum: maximum, from: measureFrom, until: end)
        }
      }
      await self.watch(from: measureFrom, until: end, isStopped)
    }
    return await conclude()
  }

  // MARK: - Measuring

  private struct Marks {
    var began: ContinuousClock.Instant
    var times: ProcessorTimes
  }

  private let begin = Mutex<Marks?>(nil)
  private let finish = Mutex<Marks?>(nil)

  private func watch(
    from: ContinuousClock.Instant, until: ContinuousClock.Instant, _ isStopped: () -> Bool
  ) async {
    var progress = ProgressLine()
    func show(_ what: String) {
      progress.update {
        let failed = self.failures.withLock { $0.values.reduce(0, +) }
        return "\(what)  \(NumberText.grouped(self.requests.load(ordering: .relaxed))) requests"
          + (failed > 0 ? ", \(NumberText.grouped(failed)) failed" : "")
      }
    }
    while clock.now < from, !isStopped() {
      show("warming up")
      try? await Task.sleep(until: min(from, clock.now + .milliseconds(200)), clock: clock)
    }
    begin.withLock {
      $0 = Marks(began: clock.now, times: .now(serverID: serverID))
    }
    while clock.now < until, !isStopped() {
      let share = (clock.now - from) / (until - from)
      show(
        "\(ProgressLine.bar(share)) \(NumberText.duration((until - clock.now) / .seconds(1))) left "
      )
      try? await Task.sleep(until: min(until, clock.now + .milliseconds(200)), clock: clock)
    }
    finish.withLock { $0 = Marks(began: clock.now, times: .now(serverID: serverID)) }
    isOver.store(true, ordering: .relaxed)
    progress.clear()
  }

  private func conclude() async -> Outcome {
    guard let begin = begin.withLock({ $0 }), let finish = finish.withLock({ $0 }) else {
      return Outcome(pace: pace, seconds: 0, ownSeconds: 0)
    }
    let seconds = (finish.began - begin.began) / .seconds(1)
    let own = finish.times.own - begin.times.own
    var outcome = Outcome(pace: pace, seconds: seconds, ownSeconds: own)
    outcome.requests = requests.load(ordering: .relaxed)
    outcome.items = items.load(ordering: .relaxed)
    outcome.hits = hits.load(ordering: .relaxed)
    outcome.unsent = unsent.load(ordering: .relaxed)
    outcome.failures = failures.withLock { $0 }
    for kind in BenchOperation.Kind.allCases {
      let latencies = recorders[kind.rawValue].merged()
      if latencies.count > 0 { outcome.latencies[kind] = latencies }
    }
    if case .open = pace { outcome.lateness = lateness.merged() }
    if let before = begin.times.server, let after = finish.times.server {
      outcome.serverSeconds = after - before
      if let machineBefore = begin.times.machine, let machineAfter = finish.times.machine,
        seconds > 0
      {
        let foreign = machineAfter - machineBefore - own - (after - before)
        outcome.foreignShare = max(0, foreign) / (seconds * Double(ProcessorTimes.processorCount))
      }
    }
    return outcome
  }

  // MARK: - Sending

  private func call(
    lane: Int, from: ContinuousClock.Instant, until: ContinuousClock.Instant
  ) async {
    while !isOver.load(ordering: .relaxed), !Task.isCancelled {
      let number = next.add(1, ordering: .relaxed).oldValue
      await perform(number, intended: clock.now, from: from, until: until)
    }
  }

  private func send(
    rate: Double, maximum: Int, from: ContinuousClock.Instant, until: ContinuousClock.Instant
  ) async {
    let began = clock.now
    await withDiscardingTaskGroup { group in
      var sent = 0
      while !isOver.load(ordering: .relaxed), !Task.isCancelled {
        let intended = began + .nanoseconds(Int64(Double(sent) / rate * 1e9))
        sent += 1
        if intended > clock.now {
          try? await Task.sleep(until: intended, tolerance: .zero, clock: clock)
          if isOver.load(ordering: .relaxed) { return }
        }
        let number = next.add(1, ordering: .relaxed).oldValue
        let isMeasured = intended >= from && intended < until
        guard inFlight.load(ordering: .relaxed) < maximum else {
          if isMeasured { unsent.add(1, ordering: .relaxed) }
          continue
        }
        inFlight.add(1, ordering: .relaxed)
        group.addTask {
          if isMeasured {
            self.lateness.record(
              nanoseconds: Self.nanoseconds(self.clock.now - intended), lane: number)
          }
          await self.perform(number, intended: intended, from: from, until: until)
          self.inFlight.subtract(1, ordering: .relaxed)
        }
      }
    }
  }

  /// Counts what was to leave within the measured time.
  private func perform(
    _ number: Int, intended: ContinuousClock.Instant, from: ContinuousClock.Instant,
    until: ContinuousClock.Instant
  ) async {
    do {
      let done = try await operation(number)
      let now = clock.now
      guard intended >= from, intended < until else { return }
      // A closed loop's rate counts answers in the measured time only.
      if case .closed = pace, now > until { return }
      recorders[done.kind.rawValue].record(
        nanoseconds: Self.nanoseconds(now - intended), lane: number)
      requests.add(1, ordering: .relaxed)
      items.add(done.items, ordering: .relaxed)
      hits.add(done.hits, ordering: .relaxed)
    } catch {
      let name = (error as? MoyeoError).map(Self.name) ?? "\(type(of: error))"
      failures.withLock { $0[name, default: 0] += 1 }
      // Nobody there: a caller that asks again at once only burns the machine.
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  private static func name(_ error: MoyeoError) -> String {
    switch error {
    case .refused(let refusal): refusal.reason.isEmpty ? refusal.code : refusal.reason
    case .unreachable: "unreachable"
    case .timedOut: "timed_out"
    case .unexpectedAnswer: "unexpected_answer"
    case .badEndpoint: "bad_endpoint"
    case .cancelled: "cancelled"
    }
  }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
