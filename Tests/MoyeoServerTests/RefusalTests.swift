import Foundation
import GRPCCore
import GRPCServerTransport
import MoyeoAPI

import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// A bad request gets the same reason and fields over HTTP and gRPC, and never anything but JSON.
@Suite struct RefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let call: String
    let body: String
    let reason: String
    let field: String?
    init(_ call: String, _ body: String, _ reason: String, _ field: String?) {
      self.call = call
      self.body = body
      self.reason = reason
      self.field = field
    }
    var testDescription: String { "\(call) \(body.prefix(80))" }
  }

  static let cases: [Case] = [
    Case("nearby", "{}", "missing_field", "latitude"),
    Case("nearby", #"{"latitude":1}"#, "missing_field", "longitude"),
    Case("nearby", #"{"latitude":90.1,"longitude":1}"#, "latitude_out_of_range", "latitude"),
    Case("nearby", #"{"latitude":"NaN","longitude":1}"#, "latitude_out_of_range", "latitude"),
    Case(
      "nearby", #"{"latitude":1,"longitude":"-Infinity"}"#, "longitude_out_of_range", "longitude"),
    Case("nearby", #"{"latitude":1,"longitude":1,"limit":0}"#, "limit_out_of_range", "limit"),
    Case("nearby", #"{"latitude":1,"longitude":1,"limit":1001}"#, "limit_out_of_range", "limit"),
    Case(
      "nearby", #"{"latitude":1,"longitude":1,"radiusMeters":-1}"#, "limit_out_of_range",
      "radiusMeters"),
    Case("nearby", #"{"latitude":1,"longitude":1,"tags":[""]}"#, "bad_tag", "tags[0]"),
    Case("nearby", ##"{"latitude":1,"longitude":1,"notTags":["a","#"]}"##, "bad_tag", "notTags[1]"),
    Case("nearby", #"{"latitude":1,"longitude":1,"tagMatch":"some"}"#, "bad_value", "tagMatch"),
    Case(
      "nearby", #"{"latitude":1,"longitude":1,"within":{"points":[]}}"#, "bad_polygon", "within"),
    Case(
      "nearby", #"{"latitude":1,"longitude":1,"where":[{"attribute":"a"}]}"#, "missing_field",
      "where[0]"),
    Case("nearby", #"{"latitude":1,"longitude":1,"cursor":"nonsense!"}"#, "bad_cursor", "cursor"),
    Case("nearby", #"{"latitude":1,"longitude":1,"cursor":""}"#, "bad_cursor", "cursor"),
    Case("nearby", #"{"latitude":1,"longitude":1,"minVersion":"zz"}"#, "bad_version", "minVersion"),
    Case("within", "{}", "missing_field", "west"),
    Case("within", #"{"west":1,"south":1,"east":2}"#, "missing_field", "north"),
    Case("within", #"{"west":1,"south":3,"east":2,"north":2}"#, "bad_box", "south"),
    Case(
      "within", #"{"west":1,"south":1,"east":2,"north":2,"polygon":{}}"#, "conflicting_fields",
      "polygon"),
    Case(
      "within", #"{"polygon":{"points":[{"latitude":1,"longitude":1}]}}"#, "bad_polygon", "polygon"),
    Case(
      "within", #"{"west":1,"south":1,"east":2,"north":2,"maxAgeSeconds":-1}"#,
      "limit_out_of_range", "maxAgeSeconds"),
    Case(
      "positions",
      #"{"positions":[{"id":"a","latitude":1,"longitude":1,"observedAt":"9999-12-31T23:59:59Z","ttlSeconds":-1}]}"#,
      "ttl_out_of_range", "positions[0].ttlSeconds"),
    Case(
      "positions", #"{"positions":[{"latitude":1,"longitude":1}]}"#, "missing_field",
      "positions[0].id"),
  ]

  @Test func httpAndGRPCSayTheSame() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      for wrong in Self.cases {
        let http = try await daemon.post("/v1/layers/users/\(wrong.call)", wrong.body)
        #expect(http.reason == wrong.reason, "\(wrong.testDescription): \(http.text)")
        #expect(http.fields.first == wrong.field, "\(wrong.testDescription): \(http.text)")
        let reason = try #require(Reason(rawValue: wrong.reason))
        #expect(http.status == reason.status.http)
        #expect(http.error["code"] as? String == reason.status.grpc.name)
        let grpc = try await GRPCRefusal.of { try await Self.call(daemon, wrong) }
        #expect(grpc.reason == wrong.reason, "\(wrong.testDescription)")
        #expect(grpc.domain == "moyeo")
        #expect(grpc.fields == http.fields)
        #expect(grpc.code == RPCError.Code(reason.status.grpc))
      }
    }
  }

  private static func call(_ daemon: RunningDaemon, _ wrong: Case) async throws {
    switch wrong.call {
    case "nearby":
      var request = try Moyeo_V1_NearbyRequest(jsonString: wrong.body)
      request.layer = "users"
      _ = try await daemon.positions.nearby(request)
    case "within":
      var request = try Moyeo_V1_WithinRequest(jsonString: wrong.body)
      request.layer = "users"
      _ = try await daemon.positions.within(request)
    default:
      var request = try Moyeo_V1_ReportRequest(jsonString: wrong.body)
      request.layer = "users"
      _ = try await daemon.positions.report(request)
    }
  }

  @Test func whatDoesNotParseFailsTheWholeRequest() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      let deep = String(repeating: #"{"a":"#, count: 5000)
      let bodies: [(String, String)] = [
        ("", "malformed_request"), (" ", "malformed_request"), ("{", "malformed_request"),
        (#"{"latitude":1,"longitude":1"#, "malformed_request"), ("[]", "malformed_request"),
        ("null", "malformed_request"), ("1", "malformed_request"), (#""x""#, "malformed_request"),
        ("{} {}", "malformed_request"), (#"{"latitude":NaN,"longitude":1}"#, "malformed_request"),
        (#"{"latitude":1e999,"longitude":1}"#, "malformed_request"),
        (#"{"latitude":"a","longitude":1}"#, "malformed_request"),
        (#"{"latitude":01,"longitude":1}"#, "malformed_request"),
        (#"{"latitude":1,"longitude":1,"limit":1.5}"#, "malformed_request"),
        (#"{"latitude":1,"longitude":1,"limit":99999999999}"#, "malformed_request"),
        (#"{"latitude":1,"longitude":1,"tags":"a"}"#, "malformed_request"),
        (#"{"latitude":1,"longitude":1,"tags":[1]}"#, "malformed_request"),
        (#"{"latitude":1,"longitude":1,"tags":["\ud800"]}"#, "malformed_request"),
        (#"{"latitude":1,"longitude":1,"within":[]}"#, "malformed_request"),
        (#"{"latitude":1,"longitude":1,"lat":2}"#, "unknown_field"),
        (#"{"latitude":1,"longitude":1,"within":{"points":[],"holes":[]}}"#, "unknown_field"),
        (
          #"{"latitude":1,"longitude":1,"where":[{"attribute":"a","max":1,"maximum":2}]}"#,
          "unknown_field"
        ),
        (deep, "unknown_field"), (String(repeating: "[", count: 100_000), "malformed_request"),
        (#"{"where":[{"equals":"# + String(repeating: "[", count: 100_000), "malformed_request"),
      ]
      for (body, reason) in bodies {
        let answer = try await daemon.post("/v1/layers/users/nearby", body)
        #expect(answer.status == 400, "\(body.prefix(60)): \(answer.status) \(answer.text)")
        #expect(answer.reason == reason, "\(body.prefix(60)): \(answer.text)")
        #expect(answer.header("content-type") == "application/json; charset=utf-8")
      }
      // The parser says of it that it is not UTF-8.
      let huge = try await daemon.post(
        "/v1/layers/users/nearby", #"{"latitude":1e999,"longitude":1}"#)
      #expect((huge.error["message"] as? String)?.contains("number") == true, "\(huge.text)")
      // One unknown field in one position is a request that does not parse.
      let report = try await daemon.report([
        ReportTests.good, #"{"id":"b","latitude":1,"longitude":1,"lng":1}"#,
      ])
      #expect(report.status == 400 && report.reason == "unknown_field", "\(report.text)")
      #expect(report.fields == ["positions[1].lng"])
      let notUTF8 = try await daemon.request(
        "POST", "/v1/layers/users/nearby", body: Data([0x7B, 0x22, 0xFF, 0x22, 0x7D]))
      #expect(notUTF8.status == 400)
      #expect(try await daemon.get("/v1/layers/users/positions/ok").status == 200)
    }
  }

  /// All that does not fit is named, wherever it stands.
  @Test func valuesOfWrongTypesNameTheirFields() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      for (body, fields) in [
        (#"{"latitude":"abc","limit":1.5,"tags":"swift"}"#, ["latitude", "limit", "tags"]),
        (
          #"{"latitude":1,"longitude":1,"where":[{"attribute":3}],"nope":1}"#,
          ["where[0].attribute", "nope"]
        ),
      ] {
        let answer = try await daemon.post("/v1/layers/users/nearby", body)
        #expect(answer.status == 400 && answer.fields == fields, "\(answer.text)")
      }
      let report = try await daemon.report([ReportTests.good, #"{"id":"b","latitude":[]}"#])
      #expect(report.reason == "malformed_request")
      #expect(report.fields == ["positions[1].latitude"], "\(report.text)")
      let query = try await daemon.get(
        "/v1/layers/users/nearby?latitude=1&longitude=1&within=%7B%22points%22%3A7%7D")
      #expect(query.status == 400 && query.fields == ["within.points"], "\(query.text)")
    }
  }

  /// Over gRPC, unknown fields are refused wherever they stand.
  @Test func unknownProtobufFieldsAreRefusedAtEveryDepth() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      var good = Moyeo_V1_NearbyRequest()
      good.layer = "users"
      good.latitude = 1
      good.longitude = 1
      let plain: [UInt8] = try good.serializedBytes()
      let unknown: [UInt8] = [0xF8, 0x3F, 1]  // field 1023, varint
      func field(_ number: UInt8, _ body: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(body.count)] + body
      }
      let point = field(1, [0x09, 0, 0, 0, 0, 0, 0, 0, 0] + unknown)
      let cases: [[UInt8]] = [
        plain + unknown,
        plain + field(10, unknown),
        plain + field(10, point),
        plain + field(11, [0x0A, 1, 0x61] + unknown),
      ]
      for bytes in cases {
        let refusal = try await GRPCRefusal.of {
          try await Self.raw(daemon, "Nearby", bytes)
        }
        #expect(refusal.reason == "unknown_field", "\(bytes)")
        #expect(refusal.code == .invalidArgument)
      }
      let position: [UInt8] = try Moyeo_V1_Position.with {
        $0.id = "a"
        $0.latitude = 1
        $0.longitude = 1
      }.serializedBytes()
      let report = field(1, Array("users".utf8)) + field(2, position) + field(2, position + unknown)
      let refusal = try await GRPCRefusal.of { try await Self.raw(daemon, "Report", report) }
      #expect(refusal.reason == "unknown_field")
      for noise in [[0xFF], [0x0A, 0x05, 0x61], [0x0A, 2, 0xC3, 0x28]] as [[UInt8]] {
        let refusal = try await GRPCRefusal.of { try await Self.raw(daemon, "Nearby", noise) }
        #expect(refusal.reason == "malformed_request", "\(noise)")
      }
      // None of it hurt.
      #expect(try await daemon.positions.nearby(good).hits.count == 1)
    }
  }

  private static func raw(_ daemon: RunningDaemon, _ rpc: String, _ bytes: [UInt8]) async throws {
    try await daemon.grpc.unary(
      request: ClientRequest(message: bytes),
      descriptor: MethodDescriptor(
        fullyQualifiedService: "moyeo.v1.PositionService", method: rpc),
      serializer: BytesSerializer(), deserializer: BytesDeserializer(), options: .defaults
    ) { _ = try $0.message }
  }

  @Test func tooLargeIsSaidAndTheDaemonKeepsServing() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      let huge = Data(repeating: UInt8(ascii: " "), count: 20 << 20)
      for path in ["/v1/layers/users/positions", "/v1/layers/users/nearby", "/v1/batch"] {
        let answer = try await daemon.request("POST", path, body: huge)
        #expect(answer.status == 413 && answer.reason == "request_too_large", "\(answer.text)")
      }
      #expect(try await daemon.request("POST", "/v1/nothing", body: huge).status == 404)
      // The edge: 1 MiB is read (and is no JSON), a byte more is not.
      let edge = Data(repeating: UInt8(ascii: " "), count: 1 << 20)
      #expect(
        try await daemon.request("POST", "/v1/layers/users/nearby", body: edge).status == 400)
      #expect(
        try await daemon.request("POST", "/v1/layers/users/nearby", body: edge + [0x20]).status
          == 413)
      var request = Moyeo_V1_NearbyRequest()
      request.layer = "users"
      request.latitude = 1
      request.longitude = 1
      request.cursor = String(repeating: "x", count: 1 << 20)
      let refusal = try await GRPCRefusal.of {
        _ = try await daemon.positions.nearby(request)
      }
      #expect(refusal.reason == "request_too_large" && refusal.code == .resourceExhausted)
      #expect(try await daemon.get("/v1/layers/users/positions/ok").status == 200)
    }
  }

  @Test func routesAndMediaTypes() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      for path in [
        "/v1/nothing", "/v2", "/v1/layers/users", "/x?y=1", "/v1/layers/users/positions",
      ] {
        let answer = try await daemon.get(path)
        #expect(
          [404, 405].contains(answer.status) && answer.json != nil, "\(path): \(answer.text)")
      }
      let wrong = try await daemon.request("PUT", "/v1/layers/users/nearby")
      #expect(wrong.status == 405 && wrong.reason == "method_not_allowed")
      #expect(wrong.header("allow") == "GET, POST")
      let body = Data(#"{"latitude":1,"longitude":1}"#.utf8)
      for (type, status) in [
        ("application/json", 200), ("application/json; charset=utf-8", 200), ("text/plain", 200),
        ("APPLICATION/JSON", 200), ("application/x-www-form-urlencoded", 200),
        ("application/xml", 415), ("application/x-protobuf", 415), ("image/png", 415),
      ] {
        let answer = try await daemon.request(
          "POST", "/v1/layers/users/nearby", body: body, headers: [("content-type", type)])
        #expect(answer.status == status, "\(type): \(answer.text)")
      }
      #expect(
        try await daemon.request("POST", "/v1/layers/users/nearby", body: body).status == 200)
    }
  }

  @Test func theLayerOfThePathRules() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      _ = try await daemon.report([#"{"id":"other","latitude":1,"longitude":1}"#], layer: "others")
      let body = #"{"layer":"users","latitude":1,"longitude":1}"#
      #expect(try await daemon.post("/v1/layers/users/nearby", body).ids == ["ok"])
      let other = try await daemon.post("/v1/layers/others/nearby", body)
      #expect(other.status == 400 && other.reason == "conflicting_fields", "\(other.text)")
      #expect(other.fields == ["layer"])
    }
  }
}
