import ArgumentParser
import Foundation
import FareEstimation
import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares

/// `moyeo replay trips.csv [--date 2015-01-15] [--minutes 60] [--json] [--plots DIR]`
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Run a day of recorded trips through online and batch matching.",
    discussion: """
      Takes New York's taxi records (any file with a pick-up time and pick-up and drop-off \
      coordinates under the names of those). Every trip is a request of one seat that waits up to \
      --patience seconds. Online: it joins the open party that saves it most (with --greedy total, \
      the one in which all save most together, if it saves something), or opens one that leaves \
      when it is full or its first rider's patience ends. Batch: every --every seconds all that \
      wait are sorted into groups; one leaves when it is full or somebody in it cannot wait for \
      the next batch.

      Without --date the rows of all dates are taken as one day. A sample is far thinner than a \
      city: --minutes squeezes the day.
      """)

  @Argument(help: "CSV file of recorded trips with a header line.")
  var file: String

  @Option(help: "One local date of the file, such as 2015-01-15.")
  var date: String?
  @Option(help: "Squeeze the day into so many minutes.")
  var minutes: Double?
  @Option(help: "Read at most so many requests.")
  var limit: Int?
  @Option(help: "Id of the tariff.")
  var tariff = "us-nyc-yellow"
  @Option(help: "Directory that holds data/tariffs (default: the nearest parent).")
  var resources: String?
  @Option(help: "Longest walk to a pick-up, meters.")
  var maxWalk = RideLimits.standard.maxWalkMeters
  @Option(help: "Longest ride: (1 + this) x direct + 300 m.")
  var maxDetour = RideLimits.standard.maxDetourRatio
  @Option(help: "Seats of a taxi.")
  var seats = 4
  @Option(help: "Seconds that a request waits for company.")
  var patience = 300
  @Option(help: "Seconds between batches.")
  var every = 30
  @Option(help: "Rounds of search in a batch.")
  var iterations = 500
  @Option(help: "Seed of the search.")
  var seed: UInt64 = 1
  @Flag(help: "Groups of a batch leave at once, even with seats free: less waiting, less saving.")
  var leaveAtOnce = false
  @Option(
    help: "Online, a rider joins what saves them most (own), or everyone together (total).")
  var greedy = ReplayChoice.own
  @Option(
    help: ArgumentHelp(
      "online, boarding, batched or rematched; may be repeated. Default: online and batch.",
      valueName: "policy"))
  var policy: [ReplayPolicy] = []
  @Option(
    help: "Rematched: a group leaves once somebody in it has waited so many seconds (--patience).")
  var hold: Int?
  @Flag(help: "Print JSON.")
  var json = false
  @Option(help: "Write plots (SVG) into this directory.")
  var plots: String?

  func validate() throws {
    func check(_ holds: Bool, _ what: String) throws {
      if !holds { throw ValidationError(what) }
    }
    try check(maxWalk >= 0 && maxWalk <= 50_000, "--max-walk is 0 to 50000 meters")
    try check(maxDetour >= 0 && maxDetour <= 1000, "--max-detour is 0 to 1000")
    try check((2...4).contains(seats), "--seats is 2 to 4")
    try check((1...86_400).contains(patience), "--patience is 1 to 86400 seconds")
    try check((1...patience).contains(every), "--every is 1 second to --patience")
    try check(hold.map { (0...patience).contains($0) } ?? true, "--hold is 0 to --patience")
    try check((0...10_000_000).contains(iterations), "--iterations is 0 to 10000000")
    try check(minutes.map { $0 > 0 && $0 <= 1440 } ?? true, "--minutes is above 0, at most 1440")
    try check(limit.map { $0 > 0 } ?? true, "--limit is at least 1")
  }

  func run() throws {
    do {
      try replay()
    } catch let error as EvaluationError {
      throw CommandFailure(message: error.description)
    } catch let error as TariffLoadError {
      throw CommandFailure(message: "\(error)")
    }
  }

  private func replay() throws {
    let versions = try tariffVersions()
    let offsets = versions[0].content.offsets
    let limits = RideLimits(maxWalkMeters: maxWalk, maxDetourRatio: maxDetour)
    let trips = try ReplayFile(
      path: file, offsets: offsets, date: try day(offsets), minutes: minutes, limits: limits,
      limit: limit)
    guard let first = trips.requests.first else {
      throw CommandFailure(
        message: "no usable row in \(file)" + (date.map { " on \($0)" } ?? "")
          + "; \(trips.dropped) rows have no usable time and places")
    }
    guard let tariff = versions.last(where: { $0.isInForce(at: first.at) }) else {
      throw CommandFailure(message: "no version of \(tariff) is in force then")
    }
    let settings = ReplaySettings(
      tariff: tariff, profile: TrafficProfile.covering(first.request.origin.coordinate),
      limits: limits, maxSeats: seats, patienceSeconds: patience, intervalSeconds: every,
      iterations: iterations, seed: seed, leavesAtOnce: leaveAtOnce, choice: greedy,
      holdSeconds: hold)
    let outcomes =
      policy.isEmpty
      ? [
        try OnlineReplay.run(trips.requests, settings),
        try BatchReplay.run(trips.requests, settings),
      ] : try policy.map { try $0.run(trips.requests, settings) }
    let report = ReplayReport(
      outcomes: outcomes, requests: trips.requests.count, dropped: trips.dropped,
      dates: trips.dates.count, currency: tariff.currency,
      digits: tariff.content.minorUnitDigits)
    if json { print(report.json) } else { report.text.forEach { print($0) } }
    if let plots { try ReplayPlots.write(outcomes, to: plots) }
  }

  private func tariffVersions() throws -> [Tariff] {
    let library = try TariffLibrary.load(
      tariffDirectories: [try ResourceFolder.path(ofData: "tariffs", given: resources)],
      areaDirectories: [])
    let versions = library.catalog.tariffs.filter { $0.id == tariff }
    guard !versions.isEmpty else {
      throw EvaluationError.noTariff(tariff, known: library.catalog.ids)
    }
    return versions
  }

  /// Local days since 1970.
  private func day(_ offsets: UTCOffsets) throws -> Int64? {
    guard let date else { return nil }
    guard let moment = LocalInstant.parse(date + "T12:00:00", in: offsets) else {
      throw ValidationError("--date must be like 2015-01-15, is \(date)")
    }
    let local = moment.milliseconds + Int64(offsets.seconds(at: moment)) * 1000
    return local / ReplayFile.millisecondsPerDay
  }
}

extension ReplayChoice: ExpressibleByArgument {}
extension ReplayPolicy: ExpressibleByArgument {}

extension ReplayPolicy {
  /// Replays all requests this way.
  func run(_ requests: [ReplayRequest], _ settings: ReplaySettings) throws -> ReplayOutcome {
    var settings = settings
    switch self {
    case .online: return try OnlineReplay.run(requests, settings)
    case .boarding:
      settings.boardsOnTheWay = true
      return try OnlineReplay.run(requests, settings)
    case .batched:
      settings.leavesAtOnce = true
      return try BatchReplay.run(requests, settings, name: rawValue)
    case .rematched:
      settings.leavesAtOnce = false
      return try BatchReplay.run(requests, settings, name: rawValue)
    }
  }
}
