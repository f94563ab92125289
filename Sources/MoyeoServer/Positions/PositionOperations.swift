import MoyeoAPI
import MoyeoEngine

/// The calls of PositionService.
struct PositionOperations: Sendable {
  let engine: Engine
  let reportReader: ReportReader
  let nearbyReader: NearbyReader
  let shared: SharedReads

  init(engine: Engine, shared: SharedReads = SharedReads()) {
    self.engine = engine
    self.shared = shared
    let tagCache = TagCache()
    reportReader = ReportReader(limits: engine.limits, tagCache: tagCache)
    nearbyReader = NearbyReader(limits: engine.limits, tagCache: tagCache)
  }

  var validation: RequestValidation { RequestValidation(limits: engine.limits) }

  /// The unary ones.
  var all: [Operation] {
    let service = "PositionService"
    let layer = "/v1/layers/{layer}"
    return [
      Operation(
        inPlace: service, "Report", Moyeo_V1_ReportRequest.self, Moyeo_V1_ReportResponse.self,
        routes: [.init("POST", layer + "/positions")], maximumRequestBytes: 4 << 20,
        isRead: false, encodedHandler: reportInPlace
      ) { request throws(APIError) in try report(request) },
      Operation(
        inPlace: service, "Get", Moyeo_V1_GetPositionRequest.self,
        Moyeo_V1_GetPositionResponse.self,
        routes: [.init("GET", layer + "/positions/{id}")]
      ) { request throws(APIError) in try get(request) },
      Operation(
        inPlace: service, "Remove", Moyeo_V1_RemovePositionRequest.self,
        Moyeo_V1_RemovePositionResponse.self,
        routes: [.init("DELETE", layer + "/positions/{id}")], isRead: false
      ) { request throws(APIError) in try remove(request) },
      Operation(
        inPlace: service, "Nearby", Moyeo_V1_NearbyRequest.self, Moyeo_V1_NearbyResponse.self,
        routes: [.init("GET", layer + "/nearby"), .init("POST", layer + "/nearby")],
        encodedHandler: nearbyInPlace, throttleScope: { $0.layer }
      ) { request throws(APIError) in try nearby(request) },
      Operation(
        inPlace: service, "NearbyBatch", Moyeo_V1_NearbyBatchRequest.self,
        Moyeo_V1_NearbyBatchResponse.self,
        routes: [.init("POST", layer + "/nearby/batch")], maximumRequestBytes: 4 << 20,
        encodedHandler: nearbyBatchInPlace
      ) { request throws(APIError) in try nearbyBatch(request) },
      Operation(
        service, "Within", Moyeo_V1_WithinRequest.self, Moyeo_V1_WithinResponse.self,
        routes: [.init("GET", layer + "/within"), .init("POST", layer + "/within")],
        throttleScope: { $0.layer }
      ) { request, _ in try await within(request) },
      Operation(
        service, "TagHistogram", Moyeo_V1_TagHistogramRequest.self,
        Moyeo_V1_TagHistogramResponse.self, routes: [.init("GET", layer + "/tags")]
      ) { request, _ in try tagHistogram(request) },
      Operation(
        service, "ListLayers", Moyeo_V1_ListLayersRequest.self, Moyeo_V1_ListLayersResponse.self,
        routes: [.init("GET", "/v1/layers")]
      ) { _, _ in try listLayers() },
    ]
  }

  /// What a read demands of a shared answer.
  func demand(staleness seconds: Double?, minVersion: String?) throws(APIError)
    -> SharedReads.Demand
  {
    var demand = SharedReads.Demand()
    demand.maximumStaleness = try shared.staleness(seconds)
    if let wanted = minVersion.flatMap({ LayerVersion(text: $0) }), wanted.epoch == engine.epoch {
      demand.minimumVersion = wanted.counter
    }
    return demand
  }

  /// The layer a read is about, at the version it asks for.
  func layer(_ name: String?, minVersion: String?) throws(APIError) -> Layer {
    let name = try validation.layerName(name)
    do {
      let layer = try engine.layer(name)
      try layer.require(minVersion: minVersion)
      return layer
    } catch {
      throw APIError(error)
    }
  }
}
