import CallTracing
import GRPCCore
import Instrumentation
import Logging
import MoyeoAPI
import NIOHTTP1
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// Every answer names its request, whichever way it was answered; a call's span and log lines belong to
/// its caller's trace.
@Suite(.timeLimit(.minutes(5))) struct RequestIdentityTests {
  private static let nearby = "/v1/layers/users/nearby?latitude=37.5&longitude=127"
  private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  private static let paths: [(method: String, path: String)] = [
    ("GET", nearby), ("GET", "/v1/layers/users/nearby?latitude=99&longitude=127"),
    ("GET", "/v1/nothing"), ("GET", "/nowhere"), ("GET", "/healthz"), ("GET", "/readyz"),
    ("GET", "/metrics"), ("GET", "/openapi.json"), ("HEAD", "/healthz"), ("PUT", nearby),
    ("POST", "/v1/batch"), ("GET", "/v1/layers/users/tiles/10/1/1.mvt"), ("GET", "/v1/layers"),
  ]

  @Test("every answer over HTTP names its request: the caller's own, or a new one")
  func everyAnswer() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      var made: Set<String> = []
      for (method, path) in Self.paths {
        // The second header sends what is short to the framework.
        for other in [[], [("x-other", "1")]] {
          let plain = try await daemon.request(method, path, headers: other)
          let id = try #require(plain.header("x-request-id"), "\(method) \(path)")
          #expect(RequestID.isValid(id) && made.insert(id).inserted, "\(method) \(path)")
          for (given, isTaken) in [
            ("mine-1", true), (String(repeating: "a", count: 64), true),
            (String(repeating: "a", count: 65), false), ("a b", false),
          ] {
            let answer = try await daemon.request(
              method, path, headers: other + [("X-Request-Id", given)])
            #expect(answer.status == plain.status)
            let named = answer.headers.filter { $0.name.lowercased() == "x-request-id" }
            #expect(named.count == 1 && (named[0].value == given) == isTaken, "\(method) \(path)")
          }
        }
      }
    }
  }

  @Test(
    "what is refused in front of the calls names its request too",
    arguments: [
      "GET /healthz HTTP/1.1\r\nHost: evil.example\r\nX-Request-Id: mine\r\n\r\n",
      "POST /v1/layers/users/positions HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\n"
        + "Content-Length: 99999999\r\n\r\n",
      "POST /v1/layers/users/positions HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\n"
        + "Origin: http://evil.example\r\nContent-Length: 2\r\n\r\n{}",
    ])
  func refusals(text: String) async throws {
    try await RunningDaemon.run { daemon in
      let answers = try await RawHTTPConnection.exchange(text, with: daemon)
      #expect(answers.first?.header("x-request-id") == "mine", "\(answers)")
      let broken = try await RawHTTPConnection.exchange("NONSENSE\r\n\r\n", with: daemon)
      #expect(broken.first?.status == 400)
      #expect(RequestID.isValid(broken.first?.header("x-request-id") ?? ""), "\(broken)")
    }
  }

  @Test("both ways over gRPC name the request that the caller names", arguments: [true, false])
  func overGRPC(usesFastPath: Bool) async throws {
    try await RunningDaemon.run(usesFastPath: usesFastPath) { daemon in
      _ = try await daemon.report([ReportTests.good])
      for latitude in [37.5, 99] {
        let request = Moyeo_V1_NearbyRequest.with {
          $0.layer = "users"
          $0.latitude = latitude
          $0.longitude = 127
        }
        let trailers = try await daemon.positions.nearby(
          request, metadata: ["x-request-id": "mine", "traceparent": "\(Self.parent)"]
        ) { response in
          // Of a refusal they come alone.
          switch response.accepted {
          case .success: Array(response.trailingMetadata[stringValues: "x-request-id"])
          case .failure(let error): Array(error.metadata[stringValues: "x-request-id"])
          }
        }
        #expect(trailers == ["mine"], "\(latitude)")
      }
    }
  }

  // MARK: - Spans

  private static func recorder(ratio: Double) -> SpanRecorder {
    var settings = SpanRecorder.Settings()
    settings.sampleRatio = ratio
    return SpanRecorder(settings: settings, identifiers: CallIdentifiers(seed: 1))
  }

  private static func text(_ span: SpanRecord, _ name: String) -> String? {
    for attribute in span.attributes where attribute.name == name {
      if case .text(let text) = attribute.value { return text }
    }
    return nil
  }

  @Test(
    "a call of a trace that is recorded has one span, on each path",
    arguments: [[], [("x-other", "1")]] as [[(String, String)]])
  func oneSpanACall(other: [(String, String)]) async throws {
    let spans = Self.recorder(ratio: 0)
    var settings = Daemon.Configuration()
    settings.spans = spans
    try await RunningDaemon.run(settings: settings) { [settings] daemon in
      _ = settings
      _ = try await daemon.report([ReportTests.good])
      let headers = [("traceparent", Self.parent), ("tracestate", "a=1"), ("x-request-id", "r")]
      _ = try await daemon.request("GET", Self.nearby, headers: headers + other)
      _ = try await daemon.request(
        "GET", "/v1/layers/none/nearby?latitude=1&longitude=1", headers: headers + other)
      // Neither of these is of a trace that is recorded.
      _ = try await daemon.request("GET", Self.nearby, headers: other)
      _ = try await daemon.request(
        "GET", Self.nearby, headers: [("traceparent", String(Self.parent.dropLast()) + "0")] + other
      )
      let found = spans.take(100)
      #expect(found.map(\.name) == ["Nearby", "Nearby"])
      #expect(found.map(\.failure) == [nil, "unknown_layer"])
      for span in found {
        #expect(span.kind == .server && span.traceState == "a=1")
        #expect(span.identity.traceText == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(span.parent == 0x00f0_67aa_0ba9_02b7 && span.identity.span != span.parent)
        #expect(Self.text(span, "moyeo.tenant") == "default")
        #expect(Self.text(span, "moyeo.request_id") == "r")
        #expect(Self.text(span, "rpc.system") == "http")
      }
    }
  }

  @Test func callsWithoutATraceAreRecordedByTheRatio() async throws {
    let spans = Self.recorder(ratio: 1)
    var settings = Daemon.Configuration()
    settings.spans = spans
    try await RunningDaemon.run(settings: settings) { daemon in
      _ = try await daemon.report([ReportTests.good])
      _ = try await daemon.get(Self.nearby)
      _ = try await daemon.positions.nearby(
        .with {
          $0.layer = "users"
          $0.latitude = 37.5
          $0.longitude = 127
        })
      let found = spans.take(100)
      #expect(found.map(\.name) == ["Report", "Nearby", "Nearby"])
      #expect(found.map { Self.text($0, "rpc.system") } == ["http", "http", "grpc"])
      #expect(found.allSatisfy { $0.parent == 0 && $0.identity.isSampled })
      #expect(Set(found.map(\.identity.span)).count == 3)
    }
  }

  // MARK: - Lines

  @Test("the lines that a call causes name its request and its trace")
  func lines() throws {
    let tags = CallTags(
      requestID: "r", parent: TraceParent(Self.parent), decision: .unrecorded)
    #expect(Logger.MetadataProvider.callTags.get().isEmpty)
    let metadata = ServiceContext.withValue(tags.context) {
      Logger.MetadataProvider.callTags.get()
    }
    #expect(
      metadata == [
        "requestId": "r", "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
        "spanId": "00f067aa0ba902b7",
      ])
  }

  // MARK: - Tenants

  @Test("tenants beyond the bound share a label")
  func tenantsAreBounded() {
    let open = TenantLabels(openTenant: "default")
    #expect(open.number(of: "default") == TenantLabels.unknown)
    #expect(open.name(of: TenantLabels.unknown) == "default")
    let labels = TenantLabels()
    let numbers = (0..<150).map { labels.number(of: "t\($0)") }
    #expect(numbers.prefix(100) == ArraySlice(1...100))
    #expect(numbers.dropFirst(100).allSatisfy { $0 == TenantLabels.others })
    #expect(labels.number(of: "t7") == 8 && labels.name(of: 8) == "t7")
    #expect(labels.name(of: TenantLabels.others) == "_other")
    #expect(labels.name(of: TenantLabels.unknown) == "_none")
  }
}
