import MoyeoAPI
import MoyeoClient
import Testing

@Suite("Naver map example")
struct NaverMapExampleTests {
  @Test("what the map shows is asked for, and its clusters come back")
  func viewport() async throws {
    let service = try await FakeHTTPService { _ in
      .init(body: #"{"clusters":[{"id":"a","latitude":37.5,"longitude":127,"pointCount":12}]}"#)
    }
    let found = try await MoyeoClient.with(.http(service.url)) { moyeo in
      try await clusters(
        of: "users", from: moyeo, south: 37.4, west: 126.9, north: 37.6, east: 127.1, zoom: 11.5)
    }
    await service.close()
    #expect(found.map(\.pointCount) == [12])
    let asked = try #require(service.requests.first?.uri)
    #expect(asked.hasPrefix("/v1/layers/users/clusters?"))
    for parameter in ["south=37.4", "west=126.9", "north=37.6", "east=127.1", "zoom=11.5"] {
      #expect(asked.contains(parameter), "\(asked)")
    }
  }
}
