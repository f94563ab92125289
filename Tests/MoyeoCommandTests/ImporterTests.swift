import ObjectModel
import MoyeoAPI
import MoyeoClient
import Threading
import Testing

@testable import moyeo

/// A service that refuses ids beginning with `bad`, and may be busy or absent at first.
final class FakeSink: ReportSink {
  struct State {
    var failures: [MoyeoError] = []
    var requests: [Int] = []
    var stored: [String] = []
  }

  enum Style: Sendable { case http, grpc, wholeBatch }

  let style: Style
  let state: StateLock<State>

  init(_ style: Style = .http, failures: [MoyeoError] = []) {
    self.style = style
    state = StateLock(State(failures: failures))
  }

  func report(_ request: Moyeo_V1_ReportRequest) async throws(MoyeoError)
    -> Moyeo_V1_ReportResponse
  {
    let failure = state.withLock { state in
      state.requests.append(request.positions.count)
      return state.failures.isEmpty ? nil : state.failures.removeFirst()
    }
    if let failure { throw failure }
    var response = Moyeo_V1_ReportResponse()
    for (i, position) in request.positions.enumerated() where position.id.hasPrefix("bad") {
      var rejection = Moyeo_V1_Rejection()
      rejection.index = Int32(i)
      rejection.id = position.id
      rejection.field = "latitude"
      rejection.reason = "null_island"
      response.rejections.append(rejection)
    }
    let all = response.rejections.count == request.positions.count
    if all || (style == .wholeBatch && !response.rejections.isEmpty) {
      throw .refused(
        Refusal(
          code: "INVALID_ARGUMENT", reason: "null_island", message: "no",
          fields: [.init(field: "positions[0].latitude", reason: "null_island", message: "no")],
          rejections: style == .http ? response.rejections : []))
    }
    let stored = request.positions.map(\.id).filter { !$0.hasPrefix("bad") }
    state.withLock { $0.stored += stored }
    response.accepted = Int32(stored.count)
    return response
  }
}

@Suite("importer")
struct ImporterTests {
  static func row(_ id: String, line: Int) -> ImportItem {
    var position = Moyeo_V1_Position()
    position.id = id
    return .row(ImportRow(line: line, position: position))
  }

  static func run(_ sink: FakeSink, ids: [String], batchSize: Int = 4) async throws
    -> ImportSummary
  {
    var importer = Importer(
      sink: sink, layer: "l", batchSize: batchSize, summary: ImportSummary(kept: 100))
    importer.pause = { _ in }
    for (i, id) in ids.enumerated() { try await importer.take(row(id, line: i + 2)) }
    try await importer.flush()
    return importer.summary
  }

  @Test(
    "every row is accounted for, whatever is bad and however the service says so",
    arguments: [FakeSink.Style.http, .grpc, .wholeBatch], 1...15)
  func account(style: FakeSink.Style, seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let share = Double.random(in: 0...1, using: &random)
    let ids = (0..<30).map {
      Double.random(in: 0..<1, using: &random) < share ? "bad\($0)" : "ok\($0)"
    }
    let sink = FakeSink(style)
    let summary = try await Self.run(
      sink, ids: ids, batchSize: Int.random(in: 1...10, using: &random))
    let good = ids.filter { $0.hasPrefix("ok") }
    #expect(sink.state.withLock { $0.stored } == good)
    #expect(summary.accepted == good.count)
    #expect(summary.refused == ids.count - good.count)
    for row in summary.refusals {
      #expect(ids[row.line - 2] == row.id)
      #expect(row.reason == "null_island" && row.field == "latitude")
    }
  }

  static let busy = MoyeoError.refused(
    Refusal(code: "RESOURCE_EXHAUSTED", reason: "overloaded", message: "busy", httpStatus: 503))

  @Test("a busy service is asked again, a bounded number of times")
  func retries() async throws {
    let patient = FakeSink(failures: [Self.busy, Self.busy, .timedOut(endpoint: "e")])
    let summary = try await Self.run(patient, ids: ["a", "b"])
    #expect(summary.accepted == 2 && summary.retries == 3)
    let busy = FakeSink(failures: Array(repeating: Self.busy, count: 50))
    await #expect(throws: MoyeoError.self) { try await Self.run(busy, ids: ["a"]) }
    #expect(busy.state.withLock { $0.requests.count } == Importer<FakeSink>.maximumTries)
  }

