import Foundation
import MoyeoAPI
import LiveLayers
import ObjectModel
import SwiftProtobuf
import Testing

/// Report over both wires: what is good is stored, what is bad is named.
@Suite struct ReportTests {
  static let good = #"{"id":"ok","latitude":37.5,"longitude":127}"#

  @Test func sevenBadOfAThousandLeave993() async throws {
    try await RunningDaemon.run { daemon in
      var items = (0..<1000).map {
        #"{"id":"u\#($0)","latitude":\#(37 + Double($0) / 1e4),"longitude":127}"#
      }
      let bad: [(index: Int, item: String, field: String, reason: String)] = [
        (3, #"{"id":"","latitude":1,"longitude":1}"#, "id", "bad_id"),
        (141, #"{"id":"x","longitude":1}"#, "latitude", "missing_field"),
        (200, #"{"id":"x","latitude":"NaN","longitude":1}"#, "latitude", "latitude_out_of_range"),
        (500, #"{"id":"x","latitude":1,"longitude":180.5}"#, "longitude", "longitude_out_of_range"),
        (777, #"{"id":"x","latitude":0,"longitude":0}"#, "latitude", "null_island"),
        (
          998,
          #"{"id":"x","latitude":1,"longitude":1,"tags":["a","\#(String(repeating: "t", count: 10_000))"]}"#,
          "tags[1]", "bad_tag"
        ),
        (
          999, #"{"id":"x","latitude":1,"longitude":1,"ttlSeconds":0.5}"#, "ttlSeconds",
          "ttl_out_of_range"
        ),
      ]
      for (index, item, _, _) in bad { items[index] = item }
      let answer = try await daemon.report(items)
      #expect(answer.status == 200)
      #expect(answer.object["accepted"] as? Int == 993)
      #expect(answer.rejections.count == 7)
      for (rejection, wanted) in zip(answer.rejections, bad) {
        #expect(rejection["index"] as? Int == wanted.index)
        #expect(rejection["field"] as? String == wanted.field)
        #expect(rejection["reason"] as? String == wanted.reason)
        #expect((rejection["message"] as? String)?.isEmpty == false)
      }
      #expect(try await daemon.get("/v1/layers/users/positions/u4").status == 200)
      #expect(try await daemon.get("/v1/layers/users/positions/u3").reason == "unknown_object")
    }
  }

  @Test func whenAllAreBadTheCallFailsWithTheList() async throws {
    try await RunningDaemon.run { daemon in
      let answer = try await daemon.report([
        #"{"id":"a","latitude":91,"longitude":1}"#, #"{"id":"b"}"#,
      ])
      #expect(answer.status == 400)
      #expect(answer.reason == "latitude_out_of_range")
      #expect(answer.fields == ["positions[0].latitude", "positions[1].latitude"])
      #expect(answer.object["accepted"] as? Int == 0)
      #expect(
        answer.rejections.map { $0["reason"] as? String } == [
          "latitude_out_of_range", "missing_field",
        ])
      // A layer does not begin with a report that stores nothing.
      #expect(
        try await daemon.get("/v1/layers/users/nearby?latitude=1&longitude=1").reason
          == "unknown_layer")
      let empty = try await daemon.report([])
      #expect(empty.status == 200 && empty.object["accepted"] as? Int == 0)
    }
  }

  @Test func olderObservationsAreStaleAndTheLaterOfTwoWins() async throws {
    try await RunningDaemon.run { daemon in
      func item(_ id: String, _ longitude: Double, at time: String?) -> String {
        let observed = time.map { #","observedAt":"\#($0)""# } ?? ""
        return #"{"id":"\#(id)","latitude":10,"longitude":\#(longitude)\#(observed)}"#
      }
      #expect(try await daemon.report([item("a", 1, at: "2026-11-20T14:09:50Z")]).status == 200)
      let late = try await daemon.report([
        item("a", 2, at: "2026-11-20T14:09:49.999Z"), item("b", 5, at: nil), item("b", 6, at: nil),
      ])
      #expect(late.object["accepted"] as? Int == 2, "\(late.text)")
      #expect(late.rejections.first?["reason"] as? String == "stale")
      #expect(late.rejections.first?["index"] as? Int == 0)
      #expect(late.rejections.first?["id"] as? String == "a")
      let near = try await daemon.get("/v1/layers/users/nearby?latitude=10&longitude=0")
      #expect(near.hits.map { $0["longitude"] as? Double } == [1, 6])
      // The same moment again is not stale.
      #expect(
        try await daemon.report([item("a", 3, at: "2026-11-20T23:09:50+09:00")])
          .object["accepted"] as? Int == 1)
    }
  }

  @Test func ageAndExpiryCountFromTheObservation() async throws {
    try await RunningDaemon.run { daemon in
      let answer = try await daemon.report([
        #"{"id":"aged","latitude":1,"longitude":1,"observedAt":"2026-11-20T14:09:30Z"}"#,
        #"{"id":"dead","latitude":1,"longitude":1,"observedAt":"2026-11-20T14:08:59Z"}"#,
        #"{"id":"ahead","latitude":1,"longitude":1,"observedAt":"2026-11-20T14:10:06Z"}"#,
        #"{"id":"skewed","latitude":1,"longitude":1,"observedAt":"2026-11-20T14:10:04Z"}"#,
        #"{"id":"forever","latitude":1,"longitude":1,"ttlSeconds":0,"observedAt":"1999-01-01T00:00:00Z"}"#,
      ])
      #expect(answer.object["accepted"] as? Int == 4, "\(answer.text)")
      #expect(answer.rejections.first?["id"] as? String == "dead")
      #expect(answer.rejections.first?["reason"] as? String == "stale")
      func stored(_ id: String) async throws -> [String: Any] {
        let answer = try await daemon.get("/v1/layers/users/positions/\(id)")
        return answer.object["position"] as? [String: Any] ?? [:]
      }
      #expect(try await stored("aged")["ageSeconds"] as? Double == 30)
      #expect(try await stored("aged")["expiresAt"] as? String == "2026-11-20T14:10:30Z")
      // More than 5 s ahead is the time of receipt; less is taken, and its age is never negative.
      #expect(try await stored("ahead")["observedAt"] as? String == "2026-11-20T14:10:00Z")
      #expect(try await stored("skewed")["observedAt"] as? String == "2026-11-20T14:10:04Z")
      #expect(try await stored("skewed")["ageSeconds"] as? Double == 0)
      #expect(try await stored("forever")["expiresAt"] == nil)
      daemon.clock.advance(milliseconds: 29_999)
      #expect(try await stored("aged")["ageSeconds"] as? Double == 59.999)
      daemon.clock.advance(milliseconds: 1)
      #expect(try await stored("aged").isEmpty)
      daemon.clock.advance(milliseconds: 100 * 365 * 86_400_000)
      #expect(try await stored("forever")["id"] as? String == "forever")
    }
  }

  @Test func theFarEndsOfTimeAreSurvived() async throws {
    try await RunningDaemon.run { daemon in
      for (seconds, nanos) in [
        (Int64.min, Int32.min), (.max, .max), (0, -1), (0, 1_000_000_000),
        (-62_135_596_801, 0), (253_402_300_800, 0),
      ] {
        var position = Moyeo_V1_Position()
        position.id = "t"
        position.latitude = 1
        position.longitude = 1
        position.ttlSeconds = 0
        position.observedAt = Google_Protobuf_Timestamp(seconds: seconds, nanos: nanos)
        let request = Moyeo_V1_ReportRequest.with {
          $0.layer = "users"
          $0.positions = [position]
        }
        let refusal = try await GRPCRefusal.of { _ = try await daemon.positions.report(request) }
        #expect(refusal.reason == "bad_time", "\(seconds) \(nanos)")
        #expect(refusal.fields == ["positions[0].observedAt"])
      }
    }
  }

  @Test func readsSeeWhatWasReportedAndRemoved() async throws {
    try await RunningDaemon.run { daemon in
      let version = try #require(
        try await daemon.report([Self.good]).object["version"] as? String)
      let path = "/v1/layers/users/positions/ok"
      let stored = try await daemon.get(path + "?minVersion=\(version)")
      #expect(stored.status == 200 && stored.object["version"] as? String == version)
      for (text, status, reason) in [
        ("abcd-ffffffff", 503, "unavailable"), ("x", 400, "bad_version"), ("", 400, "bad_version"),
        ("abcd", 400, "bad_version"), ("-1-1", 400, "bad_version"),
      ] {
        let answer = try await daemon.get(path + "?minVersion=\(text)")
        #expect(answer.status == status && answer.reason == reason, "\(text): \(answer.text)")
      }
      // A version of an earlier start counts as reached.
      #expect(try await daemon.get(path + "?minVersion=1-ffffffff").status == 200)
      let waits = try await daemon.get(path + "?minVersion=abcd-ffffffff")
      #expect(waits.error["retryAfterMilliseconds"] as? Int == 50)
      #expect(waits.header("retry-after") == "1")
      let removed = try await daemon.request("DELETE", path)
      #expect(removed.object["removed"] as? Bool == true)
      #expect(try await daemon.get(path).reason == "unknown_object")
      let again = try await daemon.request("DELETE", path)
      #expect(again.status == 200 && again.object["removed"] as? Bool == false)
    }
  }

  @Test func layersHaveRules() async throws {
    try await RunningDaemon.run { daemon in
      for name in ["a", "0", "a-_9", String(repeating: "z", count: 63)] {
        #expect(try await daemon.report([Self.good], layer: name).status == 200, "\(name)")
      }
      for name in [
        "A", "-a", "_a", "a.b", "%EA%B0%80", "a%2Fb", String(repeating: "z", count: 64), "%00",
      ] {
        let answer = try await daemon.report([Self.good], layer: name)
        #expect(answer.status == 400 && answer.reason == "bad_layer", "\(name): \(answer.text)")
        let read = try await daemon.get("/v1/layers/\(name)/nearby?latitude=1&longitude=1")
        #expect(read.status == 400 && read.reason == "bad_layer", "\(name): \(read.text)")
      }
      for name in ["parties", "tickets"] {
        #expect(try await daemon.report([Self.good], layer: name).reason == "reserved_layer")
        #expect(try await daemon.report([Self.good], layer: name).status == 409)
        let removed = try await daemon.request("DELETE", "/v1/layers/\(name)/positions/a")
        #expect(removed.reason == "reserved_layer")
      }
      let unknown = try await daemon.get("/v1/layers/none/nearby?latitude=1&longitude=1")
      #expect(unknown.status == 404 && unknown.reason == "unknown_layer")
      #expect(unknown.fields == ["layer"])
      for i in 0..<60 {
        #expect(try await daemon.report([Self.good], layer: "l\(i)").status == 200)
      }
      let oneMore = try await daemon.report([Self.good], layer: "one-more")
      #expect(oneMore.status == 429 && oneMore.reason == "quota_exceeded", "\(oneMore.text)")
      #expect(try await daemon.report([Self.good], layer: "l7").status == 200)
      let listed = try await daemon.get("/v1/layers")
      #expect((listed.object["layers"] as? [Any])?.count == 64)
    }
  }

  @Test func nullIslandIsAPlaceWhereALayerSaysSo() async throws {
    let configuration = LayerRegistryConfiguration(layerSettings: { name in
      var settings = LayerSettings()
      settings.allowsNullIsland = name == "buoys"
      return settings
    })
    try await RunningDaemon.run(configuration: configuration) { daemon in
      let item = #"{"id":"soul","latitude":0,"longitude":0}"#
      #expect(try await daemon.report([item], layer: "buoys").status == 200)
      #expect(try await daemon.report([item]).reason == "null_island")
      let near = try await daemon.get("/v1/layers/buoys/nearby?latitude=0&longitude=0")
      #expect(near.ids == ["soul"])
    }
  }

  @Test func oddButLegalIdsComeBackAsTheyWere() async throws {
    try await RunningDaemon.run { daemon in
      let ids = [
        "a/b", "\u{BBFC}\u{C544}", "\u{1106}\u{1175}\u{11AB}\u{110B}\u{1161}", "a b", "%2F", ".",
        "..", "?x=1#y", "\"\\", "😀", "a+b",
      ]
      for id in ids {
        var position = Moyeo_V1_Position()
        position.id = id
        position.latitude = 3
        position.longitude = 3
        let answer = try await daemon.report([try position.jsonString()])
        #expect(answer.object["accepted"] as? Int == 1, "\(id)")
        let escaped = id.utf8.map { "%" + String($0, radix: 16).leftPadded }.joined()
        let stored = try await daemon.get("/v1/layers/users/positions/\(escaped)")
        let found = (stored.object["position"] as? [String: Any])?["id"] as? String
        #expect(found.map { Array($0.utf8) } == Array(id.utf8), "\(id): \(stored.text)")
      }
      // Ids are bytes: composed and decomposed Hangul are two.
      let all = try await daemon.get("/v1/layers/users/nearby?latitude=3&longitude=3")
      let found: Set<[UInt8]> = Set(all.ids.map { Array($0.utf8) })
      #expect(found.count == ids.count)
    }
  }
}

extension String {
  fileprivate var leftPadded: String { count == 1 ? "0" + self : self }
}
