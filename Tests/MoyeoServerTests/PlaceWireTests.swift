import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2
import GeoMath
import LiveLayers
import MoyeoAPI
import Places
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// PlaceService over both wires.
@Suite struct PlaceWireTests {
  private static let places = [
    #"{"id":"s","latitude":37.5547,"longitude":126.9707,"ttlSeconds":0,"attributes":"#
      + #"{"name":"서울역","address":"한강대로 405","category":"station"}}"#,
    #"{"id":"c","latitude":37.5657,"longitude":126.9769,"ttlSeconds":0,"attributes":"#
      + #"{"name":"시청","name_en":"City Hall"}}"#,
    #"{"id":"n","latitude":37.5657,"longitude":126.9768,"ttlSeconds":0,"attributes":{}}"#,
  ]

  private static func run(
    provider: (any PlaceProvider)? = nil, _ body: @Sendable (RunningDaemon) async throws -> Void
  ) async throws {
    try await RunningDaemon.run(placeProvider: provider) { daemon in
      let answer = try await daemon.report(places, layer: "places")
      #expect(answer.status == 200, "\(answer.text)")
      try await body(daemon)
    }
  }

  private static func places(_ answer: HTTPAnswer) -> [[String: Any]] {
    answer.object["places"] as? [[String: Any]] ?? []
  }

