import AsyncHTTPClient
import DurableCommands
import Foundation
import GRPCCore
import Identity
import MoyeoAPI
import NIOCore
import NIOHTTP1
import ObjectModel
import SwiftProtobuf
import Testing
import TestSupport
import Threading

@testable import MoyeoServer

/// Every way in which a position is shown is noted, and none is shown while that is not possible.
@Suite("Disclosures") struct DisclosureTests {
  /// Keeps entries in memory, or refuses them.
  private final class MemoryLog: DisclosureLog {
    struct Seen: Hashable {
      let call: String
      let layer: String
      let ids: [String]
    }

    private let seen = StateLock<[Seen]>([])
    private let failure = StateLock<DisclosureLogError?>(nil)

    func covers(layer: String) -> Bool { layer == "users" || layer == "tickets" }

    func note(_ disclosure: Disclosure) throws(DisclosureLogError) {
      if let failure = failure.withLock({ $0 }) { throw failure }
      seen.withLock {
        $0.append(
          Seen(call: disclosure.call, layer: disclosure.layer, ids: disclosure.ids.sorted()))
      }
    }

    var figures: DisclosureFigures {
      DisclosureFigures(written: UInt64(seen.withLock { $0.count }), waitingBytes: 0)
    }

    func fail(with error: DisclosureLogError?) { failure.withLock { $0 = error } }

    /// What was noted since it was asked last.
    func take() -> [Seen] {
      seen.withLock { seen in
        defer { seen = [] }
        return seen
      }
    }
  }

  private static func run(
    usesFastPath: Bool = true,
    _ body: @Sendable (RunningDaemon, MemoryLog) async throws -> Void
  ) async throws {
    let log = MemoryLog()
    var settings = Daemon.Configuration()
    settings.disclosures = log
    try await RunningDaemon.run(settings: settings, usesFastPath: usesFastPath) { daemon in
      for layer in ["users", "bikes"] {
        _ = try await daemon.positions.report(
          .with {
            $0.layer = layer
            $0.positions = ["a", "b"].map { id in
              .with {
                $0.id = id
                $0.latitude = 37.5
                $0.longitude = id == "a" ? 127.0 : 127.001
              }
            }
          })
      }
      try await body(daemon, log)
    }
  }

  private static func get(_ daemon: RunningDaemon, _ path: String) async throws -> (UInt, String) {
    var request = HTTPClientRequest(url: daemon.url + path)
    request.headers.add(name: "accept", value: "application/json")
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    let body = try await response.body.collect(upTo: 1 << 20)
    return (response.status.code, String(buffer: body))
  }

  private static func expect(_ status: UInt, of path: String, _ daemon: RunningDaemon) async throws
  {
    let answer = try await get(daemon, path)
    #expect(answer.0 == status, "\(answer.1)")
  }

