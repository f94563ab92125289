import ArgumentParser
import MoyeoAPI
import MoyeoClient
import NIOCore
import SwiftProtobuf

extension BenchMode: ExpressibleByArgument {}

/// A rate of requests: a number a second, or a share of the closed loop's.
struct RateText: ExpressibleByArgument, Hashable, Sendable {
  var value: Double
  var isShareOfPeak: Bool

  init?(argument: String) {
    isShareOfPeak = argument.hasSuffix("%")
    guard let value = NumberText.parse(isShareOfPeak ? String(argument.dropLast()) : argument),
      value > 0, value <= 10_000_000
    else { return nil }
    self.value = isShareOfPeak ? value / 100 : value
  }
}

/// `moyeo bench`.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Load-test a daemon and report throughput and latencies.",
    discussion: """
      Loads points into a layer, then asks. Without --rate, a closed loop of --callers; with \
      --rate, an open loop at each rate given: requests a second, or a share such as 50% of the \
      closed loop's rate, which is then measured first. Latencies of an open loop count from the \
      time at which a request was to leave. Requests are encoded beforehand, one thread sends them \
      all, and one of 16 answers is decoded in the end; of the others the status is looked at.

      Where requests leave late, say --spin, and keep a core free for it: taskset.

      Example: moyeo bench --grpc 127.0.0.1:50051 --mode nearby --generate 1000000 \
      --rate 25% --rate 50% --rate 75% --server-pid $(pidof moyeod)
      """)

  @Option(help: "nearby, nearby-batch, report, stream-reports (gRPC only) or mixed.")
  var mode: BenchMode = .nearby

  @Option(help: "The layer to fill and ask.")
  var layer: String = "bench"

  @Option(help: ArgumentHelp("Points from a file that moyeo import reads.", valueName: "file"))
  var points: String?

  @Option(
    help: ArgumentHelp(
      "CSV of queries: latitude, longitude, and limit, radius, tags if given.",
      valueName: "file"))
  var queries: String?

  @Option(help: ArgumentHelp("Without --points: points to make.", valueName: "count"))
  var generate: Int = 100_000

  @Option(help: "Seed of what is made and drawn.")
  var seed: UInt64 = 1

  @Flag(help: "The points are in the layer already.")
  var noLoad = false

  @Option(help: "Connections; over HTTP each carries one request at a time.")
  var connections: Int?

  @Option(help: "Callers of the closed loop.")
  var callers: Int = 16

  @Option(help: ArgumentHelp("Open loop: requests a second, or 50% of the peak; repeatable."))
  var rate: [RateText] = []

  @Option(help: ArgumentHelp("Open loop: most requests under way.", valueName: "count"))
  var maxInFlight: Int = 10_000

  @Flag(help: "The sending thread never sleeps: requests leave in time, at the cost of a core.")
  var spin = false

  @Option(help: ArgumentHelp("Seconds to measure.", valueName: "seconds"))
  var duration: Double = 10

  @Option(help: ArgumentHelp("Seconds before that.", valueName: "seconds"))
  var warmUp: Double = 2

  @Option(help: "Queries or positions a batch.")
  var batchSize: Int = 100

  @Option(help: "Hits a query.")
  var limit: Int32 = 20

  @Option(help: ArgumentHelp("Radius of queries.", valueName: "meters"))
  var radius: Double?

  @Option(help: ArgumentHelp("Tags of queries.", valueName: "tags"))
  var tags: [String] = []

  @Option(help: ArgumentHelp("How far a report moves a point.", valueName: "meters"))
  var step: Double = 50

  @Option(help: ArgumentHelp("Share of reports in mixed.", valueName: "0-1"))
  var writeShare: Double = 0.5

  @Option(help: ArgumentHelp("Process id of the daemon, for its CPU time.", valueName: "pid"))
  var serverPid: Int32?

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...10_000_000).contains(generate) else {
      throw ValidationError("--generate is 1 to 10000000")
    }
    if let connections, !(1...1000).contains(connections) {
      throw ValidationError("--connections is 1 to 1000")
    }
    guard (1...100_000).contains(callers) else { throw ValidationError("--callers is 1 to 100000") }
    guard maxInFlight > 0 else { throw ValidationError("--max-in-flight is above 0") }
    guard duration > 0, duration <= 86_400, warmUp >= 0, warmUp <= 86_400 else {
      throw ValidationError("--duration is above 0, --warm-up not below, both at most a day")
    }
    let most = mode == .nearbyBatch ? 100 : 1000
    guard (1...most).contains(batchSize) else {
      throw ValidationError("--batch-size is 1 to \(most) in this mode")
    }
    guard (0...1).contains(writeShare) else { throw ValidationError("--write-share is 0 to 1") }
    guard (1...1000).contains(limit) else { throw ValidationError("--limit is 1 to 1000") }
    guard step >= 0, step <= 100_000 else { throw ValidationError("--step is 0 to 100000 meters") }
    if let serverPid, serverPid <= 0 { throw ValidationError("--server-pid is a process id") }
  }

  func run() async throws {
    let interrupt = InterruptSignal()
    let endpoint = try connection.endpoint()
    if mode == .streamReports, case .http = endpoint {
      throw CommandFailure.usage("report streams are served over gRPC only; say --grpc HOST:PORT")
    }
    if let serverPid, ProcessorTimes.ofProcess(serverPid) == nil {
      throw CommandFailure.usage("there is no process \(serverPid) to read the CPU time of")
    }
    let workload = try workload()
    let connections = connectionCount(endpoint)
    Terminal.note(
      "\(NumberText.grouped(workload.points.count)) points, "
        + "\(NumberText.grouped(workload.queries.count)) queries, \(connections) connections to "
        + "\(endpoint)")
    if !noLoad {
      try await connection.withClient { try await load(workload, $0) { interrupt.isRaised } }
    }
    let pool = try await LoadPool(
      endpoint, layer: layer, count: connections, reopens: mode != .streamReports,
      spins: spin)
    do {
      try await run(pool, workload, endpoint) { interrupt.isRaised }
      await pool.close()
    } catch {
      await pool.close()
      throw error
    }
    if interrupt.isRaised { throw CommandExit.interruption }
  }

  /// HTTP/1.1 needs one for each caller.
  private func connectionCount(_ endpoint: Endpoint) -> Int {
    if let connections { return connections }
    if case .http = endpoint { return min(callers, 1000) }
    return 4
  }

  private func workload() throws -> BenchWorkload {
    var workload: BenchWorkload
    if let points {
      let read = try BenchFiles.points(points)
      workload = BenchWorkload(
        points: read, queries: BenchWorkload.queries(near: read, count: 10_000, seed: seed))
    } else {
      workload = .generated(points: generate, queries: 10_000, seed: seed)
    }
    if let queries { workload.queries = try BenchFiles.queries(queries) }
    return workload
  }

  private func run(
    _ pool: LoadPool, _ workload: BenchWorkload, _ endpoint: Endpoint,
    isStopped: @escaping @Sendable () -> Bool
  ) async throws {
    var wire = BenchRequests.Wire.grpc
    if case .http = endpoint { wire = .http }
    let requests = BenchRequests(
      mode: mode, workload: workload, layer: layer, limit: limit, radiusMeters: radius,
      tags: FilterOptions.list(tags), batchSize: batchSize, stepMeters: step,
      writeShare: writeShare, seed: seed, wire: wire)
    var rings: [[BenchRequests.Prepared]] = []
    if mode == .streamReports {
      let count = connectionCount(endpoint)
      for i in 0..<count {
        let own = Array(stride(from: i, to: workload.points.count, by: count))
        guard !own.isEmpty else { throw CommandFailure.usage("fewer points than connections") }
        rings.append(try await streamRing(requests, own, pool, connection: i))
      }
    } else {
      rings.append(try requests.prepared())
    }
    try await measure(
      pool, requests: requests, rings: rings, endpoint: endpoint, isStopped: isStopped)
  }

  /// Opens a connection's report stream, asks for handles of its points, which must have been
  /// reported before, and encodes what it will send.
  private func streamRing(
    _ requests: BenchRequests, _ own: [Int], _ pool: LoadPool, connection: Int
  ) async throws -> [BenchRequests.Prepared] {
    var points: [(index: Int, handle: UInt64)] = []
    for start in stride(from: 0, to: own.count, by: 1000) {
      let part = own[start..<min(own.count, start + 1000)]
      var message = Moyeo_V1_StreamReportsRequest()
      if start == 0 { message.layer = layer }
      message.register.ids = part.map { requests.workload.points[$0].id }
      let prepared = BenchRequests.Prepared(
        method: .streamReports, bytes: try BenchRequests.framed(message), items: 0)
      let answer = try await pool.exchange([prepared], connection: connection)[0]
      let handles = try Moyeo_V1_StreamReportsResponse(
        serializedBytes: Array(answer.readableBytesView)
      ).handles
      guard handles.count == part.count, !handles.contains(0) else {
        throw CommandFailure(
          message: "points are not in the layer: load them first (without --no-load)")
      }
      points += zip(part, handles).map { ($0, $1) }
    }
    return try requests.packed(points)
  }

  private func measure(
    _ pool: LoadPool, requests: BenchRequests, rings: [[BenchRequests.Prepared]],
    endpoint: Endpoint, isStopped: @escaping @Sendable () -> Bool
  ) async throws {
    func measured(_ pace: LoadGenerator.Pace) async throws -> LoadGenerator.Outcome {
      let generator = LoadGenerator(
        pool: pool, requests: requests, rings: rings, pace: pace,
        warmUp: .milliseconds(Int64(warmUp * 1000)),
        duration: .milliseconds(Int64(duration * 1000)),
        timeout: .milliseconds(Int64(connection.timeout * 1000)), serverID: serverPid)
      let outcome = try await generator.run(isStopped: isStopped)
      if output.json {
        print(BenchReport.json(outcome, mode: mode, endpoint: endpoint.description))
      } else {
        for line in BenchReport.lines(outcome, itemsNoun: itemsNoun) { print(line) }
      }
      if outcome.requests == 0, outcome.failures.keys.contains(LoadFailure.unreachable.name) {
        throw MoyeoError.unreachable(endpoint: endpoint.description, cause: "no request succeeded")
      }
      return outcome
    }
    var peak = 0.0
    if rate.isEmpty || rate.contains(where: \.isShareOfPeak) {
      // Over HTTP a connection is a caller.
      var callers = callers
      if case .http = endpoint { callers = min(callers, connectionCount(endpoint)) }
      peak = try await measured(.closed(callers: callers)).requestsPerSecond
    }
    for rate in rate where !isStopped() {
      let perSecond = rate.isShareOfPeak ? rate.value * peak : rate.value
      guard perSecond > 0 else { throw CommandFailure(message: "the closed loop got no answer") }
      _ = try await measured(.open(requestsPerSecond: perSecond, maximumInFlight: maxInFlight))
    }
  }

  private var itemsNoun: String {
    switch mode {
    case .nearby, .nearbyBatch: "queries"
    case .report, .streamReports: "positions"
    case .mixed: "items"
    }
  }

  private func load(
    _ workload: BenchWorkload, _ client: MoyeoClient, _ isStopped: () -> Bool
  ) async throws {
    var importer = Importer(
      sink: client, layer: layer, batchSize: 1000, summary: ImportSummary(kept: 1))
    var progress = ProgressLine()
    for (i, point) in workload.points.enumerated() {
      if isStopped() { return }
      var position = Moyeo_V1_Position()
      position.id = point.id
      position.latitude = point.latitude
      position.longitude = point.longitude
      position.tags = point.tags
      position.ttlSeconds = 0
      try await importer.take(.row(ImportRow(line: i + 1, position: position)))
      progress.update {
        "loading \(ProgressLine.bar(Double(i) / Double(workload.points.count))) "
          + "\(NumberText.grouped(i)) points"
      }
    }
    try await importer.flush()
    let seconds = progress.elapsedSeconds
    progress.clear()
    let summary = importer.summary
    Terminal.note(
      "loaded \(NumberText.grouped(summary.accepted)) points in \(NumberText.duration(seconds)) "
        + "(\(NumberText.grouped(Int(Double(summary.accepted) / max(seconds, 1e-9))))/s)"
        + (summary.refused > 0
          ? ", \(summary.refused) refused (first: \(summary.refusals.first?.reason ?? "?"))" : ""))
    guard summary.accepted > 0 else { throw CommandFailure(message: "no point was accepted") }
  }
}
