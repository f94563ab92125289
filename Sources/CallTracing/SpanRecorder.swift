import Threading

/// Decides which calls are recorded, and holds their spans until they are sent.
///
/// ```
/// begin(under:) ─ sampled? ─→ record(_:) ─→ queue, bounded ─→ take(_:) ─→ SpanExporter
///                                             └─ full: the span is dropped and counted
/// ```
package final class SpanRecorder: Sendable {
  package struct Settings: Hashable, Sendable {
    /// Of the calls whose caller says nothing of a trace, how many are recorded; 0-1.
    package var sampleRatio = 0.01
    /// The most spans that wait to be sent; one more is dropped.
    package var maximumWaiting = 8192

    package init() {}
  }

  /// What became of the spans.
  package struct Statistics: Hashable, Sendable {
    /// Taken by the collector.
    package var exported = 0
    /// Dropped because too many waited.
    package var dropped = 0
    /// Dropped because the collector would not have them, or did not answer for too long.
    package var refused = 0
    package var waiting = 0
  }

  private struct State {
    var waiting: [SpanRecord] = []
    var statistics = Statistics()
  }

  private let settings: Settings
  private let identifiers: CallIdentifiers
  /// Of a number of 64 bits, those below it are sampled.
  private let threshold: UInt64
  private let state = StateLock(State())

  package init(settings: Settings = Settings(), identifiers: CallIdentifiers) {
    self.settings = settings
    self.identifiers = identifiers
    let ratio = min(max(0, settings.sampleRatio), 1)
    // 2^64 is beyond the type.
    threshold = ratio >= 1 ? .max : UInt64(ratio * 0x1p64)
  }

  /// Begins the span of a call.
  ///
  /// - Parameter parent: The caller's span, whose word counts: a call of a trace that is recorded is
  ///   recorded too, one of another is not.
  /// - Returns: `nil` where the call is not recorded.
  package func begin(under parent: TraceParent?) -> TraceParent? {
    if let parent { return parent.isSampled ? child(of: parent) : nil }
    guard threshold > 0, identifiers.next() <= threshold else { return nil }
    return TraceParent(
      trace: (identifiers.next(), identifiers.next()), span: identifiers.next(), isSampled: true)
  }

  /// A new span of the same trace.
  package func child(of span: TraceParent) -> TraceParent {
    TraceParent(trace: span.trace, span: identifiers.next(), isSampled: span.isSampled)
  }

  /// Begins the span of a call that has ended already; `nil` where it is not recorded.
  package func span(of tags: CallTags?) -> TraceParent? {
    switch tags?.decision {
    case nil: begin(under: nil)
    case .later: begin(under: tags?.parent)
    case .unrecorded: nil
    case .recorded(let span): span
    }
  }

  package func record(_ span: SpanRecord) {
    state.withLock { state in
      guard state.waiting.count < settings.maximumWaiting else {
        state.statistics.dropped += 1
        return
      }
      state.waiting.append(span)
    }
  }

  /// Takes the oldest spans out of the queue.
  package func take(_ count: Int) -> [SpanRecord] {
    state.withLock { state in
      let taken = Array(state.waiting.prefix(count))
      state.waiting.removeFirst(taken.count)
      return taken
    }
  }

  func count(exported: Int = 0, refused: Int = 0) {
    state.withLock { state in
      state.statistics.exported += exported
      state.statistics.refused += refused
    }
  }

  package var statistics: Statistics {
    state.withLock { state in
      var out = state.statistics
      out.waiting = state.waiting.count
      return out
    }
  }
}