  private static func search(_ daemon: RunningDaemon, _ query: String) async throws -> HTTPAnswer {
    let encoded = try #require(
      query.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed))
    return try await daemon.get("/v1/places/search?" + encoded)
  }

  @Test func aPlaceHasItsShape() async throws {
    try await Self.run { daemon in
      let found = try await Self.search(daemon, "q=서울역&latitude=37.5547&longitude=126.9707")
      #expect(found.status == 200, "\(found.text)")
      #expect(
        found.text == #"{"places":[{"id":"s","name":"서울역","address":"한강대로 405","#
          + #""category":"station","latitude":37.5547,"longitude":126.9707,"distanceMeters":0,"#
          + #""source":"own"}]}"#)
      let far = try await Self.search(daemon, "q=city ha")
      #expect(
        far.text == #"{"places":[{"id":"c","name":"시청","latitude":37.5657,"#
          + #""longitude":126.9769,"source":"own"}]}"#)
      #expect(try await Self.search(daemon, "q=없는곳").text == #"{"places":[]}"#)
      let reverse = try await daemon.get(
        "/v1/places/reverse?latitude=37.5657&longitude=126.9768&limit=2")
      // The nearest object has no name.
      #expect(Self.places(reverse).compactMap { $0["id"] as? String } == ["c", "s"])
      let one = try await daemon.get("/v1/places/reverse?latitude=37.5657&longitude=126.9768")
      #expect(Self.places(one).count == 1)
    }
  }

  @Test func bothWiresAgree() async throws {
    try await Self.run { daemon in
      let client = Moyeo_V1_PlaceService.Client(wrapping: daemon.grpc)
      for query in ["ㅅㅇㅇ", "서울엮", "시", "405 한강대로", "서울"] {
        var request = Moyeo_V1_SearchPlacesRequest()
        request.q = query
        request.latitude = 37.56
        request.longitude = 126.97
        request.radiusMeters = 5000
        let answer = try await client.search(request)
        #expect(!answer.places.isEmpty, "\(query)")
        let http = try await Self.search(
          daemon, "q=\(query)&latitude=37.56&longitude=126.97&radiusMeters=5000")
        let bytes: [UInt8] = try answer.serializedBytes()
        let json = try JSONTranscoder(Moyeo_V1_SearchPlacesResponse.self).json(bytes)
        #expect(http.text == String(decoding: json, as: UTF8.self))
      }
      var reverse = Moyeo_V1_ReversePlacesRequest()
      reverse.latitude = 37.5547
      reverse.longitude = 126.9707
      #expect(try await client.reverse(reverse).places.map(\.name) == ["서울역"])
    }
  }

  @Test func mistakesAreNamed() async throws {
    try await Self.run { daemon in
      let long = String(repeating: "a", count: 10_000)
      for (path, reason, field) in [
        ("search", "missing_field", "q"), ("search?q=", "missing_field", "q"),
        ("search?q=%20%20", "bad_value", "q"), ("search?q=%00", "bad_value", "q"),
        ("search?q=\(long)", "bad_value", "q"),
        ("search?q=a&limit=0", "limit_out_of_range", "limit"),
        ("search?q=a&limit=1001", "limit_out_of_range", "limit"),
        ("search?q=a&latitude=91&longitude=1", "latitude_out_of_range", "latitude"),
        ("search?q=a&latitude=1", "missing_field", "longitude"),
        ("search?q=a&radiusMeters=5", "missing_field", "latitude"),
        ("search?q=a&latitude=1&longitude=1&radiusMeters=-1", "limit_out_of_range", "radiusMeters"),
        ("search?q=a&latitude=0&longitude=0", "null_island", "latitude"),
        ("reverse?longitude=1", "missing_field", "latitude"),
        ("reverse?latitude=1&longitude=181", "longitude_out_of_range", "longitude"),
        ("reverse?latitude=1&longitude=1&limit=-1", "limit_out_of_range", "limit"),
      ] {
        let answer = try await daemon.get("/v1/places/" + path)
        #expect(answer.status == 400, "\(path.prefix(40)): \(answer.text.prefix(200))")
        #expect(answer.reason == reason, "\(path.prefix(40)): \(answer.text.prefix(200))")
        #expect(answer.fields == [field], "\(path.prefix(40))")
      }
      let split = try await daemon.get("/v1/places/search?q=%EC%84")
      #expect(split.status == 400 && split.reason == "malformed_request", "\(split.text)")
      let unknown = try await daemon.get("/v1/places/search?q=a&text=b")
      #expect(unknown.reason == "unknown_field")
      let posted = try await daemon.post("/v1/places/search", #"{"q":"a"}"#)
      #expect(posted.status == 405)
    }
  }

  @Test func placesAreReadInABatch() async throws {
    try await Self.run { daemon in
      let answer = try await daemon.post(
        "/v1/batch",
        #"{"requests":[{"method":"GET","path":"/v1/places/search?q=%EC%8B%9C%EC%B2%AD"},"#
          + #"{"method":"GET","path":"/v1/places/reverse?latitude=37.5547&longitude=126.9707"},"#
          + #"{"method":"GET","path":"/v1/places/search"}]}"#)
      let items = answer.object["responses"] as? [[String: Any]] ?? []
      #expect(items.map { $0["status"] as? Int } == [200, 200, 400], "\(answer.text)")
      let names = items.prefix(2).map { item in
        let body = item["body"] as? [String: Any]
        return (body?["places"] as? [[String: Any]])?.first?["name"] as? String
      }
      #expect(names == ["시청", "서울역"])
    }
  }

  @Test func theCallsAreDescribed() async throws {
    try await Self.run { daemon in
      let page = try await daemon.get("/openapi.json")
      let paths = page.object["paths"] as? [String: Any] ?? [:]
      #expect(paths["/v1/places/search"] != nil && paths["/v1/places/reverse"] != nil)
    }
  }

  /// Knows one place, and sometimes nothing but trouble.
  private struct StubProvider: PlaceProvider {
    let fails: Bool

    func search(_ search: PlaceSearch) async throws(PlaceProviderFailure) -> [Place] {
      if fails { throw PlaceProviderFailure(reason: "timed_out") }
      return [
        Place(
          id: "far", name: search.text + " 광장",
          position: Coordinate(uncheckedLatitude: 37.5, longitude: 127), source: .kakao)
      ]
    }

    func reverse(_ question: ReversePlaceSearch) async throws(PlaceProviderFailure) -> [Place] {
      try await search(PlaceSearch(text: "x"))
    }
  }

  @Test func aProviderFollowsAndItsFailureIsNotTheCallers() async throws {
    for fails in [false, true] {
      try await Self.run(provider: StubProvider(fails: fails)) { daemon in
        let found = Self.places(try await Self.search(daemon, "q=서울역"))
        let sources = found.compactMap { $0["source"] as? String }
        #expect(sources == (fails ? ["own"] : ["own", "kakao"]))
        // Enough of its own: the provider is not asked.
        #expect(Self.places(try await Self.search(daemon, "q=서울역&limit=1")).count == 1)
      }
    }
  }
}
