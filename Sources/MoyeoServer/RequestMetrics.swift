import Dispatch
import Metrics
import MoyeoAPI

/// Counts and times requests by operation, transport and reason.
struct RequestMetrics: Sendable {
  func recorder(operation: Operation, transport: String) -> Recorder {
    recorder(name: operation.name, transport: transport)
  }

  func recorder(name: String, transport: String) -> Recorder {
    let dimensions = [("operation", name), ("transport", transport)]
    return Recorder(
      requests: Counter(label: "moyeo_requests_total", dimensions: dimensions),
      duration: Timer(label: "moyeo_request_duration_seconds", dimensions: dimensions),
      dimensions: dimensions)
  }

  struct Recorder: Sendable {
    let requests: Counter
    let duration: Timer
    let dimensions: [(String, String)]

    func start() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

    func finish(_ start: UInt64, reason: Reason?) {
      finish(start, reasonName: reason?.rawValue)
    }

    /// Counts a call that has ended and records how long it took.
    ///
    /// - Parameters:
    ///   - start: What ``start()`` gave, in nanoseconds.
    ///   - reasonName: Why the call was refused; `nil` when it went well.
    func finish(_ start: UInt64, reasonName: String?) {
      requests.increment()
      duration.recordNanoseconds(Int64(DispatchTime.now().uptimeNanoseconds - start))
      if let reasonName {
        Counter(
          label: "moyeo_refusals_total", dimensions: dimensions + [("reason", reasonName)]
        ).increment()
      }
    }
  }
}
