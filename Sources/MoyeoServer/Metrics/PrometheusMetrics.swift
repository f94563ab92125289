package import CoreMetrics
import Synchronization
import Threading

/// A swift-metrics backend that keeps its figures in memory and prints them in the Prometheus text
/// format, version 0.0.4 (there is no packaged one to be had).
///
/// Timers and recorders become histograms, in seconds and in their own unit. A counter or histogram
/// appears with the first thing that it counts: a call that nobody makes costs no line. Labels are
/// names of calls, wires and reasons, all from tables of the program, so that their number is bounded.
package final class PrometheusMetrics: MetricsFactory {
  private struct Key: Hashable {
    let label: String
    let dimensions: [String]
  }

  private let counters = StateLock<[Key: CounterCell]>([:])
  private let gauges = StateLock<[Key: GaugeCell]>([:])
  private let histograms = StateLock<[Key: HistogramCell]>([:])

  package init() {}

  private static func key(_ label: String, _ dimensions: [(String, String)]) -> Key {
    Key(
      label: sanitized(label),
      dimensions: dimensions.map { "\(sanitized($0.0))=\"\(escaped($0.1))\"" })
  }

  /// Label names are `[a-zA-Z_][a-zA-Z0-9_]*`.
  private static func sanitized(_ name: String) -> String {
    String(
      name.unicodeScalars.map { scalar in
        let plain =
          scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        return plain || scalar == "_" ? Character(scalar) : "_"
      })
  }

  private static func escaped(_ value: String) -> String {
    var out = ""
    for character in value {
      switch character {
      case "\\": out += "\\\\"
      case "\"": out += "\\\""
      case "\n": out += "\\n"
      default: out.append(character)
      }
    }
    return out
  }

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    let key = Self.key(label, dimensions)
    return counters.withLock { cells in
      if let cell = cells[key] { return cell }
      let cell = CounterCell()
      cells[key] = cell
      return cell
    }
  }

  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    let key = Self.key(label, dimensions)
    // swift-metrics' Gauge arrives here as a recorder that does not aggregate.
    if !aggregate {
      return gauges.withLock { cells in
        if let cell = cells[key] { return cell }
        let cell = GaugeCell()
        cells[key] = cell
        return cell
      }
    }
    return histogram(key)
  }

  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    histogram(Self.key(label, dimensions))
  }

  private func histogram(_ key: Key) -> HistogramCell {
    histograms.withLock { cells in
      if let cell = cells[key] { return cell }
      let cell = HistogramCell()
      cells[key] = cell
      return cell
    }
  }

  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}

  /// All figures as text.
  package func exposition() -> String {
    var out = ""
    let counterCells = counters.withLock { $0.filter { $0.value.value != 0 } }
    Self.print(counterCells, type: "counter", to: &out) { name, labels, cell, out in
      out += "\(name)\(Self.braces(labels)) \(cell.value)\n"
    }
    let gaugeCells = gauges.withLock { $0 }
    Self.print(gaugeCells, type: "gauge", to: &out) { name, labels, cell, out in
      out += "\(name)\(Self.braces(labels)) \(cell.value)\n"
    }
    let histogramCells = histograms.withLock { $0.filter { $0.value.isUsed } }
    Self.print(histogramCells, type: "histogram", to: &out) { name, labels, cell, out in
      cell.print(name: name, labels: labels, to: &out)
    }
    return out
  }

  private static func print<Cell>(
    _ cells: [Key: Cell], type: String, to out: inout String,
    _ line: (String, [String], Cell, inout String) -> Void
  ) {
    let sorted = cells.sorted {
      ($0.key.label, $0.key.dimensions.joined()) < ($1.key.label, $1.key.dimensions.joined())
    }
    var last = ""
    for (key, cell) in sorted {
      if key.label != last { out += "# TYPE \(key.label) \(type)\n" }
      last = key.label
      line(key.label, key.dimensions, cell, &out)
    }
  }

  static func braces(_ labels: [String]) -> String {
    labels.isEmpty ? "" : "{" + labels.joined(separator: ",") + "}"
  }
}

private final class CounterCell: CounterHandler {
  private let count = Atomic<Int64>(0)
  var value: Int64 { count.load(ordering: .relaxed) }
  func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
  func reset() { count.store(0, ordering: .relaxed) }
}

private final class GaugeCell: RecorderHandler {
  private let bits = Atomic<UInt64>(0)
  var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
}

/// Buckets from 100 us to 30 s, or the same figures in a recorder's own unit. 20 ms is what the
/// slowest of a hundred calls is held to, 30 s the longest that a long poll waits.
private final class HistogramCell: TimerHandler, RecorderHandler {
  private static let bounds: [Double] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    30,
  ]

  private struct State {
    var buckets = [Int64](repeating: 0, count: HistogramCell.bounds.count + 1)
    var sum = 0.0
    var count: Int64 = 0
  }

  private let state = StateLock(State())

  var isUsed: Bool { state.withLock { $0.count > 0 } }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) {
    let bucket = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
    state.withLock { state in
      state.buckets[bucket] += 1
      state.sum += value
      state.count += 1
    }
  }

  func print(name: String, labels: [String], to out: inout String) {
    let snapshot = state.withLock { $0 }
    var cumulative: Int64 = 0
    for (bound, count) in zip(Self.bounds, snapshot.buckets) {
      cumulative += count
      let all = PrometheusMetrics.braces(labels + ["le=\"\(bound)\""])
      out += "\(name)_bucket\(all) \(cumulative)\n"
    }
    let infinite = PrometheusMetrics.braces(labels + ["le=\"+Inf\""])
    let plain = PrometheusMetrics.braces(labels)
    out += "\(name)_bucket\(infinite) \(snapshot.count)\n"
    out += "\(name)_sum\(plain) \(snapshot.sum)\n\(name)_count\(plain) \(snapshot.count)\n"
  }
}
