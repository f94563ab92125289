import MoyeoAPI
import MoyeoClient
import SwiftProtobuf

/// Takes batches of positions: the client, or a test's stand-in.
protocol ReportSink: Sendable {
  func report(_ request: Moyeo_V1_ReportRequest) async throws(MoyeoError)
    -> Moyeo_V1_ReportResponse
}

extension MoyeoClient: ReportSink {}

/// Sends rows in batches and keeps account of each.
///
/// Batches go one after another, so that of two rows with one id the later wins. A batch that is
/// refused as a whole is cut in halves down to the row at fault; a busy or absent service is asked
/// again a few times, each time after a longer wait, as long as ``patience`` lasts.
struct Importer<Sink: ReportSink> {
  /// Sums of encoded sizes; the JSON of a batch stays below the service's 1 MiB.
  static var maximumBatchBytes: Int { 400_000 }
  static var maximumTries: Int { 6 }

  let sink: Sink
  let layer: String
  let batchSize: Int
  /// How long one batch may take, from its first try on.
  let patience: Duration
  /// Time that has passed; a test passes its own.
  var clock: @Sendable () -> Duration = {
    let start = ContinuousClock.now
    return { start.duration(to: .now) }
  }()
  /// Waits before the next try; a test passes its own.
  var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  private(set) var summary: ImportSummary
  /// Where a batch that could not be sent begins.
  private(set) var firstUnsentLine: Int?
  private var batch: [ImportRow] = []
  private var batchBytes = 0

  init(
    sink: Sink, layer: String, batchSize: Int, summary: ImportSummary,
    patience: Duration = .seconds(30)
  ) {
    self.patience = patience
    self.sink = sink
    self.layer = layer
    self.batchSize = batchSize
    self.summary = summary
  }

  /// - Throws: ``MoyeoError`` when the service cannot be reached or refuses the layer as a whole;
  ///   what was accepted before stays so, and stands in ``summary``.
  mutating func take(_ item: ImportItem) async throws {
    switch item {
    case .refused(let row): summary.refuse(row)
    case .row(let row):
      let bytes = 64 + ((try? row.position.serializedBytes() as [UInt8])?.count ?? 0)
      if batchBytes + bytes > Self.maximumBatchBytes { try await flush() }
      batch.append(row)
      batchBytes += bytes
      if batch.count >= batchSize { try await flush() }
    }
  }

  /// Sends what is waiting.
  mutating func flush() async throws {
    guard !batch.isEmpty else { return }
    let rows = batch
    batch = []
    batchBytes = 0
    firstUnsentLine = rows[0].line
    try await send(rows)
    firstUnsentLine = nil
  }

  private mutating func send(_ rows: [ImportRow]) async throws {
    do {
      let response = try await answer(to: rows)
      summary.batches += 1
      summary.accept(Int(response.accepted))
      refuse(rows, response.rejections)
    } catch let error as MoyeoError {
      guard case .refused(let refusal) = error, isAboutItems(refusal) else { throw error }
      if refusal.rejections.count == rows.count {
        refuse(rows, refusal.rejections)
      } else if rows.count == 1 {
        summary.refuse(row(rows[0], refusal))
      } else {
        try await send(Array(rows[..<(rows.count / 2)]))
        try await send(Array(rows[(rows.count / 2)...]))
      }
    }
  }

  private mutating func answer(to rows: [ImportRow]) async throws -> Moyeo_V1_ReportResponse {
    var request = Moyeo_V1_ReportRequest()
    request.layer = layer
    request.positions = rows.map(\.position)
    var tries = 1
    let start = clock()
    while true {
      do {
        return try await sink.report(request)
      } catch {
        // Somebody who was never there is not waited for.
        if case .unreachable = error, summary.batches == 0 { throw error }
        guard error.isRetryable, tries < Self.maximumTries else { throw error }
        let backoff = Duration.milliseconds(100 << (tries - 1))
        let wait = max(backoff, min(error.refusal?.retryAfter ?? .zero, .seconds(30)))
        guard clock() - start + wait < patience else { throw error }
        tries += 1
        summary.retries += 1
        try await pause(wait)
      }
    }
  }

  /// Whether smaller batches could fare better.
  private func isAboutItems(_ refusal: Refusal) -> Bool {
    switch Reason(rawValue: refusal.reason) {
    case .requestTooLarge: true
    case .badLayer, .reservedLayer, .unknownRoute, .methodNotAllowed, .unsupportedMediaType: false
    case .missingField?: !refusal.fields.contains { $0.field == "layer" }
    default: refusal.code == "INVALID_ARGUMENT" || refusal.reason == "stale"
    }
  }

  private mutating func refuse(_ rows: [ImportRow], _ rejections: [Moyeo_V1_Rejection]) {
    for rejection in rejections where rows.indices.contains(Int(rejection.index)) {
      let row = rows[Int(rejection.index)]
      summary.refuse(
        RefusedRow(
          line: row.line, id: row.position.id, field: rejection.field, reason: rejection.reason,
          message: rejection.message))
    }
  }

  private func row(_ row: ImportRow, _ refusal: Refusal) -> RefusedRow {
    let field = refusal.fields.first?.field ?? ""
    return RefusedRow(
      line: row.line, id: row.position.id,
      // `positions[0].latitude` is the row's `latitude`.
      field: field.hasPrefix("positions[0].") ? String(field.dropFirst(13)) : field,
      reason: refusal.reason, message: refusal.message)
  }
}
