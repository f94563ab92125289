import Foundation
import Instrumentation
import Synchronization
import Testing
import Threading
import Tracing

@testable import CallTracing

@Suite struct SpanTests {
  private static let identifiers = CallIdentifiers(seed: 3)

  private static func recorder(ratio: Double = 1, waiting: Int = 100) -> SpanRecorder {
    var settings = SpanRecorder.Settings()
    settings.sampleRatio = ratio
    settings.maximumWaiting = waiting
    return SpanRecorder(settings: settings, identifiers: CallIdentifiers(seed: 5))
  }

  private static func span(_ name: String, failure: String? = nil) -> SpanRecord {
    SpanRecord(
      name: name, kind: .server,
      identity: TraceParent(trace: (1, 2), span: 3, isSampled: true), parent: 0, start: 10, end: 20,
      attributes: [
        .init("rpc.method", .text(name)), .init("http.response.status_code", .number(7)),
      ],
      failure: failure)
  }

  /// Answers as it is told, and keeps what it is sent.
  private final class Collector: SpanCollector {
    let state: StateLock<(answers: [SpanCollectorAnswer], bodies: [[UInt8]])>

    init(_ answers: [SpanCollectorAnswer] = []) { state = StateLock((answers, [])) }

    func send(_ body: [UInt8]) async -> SpanCollectorAnswer {
      state.withLock { state in
        state.bodies.append(body)
        return state.answers.isEmpty ? .taken : state.answers.removeFirst()
      }
    }

    var bodies: [[UInt8]] { state.withLock { $0.bodies } }
  }

  private static let document = OTLPDocument(service: "moyeod", version: "1", instance: "a")

  // MARK: - Sampling

  @Test("the caller's word counts before the ratio")
  func aSampledParentIsHonoured() throws {
    let (all, none) = (Self.recorder(ratio: 1), Self.recorder(ratio: 0))
    let sampled = TraceParent(trace: (1, 2), span: 3, isSampled: true)
    let unsampled = TraceParent(trace: (1, 2), span: 3, isSampled: false)
    let child = try #require(none.begin(under: sampled))
    #expect(child.trace == sampled.trace && child.span != sampled.span && child.isSampled)
    #expect(all.begin(under: unsampled) == nil)
    #expect(none.begin(under: nil) == nil)
    let root = try #require(all.begin(under: nil))
    #expect(root.isSampled && root.span != 0 && root.trace != sampled.trace)
  }

  @Test(arguments: [0.01, 0.25, 0.5, 0.9])
  func theRatioIsThatOfTheCallsRecorded(ratio: Double) {
    let spans = Self.recorder(ratio: ratio)
    let count = (0..<20_000).count { _ in spans.begin(under: nil) != nil }
    // Six standard deviations.
    let bound = 6 * (ratio * (1 - ratio) * 20_000).squareRoot()
    #expect(abs(Double(count) - ratio * 20_000) < bound, "\(count)")
  }

  @Test func aCallIsDecidedOnce() throws {
    let spans = Self.recorder()
    #expect(spans.span(of: CallTags(requestID: "r", decision: .unrecorded)) == nil)
    let span = try #require(spans.begin(under: nil))
    #expect(spans.span(of: CallTags(requestID: "r", decision: .recorded(span))) == span)
    #expect(spans.span(of: nil) != nil)
  }

  // MARK: - The queue

  @Test func aFullQueueDropsAndCounts() {
    let spans = Self.recorder(waiting: 3)
    for name in ["a", "b", "c", "d", "e"] { spans.record(Self.span(name)) }
    #expect(spans.statistics.dropped == 2 && spans.statistics.waiting == 3)
    #expect(spans.take(2).map(\.name) == ["a", "b"])
    spans.record(Self.span("f"))
    #expect(spans.take(9).map(\.name) == ["c", "f"])
    #expect(spans.take(9).isEmpty)
  }

  @Test func allThatWaitsIsSentInBatches() async throws {
    let spans = Self.recorder(waiting: 10_000)
    for number in 0..<1200 { spans.record(Self.span("s\(number)")) }
    let collector = Collector()
    let exporter = SpanExporter(spans: spans, collector: collector, document: Self.document)
    #expect(await exporter.flush { _ in Issue.record("there is nothing to wait for") } == nil)
    #expect(collector.bodies.count == 3)
    #expect(spans.statistics.exported == 1200 && spans.statistics.waiting == 0)
    let names = try collector.bodies.flatMap {
      try Self.spans(in: $0).map { $0["name"] as? String }
    }
    #expect(names == (0..<1200).map { "s\($0)" })
  }

  @Test func aBusyCollectorIsAskedAgainAndABatchIsGivenUpInTheEnd() async {
    let busy = SpanCollectorAnswer.busy(reason: "503")
    let spans = Self.recorder()
    spans.record(Self.span("a"))
    let pauses = Mutex<[Int]>([])
    let patient = Collector([busy, busy, busy, busy])
    let exporter = SpanExporter(spans: spans, collector: patient, document: Self.document)
    #expect(await exporter.flush { seconds in pauses.withLock { $0.append(seconds) } } == nil)
    #expect(pauses.withLock { $0 } == [1, 2, 4, 8])
    #expect(spans.statistics.exported == 1 && patient.bodies.count == 5)
    spans.record(Self.span("b"))
    let never = Collector(Array(repeating: busy, count: 9))
    let other = SpanExporter(spans: spans, collector: never, document: Self.document)
    #expect(await other.flush { _ in } == "503")
    #expect(never.bodies.count == SpanExporter.maximumAttempts)
    #expect(spans.statistics.refused == 1 && spans.statistics.waiting == 0)
  }

