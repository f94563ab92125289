import ArgumentParser
import GeoMath
import LiveLayers
import MoyeoStorage
import ObjectModel
import Places

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
    let table = PlaceTable(
      layers: layers, layerNames: ["places"], textIndex: try FullTextPlaceIndex())
    let start = ContinuousClock.now
    table.follow()
    let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
    print("\(table.count) places taken in in \(milliseconds) ms")
    let service = PlaceService(table: table)
    print("kind                      p50 us    p99 us    max us   found  scan p50 us")
    for kind in QueryKind.allCases {
      try measure(kind, city, service)
    }
    try measureReverse(city, service)
  }

  private func measure(
    _ kind: QueryKind, _ city: NamedCity, _ service: PlaceService
  ) throws {
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

/// How long each of many calls took.
struct Times {
  private var all: [Double] = []

  mutating func take(_ body: () throws -> Void) rethrows {
    let start = ContinuousClock.now
    try body()
    all.append((ContinuousClock.now - start) / .microseconds(1))
  }

  /// A share of the calls took at most so long, in microseconds with one decimal.
  func text(_ share: Double) -> String {
    let sorted = all.sorted()
    guard let last = sorted.indices.last else { return "-" }
    return "\((sorted[min(last, Int(Double(sorted.count) * share))] * 10).rounded() / 10)"
  }

  var columns: String {
    [0.5, 0.99, 1].map { text($0).padded(before: 9) }.joined(separator: " ")
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
