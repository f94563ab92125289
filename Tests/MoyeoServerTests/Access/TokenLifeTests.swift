import Foundation
import GRPCCore
import Identity
import MoyeoAPI
import ObjectModel
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// Streams that end with their token, tokens in addresses, and the pages that need none.
@Suite("The life of a token", .timeLimit(.minutes(10))) struct TokenLifeTests {
  private static let watch = "/v1/layers/users/watch?latitude=37.5&longitude=127&radiusMeters=500"

  private static func report(_ daemon: RunningDaemon) async throws {
    let answer = try await daemon.send(
      "POST", "/v1/layers/users/positions",
      #"{"positions":[{"id":"x","latitude":37.5,"longitude":127,"ttlSeconds":0}]}"#, as: "server")
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test("Server-sent events end with their token, and say so")
  func events() async throws {
    try await RunningDaemon.runWithTokens { daemon in
      try await Self.report(daemon)
      var reader = try await ServerSentEventReader(daemon.url + Self.watch, token: "ann")
      #expect(reader.status == 200)
      daemon.clock.advance(milliseconds: 600_000)
      var last: ServerSentEventReader.Event?
      while let event = try await reader.next() { last = event }
      #expect(last?.kind == "error")
      let error = last?.json["error"] as? [String: Any]
      #expect(error?["reason"] as? String == "token_expired")
    }
  }

  @Test("A gRPC stream ends with its token, and says so")
  func grpcStream() async throws {
    try await RunningDaemon.runWithTokens { daemon in
      try await Self.report(daemon)
      var request = Moyeo_V1_WatchPositionsRequest()
      request.layer = "users"
      request.latitude = 37.5
      request.longitude = 127
      request.radiusMeters = 500
      let refusal = try await GRPCRefusal.of {
        try await daemon.positions.watch(
          request: ClientRequest(
            message: request, metadata: ["authorization": "Bearer ann"])
        ) { response in
          daemon.clock.advance(milliseconds: 600_000)
          for try await _ in response.messages {}
        }
      }
      #expect(refusal.reason == "token_expired")
      #expect(refusal.code == .unauthenticated)
    }
  }

  @Test("Reports by stream: a person for themselves, each message under a token that holds")
  func reports() async throws {
    for usesFastPath in [true, false] {
      try await RunningDaemon.runWithTokens(usesFastPath: usesFastPath) { daemon in
        func send(_ ids: [String], register: [String] = [], as token: String, late: Bool = false)
          async throws -> Int32
        {
          try await daemon.positions.streamReports(
            metadata: ["authorization": "Bearer \(token)"]
          ) { writer in
            var message = Moyeo_V1_StreamReportsRequest()
            message.layer = "users"
            message.positions = ids.map { id in
              .with {
                $0.id = id
                $0.latitude = 37.5
                $0.longitude = 127
              }
            }
            if !register.isEmpty { message.register.ids = register }
            if late { daemon.clock.advance(milliseconds: 600_000) }
            try await writer.write(message)
          } onResponse: { response in
            var accepted: Int32 = 0
            for try await answer in response.messages { accepted += answer.accepted }
            return accepted
          }
        }
        #expect(try await send(["ann"], as: "ann") == 1)
        #expect(try await send(["ann", "ben"], as: "server") == 2)
        for (ids, register) in [(["ben"], []), (["ann", "ben"], []), ([], ["ann"])] {
          let refusal = try await GRPCRefusal.of {
            _ = try await send(ids, register: register, as: "ann")
          }
          #expect(refusal.reason == "forbidden", "\(ids) \(register)")
        }
        #expect(
          try await GRPCRefusal.of { _ = try await send(["ann"], as: "reader") }.reason
            == "forbidden")
        let late = try await GRPCRefusal.of { _ = try await send(["ann"], as: "ann", late: true) }
        #expect(late.reason == "token_expired")
      }
    }
  }

  @Test("A token in the address reads tiles and events, if it lives an hour at most")
  func address() async throws {
    try await RunningDaemon.runWithTokens { daemon in
      try await Self.report(daemon)
      let tile = "/v1/layers/users/tiles/3/6/3.mvt"
      #expect(try await daemon.get(tile + "?access_token=ann").status == 200)
      #expect(try await daemon.get(tile + "?tags=a&access_token=ann").status == 200)
      #expect(try await daemon.get(tile).reason == "unauthenticated")
      #expect(try await daemon.get(tile + "?access_token=").reason == "unauthenticated")
      #expect(try await daemon.get(tile + "?access_token=forged").reason == "unauthenticated")
      #expect(try await daemon.get(tile + "?access_token=expired").reason == "token_expired")
      #expect(try await daemon.get(tile + "?access_token=nothing").reason == "forbidden")
      #expect(try await daemon.get(tile + "?access_token=long").reason == "forbidden")
      #expect(
        try await daemon.get(tile + "?access_token=ann&access_token=ben").reason
          == "malformed_request")
      let json = try await daemon.get("/v1/layers/users/tiles.json?access_token=ann")
      let tiles = json.object["tiles"] as? [String]
      #expect(tiles?.first?.hasSuffix(".mvt?access_token=ann") == true, "\(json.text)")
      var reader = try await ServerSentEventReader(daemon.url + Self.watch + "&access_token=ann")
      #expect(reader.status == 200)
      _ = try await reader.nextBlock()
      // Everywhere else the token stands in a header, or nowhere.
      let nearby = "/v1/layers/users/nearby?latitude=37.5&longitude=127&access_token=ann"
      #expect(try await daemon.get(nearby).reason == "unauthenticated")
      // As a person who reads: the feed is for services.
      let events = try await ServerSentEventReader(
        daemon.url + "/v1/events?access_token=reading-server")
      #expect(try await events.refusalReason() == "forbidden")
    }
  }

  @Test(
    "Headers that are no bearer's",
    arguments: [
      "", "Bearer", "Bearer ", "Basic YW5uOmFubg==", "ann", "Bearerann", "Bearer forged",
      "Bearer ann ben",
    ])
  func headers(header: String) async throws {
    try await RunningDaemon.runWithTokens { daemon in
      let answer = try await daemon.request(
        "GET", "/v1/layers", headers: [("authorization", header)])
      #expect(answer.status == 401)
      #expect(answer.reason == "unauthenticated")
      #expect(answer.header("www-authenticate") == "Bearer")
      let good = try await daemon.request(
        "GET", "/v1/layers", headers: [("authorization", "bEARER  server")])
      #expect(good.status == 200)
    }
  }

  @Test("Whether it lives and is ready everybody may ask; what it measures services alone")
  func pages() async throws {
    try await RunningDaemon.runWithTokens { daemon in
      for path in ["/healthz", "/readyz", "/openapi.json"] {
        let answer = try await daemon.get(path)
        #expect(answer.status == 200, "\(path)")
      }
      #expect(try await daemon.get("/metrics").reason == "unauthenticated")
      #expect(try await daemon.send("GET", "/metrics", as: "ann").reason == "forbidden")
      #expect(try await daemon.send("GET", "/metrics", as: "server").status == 200)
      #expect(try await daemon.get("/page-config.json").object["authMode"] as? String == "tokens")
    }
  }

  @Test("Open mode asks nobody")
  func open() async throws {
    try await RunningDaemon.run { daemon in
      let forged = try await daemon.send("GET", "/v1/layers", as: "forged")
      #expect(forged.status == 200)
      #expect(try await daemon.get("/v1/layers").status == 200)
      #expect(try await daemon.get("/page-config.json").object["authMode"] as? String == "open")
      #expect(try await daemon.get("/metrics").status == 200)
    }
  }
}