  @Test func aRefusalIsFinalAndNoTimeToWaitEndsABatch() async {
    let spans = Self.recorder()
    spans.record(Self.span("a"))
    let refusing = Collector([.refused(reason: "400")])
    let exporter = SpanExporter(spans: spans, collector: refusing, document: Self.document)
    #expect(await exporter.flush { _ in } == "400")
    #expect(refusing.bodies.count == 1 && spans.statistics.refused == 1)
    spans.record(Self.span("b"))
    let busy = Collector([.busy(reason: "503")])
    let other = SpanExporter(spans: spans, collector: busy, document: Self.document)
    #expect(await other.flush { _ in throw CancellationError() } == "503")
    #expect(busy.bodies.count == 1 && spans.statistics.refused == 2)
  }

  // MARK: - The document

  private static func spans(in body: [UInt8]) throws -> [[String: Any]] {
    let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    let resources = object?["resourceSpans"] as? [[String: Any]]
    let scopes = resources?.first?["scopeSpans"] as? [[String: Any]]
    return scopes?.first?["spans"] as? [[String: Any]] ?? []
  }

  @Test func aSpanIsWrittenAsOTLPWantsIt() throws {
    let body = try #require(
      Self.document.json([
        SpanRecord(
          name: "PartyJoin", kind: .server,
          identity: TraceParent(
            trace: (0x4bf9_2f35_77b3_4da6, 0xa3ce_929d_0e0e_4736), span: 0xab, isSampled: true),
          parent: 0xf0, traceState: "a=1", start: 1_795_183_800_000_000_000,
          end: 1_795_183_800_000_000_500, attributes: [.init("moyeo.tenant", .text("de\"fault"))],
          failure: "full")
      ]))
    #expect(
      String(decoding: body, as: UTF8.self)
        == #"{"resourceSpans":[{"resource":{"attributes":["#
        + #"{"key":"service.name","value":{"stringValue":"moyeod"}},"#
        + #"{"key":"service.version","value":{"stringValue":"1"}},"#
        + #"{"key":"service.instance.id","value":{"stringValue":"a"}}]},"#
        + #""scopeSpans":[{"scope":{"name":"moyeod","version":"1"},"spans":[{"#
        + #""attributes":[{"key":"moyeo.tenant","value":{"stringValue":"de\"fault"}}],"#
        + #""endTimeUnixNano":"1795183800000000500","flags":1,"kind":2,"name":"PartyJoin","#
        + #""parentSpanId":"00000000000000f0","spanId":"00000000000000ab","#
        + #""startTimeUnixNano":"1795183800000000000","status":{"code":2,"message":"full"},"#
        + #""traceId":"4bf92f3577b34da6a3ce929d0e0e4736","traceState":"a=1"}]}]}]}"#)
    let plain = try Self.spans(in: try #require(Self.document.json([Self.span("a")])))
    #expect(plain[0]["parentSpanId"] == nil && plain[0]["status"] == nil)
  }

  // MARK: - Libraries

  @Test("a library's span is the child of the call's, without addresses and words of errors")
  func children() throws {
    struct Failure: Error { let place = "37.5,127.0" }
    struct Headers: Injector {
      func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
        carrier[key] = value
      }
    }
    let spans = Self.recorder()
    let tracer = CallTracer(spans: spans)
    let parent = try #require(spans.begin(under: nil))
    let tags = CallTags(
      requestID: "r", parent: TraceParent(trace: (1, 2), span: 3, isSampled: true),
      traceState: "a=1", decision: .recorded(parent))
    var carrier: [String: String] = [:]
    ServiceContext.withValue(tags.context) {
      _ = #expect(throws: Failure.self) {
        try tracer.withSpan("GET", ofKind: .client) { span in
          span.attributes["http.request.method"] = "GET"
          span.attributes["url.full"] = "http://engine/route/v1/127.0,37.5"
          span.attributes["http.response.status_code"] = SpanAttribute.int64(200)
          tracer.inject(span.context, into: &carrier, using: Headers())
          throw Failure()
        }
      }
    }
    let child = try #require(spans.take(9).first)
    #expect(child.parent == parent.span && child.identity.trace == parent.trace)
    #expect(child.kind == .client && child.name == "GET" && child.start <= child.end)
    #expect(child.attributes.map(\.name) == ["http.request.method", "http.response.status_code"])
    let body = try #require(Self.document.json([child]))
    #expect(!String(decoding: body, as: UTF8.self).contains("37.5"))
    #expect(carrier == ["traceparent": child.identity.text, "tracestate": "a=1"])
  }

  @Test func outsideOfARecordedCallThereIsNoSpan() {
    let spans = Self.recorder()
    let tracer = CallTracer(spans: spans)
    tracer.withSpan("alone") { #expect(!$0.isRecording) }
    ServiceContext.withValue(CallTags(requestID: "r", decision: .unrecorded).context) {
      tracer.withSpan("unrecorded") { #expect(!$0.isRecording) }
    }
    #expect(spans.statistics.waiting == 0)
  }
}