  /// Waits until clusters and tiles show what was reported; leaves that look in the log.
  private static func showTiles(_ daemon: RunningDaemon, _ log: MemoryLog? = nil) async throws {
    let path = "/v1/layers/users/clusters?west=126.9&south=37.4&east=127.1&north=37.6&zoom=18"
    let version = try #require(
      try await get(daemon, "/v1/layers/users/" + nearby).1
        .split(separator: "\"version\":\"").last?.split(separator: "\"").first)
    _ = log?.take()
    try await expect(200, of: path + "&minVersion=\(version)", daemon)
  }

  private static func expectDone(_ request: HTTPClientRequest) async throws {
    let status = try await HTTPClient.shared.execute(request, timeout: .seconds(30)).status
    #expect(status == .ok)
  }

  private static let nearby = "nearby?latitude=37.5&longitude=127&limit=5"

  @Test("over gRPC, in front of the framework or not", arguments: [true, false])
  func overGRPC(usesFastPath: Bool) async throws {
    try await Self.run(usesFastPath: usesFastPath) { daemon, log in
      let hits = try await daemon.positions.nearby(
        .with {
          $0.layer = "users"
          $0.latitude = 37.5
          $0.longitude = 127
        })
      #expect(hits.hits.count == 2)
      #expect(log.take() == [.init(call: "Nearby", layer: "users", ids: ["a", "b"])])
      _ = try await daemon.positions.get(
        .with {
          $0.layer = "users"
          $0.id = "b"
        })
      #expect(log.take() == [.init(call: "Get", layer: "users", ids: ["b"])])
      let area: @Sendable (inout Moyeo_V1_WithinRequest) -> Void = {
        $0.layer = "users"
        $0.west = 126.9
        $0.south = 37.4
        $0.east = 127.1
        $0.north = 37.6
      }
      _ = try await daemon.positions.within(.with(area))
      #expect(log.take() == [.init(call: "Within", layer: "users", ids: ["a", "b"])])
      _ = try await daemon.positions.nearbyBatch(
        .with {
          $0.layer = "users"
          $0.requests = [
            .with {
              $0.latitude = 37.5
              $0.longitude = 127
              $0.limit = 1
            }
          ]
        })
      #expect(log.take() == [.init(call: "NearbyBatch", layer: "users", ids: ["a"])])
      let first = try await daemon.positions.watch(
        .with {
          $0.layer = "users"
          $0.latitude = 37.5
          $0.longitude = 127
          $0.radiusMeters = 1000
        }
      ) { response in
        for try await event in response.messages where event.kind != "reset" { return event.id }
        return ""
      }
      #expect(["a", "b"].contains(first))
      let watched = log.take()
      #expect(
        Set(watched.flatMap(\.ids)) == ["a", "b"] && watched.allSatisfy { $0.call == "Watch" })
      // Of another layer nothing is noted.
      _ = try await daemon.positions.nearby(
        .with {
          $0.layer = "bikes"
          $0.latitude = 37.5
          $0.longitude = 127
        })
      #expect(log.take().isEmpty)
    }
  }

  @Test("over HTTP, one by one and in a batch") func overHTTP() async throws {
    try await Self.run { daemon, log in
      try await Self.expect(200, of: "/v1/layers/users/" + Self.nearby, daemon)
      #expect(log.take() == [.init(call: "Nearby", layer: "users", ids: ["a", "b"])])
      try await Self.expect(200, of: "/v1/layers/bikes/" + Self.nearby, daemon)
      #expect(log.take().isEmpty)
      var post = HTTPClientRequest(url: daemon.url + "/v1/layers/users/nearby")
      post.method = .POST
      post.headers.add(name: "content-type", value: "application/json")
      post.body = .bytes(Array(#"{"latitude":37.5,"longitude":127,"limit":1}"#.utf8))
      try await Self.expectDone(post)
      #expect(log.take() == [.init(call: "Nearby", layer: "users", ids: ["a"])])
      var batch = HTTPClientRequest(url: daemon.url + "/v1/batch")
      batch.method = .POST
      batch.headers.add(name: "content-type", value: "application/json")
      let item = #"{"method":"GET","path":"/v1/layers/users/positions/b"}"#
      batch.body = .bytes(Array(#"{"requests":[\#(item)]}"#.utf8))
      try await Self.expectDone(batch)
      #expect(log.take() == [.init(call: "Get", layer: "users", ids: ["b"])])
    }
  }

  @Test("in tiles and clusters, kept tiles included") func inTiles() async throws {
    try await Self.run { daemon, log in
      try await Self.showTiles(daemon, log)
      #expect(log.take() == [.init(call: "GetClusters", layer: "users", ids: ["a", "b"])])
      // Zoom 18 around 37.5 N 127 E; the two stand 88 m apart.
      let tile = "/v1/layers/users/tiles/18/223550/101576"
      for suffix in [".mvt", ".mvt", ".json"] {
        let (status, _) = try await Self.get(daemon, tile + suffix)
        #expect(status == 200)
        #expect(log.take() == [.init(call: "GetTile", layer: "users", ids: ["a"])])
      }
    }
  }

  @Test("no position is shown that cannot be noted") func refusedWhileItFails() async throws {
    try await Self.run { daemon, log in
      // A tile that shows nobody yet has nothing to be noted.
      try await Self.showTiles(daemon)
      log.fail(with: .failing("disk full"))
      let refused = try await Self.get(daemon, "/v1/layers/users/" + Self.nearby)
      #expect(refused.0 == 503 && refused.1.contains("unavailable"))
      try await Self.expect(503, of: "/v1/layers/users/tiles/18/223550/101576.mvt", daemon)
      log.fail(with: .full)
      let full = try await Self.get(daemon, "/v1/layers/users/" + Self.nearby)
      #expect(full.1.contains("overloaded"))
      try await Self.expect(200, of: "/v1/layers/bikes/" + Self.nearby, daemon)
      log.fail(with: nil)
      try await Self.expect(200, of: "/v1/layers/users/" + Self.nearby, daemon)
    }
  }

  /// Whether a message holds a place beside an id, itself or in what it holds.
  private static func holdsPlace(_ schema: MessageSchema, _ path: Set<String> = []) -> Bool {
    guard !path.contains(schema.name) else { return false }
    let names = Set(schema.fields.map(\.jsonName))
    if names.isSuperset(of: ["latitude", "longitude"]),
      names.contains("id") || names.contains("userId")
    {
      return true
    }
    return schema.fields.contains { field in
      guard case .message(let name) = field.kind, let inner = MessageSchema.all[name] else {
        return false
      }
      return holdsPlace(inner, path.union([schema.name]))
    }
  }

  @Test("a new read that shows objects needs a row") func everyReadIsKnown() async throws {
    try await RunningDaemon.run(parties: MemoryStore()) { daemon in
      let reads =
        daemon.room.operations.filter(\.isRead).map { ($0.name, $0.responseSchema) }
        + daemon.room.streamOperations.map { ($0.name, $0.responseSchema) }
      // Places have names and addresses; nobody moves.
      let places: Set<String> = ["PlaceSearch", "PlaceReverse"]
      var noted = 0
      for (name, schema) in reads where Self.holdsPlace(schema) && !places.contains(name) {
        noted += 1
        #expect(ShownObjects.reader(of: schema) != nil, "\(name)")
      }
      #expect(noted >= 9)
    }
  }
}
