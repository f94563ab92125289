import NIOCore

/// Sends requests and measures them.
///
/// *Closed loop*: a fixed number of callers, each asks again when it has its answer; the rate is
/// the service's. *Open loop*: requests leave at fixed times whatever the answers do, and a latency
/// counts from the time at which the request was to leave, so that a stall is paid for by all who
/// would have come during it (G. Tene's coordinated omission).
struct LoadGenerator: Sendable {
  enum Pace: Hashable, Sendable {
    case closed(callers: Int)
    case open(requestsPerSecond: Double, maximumInFlight: Int)
  }

  struct Outcome: Sendable {
    var pace: Pace
    var seconds: Double
    var requests = 0
    var items = 0
    /// Hits in the answers that were read, and the queries of these.
    var hits = 0
    var readItems = 0
    var failures: [String: Int] = [:]
    /// Requests that did not leave because too many were under way.
    var unsent = 0
    var latencies: [BenchRequests.Kind: Latencies] = [:]
    /// How late requests left; open loop only.
    var lateness: Latencies?
    var serverSeconds: Double?
    var ownSeconds: Double
    /// Share of the machine that neither we nor the server used.
    var foreignShare: Double?

    var requestsPerSecond: Double { seconds > 0 ? Double(requests) / seconds : 0 }
    var failureCount: Int { failures.values.reduce(0, +) }
  }

  let pool: LoadPool
  let requests: BenchRequests
  /// A ring for each connection, or one for all.
  let rings: [[BenchRequests.Prepared]]
  let pace: Pace
  let warmUp: TimeAmount
  let duration: TimeAmount
  /// How long answers may take after the measured time.
  let timeout: TimeAmount
  let serverID: Int32?

  func run(isStopped: @Sendable @escaping () -> Bool) async throws -> Outcome {
    let start = NIODeadline.now()
    let run = try await pool.loop.submit { [self] in
      let run = LoadRun(self, start: start)
      run.begin()
      return NIOLoopBound(run, eventLoop: pool.loop)
    }.get()
    let marks = try await watch(run, isStopped)
    let deadline = NIODeadline.now() + timeout
    while try await !pool.loop.submit({ run.value.isDone }).get(), NIODeadline.now() < deadline,
      !isStopped()
    {
      try await Task.sleep(for: .milliseconds(5))
    }
    var outcome = try await pool.loop.submit { run.value.conclude() }.get()
    outcome.seconds = Double((marks.end.time - marks.begin.time).nanoseconds) / 1e9
    outcome.ownSeconds = marks.end.times.own - marks.begin.times.own
    if let before = marks.begin.times.server, let after = marks.end.times.server {
      outcome.serverSeconds = after - before
      if let machineBefore = marks.begin.times.machine, let machineAfter = marks.end.times.machine,
        outcome.seconds > 0
      {
        let foreign = machineAfter - machineBefore - outcome.ownSeconds - (after - before)
        outcome.foreignShare =
          max(0, foreign) / (outcome.seconds * Double(ProcessorTimes.processorCount))
      }
    }
    return outcome
  }

  private struct Mark {
    var time = NIODeadline.now()
    var times: ProcessorTimes
  }

  /// Shows progress; tells the run when the measured time begins and ends.
  private func watch(
    _ run: NIOLoopBound<LoadRun>, _ isStopped: @Sendable () -> Bool
  ) async throws -> (begin: Mark, end: Mark) {
    var progress = ProgressLine()
    func wait(for amount: TimeAmount, _ what: (NIODeadline) -> String) async throws {
      let until = NIODeadline.now() + amount
      while NIODeadline.now() < until, !isStopped() {
        let (requests, failed) = try await pool.loop.submit {
          (run.value.outcome.requests, run.value.outcome.failureCount)
        }.get()
        progress.update {
          "\(what(until))  \(NumberText.grouped(requests)) requests"
            + (failed > 0 ? ", \(NumberText.grouped(failed)) failed" : "")
        }
        let left = until - NIODeadline.now()
        try? await Task.sleep(for: .nanoseconds(min(left.nanoseconds, 200_000_000)))
      }
    }
    try await wait(for: warmUp) { _ in "warming up" }
    try await pool.loop.submit { run.value.isMeasuring = true }.get()
    let begin = Mark(times: .now(serverID: serverID))
    try await wait(for: duration) { until in
      let left = Double((until - .now()).nanoseconds)
      return "\(ProgressLine.bar(1 - left / Double(duration.nanoseconds))) "
        + "\(NumberText.duration(max(0, left / 1e9))) left"
    }
    let end = Mark(times: .now(serverID: serverID))
    try await pool.loop.submit { run.value.stop() }.get()
    progress.clear()
    return (begin, end)
  }
}
