import Glibc

/// Whether long stretches are timed by the thread's own time (`--cpu`): for machines that others
/// use as well.
let measuresCPU = CommandLine.arguments.contains("--cpu")

/// Nanoseconds of the monotonic clock: for single calls, where reading it (46 ns here) must not count.
func nanoseconds() -> UInt64 { nanoseconds(CLOCK_MONOTONIC) }

/// Nanoseconds for batches and longer stretches. The thread's own time is a system call (725 ns here).
func batchNanoseconds() -> UInt64 {
  nanoseconds(measuresCPU ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC)
}

private func nanoseconds(_ clock: clockid_t) -> UInt64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// One figure of a run.
struct Figure {
  var name: String
  var unit: String
  var value: Double
  /// What the issue asks for; `nil` where it asks for nothing.
  var target: Double?
  /// Whether more is better.
  var higherIsBetter = false
}

/// All figures of a run, in order. `@unchecked Sendable`: only the main thread writes it.
final class Report: @unchecked Sendable {
  private(set) var figures: [Figure] = []
  private(set) var curves:
    [(name: String, xName: String, unit: String, points: [(Double, Double)])] =
      []

  func add(
    _ name: String, _ value: Double, _ unit: String, target: Double? = nil,
    higherIsBetter: Bool = false
  ) {
    figures.append(
      Figure(
        name: name, unit: unit, value: value, target: target, higherIsBetter: higherIsBetter))
    let goal = target.map { "  (target \($0))" } ?? ""
    print("\(name): \(rounded(value)) \(unit)\(goal)")
  }

  func addCurve(_ name: String, xName: String, unit: String, _ points: [(Double, Double)]) {
    curves.append((name, xName, unit, points))
    print("\(name): " + points.map { "\(rounded($0.0)):\(rounded($0.1))" }.joined(separator: " "))
  }

  private func rounded(_ value: Double) -> Double {
    value >= 100 ? value.rounded() : (value * 1000).rounded() / 1000
  }

  /// Times of single calls in microseconds, given in nanoseconds.
  func addLatencies(
    _ name: String, _ samples: [UInt64], median: Double? = nil, p99: Double? = nil
  ) {
    let sorted = samples.sorted()
    add("\(name) median", Double(sorted[sorted.count / 2]) / 1000, "us", target: median)
    add("\(name) p99", Double(sorted[sorted.count * 99 / 100]) / 1000, "us", target: p99)
  }

  func json(machine: String, command: String, load: String) -> String {
    var lines: [String] = []
    for f in figures {
      let target = f.target.map { "\($0)" } ?? "null"
      lines.append(
        "    {\"name\": \"\(f.name)\", \"value\": \(f.value), \"unit\": \"\(f.unit)\", "
          + "\"target\": \(target), \"higherIsBetter\": \(f.higherIsBetter)}")
    }
    let curveLines = curves.map { c in
      let points = c.points.map { "[\($0.0), \($0.1)]" }.joined(separator: ", ")
      return "    {\"name\": \"\(c.name)\", \"x\": \"\(c.xName)\", \"unit\": \"\(c.unit)\", "
        + "\"points\": [\(points)]}"
    }
    return "{\n  \"machine\": \"\(machine)\",\n  \"command\": \"\(command)\",\n"
      + "  \"load\": \"\(load)\",\n  \"figures\": [\n"
      + lines.joined(separator: ",\n") + "\n  ],\n  \"curves\": [\n"
      + curveLines.joined(separator: ",\n") + "\n  ]\n}\n"
  }
}

/// The middle of several runs of a body that answers nanoseconds.
func medianOfRuns(_ runs: Int, _ body: () -> Double) -> Double {
  let values = (0..<runs).map { _ in body() }.sorted()
  return values[values.count / 2]
}
