import GeoMath
import HTTPTypes
import HummingbirdCore
import Identity
import MoyeoAPI
import NIOCore
import ObjectModel
import SwiftProtobuf
import Testing

@testable import LiveLayers
@testable import MoyeoServer
import QueryCoalescing

/// Kept tiles: the same bytes and tags as without, whatever happens to the layer.
@Suite struct TileCacheTests {
  private static let start = ObjectModel.Instant(seconds: 1_700_000_000)

  private struct City {
    let layers: LayerRegistry
    let clock: ManualClock
    let layer: Layer
    let cached: ClusterOperations
    let plain: ClusterOperations

    init(limits: LayerLimits = LayerLimits()) throws {
      clock = ManualClock(TileCacheTests.start)
      var configuration = LayerRegistryConfiguration()
      configuration.limits = limits
      layers = LayerRegistry(configuration: configuration, clock: clock, epoch: 3)
      layer = try layers.layerForReports("users")
      let services = RequestServices(layers: layers)
      cached = ClusterOperations(services: services)
      plain = ClusterOperations(services: services, tileCache: nil)
    }

    func report(
      _ id: String, _ latitude: Double, _ longitude: Double, tags: [String] = [],
      ttlMilliseconds: Int64 = 0
    ) {
      let report = PositionReport(
        id: id, latitude: latitude, longitude: longitude, tags: tags,
        ttlMilliseconds: ttlMilliseconds)
      _ = layer.report([report], now: clock.now(), limits: layers.limits)
    }

    func settle() { while layer.feed.flush() {} }

    func request(_ zoom: Int, tags: [String] = [], format: String = "mvt")
      -> Moyeo_V1_GetTileRequest
    {
      let address = TileAddress(
        containing: MercatorPoint(latitude: 37.5, longitude: 127), zoom: zoom)
      var request = Moyeo_V1_GetTileRequest()
      request.layer = "users"
      request.zoom = Int32(zoom)
      request.x = Int32(address.x)
      request.y = Int32(address.y)
      request.format = format
      request.tags = tags
      return request
    }
  }

  @Test(arguments: [1 as UInt64, 2, 3])
  func cachedOrNotTheBytesAreTheSame(seed: UInt64) async throws {
    let city = try City()
    var generator = SplitMix64(seed: seed)
    for round in 0..<30 {
      for _ in 0..<5 {
        city.report(
          "user-\(Int.random(in: 0..<40, using: &generator))",
          37.5 + Double.random(in: -0.01...0.01, using: &generator),
          127 + Double.random(in: -0.01...0.01, using: &generator),
          tags: Bool.random(using: &generator) ? ["swift"] : ["go"],
          ttlMilliseconds: round % 3 == 0 ? 2_000 : 0)
      }
      if round % 2 == 0 { city.settle() }
      // Some objects expire before the clusters show it.
      city.clock.advance(milliseconds: 400)
      if round % 5 == 4 { city.layers.reclaimExpired() }
      for zoom in [0, 9, 14, 17] {
        for tags in [[], ["swift"]] {
          for acceptsGzip in [false, true] {
            let request = city.request(zoom, tags: tags, format: round % 2 == 0 ? "mvt" : "json")
            for _ in 0..<2 {
              let cached = try await city.cached.tile(
                request, acceptsGzip: acceptsGzip, caller: .open)
              let plain = try await city.plain.tile(
                request, acceptsGzip: acceptsGzip, caller: .open)
              #expect(cached.bytes == plain.bytes, "zoom \(zoom), round \(round)")
              #expect(cached.etag == plain.etag && cached.isGzipped == plain.isGzipped)
            }
          }
        }
      }
    }
    let statistics = try #require(city.cached.tileCache).statistics
    #expect(statistics.hits > 0 && statistics.misses > 0)
  }

