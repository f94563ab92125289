import Threading
package import Tracing

/// swift-distributed-tracing's door to ``SpanRecorder``: libraries that know its API, such as the HTTP
/// client that asks providers for routes, record their spans as children of the call's.
///
/// It begins no trace of its own. Outside of a call that is recorded its spans are nothing.
package struct CallTracer: Tracer {
  private let spans: SpanRecorder

  package init(spans: SpanRecorder) { self.spans = spans }

  package func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> ChildSpan {
    let context = context()
    guard let parent = context.span else { return ChildSpan(unrecordedIn: context) }
    return ChildSpan(
      operationName, kind: kind == .client ? .client : .internalWork, under: parent,
      in: context, start: instant().nanosecondsSinceEpoch, spans: spans)
  }

  package func forceFlush() {}

  /// Names the span to who is asked.
  package func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let span = context.span else { return }
    injector.inject(span.text, forKey: CallTagHeaders.traceParentName, into: &carrier)
    guard let state = context.callTags?.traceState else { return }
    injector.inject(state, forKey: CallTagHeaders.traceStateName, into: &carrier)
  }

  /// Calls are read by ``CallTags``, which is stricter than an extractor can be.
  package func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}
}

/// A span of a library.
package final class ChildSpan: Span {
  private struct State {
    var name: String
    var attributes = SpanAttributes()
    var failure: String?
    var hasEnded = false
  }

  package let context: ServiceContext
  private let kind: SpanRecord.Kind
  private let parent: UInt64
  private let start: UInt64
  /// `nil` where nothing is recorded.
  private let spans: SpanRecorder?
  private let state: StateLock<State>

  init(unrecordedIn context: ServiceContext) {
    self.context = context
    (kind, parent, start, spans) = (.internalWork, 0, 0, nil)
    state = StateLock(State(name: ""))
  }

  init(
    _ name: String, kind: SpanRecord.Kind, under parent: TraceParent, in context: ServiceContext,
    start: UInt64, spans: SpanRecorder
  ) {
    var context = context
    context.span = spans.child(of: parent)
    self.context = context
    self.kind = kind
    self.parent = parent.span
    self.start = start
    self.spans = spans
    state = StateLock(State(name: name))
  }

  package var isRecording: Bool { spans != nil && !state.withLock { $0.hasEnded } }

  package var operationName: String {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  package var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { if spans != nil { state.withLock { $0.attributes = newValue } } }
  }

  package func setStatus(_ status: SpanStatus) {
    guard status.code == .error else { return }
    state.withLock { $0.failure = status.message ?? $0.failure ?? "error" }
  }

  // What errors say of themselves may hold addresses and places.
  package func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {
    state.withLock { $0.failure = "\(type(of: error))" }
  }

  package func addEvent(_ event: SpanEvent) {}
  package func addLink(_ link: SpanLink) {}

  /// What is kept of a library's attributes. Addresses of requests are not: they hold people's places
  /// and keys.
  private static let keptAttributes: Set = [
    "http.request.method", "http.response.status_code", "server.address", "server.port",
  ]

  package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    guard let spans, let identity = context.span else { return }
    let ended: State? = state.withLock { state in
      guard !state.hasEnded else { return nil }
      state.hasEnded = true
      return state
    }
    guard let ended else { return }
    var kept: [SpanRecord.Attribute] = []
    ended.attributes.forEach { name, value in
      guard Self.keptAttributes.contains(name) else { return }
      switch value {
      case .string(let text): kept.append(.init(name, .text(text)))
      case .int64(let number): kept.append(.init(name, .number(number)))
      case .int32(let number): kept.append(.init(name, .number(Int64(number))))
      default: break
      }
    }
    spans.record(
      SpanRecord(
        name: ended.name, kind: kind, identity: identity, parent: parent,
        traceState: context.callTags?.traceState, start: start,
        end: instant().nanosecondsSinceEpoch, attributes: kept.sorted { $0.name < $1.name },
        failure: ended.failure))
  }
}
