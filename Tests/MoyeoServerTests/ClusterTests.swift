import Foundation
import GRPCCore
import MoyeoAPI
import LiveLayers
import ObjectModel
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// ClusterService over the wire: what a map sees is what the layer holds.
@Suite struct ClusterTests {
  /// 600 people around three places, 40 of them at one spot.
  private static func people() -> [String] {
    var generator = SplitMix64(seed: 11)
    let centres = [(37.56, 126.98), (37.50, 127.03), (35.16, 129.16)]
    return (0..<600).map { i in
      let tag = i % 10 == 0 ? "swift" : "go"
      if i >= 560 {
        return #"{"id":"c\#(i)","latitude":37.517829,"longitude":126.88627,"tags":["\#(tag)"]}"#
      }
      let centre = centres[i % 3]
      let latitude = centre.0 + Double.random(in: -0.02...0.02, using: &generator)
      let longitude = centre.1 + Double.random(in: -0.02...0.02, using: &generator)
      return
        #"{"id":"p\#(i)","latitude":\#(latitude),"longitude":\#(longitude),"tags":["\#(tag)"],"attributes":{"level":\#(i % 7)}}"#
    }
  }

  private static let world = "west=-180&south=-90&east=180&north=90"

  private static func counts(_ answer: HTTPAnswer) -> [Int] {
    clusters(answer).compactMap { $0["pointCount"] as? Int }
  }

  private static func clusters(_ answer: HTTPAnswer) -> [[String: Any]] {
    answer.object["clusters"] as? [[String: Any]] ?? []
  }

  /// Runs `body` with 600 people whose clusters are current.
  private static func withPeople(
    _ body: @Sendable (RunningDaemon, _ version: String) async throws -> Void
  ) async throws {
    try await RunningDaemon.run { daemon in
      let answer = try await daemon.report(people())
      let version = try #require(answer.object["version"] as? String)
      try await body(daemon, version)
    }
  }

  @Test func countsSumToTheLayerAtEveryZoom() async throws {
    try await Self.withPeople { daemon, version in
      for zoom in 0...22 {
        let answer = try await daemon.get(
          "/v1/layers/users/clusters?\(Self.world)&zoom=\(zoom)&minVersion=\(version)")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(Self.counts(answer).reduce(0, +) == 600, "zoom \(zoom)")
        #expect(answer.object["zoom"] as? Int == zoom)
        #expect(answer.object["age"] as? Double == 0)
        #expect(answer.object["coalesced"] as? Bool == false)
      }
    }
  }

  @Test func aFilterCountsMatchesOnly() async throws {
    try await Self.withPeople { daemon, version in
      for zoom in [0, 7, 12, 16, 20] {
        let base = "/v1/layers/users/clusters?\(Self.world)&zoom=\(zoom)&minVersion=\(version)"
        let swift = try await daemon.get(base + "&tags=swift")
        #expect(Self.counts(swift).reduce(0, +) == 60)
        let none = try await daemon.get(base + "&tags=swift&tags=go")
        #expect(Self.counts(none).isEmpty)
        let any = try await daemon.get(base + "&tags=swift&tags=go&tagMatch=any")
        #expect(Self.counts(any).reduce(0, +) == 600)
        let not = try await daemon.get(base + "&notTags=swift")
        #expect(Self.counts(not).reduce(0, +) == 540)
        let level = try await daemon.get(
          base + "&where=%7B%22attribute%22%3A%22level%22%2C%22min%22%3A6%7D")
        let wanted = (0..<560).count { $0 % 7 == 6 }
        #expect(Self.counts(level).reduce(0, +) == wanted)
      }
    }
  }

