import Foundation
import Testing

@testable import MoyeoServer

/// What pages of other sites can reach through a browser on the machine or network of the service.
@Suite struct BrowserTests {
  private static let path = "/v1/layers/users/positions"
  private static let report = Data(
    #"{"positions":[{"id":"page","latitude":37.5,"longitude":127}]}"#.utf8)
  private static let json = ("content-type", "application/json")

  /// A page whose name resolves to our address reads nothing, over any method or route.
  @Test func foreignHostsAreRefused() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      for (method, path) in [
        ("GET", "/v1/layers/users/positions/ok"), ("HEAD", "/v1/layers"), ("GET", "/openapi.json"),
        ("GET", "/metrics"), ("POST", "/v1/batch"), ("GET", "/v1/layers/users/watch"),
        ("OPTIONS", "/v1/layers"), ("GET", "/v1/layers/users/tiles/0/0/0.mvt"),
      ] {
        for host in ["rebind.evil.example", "rebind.evil.example:\(daemon.addresses.httpPort)"] {
          let answer = try await daemon.request(
            method, path, body: method == "POST" ? Data(#"{"requests":[]}"#.utf8) : nil,
            headers: [("host", host), Self.json])
          #expect(answer.status == 403, "\(method) \(path): \(answer.status)")
          if method != "HEAD" { #expect(answer.reason == "forbidden_host", "\(answer.text)") }
        }
      }
      let port = daemon.addresses.httpPort
      for host in [
        "127.0.0.1", "127.0.0.1:\(port)", "localhost", "LOCALHOST:1", "localhost.", "[::1]:\(port)",
        "map.localhost", "127.1.2.3",
      ] {
        let answer = try await daemon.request("GET", "/v1/layers", headers: [("host", host)])
        #expect(answer.status == 200, "\(host): \(answer.text)")
      }
      for host in ["10.0.0.1", "127.0.0.1.evil.example", "localhost.evil.example", "[::2]"] {
        let answer = try await daemon.request("GET", "/v1/layers", headers: [("host", host)])
        #expect(answer.reason == "forbidden_host", "\(host): \(answer.text)")
      }
    }
  }

  @Test func namedHostsAreAnswered() async throws {
    var settings = Daemon.Configuration()
    settings.hosts = ["maps.example"]
    try await RunningDaemon.run(settings: settings) { daemon in
      for (host, status) in [
        ("maps.example", 200), ("Maps.Example:8443", 200), ("other.example", 403),
      ] {
        let answer = try await daemon.request("GET", "/v1/layers", headers: [("host", host)])
        #expect(answer.status == status, "\(host)")
      }
    }
  }

  /// Every address is listened on: any may be named, since an address cannot be pointed elsewhere.
  @Test func addressesAreAllowedWhereAllAreListenedOn() throws {
    let everywhere = HostAllowList(bound: "0.0.0.0", names: [])
    let one = HostAllowList(bound: "192.0.2.7", names: [])
    for (text, isAllowed) in [
      ("192.0.2.7:80", (true, true)), ("192.0.2.8", (true, false)),
      ("[2001:db8::1]", (true, false)),
      ("evil.example", (false, false)), ("localhost", (true, true)),
    ] {
      let host = try #require(Authority(text))
      #expect(everywhere.allows(host) == isAllowed.0, "\(text)")
      #expect(one.allows(host) == isAllowed.1, "\(text)")
    }
    for text in ["", ":80", "a b", "a:b", "a:65536", "user@a", "a/b", "[::1", "[::1]x", "a,b"] {
      #expect(Authority(text) == nil, "\(text)")
    }
  }

  /// A page of another site changes nothing, whichever way it asks.
  @Test func foreignOriginsWriteNothing() async throws {
    try await RunningDaemon.run { daemon in
      for (origin, type) in [
        ("https://evil.example", "text/plain"), ("https://evil.example", "application/json"),
        ("null", "application/json"), ("http://127.0.0.1:1", "application/json"),
        ("http://127.0.0.1", "application/json"), ("file://", "application/json"),
      ] {
        let answer = try await daemon.request(
          "POST", Self.path, body: Self.report,
          headers: [("origin", origin), ("content-type", type)])
        #expect(answer.status == 403 && answer.reason == "forbidden_origin", "\(origin)")
        #expect(answer.header("access-control-allow-origin") == nil)
      }
      let batch = try await daemon.request(
        "POST", "/v1/batch", body: Data(#"{"requests":[]}"#.utf8),
        headers: [("origin", "https://evil.example"), Self.json])
      #expect(batch.reason == "forbidden_origin")
      let own = [("origin", daemon.url)]
      let gone = try await daemon.request(
        "DELETE", Self.path + "/ok", headers: [("origin", "https://evil.example")])
      #expect(gone.reason == "forbidden_origin")
      #expect(try await daemon.get("/v1/layers/users/positions/page").status == 404)
      // The map page's own calls.
      #expect(
        try await daemon.request(
          "POST", Self.path, body: Self.report, headers: own + [Self.json]
        ).status == 200)
      #expect(try await daemon.request("DELETE", Self.path + "/page", headers: own).status == 200)
      // A stranger may ask; its browser will not let it read.
      let stranger = try await daemon.request(
        "GET", "/v1/layers", headers: [("origin", "https://evil.example")])
      #expect(stranger.status == 200 && stranger.header("access-control-allow-origin") == nil)
    }
  }

  /// Forms send other types without asking first.
  @Test func pagesWriteJSONOnly() async throws {
    try await RunningDaemon.run(corsOrigins: ["https://map.example"]) { daemon in
      for origin in ["https://map.example", daemon.url] {
        for (type, status) in [
          ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("text/json", 415),
          ("text/plain; application/json", 415), ("Application/JSON; charset=utf-8", 200),
        ] {
          let answer = try await daemon.request(
            "POST", Self.path, body: Self.report,
            headers: [("origin", origin), ("content-type", type)])
          #expect(answer.status == status, "\(origin) \(type): \(answer.text)")
          if status == 415 { #expect(answer.reason == "unsupported_media_type") }
          let allowed = answer.header("access-control-allow-origin")
          #expect(allowed == (origin == daemon.url ? nil : origin))
        }
        let untyped = try await daemon.request(
          "POST", Self.path, body: Self.report, headers: [("origin", origin)])
        #expect(untyped.status == 415)
      }
    }
  }
}
