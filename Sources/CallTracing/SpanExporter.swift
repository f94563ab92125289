/// Takes a batch of spans to where they are looked at; the answers are those of OTLP over HTTP.
package protocol SpanCollector: Sendable {
  /// Sends a batch once.
  ///
  /// - Parameter body: An `ExportTraceServiceRequest` as JSON.
  /// - Returns: What became of it.
  func send(_ body: [UInt8]) async -> SpanCollectorAnswer
}

package enum SpanCollectorAnswer: Hashable, Sendable {
  case taken
  /// It may take them later.
  case busy(reason: String)
  /// It will not take these.
  case refused(reason: String)
}

/// Sends the recorded spans in batches, one after another.
package struct SpanExporter: Sendable {
  /// A batch of so many is some 200 KB.
  package static let maximumBatch = 512
  /// How often a batch is tried. With waits of 1, 2, 4 and 8 s that is a quarter of a minute, in which
  /// others wait in the queue.
  package static let maximumAttempts = 5

  private let spans: SpanRecorder
  private let collector: any SpanCollector
  private let document: OTLPDocument

  /// - Parameters:
  ///   - spans: Whose queue is emptied.
  ///   - collector: Who is told.
  ///   - document: Names the process.
  package init(spans: SpanRecorder, collector: any SpanCollector, document: OTLPDocument) {
    self.spans = spans
    self.collector = collector
    self.document = document
  }

  /// Sends what waits.
  ///
  /// - Parameter pause: Waits the seconds it is given, and throws when there is no time for that; the
  ///   batch is then given up.
  /// - Returns: Why the collector takes nothing; `nil` when all went well.
  package func flush(
    pause: @Sendable (_ seconds: Int) async throws -> Void
  ) async -> String? {
    var problem: String?
    // As many as wait now; what is recorded meanwhile is for the next time.
    var left = spans.statistics.waiting
    while left > 0 {
      let batch = spans.take(min(left, Self.maximumBatch))
      guard !batch.isEmpty else { break }
      left -= batch.count
      let reason = await send(batch, pause)
      spans.count(
        exported: reason == nil ? batch.count : 0, refused: reason == nil ? 0 : batch.count)
      problem = reason ?? problem
    }
    return problem
  }

  private func send(
    _ batch: [SpanRecord], _ pause: @Sendable (_ seconds: Int) async throws -> Void
  ) async -> String? {
    guard let body = document.json(batch) else { return "the spans cannot be written as JSON" }
    for attempt in 1... {
      switch await collector.send(body) {
      case .taken: return nil
      case .refused(let reason): return reason
      case .busy(let reason):
        guard attempt < Self.maximumAttempts else { return reason }
        do { try await pause(1 << (attempt - 1)) } catch { return reason }
      }
    }
    return nil
  }
}