  @Test func coincidentObjectsStayOneFeatureWhoseMembersAreListed() async throws {
    try await Self.withPeople { daemon, version in
      let answer = try await daemon.get(
        "/v1/layers/users/clusters?west=126.88&south=37.51&east=126.89&north=37.52&zoom=20"
          + "&minVersion=\(version)")
      let spot = try #require(Self.clusters(answer).first { $0["coincident"] as? Bool == true })
      #expect(spot["pointCount"] as? Int == 40)
      #expect((spot["sampleIds"] as? [String])?.count == 10)
      #expect(spot["expansionZoom"] == nil)
      let id = try #require(spot["id"] as? String)
      #expect(id.utf8.count == 16)
      var ids: Set<String> = []
      var cursor = ""
      repeat {
        let page = try await daemon.get(
          "/v1/layers/users/clusters/\(id)/leaves?limit=15" + cursor)
        for leaf in page.ids { #expect(ids.insert(leaf).inserted) }
        cursor = page.cursor.map { "&cursor=\($0)" } ?? ""
      } while !cursor.isEmpty
      #expect(ids == Set((560..<600).map { "c\($0)" }))
      let zoom = try await daemon.get("/v1/layers/users/clusters/\(id)/expansion-zoom")
      #expect(zoom.status == 200 && zoom.object["expansionZoom"] == nil)
    }
  }

  @Test func childrenAddUpAndAppearAtTheExpansionZoom() async throws {
    try await Self.withPeople { daemon, version in
      let answer = try await daemon.get(
        "/v1/layers/users/clusters?\(Self.world)&zoom=5&minVersion=\(version)")
      for cluster in Self.clusters(answer) {
        let id = try #require(cluster["id"] as? String)
        guard let zoom = cluster["expansionZoom"] as? Int else { continue }
        let children = try await daemon.get("/v1/layers/users/clusters/\(id)/children")
        #expect(Self.counts(children).reduce(0, +) == cluster["pointCount"] as? Int)
        #expect(Self.counts(children).count > 1)
        let told = try await daemon.get("/v1/layers/users/clusters/\(id)/expansion-zoom")
        #expect(told.object["expansionZoom"] as? Int == zoom)
      }
    }
  }

  @Test func tilesAreTaggedPackedAndNotSentTwice() async throws {
    try await Self.withPeople { daemon, version in
      for format in ["mvt", "json"] {
        let path = "/v1/layers/users/tiles/6/54/24.\(format)?minVersion=\(version)"
        // The client asks for gzip and unpacks by itself unless told otherwise.
        let plain = [("accept-encoding", "identity")]
        let first = try await daemon.request("GET", path, headers: plain)
        #expect(first.status == 200 && first.header("content-encoding") == nil)
        #expect(first.header("cache-control") == "no-cache")
        let etag = try #require(first.header("etag"))
        #expect(etag.hasPrefix("\"") && etag.hasSuffix("\""))
        let again = try await daemon.request(
          "GET", path, headers: plain + [("if-none-match", etag)])
        #expect(again.status == 304 && again.body.isEmpty)
        #expect(again.header("etag") == etag)
        let packed = try await daemon.request("GET", path, headers: [("accept-encoding", "gzip")])
        #expect(packed.header("content-encoding") == "gzip")
        #expect(packed.header("etag") != etag)
        #expect(packed.body == first.body)
        // A change in the tile makes another tag; one far away does not.
        _ = try await daemon.report([#"{"id":"far","latitude":-33,"longitude":151}"#])
        let far = try await daemon.request(
          "GET", path, headers: plain + [("if-none-match", etag)])
        #expect(far.status == 304)
        let near = try await daemon.report([
          #"{"id":"near-\#(format)","latitude":37.56,"longitude":126.98}"#
        ])
        let newer = try #require(near.object["version"] as? String)
        let changed = try await daemon.request(
          "GET", "/v1/layers/users/tiles/6/54/24.\(format)?minVersion=\(newer)",
          headers: plain + [("if-none-match", etag)])
        #expect(changed.status == 200)
        #expect(changed.header("etag") != etag)
      }
    }
  }

  @Test func anEmptyTileIsEmpty() async throws {
    try await Self.withPeople { daemon, version in
      let tile = try await daemon.get("/v1/layers/users/tiles/6/0/0.mvt?minVersion=\(version)")
      #expect(tile.status == 200 && tile.body.isEmpty)
      let json = try await daemon.get("/v1/layers/users/tiles/6/0/0.json?minVersion=\(version)")
      #expect((json.object["features"] as? [Any])?.isEmpty == true)
    }
  }

  @Test func singlesInTilesKeepIdTagsAndAttributes() async throws {
    try await RunningDaemon.run { daemon in
      let answer = try await daemon.report([
        #"{"id":"solo","latitude":10,"longitude":20,"tags":["한글"],"attributes":{"level":3}}"#
      ])
      let version = try #require(answer.object["version"] as? String)
      let tile = try await daemon.get("/v1/layers/users/tiles/0/0/0.json?minVersion=\(version)")
      let feature = try #require((tile.object["features"] as? [[String: Any]])?.first)
      let properties = try #require(feature["properties"] as? [String: Any])
      #expect(properties["id"] as? String == "solo")
      #expect(properties["tags"] as? String == #"["한글"]"#)
      #expect(properties["level"] as? Int == 3)
      #expect(properties["cluster"] == nil)
    }
  }

  @Test func badAddressesAndIdsAreNamed() async throws {
    try await Self.withPeople { daemon, _ in
      let layer = "/v1/layers/users"
      let cases: [(path: String, reason: String, field: String?)] = [
        ("\(layer)/tiles/3/8/0.mvt", "bad_tile", "x"),
        ("\(layer)/tiles/3/0/-1.mvt", "bad_tile", "y"),
        ("\(layer)/tiles/23/0/0.mvt", "bad_tile", "zoom"),
        ("\(layer)/tiles/a/0/0.mvt", "malformed_request", "zoom"),
        ("\(layer)/tiles/0/0/0.png", "unknown_route", nil),
        ("\(layer)/tiles/0/0/0.mvt?nope=1", "unknown_field", "nope"),
        ("\(layer)/clusters?west=0&south=0&east=1&north=1", "missing_field", "zoom"),
        ("\(layer)/clusters?\(Self.world)&zoom=23", "limit_out_of_range", "zoom"),
        ("\(layer)/clusters?\(Self.world)&zoom=nan", "limit_out_of_range", "zoom"),
        (
          "\(layer)/clusters?\(Self.world)&metersPerPixel=0", "limit_out_of_range", "metersPerPixel"
        ),
        (
          "\(layer)/clusters?\(Self.world)&zoom=1&metersPerPixel=9", "conflicting_fields",
          "metersPerPixel"
        ),
        ("\(layer)/clusters/zz/children", "bad_cluster_id", "clusterId"),
        ("\(layer)/clusters/0005ffffffffffff/leaves", "unknown_cluster", "clusterId"),
        ("\(layer)/tiles/watch?\(Self.world)&zoom=22", "limit_out_of_range", "zoom"),
        ("\(layer)/tiles/watch?zoom=2", "missing_field", "west"),
        ("/v1/layers/none/tiles/0/0/0.mvt", "unknown_layer", "layer"),
      ]
      for (path, reason, field) in cases {
        let answer = try await daemon.get(path)
        #expect(answer.reason == reason, "\(path): \(answer.text)")
        #expect(answer.fields.first == field, "\(path): \(answer.text)")
      }
    }
  }

  @Test func aLayerMaySwitchClustersOff() async throws {
    var configuration = LayerRegistryConfiguration()
    configuration.layerSettings = { _ in
      var settings = LayerSettings()
      settings.clusters = false
      return settings
    }
    try await RunningDaemon.run(configuration: configuration) { daemon in
      _ = try await daemon.report([ReportTests.good])
      let tile = try await daemon.get("/v1/layers/users/tiles/0/0/0.mvt")
      #expect(tile.status == 409 && tile.reason == "clusters_off")
    }
  }

  @Test func expiredObjectsLeaveTheClusters() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([
        #"{"id":"a","latitude":37,"longitude":127,"ttlSeconds":5}"#,
        #"{"id":"b","latitude":37.001,"longitude":127,"ttlSeconds":60}"#,
      ])
      daemon.clock.advance(milliseconds: 6_000)
      daemon.layers.reclaimExpired()
      let layer = try daemon.layers.layer("users")
      let answer = try await daemon.get(
        "/v1/layers/users/clusters?\(Self.world)&zoom=3&minVersion=\(layer.version.text)")
      #expect(Self.clusters(answer).map { $0["id"] as? String } == ["b"])
    }
  }

  @Test func tileJSONNamesTheTiles() async throws {
    try await Self.withPeople { daemon, _ in
      let answer = try await daemon.get("/v1/layers/users/tiles.json")
      #expect(answer.object["tilejson"] as? String == "3.0.0")
      let url = try #require((answer.object["tiles"] as? [String])?.first)
      #expect(url == "\(daemon.url)/v1/layers/users/tiles/{z}/{x}/{y}.mvt")
    }
  }

  @Test func tileJSONTellsWhereTheObjectsAreAndWhatTheyCarry() async throws {
    try await RunningDaemon.run { daemon in
      let answer = try await daemon.report([
        #"{"id":"a","latitude":37.25,"longitude":126.5,"attributes":{"level":3,"gender":"female"}}"#,
        #"{"id":"b","latitude":37.75,"longitude":127.5,"attributes":{"level":"high","busy":true}}"#,
      ])
      let version = try #require(answer.object["version"] as? String)
      _ = try await daemon.get(
        "/v1/layers/users/clusters?\(Self.world)&zoom=0&minVersion=\(version)")
      func document() async throws -> (bounds: [Double], fields: [String: String]) {
        let object = try await daemon.get("/v1/layers/users/tiles.json").object
        let layer = try #require((object["vector_layers"] as? [[String: Any]])?.first)
        return (
          try #require(object["bounds"] as? [Double]),
          try #require(layer["fields"] as? [String: String])
        )
      }
      let (bounds, fields) = try await document()
      for (given, wanted) in zip(bounds, [126.5, 37.25, 127.5, 37.75]) {
        #expect(abs(given - wanted) < 1e-6)
      }
      #expect(fields["gender"] == "String" && fields["busy"] == "Boolean")
      #expect(fields["level"] == "Boolean, Number or String")
      #expect(fields["point_count"] == "Number: members")
      // Nobody is left: a map shows the world.
      for id in ["a", "b"] {
        _ = try await daemon.request("DELETE", "/v1/layers/users/positions/\(id)")
      }
      let layer = try daemon.layers.layer("users")
      _ = try await daemon.get(
        "/v1/layers/users/clusters?\(Self.world)&zoom=0&minVersion=\(layer.version.text)")
      #expect(try await document().bounds == [-180, -85.0511287798066, 180, 85.0511287798066])
    }
  }

  @Test func gRPCTellsOfChangedTiles() async throws {
    try await Self.withPeople { daemon, version in
      let client = Moyeo_V1_ClusterService.Client(wrapping: daemon.grpc)
      var request = Moyeo_V1_WatchTilesRequest()
      request.layer = "users"
      (request.west, request.south, request.east, request.north) = (126, 37, 128, 38)
      request.zoom = 8
      request.intervalMilliseconds = 50
      try await client.watchTiles(request) { response in
        var isFirst = true
        for try await event in response.messages {
          if isFirst {
            #expect(event.kind == "reset" && event.tiles.isEmpty)
            isFirst = false
            _ = try await daemon.report([#"{"id":"new","latitude":37.5,"longitude":127}"#])
          } else {
            #expect(event.kind == "changed")
            #expect(!event.tiles.isEmpty && event.tiles.allSatisfy { $0.zoom == 8 })
            break
          }
        }
      }
    }
  }
}
