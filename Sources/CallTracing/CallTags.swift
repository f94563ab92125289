package import Instrumentation
import Synchronization

/// What a caller's headers say of a call's identity, before anything is made of it. It costs a call
/// without such headers nothing but its size.
package struct CallTagHeaders: Sendable {
  package static let requestIDName = "x-request-id"
  package static let traceParentName = "traceparent"
  package static let traceStateName = "tracestate"
  /// What W3C asks to be passed on at the least.
  private static let maximumTraceStateBytes = 512

  private var requestIDText: String?
  private var traceParentText: String?
  private var traceStateText: String?

  package init() {}

  package init(requestID: String?, traceParent: String?, traceState: String?) {
    requestIDText = requestID
    traceParentText = traceParent
    traceStateText = traceState
  }

  /// Whether there is nothing to make tags of.
  package var isEmpty: Bool { requestIDText == nil && traceParentText == nil }

  // Of two that differ neither can be trusted.
  package mutating func take(requestID: String) {
    requestIDText = requestIDText == nil ? requestID : ""
  }
  package mutating func take(traceParent: String) {
    traceParentText = traceParentText == nil ? traceParent : ""
  }
  /// Several are one list. One that grows too long stays empty, so that thousands cost no more.
  package mutating func take(traceState: String) {
    guard let known = traceStateText else {
      traceStateText = traceState
      return
    }
    guard !known.isEmpty else { return }
    let bytes = known.utf8.count + 1 + traceState.utf8.count
    traceStateText = bytes > Self.maximumTraceStateBytes ? "" : "\(known),\(traceState)"
  }

  /// The caller's identifier of the request; `nil` when there is none that is valid.
  package var requestID: String? { requestIDText.flatMap { RequestID.isValid($0) ? $0 : nil } }

  package var traceParent: TraceParent? { traceParentText.flatMap { TraceParent($0) } }

  /// What goes along with a valid `traceparent`.
  package var traceState: String? {
    traceStateText.flatMap {
      (1...Self.maximumTraceStateBytes).contains($0.utf8.count)
        && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? $0 : nil
    }
  }
}

/// What ties a call to the request that caused it, for its log lines, its answer and its span.
package final class CallTags: Sendable {
  /// Whether the call's span is recorded.
  package enum Decision: Sendable {
    /// It is decided when the call ends, which is soon.
    case later
    case unrecorded
    /// The span is this one.
    case recorded(TraceParent)
  }

  package let requestID: String
  /// The caller's span, where it names one.
  package let parent: TraceParent?
  package let traceState: String?
  package let decision: Decision
  private let tenant = Atomic<Int>(0)

  package init(
    requestID: String, parent: TraceParent? = nil, traceState: String? = nil,
    decision: Decision = .later
  ) {
    self.requestID = requestID
    self.parent = parent
    self.traceState = parent == nil ? nil : traceState
    self.decision = decision
  }

  /// The tags of a call that is answered at once; `nil` for one whose caller says nothing.
  package convenience init?(_ headers: CallTagHeaders, _ identifiers: CallIdentifiers) {
    guard !headers.isEmpty else { return nil }
    self.init(
      requestID: headers.requestID ?? identifiers.requestID(), parent: headers.traceParent,
      traceState: headers.traceState)
  }

  /// The tags of a call that may take long, or may cause others.
  package convenience init(
    _ headers: CallTagHeaders, _ identifiers: CallIdentifiers, _ spans: SpanRecorder?
  ) {
    let parent = headers.traceParent
    let span = spans?.begin(under: parent)
    self.init(
      requestID: headers.requestID ?? identifiers.requestID(), parent: parent,
      traceState: headers.traceState, decision: span.map { .recorded($0) } ?? .unrecorded)
  }

  /// Whose the call is, by its number in the metrics; 0 until that is known.
  package var tenantNumber: Int {
    get { tenant.load(ordering: .relaxed) }
    set { tenant.store(newValue, ordering: .relaxed) }
  }

  /// The span that was recorded for the call, or that caused it.
  private var visibleSpan: TraceParent? {
    if case .recorded(let span) = decision { span } else { parent }
  }

  /// What the lines that a call writes into the log have in common.
  package var logFields: [(name: String, value: String)] {
    var out = [(name: "requestId", value: requestID)]
    if let span = visibleSpan {
      out.append(("traceId", span.traceText))
      out.append(("spanId", span.spanText))
    }
    return out
  }

  /// What code that the call runs finds in `ServiceContext.current`.
  package var context: ServiceContext {
    var out = ServiceContext.topLevel
    out.callTags = self
    if case .recorded(let span) = decision { out.span = span }
    return out
  }
}

extension ServiceContext {
  private enum TagsKey: ServiceContextKey {
    typealias Value = CallTags
    static let nameOverride: String? = "moyeo-call"
  }

  private enum SpanKey: ServiceContextKey {
    typealias Value = TraceParent
    static let nameOverride: String? = "moyeo-span"
  }

  /// The call that the running code answers.
  package var callTags: CallTags? {
    get { self[TagsKey.self] }
    set { self[TagsKey.self] = newValue }
  }

  /// The span that spans begun now are children of; `nil` where none is recorded.
  package var span: TraceParent? {
    get { self[SpanKey.self] }
    set { self[SpanKey.self] = newValue }
  }
}
