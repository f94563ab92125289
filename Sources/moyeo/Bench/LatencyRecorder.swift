import Histogram

/// Latencies, kept in a histogram of three significant digits (HdrHistogram).
struct LatencyRecorder {
  /// A minute; longer latencies count as one.
  private static let longest: UInt64 = 60_000_000_000

  private var histogram = Histogram<UInt64>(
    highestTrackableValue: longest, numberOfSignificantValueDigits: .three)

  mutating func record(nanoseconds: Int64) {
    _ = histogram.record(min(UInt64(max(0, nanoseconds)), Self.longest))
  }

  /// All that was recorded so far, in microseconds.
  var latencies: Latencies {
    guard histogram.totalCount > 0 else { return Latencies() }
    func at(_ percentile: Double) -> Double {
      Double(histogram.valueAtPercentile(percentile)) / 1000
    }
    return Latencies(
      count: Int(histogram.totalCount), mean: histogram.mean / 1000, p50: at(50), p90: at(90),
      p99: at(99), p999: at(99.9), maximum: Double(histogram.max) / 1000)
  }
}
/// A distribution, in microseconds.
struct Latencies: Hashable, Sendable {
  var count = 0
  var mean = 0.0
  var p50 = 0.0
  var p90 = 0.0
  var p99 = 0.0
  var p999 = 0.0
  var maximum = 0.0

  var json: String {
    "{\"count\":\(count),\"mean\":\(NumberText.fixed(mean, 1)),\"p50\":\(NumberText.fixed(p50, 1)),"
      + "\"p90\":\(NumberText.fixed(p90, 1)),\"p99\":\(NumberText.fixed(p99, 1)),"
      + "\"p99.9\":\(NumberText.fixed(p999, 1)),\"max\":\(NumberText.fixed(maximum, 1))}"
  }
}
