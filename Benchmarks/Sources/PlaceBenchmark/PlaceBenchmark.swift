import ArgumentParser
import GeoMath
import LiveLayers
import ObjectModel
import Places

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Places by name and names by place, in process: how long a search of each kind takes, beside a scan
/// of all names for the same text.
///
/// Names are made of syllables by seed, so that beginnings, words and initials are shared as in a
/// city; all places are there, and the text index is filled, before anything is timed.
@main
struct PlaceBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "PlaceBenchmark",
    abstract: "Searches of places by name and by position, by kind of query.")

  @Option(help: "Places in the layer.")
  var places = 100_000
  @Option(help: "Searches of each kind.")
  var searches = 2_000
  @Option(help: "Same seed, same names and queries.")
  var seed: UInt64 = 1
  @Option(help: "Places in an answer.")
  var limit = 10

  func run() throws {
    let city = NamedCity(places: places, seed: seed)
    let clock = ManualClock(Instant(milliseconds: 1_795_183_800_000))
    let layers = LayerRegistry(clock: clock, epoch: 1)
    try city.report(to: layers)
    let table = PlaceTable(layers: layers, layerNames: ["places"])
    let start = ContinuousClock.now
    let cpuStart = Times.cpuMicroseconds()
    table.follow()
    let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
    let cpuMilliseconds = Int(Times.cpuMicroseconds() - cpuStart) / 1000
    print("\(table.count) places taken in in \(milliseconds) ms, \(cpuMilliseconds) ms of CPU")
    let service = PlaceService(table: table)
    print(
      "kind                      p50 us    p99 us    max us  cpu p99 us   found  scan p50 us")
    var mixed = Times()
    for kind in QueryKind.allCases { mixed.append(try measure(kind, city, service)) }
    print("all kinds".padded(to: 22), mixed.columns)
    try measureReverse(city, service)
  }

  private func measure(
    _ kind: QueryKind, _ city: NamedCity, _ service: PlaceService
  ) throws -> Times {
    var random = SplitMix64(seed: seed &+ 1)
    let queries = (0..<searches).map { _ in city.query(kind, limit: limit, &random) }
    var times = Times()
    var found = 0
    for query in queries {
      try times.take { found += try service.ownPlaces(matching: query).count }
    }
    var scans = Times()
    for query in queries.prefix(20) { scans.take { found += city.scan(for: query.text) & 0 } }
    print(
      kind.rawValue.padded(to: 22), times.columns,
      "\(found / searches)".padded(before: 7), scans.text(0.5).padded(before: 12))
    return times
  }

  private func measureReverse(_ city: NamedCity, _ service: PlaceService) throws {
    var random = SplitMix64(seed: seed &+ 2)
    let questions = (0..<searches).map { _ in
      ReversePlaceSearch(position: city.position(&random), limit: 1)
    }
    var times = Times()
    var found = 0
    for question in questions {
      try times.take { found += try service.ownPlaces(at: question).count }
    }
    print("reverse".padded(to: 22), times.columns, "\(found / searches)".padded(before: 7))
  }
}

/// How long each of many calls took: by the clock, and on a core, without the time in which others had
/// it.
struct Times {
  private var all: [Double] = []
  private var cpu: [Double] = []

  mutating func take(_ body: () throws -> Void) rethrows {
    let start = ContinuousClock.now
    let cpuStart = Self.cpuMicroseconds()
    try body()
    cpu.append(Self.cpuMicroseconds() - cpuStart)
    all.append((ContinuousClock.now - start) / .microseconds(1))
  }

  mutating func append(_ other: Times) {
    all += other.all
    cpu += other.cpu
  }

  /// The time that this thread has had a core.
  static func cpuMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }

  /// A share of the calls took at most so long, in microseconds with one decimal.
  func text(_ share: Double) -> String { Self.text(share, all) }

  private static func text(_ share: Double, _ times: [Double]) -> String {
    let sorted = times.sorted()
    guard let last = sorted.indices.last else { return "-" }
    return "\((sorted[min(last, Int(Double(sorted.count) * share))] * 10).rounded() / 10)"
  }

  var columns: String {
    [0.5, 0.99, 1].map { text($0).padded(before: 9) }.joined(separator: " ")
      + Self.text(0.99, cpu).padded(before: 12)
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  func padded(before width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
