import GeoMath
import Identity
import MoyeoAPI
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