  @Test("a batch takes no longer than its time limit, waits included")
  func patience() async throws {
    let sink = FakeSink(
      failures: Array(repeating: .timedOut(endpoint: "e"), count: 50))
    // Each wait passes on the clock; each try takes 300 ms.
    let passed = StateLock(Duration.zero)
    var importer = Importer(
      sink: sink, layer: "l", batchSize: 10, summary: ImportSummary(kept: 10),
      patience: .milliseconds(1000))
    importer.clock = { passed.withLock { $0 } }
    importer.pause = { wait in passed.withLock { $0 += wait + .milliseconds(300) } }
    var position = Moyeo_V1_Position()
    position.id = "a"
    try await importer.take(.row(ImportRow(line: 1, position: position)))
    do {
      try await importer.flush()
      Issue.record("it was answered")
    } catch {
      #expect(error as? MoyeoError == .timedOut(endpoint: "e"))
    }
    // After 0, 100 + 300 and 200 + 300 ms more; 400 ms more would be beyond the second.
    #expect(sink.state.withLock { $0.requests.count } == 3)
    #expect(passed.withLock { $0 } <= .milliseconds(1000))
  }

  @Test("somebody who was never there is not waited for")
  func absent() async throws {
    let sink = FakeSink(failures: [.unreachable(endpoint: "e", cause: "refused")])
    await #expect(throws: MoyeoError.unreachable(endpoint: "e", cause: "refused")) {
      try await Self.run(sink, ids: ["a"])
    }
    #expect(sink.state.withLock { $0.requests.count } == 1)
  }

  @Test("a service that goes away is named with the line where the rows were left")
  func lost() async throws {
    let gone = MoyeoError.unreachable(endpoint: "e", cause: "refused")
    let sink = FakeSink()
    var importer = Importer(
      sink: sink, layer: "l", batchSize: 2, summary: ImportSummary(kept: 1))
    importer.pause = { _ in }
    for line in 2...3 { try await importer.take(Self.row("\(line)", line: line)) }
    #expect(importer.firstUnsentLine == nil)
    sink.state.withLock { $0.failures = Array(repeating: gone, count: 50) }
    try await importer.take(Self.row("4", line: 4))
    await #expect(throws: gone) { try await importer.take(Self.row("5", line: 5)) }
    #expect(importer.firstUnsentLine == 4 && importer.summary.accepted == 2)
    #expect(
      sink.state.withLock { $0.requests.count } == 1 + Importer<FakeSink>.maximumTries)
  }

  @Test("a layer that is refused ends the import at once")
  func badLayer() async throws {
    let refusal = Refusal(
      code: "INVALID_ARGUMENT", reason: "bad_layer", message: "no",
      fields: [.init(field: "layer", reason: "bad_layer", message: "no")])
    let sink = FakeSink(failures: [.refused(refusal)])
    await #expect(throws: MoyeoError.refused(refusal)) {
      try await Self.run(sink, ids: ["a", "b", "c"])
    }
    #expect(sink.state.withLock { $0.requests } == [3])
  }

  @Test("large rows make small batches")
  func batchBytes() async throws {
    let sink = FakeSink()
    let long = String(repeating: "x", count: 100_000)
    _ = try await Self.run(sink, ids: (0..<10).map { "\($0)" + long }, batchSize: 1000)
    #expect(sink.state.withLock { $0.requests } == [3, 3, 3, 1])
  }

  @Test("the summary lists lines in order and counts the rest")
  func summary() {
    var summary = ImportSummary(kept: 2)
    summary.accept(5)
    for line in [9, 3, 4] {
      summary.refuse(
        RefusedRow(line: line, id: "i\(line)", field: "lat", reason: "r", message: "m\"\n"))
    }
    let lines = summary.lines(seconds: 2)
    #expect(lines[2].hasPrefix("     3  i3  lat") && lines[3].hasPrefix("     9  i9  lat"))
    #expect(lines[4] == "  and 1 more")
    #expect(lines.last == "5 of 8 rows accepted, 3 refused, in 2.0 s (4 rows/s)")
    #expect(
      summary.json(file: "f", layer: "l", seconds: 0).hasPrefix(
        #"{"file":"f","layer":"l","rows":8,"accepted":5,"refused":3,"rejections":[{"line":3,"#))
  }
}
