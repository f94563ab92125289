import Foundation
import MoyeoAPI
import FareEstimation
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// FareService and RouteService over both wires, with the shipped tariffs.
@Suite struct FareAndRouteTests {
  private static func withFares(
    _ body: @Sendable (RunningDaemon) async throws -> Void
  ) async throws {
    let root = try #require(ResourceDirectory.nearest(to: [#filePath]))
    let library = try TariffLibrary.load(
      tariffDirectories: [root + "/data/tariffs"], areaDirectories: [root + "/data/areas"])
    try await RunningDaemon.run(fares: FareEstimator(library: library), body)
  }

  private static let trip =
    #""origin":{"latitude":37.5547,"longitude":126.9707},"destination":{"latitude":37.4979,"longitude":127.0276}"#

  private static func fare(_ answer: HTTPAnswer) -> [String: Any] {
    answer.object["fare"] as? [String: Any] ?? [:]
  }

  @Test func anEstimateIsItemisedAndSharedToTheLastWon() async throws {
    try await Self.withFares { daemon in
      for riders in 1...4 {
        let answer = try await daemon.post(
          "/v1/fares/estimate",
          "{\(Self.trip),\"departureTime\":\"2026-11-20T23:10:00+09:00\",\"riderCount\":\(riders)}")
        #expect(answer.status == 200, "\(answer.text)")
        let fare = Self.fare(answer)
        let expected = try #require(fare["expected"] as? Int)
        let lines = try #require(fare["lines"] as? [[String: Any]])
        #expect(lines.compactMap { $0["amount"] as? Int }.reduce(0, +) == expected)
        #expect(lines.allSatisfy { ($0["rule"] as? String)?.isEmpty == false })
        let shares = try #require(fare["shares"] as? [[String: Any]])
        #expect(shares.count == riders)
        #expect(shares.compactMap { $0["amount"] as? Int }.reduce(0, +) == expected)
        #expect(fare["tariffId"] as? String == "kr-seoul-medium")
        #expect(fare["currency"] as? String == "KRW")
        #expect(fare["source"] as? String == "estimate")
        let low = try #require(fare["low"] as? Int)
        let high = try #require(fare["high"] as? Int)
        #expect(low <= expected && expected <= high)
      }
    }
  }

