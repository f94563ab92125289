import GeoMath
import NIOHTTP1
import Places
import RoutePlanning
import Testing
import Threading

@testable import RouteProviders

/// Providers of places, against a server that behaves as badly as it is told.
@Suite(.serialized) struct PlaceProviderTests {
  typealias Behavior = LoopbackServer.Behavior

  private static let here = Coordinate(uncheckedLatitude: 37.55471, longitude: 126.97069)

  enum Kind: String, CaseIterable {
    case naver, kakao, nominatim, photon

    func dialect(_ url: String) -> any PlaceDialect {
      switch self {
      case .naver:
        NaverPlaceDialect(
          cloud: .init(id: "cloud-id", key: "cloud-key"),
          search: .init(id: "search-id", key: "search-key"), baseURL: url + "/")
      case .kakao: KakaoPlaceDialect(key: "kakao-key", baseURL: url)
      case .nominatim: NominatimPlaceDialect(baseURL: url)
      case .photon: PhotonPlaceDialect(baseURL: url)
      }
    }

    var found: String {
      switch self {
      case .naver:
        """
        {"total":1,"display":1,"items":[{"title":"<b>서울역</b> 광장 &amp; 숲","link":"",
        "category":"교통>역","address":"서울 용산구 동자동 43-205","roadAddress":"",
        "mapx":"1269706900","mapy":"375547100"},{"title":"no place","mapx":"x","mapy":"375547100"}]}
        """
      case .kakao:
        """
        {"meta":{"total_count":1,"is_end":true},"documents":[{"id":"9113903",
        "place_name":"서울역 광장 & 숲","category_name":"교통 > 역","address_name":"서울 용산구 동자동 43-205",
        "road_address_name":"","x":"126.97069","y":"37.55471","distance":"12"},
        {"place_name":"beyond","x":"200","y":"37"}]}
        """
      case .nominatim:
        """
        [{"place_id":1,"osm_type":"node","osm_id":415,"lat":"37.55471","lon":"126.97069",
        "category":"railway","type":"교통 > 역","name":"서울역 광장 & 숲",
        "display_name":"서울 용산구 동자동 43-205"},{"lat":"37.5","lon":"127"}]
        """
      case .photon:
        """
        {"type":"FeatureCollection","features":[{"type":"Feature",
        "geometry":{"type":"Point","coordinates":[126.97069,37.55471]},"properties":{"osm_id":415,
        "osm_type":"N","osm_key":"railway","osm_value":"교통 > 역","name":"서울역 광장 & 숲",
        "state":"서울","city":"용산구","street":"동자동","housenumber":"43-205"}},
        {"type":"Feature","geometry":{"type":"Point","coordinates":[127,95]},
        "properties":{"name":"beyond"}}]}
        """
      }
    }

    var nothing: String {
      switch self {
      case .naver: #"{"status":"OK","addresses":[],"items":[]}"#
      case .kakao: #"{"meta":{},"documents":[]}"#
      case .nominatim: "[]"
      case .photon: #"{"type":"FeatureCollection","features":[]}"#
      }
    }

    var reversed: String {
      switch self {
      case .naver:
        """
        {"status":{"code":0,"name":"ok","message":"done"},"results":[{"name":"roadaddr",
        "region":{"area1":{"name":"서울특별시"},"area2":{"name":"용산구"},"area3":{"name":"동자동"},
        "area4":{"name":""}},"land":{"name":"한강대로","number1":"405","number2":"",
        "addition0":{"type":"building","value":"서울역"}}}]}
        """
      case .kakao:
        """
        {"meta":{"total_count":1},"documents":[{"road_address":{"address_name":
        "서울특별시 용산구 한강대로 405","building_name":"서울역"},"address":{"address_name":"x"}}]}
        """
      case .nominatim:
        """
        {"osm_type":"way","osm_id":7,"lat":"37.5547","lon":"126.9707","name":"서울역",
        "display_name":"서울특별시 용산구 한강대로 405","type":"station"}
        """
      case .photon:
        """
        {"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point",
        "coordinates":[126.9707,37.5547]},"properties":{"name":"서울역","state":"서울특별시",
        "city":"용산구","street":"한강대로","housenumber":"405"}}]}
        """
      }
    }
  }

  private func withProvider(
    _ kind: Kind, _ behaviors: [Behavior], breaker: CircuitBreaker.Settings = .init(),
    _ body: (LoopbackServer, HTTPPlaceProvider) async throws -> Void
  ) async throws {
    let server = try await LoopbackServer.start(behaviors)
    let transport = HTTPClientTransport(clock: ManualMonotonicClock())
    let provider = HTTPPlaceProvider(
      kind.dialect(server.url), transport: transport,
      settings: .init(
        retries: RetrySchedule(maximumAttempts: 2, firstDelayMilliseconds: 0), breaker: breaker),
      clock: ManualMonotonicClock(), random: { 0.5 })
    do {
      try await body(server, provider)
    } catch {
      await transport.shutdown()
      await server.stop()
      throw error
    }
    await transport.shutdown()
    await server.stop()
  }

  private func reason(_ provider: HTTPPlaceProvider, _ text: String) async -> String? {
    do throws(PlaceProviderFailure) {
      _ = try await provider.search(PlaceSearch(text: text))
      return nil
    } catch {
      return error.reason
    }
  }

