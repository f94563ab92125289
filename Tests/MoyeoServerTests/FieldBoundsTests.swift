import Foundation
import LiveLayers
import Testing

@testable import MoyeoServer

/// What /openapi.json says that fields may be is what the daemon takes.
@Suite struct FieldBoundsTests {
  private static func schema(
    _ daemon: RunningDaemon, _ message: String
  ) async throws -> [String: Any] {
    let document = try await daemon.get("/openapi.json").object
    let components = document["components"] as? [String: Any]
    let schemas = components?["schemas"] as? [String: Any]
    return try #require(schemas?[message] as? [String: Any])
  }

  private static func property(_ schema: [String: Any], _ name: String) throws -> [String: Any] {
    let properties = schema["properties"] as? [String: Any]
    return try #require(properties?[name] as? [String: Any])
  }

  @Test func boundsOfNumbersAreThoseOfTheDaemon() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      let nearby = try await Self.schema(daemon, "NearbyRequest")
      #expect(nearby["required"] as? [String] == ["latitude", "longitude"])
      let good: [String: Double] = ["latitude": 37, "longitude": 127, "limit": 1]
      func status(_ field: String, _ value: Double?) async throws -> Int {
        var body = good
        body[field] = value
        let json = try JSONSerialization.data(withJSONObject: body)
        return try await daemon.request(
          "POST", "/v1/layers/users/nearby", body: json,
          headers: [("content-type", "application/json")]
        ).status
      }
      for field in ["latitude", "longitude", "limit", "radiusMeters", "maxAgeSeconds"] {
        let told = try Self.property(nearby, field)
        let minimum = try #require(told["minimum"] as? Double, "\(field)")
        #expect(try await status(field, minimum) == 200, "\(field) \(minimum)")
        #expect(try await status(field, minimum - 1) == 400, "\(field) \(minimum - 1)")
        if let maximum = told["maximum"] as? Double {
          #expect(try await status(field, maximum) == 200, "\(field) \(maximum)")
          #expect(try await status(field, maximum + 1) == 400, "\(field) \(maximum + 1)")
        }
      }
      for field in ["latitude", "longitude"] {
        #expect(try await status(field, nil) == 400, "without \(field)")
      }
    }
  }

  @Test func listsAndWordsToo() async throws {
    var limits = LayerLimits()
    limits.nearbyBatch = 3
    try await RunningDaemon.run(
      configuration: LayerRegistryConfiguration(limits: limits)
    ) { daemon in
      _ = try await daemon.report([ReportTests.good])
      let requests = try Self.property(
        try await Self.schema(daemon, "NearbyBatchRequestBody"), "requests")
      #expect(requests["maxItems"] as? Int == 3)
      let one = #"{"latitude":37,"longitude":127}"#
      for (count, status) in [(3, 200), (4, 400)] {
        let body =
          #"{"requests":[\#([String](repeating: one, count: count).joined(separator: ","))]}"#
        let answer = try await daemon.post("/v1/layers/users/nearby/batch", body)
        #expect(answer.status == status, "\(answer.text)")
      }
      let words = try Self.property(try await Self.schema(daemon, "NearbyRequest"), "tagMatch")
      // Null says that a field is absent.
      let choices = try #require(words["enum"] as? [Any])
      #expect(choices.compactMap { $0 as? String } == ["all", "any"] && choices.count == 3)
      #expect(words["type"] as? [String] == ["string", "null"])
      let absent = try await daemon.post(
        "/v1/layers/users/nearby", #"{"latitude":37,"longitude":127,"tagMatch":null}"#)
      #expect(absent.status == 200)
      for (word, status) in [("all", 200), ("any", 200), ("some", 400)] {
        let answer = try await daemon.post(
          "/v1/layers/users/nearby", #"{"latitude":37,"longitude":127,"tagMatch":"\#(word)"}"#)
        #expect(answer.status == status, "\(answer.text)")
      }
    }
  }

  @Test func bodiesLeaveOutWhatThePathSaysAndKnowNoOtherField() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      let body = try await Self.schema(daemon, "NearbyRequestBody")
      #expect((body["properties"] as? [String: Any])?["layer"] == nil)
      #expect(body["additionalProperties"] as? Bool == false)
      let answer = try await daemon.post(
        "/v1/layers/users/nearby", #"{"latitude":37,"longitude":127,"colour":"red"}"#)
      #expect(answer.reason == "unknown_field", "\(answer.text)")
      // New fields of answers may come.
      #expect(try await Self.schema(daemon, "Hit")["additionalProperties"] == nil)
      #expect(try await Self.schema(daemon, "Point")["required"] != nil)
    }
  }
}