  @Test func aKnownTileIsNotSentAndAnExpiryMakesItUnknown() async throws {
    let city = try City()
    city.report("a", 37.5, 127, ttlMilliseconds: 1_000)
    city.report("b", 37.6, 127.3)
    city.settle()
    var request = city.request(12)
    request.ifNoneMatch = try await city.cached.tile(request, acceptsGzip: false, caller: .open)
      .etag
    #expect(try await city.cached.tile(request, acceptsGzip: false, caller: .open).bytes == nil)
    city.clock.advance(milliseconds: 1_500)
    // The clusters do not know yet, the answer does.
    let answer = try await city.cached.tile(request, acceptsGzip: false, caller: .open)
    #expect(answer.bytes != nil && answer.etag != request.ifNoneMatch)
    request.ifNoneMatch = answer.etag
    #expect(try await city.cached.tile(request, acceptsGzip: false, caller: .open).bytes == nil)
  }

  /// The step that leaves the event loop, counted: once, for the only read.
  @Test func aTileThatTheCallerHasIsAnsweredOnTheEventLoop() async throws {
    let city = try City()
    city.report("a", 37.5, 127)
    city.settle()
    let asked = city.request(12)
    let route = try #require(
      TileRoutes(clusters: city.cached).all.first { $0.name == "GetTileMVT" })
    var timesLeft = 0
    func get(_ known: String?) async throws -> Response {
      var head = HTTPRequest(method: .get, scheme: "http", authority: "here", path: "/tile")
      head.headerFields[.ifNoneMatch] = known
      let parameters = [
        ("layer", "users"), ("zoom", "12"), ("x", "\(asked.x)"), ("y", "\(asked.y)"),
      ]
      let step = try await route.begin(
        parameters.map { (name: $0.0, value: $0.1) },
        Request(head: head, body: RequestBody(buffer: ByteBuffer())), caller: .open, token: nil)
      switch step {
      case .response(let response): return response
      case .longer(let work):
        timesLeft += 1
        return try await work()
      }
    }
    let first = try await get(nil)
    #expect(first.status == .ok && timesLeft == 1)
    let tag = try #require(first.headers[.eTag])
    // Known to the caller and kept; kept alone; changed, so that it has to be read again.
    #expect(try await get(tag).status == .notModified && timesLeft == 1)
    #expect(try await get(nil).status == .ok && timesLeft == 1)
    city.report("b", 37.5, 127)
    city.settle()
    #expect(try await get(tag).status == .ok && timesLeft == 2)
    // Known without being kept.
    let plain = TileRoutes(clusters: city.plain).all.first { $0.name == "GetTileMVT" }
    let last = try #require(try await get(nil).headers[.eTag])
    guard
      case .response(let response) = try await #require(plain).begin(
        [("layer", "users"), ("zoom", "12"), ("x", "\(asked.x)"), ("y", "\(asked.y)")],
        Request(
          head: HTTPRequest(
            method: .get, scheme: "http", authority: "here", path: "/tile",
            headerFields: [.ifNoneMatch: last]), body: RequestBody(buffer: ByteBuffer())),
        caller: .open, token: nil)
    else {
      Issue.record("a tile that the caller has left the event loop")
      return
    }
    #expect(response.status == .notModified)
  }

  @Test func aTileWithTooManyFeaturesSaysSo() async throws {
    var limits = LayerLimits()
    limits.clustersPerAnswer = 3
    let city = try City(limits: limits)
    for n in 0..<5 { city.report("user-\(n)", 37.5 + Double(n) * 1e-5, 127) }
    city.settle()
    let request = city.request(17, format: "json")
    let answer = try await city.cached.tile(request, acceptsGzip: false, caller: .open)
    #expect(answer.isTruncated)
    let text = String(decoding: answer.bytes ?? [], as: UTF8.self)
    #expect(text.split(separator: #""truncated":true"#).count == 4)
    // Over gRPC as HTTP's header.
    let message = try await city.cached.tileMessage(request, caller: .open)
    #expect(try Moyeo_V1_GetTileResponse(serializedBytes: message).truncated)
    #expect(
      try await !city.cached.tile(city.request(10), acceptsGzip: false, caller: .open).isTruncated)
  }
}