  @Test(arguments: Kind.allCases)
  func placesAreReadAndAskedOnce(_ kind: Kind) async throws {
    try await withProvider(kind, [.reply(status: 200, body: kind.found)]) { server, provider in
      let search = PlaceSearch(text: "서울역 광장&숲=1", near: Self.here, limit: 3)
      let found = try await provider.search(search)
      #expect(found.count == 1)
      let place = try #require(found.first)
      #expect(place.name == "서울역 광장 & 숲")
      #expect(place.address?.contains("동자동 43-205") == true)
      #expect(place.category?.contains("역") == true)
      #expect(place.position == Self.here)
      #expect(place.source.rawValue == kind.rawValue && !place.id.isEmpty)
      // Some steps away, where the grid has the same point.
      var again = search
      again.near = Coordinate(uncheckedLatitude: 37.55473, longitude: 126.97071)
      let second = try await provider.search(again)
      #expect(second == found)
      #expect(server.requestCount == 1)
      let seen = try #require(await server.seen.first { _ in true })
      #expect(seen.uri.contains("%EC%84%9C%EC%9A%B8%EC%97%AD%20%EA%B4%91%EC%9E%A5%26%EC%88%B2%3D1"))
      switch kind {
      case .naver:
        #expect(seen.uri.hasPrefix("/v1/search/local.json?"))
        #expect(seen.headers.first(name: "X-Naver-Client-Secret") == "search-key")
      case .kakao:
        #expect(seen.uri.hasPrefix("/v2/local/search/keyword.json?"))
        #expect(seen.uri.contains("x=126.971000") && seen.uri.contains("y=37.555000"))
        #expect(seen.headers.first(name: "Authorization") == "KakaoAK kakao-key")
      case .nominatim: #expect(seen.uri.hasPrefix("/search?") && seen.uri.contains("viewbox="))
      case .photon: #expect(seen.uri.hasPrefix("/api?") && seen.uri.contains("lat=37.555000"))
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func aPositionGetsItsName(_ kind: Kind) async throws {
    try await withProvider(kind, [.reply(status: 200, body: kind.reversed)]) { server, provider in
      let found = try await provider.reverse(ReversePlaceSearch(position: Self.here))
      #expect(found.map(\.name) == ["서울역"])
      #expect(found.first?.address == "서울특별시 용산구 한강대로 405")
      #expect(server.requestCount == 1)
    }
  }

  /// Where no keyword fits, an address may.
  @Test func addressesFollowWhereNoKeywordFits() async throws {
    let kakao = #"{"documents":[{"address_name":"서울 중구 세종대로 110","x":"126.978","y":"37.5663"}]}"#
    try await withProvider(
      .kakao, [.reply(status: 200, body: Kind.kakao.nothing), .reply(status: 200, body: kakao)]
    ) { server, provider in
      let found = try await provider.search(PlaceSearch(text: "세종대로 110"))
      #expect(found.map(\.name) == ["서울 중구 세종대로 110"])
      #expect(server.requestCount == 2)
    }
    let naver = """
      {"status":"OK","meta":{"totalCount":1},"addresses":[{"roadAddress":"서울 중구 세종대로 110",
      "jibunAddress":"태평로1가 31","x":"126.978","y":"37.5663","distance":0.0}]}
      """
    try await withProvider(
      .naver, [.reply(status: 200, body: Kind.naver.nothing), .reply(status: 200, body: naver)]
    ) { server, provider in
      let found = try await provider.search(PlaceSearch(text: "세종대로 110"))
      #expect(found.map(\.name) == ["서울 중구 세종대로 110"])
      #expect(server.requestCount == 2)
    }
  }

  @Test(arguments: Kind.allCases)
  func nothingFoundIsNoFailure(_ kind: Kind) async throws {
    try await withProvider(kind, [.reply(status: 200, body: kind.nothing)]) { _, provider in
      let found = try await provider.search(PlaceSearch(text: "x"))
      #expect(found.isEmpty)
    }
    let nowhere =
      switch kind {
      case .naver: #"{"status":{"code":3,"message":"no results"},"results":[]}"#
      case .nominatim: #"{"error":"Unable to geocode"}"#
      case .kakao, .photon: kind.nothing
      }
    try await withProvider(kind, [.reply(status: 200, body: nowhere)]) { _, provider in
      let question = ReversePlaceSearch(position: Self.here)
      let found = try await provider.reverse(question)
      #expect(found.isEmpty)
    }
  }

  @Test(arguments: [
    (Behavior.reset, "unavailable"), (.garbage, "malformed"),
    (.reply(status: 500, body: "oops"), "unavailable"),
    (.reply(status: 200, body: "{"), "malformed"),
    (.reply(status: 200, body: "{}"), "malformed"), (.reply(status: 401, body: ""), "unauthorized"),
    (.reply(status: 404, body: "<html>"), "refused"),
    (.reply(status: 429, headers: [("Retry-After", "700")], body: ""), "rate_limited"),
    (.reply(status: 302, headers: [("Location", "/x")], body: ""), "refused"),
    (.flood(count: 10 << 20, announced: false), "too_large"),
  ])
  func failuresHaveWords(_ behavior: Behavior, _ word: String) async throws {
    try await withProvider(.kakao, [behavior]) { _, provider in
      #expect(await reason(provider, "x") == word)
    }
  }

  @Test func aFailureIsTriedAgainAndTheBreakerOpens() async throws {
    try await withProvider(
      .photon, [.reply(status: 503, body: ""), .reply(status: 200, body: Kind.photon.found)]
    ) { server, provider in
      let found = try await provider.search(PlaceSearch(text: "x"))
      #expect(found.count == 1)
      #expect(server.requestCount == 2)
    }
    try await withProvider(
      .photon, [.reply(status: 503, body: "")], breaker: .init(failureThreshold: 2)
    ) { server, provider in
      #expect(await reason(provider, "a") == "unavailable")
      #expect(await reason(provider, "b") == "circuit_open")
      #expect(server.requestCount == 2)
    }
  }
}
