import Foundation
import GRPCCore
import MoyeoAPI
import SwiftProtobuf
import Testing

@Suite struct OperatorPageTests {
  @Test func healthReadinessAndMetrics() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      _ = try await daemon.get("/v1/layers/none/nearby?latitude=1&longitude=1")
      #expect(try await daemon.get("/healthz").status == 200)
      #expect(try await daemon.get("/readyz").status == 200)
      let metrics = try await daemon.get("/metrics")
      #expect(metrics.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
      #expect(metrics.text.contains("moyeo_layer_objects{layer=\"users\"} 1\n"))
      #expect(metrics.text.contains("moyeo_layer_cluster_lag_seconds{layer=\"users\"} 0"))
      #expect(metrics.text.contains("\nmoyeo_streams_open 0\n"))
      #expect(metrics.text.contains("\nmoyeo_shared_reads_asked_total 0\n"))
      try Self.checkExposition(metrics.text)
      #expect(metrics.text.contains("\nprocess_resident_memory_bytes "))
      let health = Grpc_Health_V1_Health.Client(wrapping: daemon.grpc)
      for service in ["", "moyeo.v1.PositionService"] {
        #expect(try await health.check(.with { $0.service = service }).status == .serving)
      }
      let unknown = await #expect(throws: RPCError.self) {
        try await health.check(.with { $0.service = "nope" })
      }
      #expect(unknown?.code == .notFound)
    }
  }

  /// Names, labels and values as the Prometheus text format 0.0.4 wants them, each name typed once.
  static func checkExposition(_ text: String) throws {
    var typed: Set<String> = []
    let line = /([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^{}]*\})? (-?[0-9.eE+-]+|NaN|[+-]Inf)/
    for row in text.split(separator: "\n") {
      if row.hasPrefix("# TYPE ") {
        #expect(typed.insert(String(row)).inserted, "\(row) stands twice")
      } else if !row.hasPrefix("#") {
        #expect(try line.wholeMatch(in: row) != nil, "\(row)")
      }
    }
    #expect(text.hasSuffix("\n"))
  }

  @Test func theOpenAPIPageHoldsTogether() async throws {
    try await RunningDaemon.run { daemon in
      let page = try await daemon.get("/openapi.json")
      #expect(page.status == 200 && page.header("content-type")?.contains("json") == true)
      let document = page.object
      #expect(document["openapi"] as? String == "3.1.0")
      let nearby = (document["paths"] as? [String: [String: Any]])?["/v1/layers/{layer}/nearby"]
      let parameters = (nearby?["get"] as? [String: Any])?["parameters"] as? [[String: Any]]
      for parameter in try #require(parameters) {
        let isJSON = ["where", "within"].contains(parameter["name"] as? String ?? "")
        #expect((parameter["content"] != nil) == isJSON, "\(parameter)")
        #expect((parameter["schema"] == nil) == isJSON, "\(parameter)")
      }
      let paths = try #require(document["paths"] as? [String: [String: Any]])
      for route in [
        "/v1/layers/{layer}/positions", "/v1/layers/{layer}/positions/{id}",
        "/v1/layers/{layer}/nearby", "/v1/layers/{layer}/nearby/batch",
        "/v1/layers/{layer}/within", "/v1/layers/{layer}/tags", "/v1/layers",
        "/v1/layers/{layer}/tiles/{zoom}/{x}/{y}.mvt",
        "/v1/layers/{layer}/tiles/{zoom}/{x}/{y}.json", "/v1/layers/{layer}/tiles.json",
        "/v1/layers/{layer}/tiles/watch", "/v1/batch",
      ] { #expect(paths[route] != nil, "\(route)") }
      var operationIDs: [String] = []
      for (template, methods) in paths {
        for (_, operation) in methods {
          let operation = try #require(operation as? [String: Any])
          operationIDs.append(try #require(operation["operationId"] as? String))
          let parameters = operation["parameters"] as? [[String: Any]] ?? []
          let inPath = parameters.filter { $0["in"] as? String == "path" }
            .compactMap { $0["name"] as? String }
          let placeholders: Int = template.split(separator: "{").count - 1
          #expect(Set(inPath).count == placeholders, "\(template)")
        }
      }
      #expect(Set(operationIDs).count == operationIDs.count)
      var references = 0
      Self.forEachReference(in: document) { reference in
        references += 1
        #expect(Self.resolve(reference, in: document) != nil, "\(reference) leads nowhere")
      }
      #expect(references > 30)
    }
  }

  private static func forEachReference(in value: Any, _ body: (String) -> Void) {
    if let object = value as? [String: Any] {
      if let reference = object["$ref"] as? String { body(reference) }
      for inner in object.values { forEachReference(in: inner, body) }
    } else if let list = value as? [Any] {
      for inner in list { forEachReference(in: inner, body) }
    }
  }

  private static func resolve(_ reference: String, in document: [String: Any]) -> Any? {
    guard reference.hasPrefix("#/") else { return nil }
    return reference.dropFirst(2).split(separator: "/").reduce(document as Any?) { found, name in
      (found as? [String: Any])?[String(name)]
    }
  }

  @Test func headIsAnsweredAsGetWithoutABody() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      for path in [
        "/healthz", "/openapi.json", "/v1/layers/users/nearby?latitude=37.5&longitude=127",
        "/v1/layers/users/positions/ok",
      ] {
        let get = try await daemon.get(path)
        let head = try await daemon.request("HEAD", path)
        #expect(head.status == 200, "\(path): \(head.status)")
        #expect(head.body.isEmpty)
        #expect(head.header("content-type") == get.header("content-type"))
      }
      #expect(try await daemon.request("HEAD", "/v1/layers/none/tags").status == 404)
    }
  }

  @Test func otherOriginsMayCallWhereTheyAreNamed() async throws {
    let origin = [("origin", "https://map.example")]
    try await RunningDaemon.run(corsOrigins: ["https://map.example"]) { daemon in
      let preflight = try await daemon.request(
        "OPTIONS", "/v1/layers/users/nearby",
        headers: origin + [("access-control-request-method", "POST")])
      #expect(preflight.status == 204)
      #expect(preflight.header("access-control-allow-origin") == "https://map.example")
      #expect(preflight.header("access-control-allow-methods")?.contains("DELETE") == true)
      #expect(preflight.header("access-control-allow-headers")?.contains("content-type") == true)
      for path in ["/healthz", "/v1/nothing", "/v1/layers"] {
        let answer = try await daemon.request("GET", path, headers: origin)
        #expect(answer.header("access-control-allow-origin") == "https://map.example", "\(path)")
        #expect(answer.header("vary") == "origin")
      }
      let stranger = try await daemon.request(
        "GET", "/v1/layers", headers: [("origin", "https://evil.example")])
      #expect(stranger.header("access-control-allow-origin") == nil)
      let refused = try await daemon.request(
        "OPTIONS", "/v1/layers", headers: [("origin", "https://evil.example")])
      #expect(refused.header("access-control-allow-origin") == nil)
    }
    try await RunningDaemon.run(corsOrigins: ["*"]) { daemon in
      let answer = try await daemon.request("GET", "/v1/layers", headers: origin)
      #expect(answer.header("access-control-allow-origin") == "*")
    }
    try await RunningDaemon.run { daemon in
      let answer = try await daemon.request("GET", "/v1/layers", headers: origin)
      #expect(answer.header("access-control-allow-origin") == nil)
    }
  }
}
