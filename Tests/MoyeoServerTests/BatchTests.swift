import Foundation
import MoyeoAPI
import SwiftProtobuf
import Testing

@Suite struct BatchTests {
  @Test func nearbyBatchAnswersEachQueryOnItsOwn() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      let answer = try await daemon.post(
        "/v1/layers/users/nearby/batch",
        #"{"requests":[{"latitude":37.5,"longitude":127},{"latitude":99,"longitude":127},"#
          + #"{"latitude":0,"longitude":0,"radiusMeters":1},{"layer":"users","latitude":1,"longitude":1},"#
          + #"{"layer":"others","latitude":1,"longitude":1}]}"#)
      #expect(answer.status == 200, "\(answer.text)")
      let items = try #require(answer.object["responses"] as? [[String: Any]])
      #expect(items.map { $0["status"] as? Int } == [200, 400, 200, 200, 400])
      func body(_ i: Int) -> [String: Any] { items[i]["body"] as? [String: Any] ?? [:] }
      #expect((body(0)["hits"] as? [[String: Any]])?.first?["id"] as? String == "ok")
      #expect((body(2)["hits"] as? [Any])?.isEmpty == true)
      let error = try #require(items[1]["error"] as? [String: Any])
      #expect(error["reason"] as? String == "latitude_out_of_range")
      let fields = error["fields"] as? [[String: Any]]
      #expect(fields?.first?["field"] as? String == "requests[1].latitude")
      #expect((items[4]["error"] as? [String: Any])?["reason"] as? String == "conflicting_fields")
      // The same over gRPC.
      let grpc = try await daemon.positions.nearbyBatch(
        .with {
          $0.layer = "users"
          $0.requests = [
            .with {
              $0.latitude = 37.5
              $0.longitude = 127
            }, .with { $0.latitude = 99 },
          ]
        })
      #expect(grpc.responses.map(\.status) == [200, 400])
      #expect(grpc.responses[0].body.hits.map(\.id) == ["ok"])
      #expect(grpc.responses[1].error.reason == "missing_field")
      #expect(grpc.responses[1].error.fields.first?.field == "requests[1].longitude")
    }
  }

  @Test func nearbyBatchHasALimit() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      func body(_ count: Int) -> String {
        let one = #"{"latitude":37.5,"longitude":127}"#
        return #"{"requests":["# + Array(repeating: one, count: count).joined(separator: ",") + "]}"
      }
      let path = "/v1/layers/users/nearby/batch"
      let full = try await daemon.post(path, body(100))
      #expect((full.object["responses"] as? [Any])?.count == 100)
      let tooMany = try await daemon.post(path, body(101))
      #expect(tooMany.status == 400 && tooMany.reason == "too_many_items")
      let none = try await daemon.post(path, body(0))
      #expect(none.status == 200 && none.text == #"{"responses":[]}"#)
    }
  }

  @Test func batchCarriesReadsOfAnyKindInOrder() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([
        #"{"id":"a/b","latitude":37.5,"longitude":127,"tags":["x"],"attributes":{"big":9007199254740992,"half":0.1}}"#
      ])
      let reads = [
        #"{"method":"GET","path":"/v1/layers/users/nearby?latitude=37.5&longitude=127&tags=x"}"#,
        #"{"method":"POST","path":"/v1/layers/users/nearby","body":{"latitude":37.5,"longitude":127.0,"limit":1}}"#,
        #"{"method":"GET","path":"/v1/layers/users/positions/a%2Fb"}"#,
        #"{"method":"GET","path":"/v1/layers/users/tags","body":null}"#,
        #"{"method":"GET","path":"/v1/layers/none/tags"}"#,
        #"{"method":"GET","path":"/nowhere"}"#,
        #"{"method":"POST","path":"/v1/batch","body":{"requests":[]}}"#,
        #"{"method":"POST","path":"/v1/layers/users/positions","body":{"positions":[]}}"#,
        #"{"method":"DELETE","path":"/v1/layers/users/positions/a%2Fb"}"#,
        #"{"method":"POST","path":"/v1/layers/users/nearby","body":{"latitude":1,"longitude":1,"nope":1}}"#,
        #"{"method":"PATCH","path":"/v1/layers/users/nearby"}"#,
        #"{"method":"GET","path":""}"#,
      ]
      let answer = try await daemon.post(
        "/v1/batch", #"{"requests":["# + reads.joined(separator: ",") + "]}")
      #expect(answer.status == 200, "\(answer.text)")
      let items = try #require(answer.object["responses"] as? [[String: Any]])
      #expect(
        items.map { $0["status"] as? Int }
          == [200, 200, 200, 200, 404, 404, 404, 405, 405, 400, 405, 404])
      // Each body is what the call alone answers.
      let alone = try await daemon.get("/v1/layers/users/positions/a%2Fb")
      #expect(
        NSDictionary(dictionary: items[2]["body"] as? [String: Any] ?? [:])
          == NSDictionary(dictionary: alone.object))
      let refused = items[4]["body"] as? [String: Any]
      #expect((refused?["error"] as? [String: Any])?["reason"] as? String == "unknown_layer")
      #expect(try await daemon.get("/v1/layers/users/positions/a%2Fb").status == 200)
    }
  }

  @Test func batchCarriesListsBesideStreams() async throws {
    try await PartyWireTests.run { daemon in
      _ = try await PartyWireTests.create(daemon, host: "mina")
      let answer = try await daemon.post(
        "/v1/batch", #"{"requests":[{"method":"GET","path":"/v1/events?after=0"}]}"#)
      let item = try #require((answer.object["responses"] as? [[String: Any]])?.first)
      #expect(item["status"] as? Int == 200, "\(answer.text)")
      let events = (item["body"] as? [String: Any])?["events"] as? [[String: Any]]
      #expect(events?.map { $0["kind"] as? String } == ["party.created"])
    }
  }

  @Test func badBatchesAreRefused() async throws {
    try await RunningDaemon.run { daemon in
      let one = #"{"method":"GET","path":"/v1/layers"}"#
      let twenty = Array(repeating: one, count: 20).joined(separator: ",")
      #expect(
        try await daemon.post("/v1/batch", #"{"requests":[\#(twenty)]}"#).status == 200)
      #expect(
        try await daemon.post("/v1/batch", #"{"requests":[]}"#).text == #"{"responses":[]}"#)
      for (body, reason) in [
        (#"{"requests":[\#(twenty),\#(one)]}"#, "too_many_items"), ("", "malformed_request"),
        ("{}", "missing_field"), ("[]", "malformed_request"), ("nope", "malformed_request"),
        (#"{"requests":{}}"#, "missing_field"), (#"{"requests":[1]}"#, "malformed_request"),
        (#"{"requests":[],"more":1}"#, "unknown_field"),
        (#"{"requests":[{"method":"GET"}]}"#, "missing_field"),
        (#"{"requests":[{"method":"GET","path":"/","x":1}]}"#, "unknown_field"),
        (#"{"requests":[{"method":1,"path":"/"}]}"#, "missing_field"),
        (#"{"requests":[{"method":"GET","path":"/","body":[]}]}"#, "malformed_request"),
        (String(repeating: "[", count: 200_000), "malformed_request"),
        (String(repeating: #"{"requests":["#, count: 50_000), "malformed_request"),
        (#"{"requests":[{"method":"\ud800","path":"/"}]}"#, nil),
      ] {
        let answer = try await daemon.post("/v1/batch", body)
        #expect(answer.status < 500 && answer.json != nil, "\(body.prefix(50))")
        if let reason {
          #expect(
            answer.reason == reason && answer.status == 400, "\(body.prefix(50)): \(answer.text)")
        }
      }
      let form = try await daemon.request(
        "POST", "/v1/batch", body: Data(#"{"requests":[]}"#.utf8),
        headers: [("content-type", "application/xml")])
      #expect(form.status == 415 && form.reason == "unsupported_media_type")
      let get = try await daemon.get("/v1/batch")
      #expect(get.status == 405 && get.reason == "method_not_allowed")
    }
  }
}