  /// 7 km with 624 s of slow time, charged on completion, is one of the published checks; here the
  /// tariff charges on entry, so that only the wire is held: totals in, the same totals out.
  @Test func totalsAndSegmentsAreTaken() async throws {
    try await Self.withFares { daemon in
      let totals = try await daemon.post(
        "/v1/fares/estimate",
        #"{"tariffId":"kr-seoul-medium","distanceMeters":7000,"durationSeconds":1200,"departureTime":"2026-11-20T12:00:00+09:00"}"#
      )
      #expect(Self.fare(totals)["distanceMeters"] as? Double == 7000)
      let segments = try await daemon.post(
        "/v1/fares/estimate",
        #"{"tariffId":"kr-seoul-medium","segments":[{"distanceMeters":1600,"durationSeconds":120}],"departureTime":"2026-11-20T12:00:00+09:00"}"#
      )
      #expect(
        Self.fare(segments)["expected"] as? Int == 4900
          || Self.fare(segments)["expected"] as? Int == 4800)
    }
  }

  @Test func badRequestsAreNamedOnBothWires() async throws {
    let cases: [(body: String, reason: String, field: String)] = [
      (
        #"{"tariffId":"kr-seoul-medium","distanceMeters":-5,"durationSeconds":60}"#,
        "distance_out_of_range", "distanceMeters"
      ),
      (
        #"{"tariffId":"kr-seoul-medium","distanceMeters":"NaN","durationSeconds":60}"#,
        "distance_out_of_range", "distanceMeters"
      ),
      (
        #"{"tariffId":"kr-seoul-medium","distanceMeters":5,"durationSeconds":"Infinity"}"#,
        "duration_out_of_range", "durationSeconds"
      ),
      (
        #"{"tariffId":"nope","distanceMeters":5,"durationSeconds":60}"#, "unknown_tariff",
        "tariffId"
      ),
      (
        #"{"tariffId":"kr-seoul-medium","distanceMeters":5,"durationSeconds":60,"departureTime":"1990-01-01T00:00:00Z"}"#,
        "departure_before_tariffs", "departureTime"
      ),
      (
        #"{"tariffId":"kr-seoul-medium","distanceMeters":5,"durationSeconds":60,"riderCount":50}"#,
        "limit_out_of_range", "riderCount"
      ),
      (
        #"{"tariffId":"kr-seoul-medium","distanceMeters":5,"durationSeconds":60,"splitRule":"most"}"#,
        "bad_value", "splitRule"
      ),
      (
        #"{"origin":{"latitude":95,"longitude":1},"destination":{"latitude":1,"longitude":1}}"#,
        "latitude_out_of_range", "origin.latitude"
      ),
      (
        #"{"origin":{"latitude":-48,"longitude":-120},"destination":{"latitude":-48.1,"longitude":-120}}"#,
        "no_tariff_here", "origin"
      ),
      (
        #"{"tolls":-1,"tariffId":"kr-seoul-medium","distanceMeters":5,"durationSeconds":60}"#,
        "amount_out_of_range", "tolls"
      ),
    ]
    try await Self.withFares { daemon in
      let client = Moyeo_V1_FareService.Client(wrapping: daemon.grpc)
      for (body, reason, field) in cases {
        let http = try await daemon.post("/v1/fares/estimate", body)
        #expect(http.reason == reason, "\(body): \(http.text)")
        #expect(http.fields.first == field, "\(body): \(http.text)")
        let request = try Moyeo_V1_EstimateFareRequest(jsonString: body)
        let grpc = try await GRPCRefusal.of { _ = try await client.estimate(request) }
        #expect(grpc.reason == reason)
      }
    }
  }

  /// JSON cannot say such times; binary messages can.
  @Test func timesThatAreNoneAreRefused() async throws {
    try await Self.withFares { daemon in
      for (seconds, nanos) in [(Int64.max, Int32.max), (.min, .min), (253_402_300_800, 0), (0, -1)]
      {
        let time = Google_Protobuf_Timestamp(seconds: seconds, nanos: nanos)
        let route = try await GRPCRefusal.of {
          _ = try await Moyeo_V1_RouteService.Client(wrapping: daemon.grpc).plan(
            .with {
              $0.origin = .with { ($0.latitude, $0.longitude) = (37.5, 127) }
              $0.destination = .with { ($0.latitude, $0.longitude) = (37.6, 127) }
              $0.departureTime = time
            })
        }
        #expect(route.reason == "bad_time")
        let fares = Moyeo_V1_FareService.Client(wrapping: daemon.grpc)
        let fare = try await GRPCRefusal.of {
          _ = try await fares.estimate(
            .with {
              ($0.distanceMeters, $0.durationSeconds) = (1000, 100)
              ($0.tariffID, $0.departureTime) = ("kr-seoul-medium", time)
            })
        }
        #expect(fare.reason == "bad_time")
        let tariffs = try await GRPCRefusal.of {
          _ = try await fares.listTariffs(.with { $0.at = time })
        }
        #expect(tariffs.reason == "bad_time")
      }
    }
  }

  @Test func splitsAddUp() async throws {
    try await Self.withFares { daemon in
      let answer = try await daemon.post(
        "/v1/fares/split",
        #"{"amount":10000,"rule":"equal","riders":[{"riderId":"a"},{"riderId":"b"},{"riderId":"c"}]}"#
      )
      let shares = (answer.object["shares"] as? [[String: Any]] ?? []).compactMap {
        $0["amount"] as? Int
      }
      #expect(shares == [3334, 3333, 3333])
      let missing = try await daemon.post(
        "/v1/fares/split", #"{"rule":"equal","riders":[{"riderId":"a"}]}"#)
      #expect(missing.reason == "missing_field" && missing.fields == ["amount"])
      let none = try await daemon.post("/v1/fares/split", #"{"amount":5,"riders":[]}"#)
      #expect(none.reason == "limit_out_of_range")
    }
  }

  @Test func tariffsAreListedWithTheirSources() async throws {
    try await Self.withFares { daemon in
      let all = try await daemon.get("/v1/tariffs")
      let tariffs = try #require(all.object["tariffs"] as? [[String: Any]])
      #expect(tariffs.count >= 18)
      #expect(tariffs.allSatisfy { ($0["source"] as? String)?.isEmpty == false })
      let then = try await daemon.get("/v1/tariffs?tariffId=us-nyc-yellow&at=2015-01-15T00:00:00Z")
      let old = try #require(then.object["tariffs"] as? [[String: Any]])
      #expect(old.count == 1 && old[0]["superseded"] != nil)
      #expect(try await daemon.get("/v1/tariffs?tariffId=nope").reason == "unknown_tariff")
    }
  }

  @Test func routesOrderTheirStops() async throws {
    try await Self.withFares { daemon in
      let answer = try await daemon.post(
        "/v1/routes/plan",
        "{\(Self.trip),\"stops\":[{\"latitude\":37.51,\"longitude\":127.02},{\"latitude\":37.53,\"longitude\":126.98}]}"
      )
      #expect(answer.object["stopOrder"] as? [Int] == [1, 0])
      #expect((answer.object["path"] as? [[Double]])?.first == [126.9707, 37.5547])
      #expect((answer.object["legs"] as? [Any])?.count == 3)
      #expect(answer.object["source"] as? String == "estimate")
      let paired = try await daemon.post(
        "/v1/routes/plan",
        "{\(Self.trip),\"stops\":["
          + #"{"riderId":"a","kind":"drop_off","latitude":37.54,"longitude":126.975},"#
          + #"{"riderId":"a","kind":"pick_up","latitude":37.51,"longitude":127.02}]}"#)
      #expect(paired.object["stopOrder"] as? [Int] == [1, 0], "a pick-up comes first")
      let passing = try await daemon.post(
        "/v1/routes/plan",
        "{\(Self.trip),\"stops\":["
          + #"{"riderId":"a","latitude":37.55,"longitude":126.972},"#
          + #"{"riderId":"a","kind":"pick_up","latitude":37.54,"longitude":126.975},"#
          + #"{"riderId":"a","kind":"drop_off","latitude":37.51,"longitude":127.02}]}"#)
      #expect(passing.object["stopOrder"] as? [Int] == [0, 1, 2], "each stop once")
      let orphan = try await daemon.post(
        "/v1/routes/plan",
        "{\(Self.trip),\"stops\":["
          + #"{"riderId":"a","kind":"pick_up","latitude":37.51,"longitude":127.02}]}"#)
      #expect(orphan.reason == "missing_field")
      let none = try await daemon.post("/v1/routes/plan", "{}")
      #expect(none.reason == "missing_field" && none.fields == ["origin"])
    }
  }
}
