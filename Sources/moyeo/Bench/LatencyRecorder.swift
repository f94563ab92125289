import Histogram
import Synchronization

/// Latencies in nanoseconds, recorded by many tasks at once.
final class LatencyRecorder: Sendable {
  private static let shardCount = 8
  /// A minute; longer latencies count as one.
  private static let longest: UInt64 = 60_000_000_000

  private let shards: [Shard]

  private final class Shard: Sendable {
    let histogram = Mutex(LatencyRecorder.empty)
  }

  private static var empty: Histogram<UInt64> {
    Histogram(highestTrackableValue: longest, numberOfSignificantValueDigits: .three)
  }

  init() { shards = (0..<Self.shardCount).map { _ in Shard() } }

  /// - Parameter lane: Any number; tasks with different ones seldom wait for each other.
  func record(nanoseconds: Int64, lane: Int) {
    let value = min(UInt64(max(0, nanoseconds)), Self.longest)
    shards[lane & (Self.shardCount - 1)].histogram.withLock { _ = $0.record(value) }
  }

  /// All that was recorded so far.
  func merged() -> Latencies {
    var all = Self.empty
    for shard in shards { shard.histogram.withLock { all.add($0) } }
    guard all.totalCount > 0 else { return Latencies() }
    func at(_ percentile: Double) -> Double {
      Double(all.valueAtPercentile(percentile)) / 1000
    }
    return Latencies(
      count: Int(all.totalCount), mean: all.mean / 1000, p50: at(50), p90: at(90), p99: at(99),
      p999: at(99.9), maximum: Double(all.max) / 1000)
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
