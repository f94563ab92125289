import MoyeoAPI
import NIOCore
import NIOPosix
import SwiftProtobuf
import Testing

@testable import MoyeoClient

@Suite("HTTP client")
struct HTTPClientTests {
  /// What a service saw of one call, and the call's answer.
  static func call<Answer: Sendable>(
    _ reply: FakeHTTPService.Reply,
    _ body: @Sendable (MoyeoClient) async throws -> Answer
  ) async throws -> (Result<Answer, any Error>, FakeHTTPService.Request?) {
    let service = try await FakeHTTPService { _ in reply }
    let result: Result<Answer, any Error>
    do {
      result = .success(
        try await MoyeoClient.with(
          .http(service.url + "/"),
          configuration: .init(headers: [("X-Moyeo-Session", "s1")], retries: .never),
          body))
    } catch { result = .failure(error) }
    await service.close()
    return (result, service.requests.first)
  }

  @Test("nearby posts its fields and reads hits, unknown fields ignored")
  func nearby() async throws {
    let (result, request) = try await Self.call(
      .init(
        body:
          #"{"hits":[{"id":"a","distanceMeters":1.5,"tags":[],"new":1}],"nextCursor":"c","x":{}}"#)
    ) { client in
      var request = Moyeo_V1_NearbyRequest()
      request.layer = "my/layer é"
      request.latitude = 0
      request.longitude = -1.25
      request.tags = ["a", "b"]
      return try await client.nearby(request)
    }
    let answer = try result.get()
    #expect(answer.hits.map(\.id) == ["a"] && answer.nextCursor == "c")
    let seen = try #require(request)
    #expect(seen.method == "POST" && seen.uri == "/v1/layers/my%2Flayer%20%C3%A9/nearby")
    #expect(seen.headers["content-type"] == "application/json")
    #expect(seen.headers["x-moyeo-session"] == "s1")
    let sent = try Google_Protobuf_Struct(jsonString: seen.body).fields
    #expect(sent.keys.sorted() == ["latitude", "longitude", "tags"])
    #expect(sent["latitude"]?.numberValue == 0)
  }

  @Test("64-bit integers are numbers")
  func integers() async throws {
    let (result, request) = try await Self.call(
      .init(body: #"{"shares":[{"riderId":"a","amount":9007199254740993}]}"#)
    ) { client in
      var request = Moyeo_V1_SplitFareRequest()
      request.amount = 12_500
      return try await client.splitFare(request)
    }
    #expect(request?.body == #"{"amount":12500}"#)
    #expect(request?.uri == "/v1/fares/split")
    #expect(try result.get().shares.first?.amount == 9_007_199_254_740_993)
  }

  @Test("reads by GET put their fields into the query")
  func query() async throws {
    let (_, request) = try await Self.call(.init(body: #"{"tags":[]}"#)) { client in
      var request = Moyeo_V1_TagHistogramRequest()
      request.layer = "users"
      request.west = 126.5
      request.limit = 5
      request.within.points = [Moyeo_V1_Point()]
      request.minVersion = "a&b=c"
      return try await client.tagHistogram(request)
    }
    #expect(
      request?.uri
        == "/v1/layers/users/tags?limit=5&minVersion=a%26b%3Dc&west=126.5"
        + "&within=%7B%22points%22%3A%5B%7B%7D%5D%7D")
    #expect(request?.method == "GET" && request?.body == "")
  }

  @Test("ids are escaped byte by byte, dots too")
  func escaping() async throws {
    for (id, path) in [("a/b?c#d", "a%2Fb%3Fc%23d"), ("..", "%2E%2E"), ("강", "%EA%B0%95")] {
      let (_, request) = try await Self.call(.init(body: #"{"removed":true}"#)) {
        try await $0.remove(layer: "l", id: id)
      }
      #expect(request?.uri == "/v1/layers/l/positions/" + path)
      #expect(request?.method == "DELETE")
    }
  }

  @Test("a refusal carries the service's words")
  func refusal() async throws {
    let body =
      #"{"error":{"code":"RESOURCE_EXHAUSTED","reason":"overloaded","message":"busy","fields":[{"field":"f","reason":"r","message":"m"}],"retryAfterMilliseconds":250},"accepted":0,"rejections":[{"index":0,"id":"a","reason":"bad_id","field":"id","message":"x"}]}"#
    let (result, _) = try await Self.call(.init(status: 503, body: body)) {
      try await $0.report(Moyeo_V1_ReportRequest())
    }
    let error = #expect(throws: MoyeoError.self) { try result.get() }
    let refusal = try #require(error?.refusal)
    #expect(refusal.code == "RESOURCE_EXHAUSTED" && refusal.reason == "overloaded")
    #expect(refusal.message == "busy" && refusal.httpStatus == 503)
    #expect(refusal.fields == [.init(field: "f", reason: "r", message: "m")])
    #expect(refusal.retryAfter == .milliseconds(250) && refusal.isRetryable)
    #expect(refusal.rejections.map(\.reason) == ["bad_id"])
  }

  @Test("what is no answer of the service is said to be none", arguments: [200, 500])
  func strangers(status: Int) async throws {
    let (result, _) = try await Self.call(.init(status: status, body: "<html>")) {
      try await $0.get(layer: "l", id: "i")
    }
    guard case .failure(MoyeoError.unexpectedAnswer) = result else {
      Issue.record("\(result)")
      return
    }
  }

  @Test("nobody there is unreachable at once")
  func nobody() async throws {
    let port = try await unusedPort()
    await #expect {
      try await MoyeoClient.with(
        .http("http://127.0.0.1:\(port)"), configuration: .init(retries: .never)
      ) {
        try await $0.get(layer: "l", id: "i")
      }
    } throws: { error in
      guard case .unreachable(_, let cause, _)? = error as? MoyeoError else { return false }
      return cause == "connection refused"
    }
  }

  @Test("tiles come with their ETag and stay unsent while it holds")
  func tiles() async throws {
    var request = Moyeo_V1_GetTileRequest()
    request.layer = "users"
    request.zoom = 3
    request.x = 1
    request.y = 0
    let wanted = request
    let (fresh, seen) = try await Self.call(
      .init(body: "tile", headers: ["ETag": "\"e\"", "Content-Type": "application/x"])
    ) { try await $0.getTile(wanted) }
    #expect(seen?.uri == "/v1/layers/users/tiles/3/1/0.mvt")
    #expect(try fresh.get().etag == "\"e\"")
    #expect(try Array(fresh.get().tile) == Array("tile".utf8))
    request.ifNoneMatch = "\"e\""
    request.format = "json"
    let again = request
    let (held, second) = try await Self.call(.init(status: 304, body: "")) {
      try await $0.getTile(again)
    }
    #expect(second?.headers["if-none-match"] == "\"e\"")
    #expect(second?.uri == "/v1/layers/users/tiles/3/1/0.json")
    #expect(try held.get().notModified)
  }

  @Test("addresses", arguments: ["ftp://x", "nothing", "", "http://", "http://h/?q=1"])
  func badAddresses(text: String) {
    #expect(throws: MoyeoError.self) { try MoyeoClient(.http(text)) }
  }

  @Test("host and port")
  func hostAndPort() {
    #expect(Endpoint.grpc("[::1]:50051") == .grpc(host: "::1", port: 50_051))
    #expect(Endpoint.grpc("localhost:1") == .grpc(host: "localhost", port: 1))
    for bad in ["localhost", ":1", "h:0", "h:65536", "::1:5", "h:x", "http://h:1"] {
      #expect(Endpoint.grpc(bad) == nil, "\(bad)")
    }
  }
}

/// A port on which nobody listens.
func unusedPort() async throws -> Int {
  let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    .bind(host: "127.0.0.1", port: 0).get()
  let port = channel.localAddress?.port ?? 1
  try await channel.close()
  return port
}
