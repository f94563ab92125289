import Foundation
import MoyeoAPI
import Testing

@testable import MoyeoServer

/// /openapi.json tells of every call, every refusal, and who may make it.
@Suite struct OpenAPIPageTests {
  private typealias Object = [String: Any]

  private static func document(_ daemon: RunningDaemon) async throws -> Object {
    try await daemon.get("/openapi.json").object
  }

  /// All `$ref`s below a value.
  private static func references(_ value: Any) -> [String] {
    switch value {
    case let object as Object:
      (object["$ref"] as? String).map { [$0] } ?? object.values.flatMap(references)
    case let list as [Any]: list.flatMap(references)
    default: []
    }
  }

  /// The daemon of these tests has no parties and tickets, but the table of access has all calls.
  @Test func everyReasonIsToldOfBySomeCallAndNoCallIsMadeUp() {
    let calls = AccessTable.rules.keys.filter { !$0.hasPrefix("Raw.") }
    var told: Set<Reason> = []
    for call in calls {
      let words = call.split(separator: ".").map(String.init)
      told.formUnion(
        CallReasons.of(service: words[0], rpc: words[1], isRead: false, isStream: true))
    }
    let missing = Set(Reason.allCases).subtracting(told)
    #expect(missing.isEmpty, "\(missing.map(\.rawValue).sorted())")
    let unknown = Set(CallReasons.calls.keys).subtracting(calls)
    #expect(unknown.isEmpty, "\(unknown.sorted())")
  }

  @Test func everyRouteIsThereWithItsRefusalsAndItsToken() async throws {
    try await RunningDaemon.run { daemon in
      let document = try await Self.document(daemon)
      let paths = try #require(document["paths"] as? [String: Object])
      let routes =
        daemon.room.operations.flatMap(\.routes) + daemon.room.streamOperations.flatMap(\.routes)
        + daemon.room.raw.map(\.route)
      for route in routes {
        let call = try #require(
          paths[route.template]?[route.method.lowercased()] as? Object,
          "\(route.method) \(route.template)")
        let responses = try #require(call["responses"] as? [String: Object])
        for status in ["200", "400", "401", "403", "404", "413", "429", "500", "503", "504"] {
          #expect(responses[status] != nil, "\(route.method) \(route.template) \(status)")
        }
        for (status, response) in responses where Int(status) ?? 0 >= 400 {
          let reasons = response["x-moyeo-reasons"] as? [String] ?? []
          #expect(!reasons.isEmpty)
          #expect(reasons.allSatisfy { Reason(rawValue: $0)?.status.http == Int(status) })
        }
        #expect((call["security"] as? [Object])?.count == 3)
      }
    }
  }

  @Test func everyReferenceLeadsSomewhere() async throws {
    try await RunningDaemon.run { daemon in
      let document = try await Self.document(daemon)
      let references = Set(Self.references(document))
      #expect(references.count > 50)
      for reference in references {
        var found: Any? = document
        for name in reference.split(separator: "/").dropFirst() {
          found = (found as? Object)?[String(name)]
        }
        #expect(found != nil, "\(reference)")
      }
    }
  }

  @Test func everyCallHasASummaryAndEveryGroupIsDescribed() async throws {
    try await RunningDaemon.run { daemon in
      let document = try await Self.document(daemon)
      let paths = try #require(document["paths"] as? [String: Object])
      var groups: Set<String> = []
      for (path, methods) in paths {
        for case let call as Object in methods.values {
          let summary = call["summary"] as? String ?? ""
          #expect(!summary.isEmpty && !summary.hasSuffix("."), "\(path): \(summary)")
          groups.formUnion(call["tags"] as? [String] ?? [])
        }
      }
      let tags = try #require(document["tags"] as? [[String: String]])
      #expect(Set(tags.compactMap { $0["name"] }) == groups)
      #expect(tags.allSatisfy { !($0["description"] ?? "").isEmpty })
    }
  }

  @Test func whatAnAbsentFieldMeansIsItsDefault() async throws {
    try await RunningDaemon.run { daemon in
      let document = try await Self.document(daemon)
      let components = try #require(document["components"] as? Object)
      let schemas = try #require(components["schemas"] as? [String: Object])
      func standard(_ message: String, _ field: String) -> Any? {
        ((schemas[message]?["properties"] as? Object)?[field] as? Object)?["default"]
      }
      let paths = try #require(document["paths"] as? [String: Object])
      let nearby = try #require(paths["/v1/layers/{layer}/nearby"]?["get"] as? Object)
      let limit = (nearby["parameters"] as? [Object])?.first { $0["name"] as? String == "limit" }
      #expect((limit?["schema"] as? Object)?["default"] as? Int == 20)
      #expect(standard("NearbyBody", "latitude") == nil)
      #expect(standard("NearbyRequestBody", "limit") as? Int == 20)
      // Where only answers have the text nothing is set.
      #expect(standard("Cluster", "expansionZoom") == nil)
    }
  }

  @Test func aTileTellsItsHeadersInEveryState() async throws {
    try await RunningDaemon.run { daemon in
      let document = try await Self.document(daemon)
      let paths = try #require(document["paths"] as? [String: Object])
      let tile = try #require(
        paths["/v1/layers/{layer}/tiles/{zoom}/{x}/{y}.mvt"]?["get"] as? Object)
      let responses = try #require(tile["responses"] as? [String: Object])
      let known = try #require((document["components"] as? Object)?["headers"] as? Object)
      for status in ["200", "204", "304"] {
        let told = try #require(responses[status]?["headers"] as? Object)
        for name in ["ETag", "Cache-Control", "X-Moyeo-Version", "X-Request-Id"] {
          #expect(told[name] != nil && known[name] != nil, "\(status) \(name)")
        }
      }
    }
  }
}
