import MoyeoAPI
import LiveLayers
import ObjectModel

/// The calls of PositionService.
struct PositionOperations: Sendable {
  let layers: LayerRegistry
  let reportReader: ReportReader
  let nearbyReader: NearbyReader
  let shared: SharedReads

  init(layers: LayerRegistry, shared: SharedReads = SharedReads()) {
    self.layers = layers
    self.shared = shared
    let tagCache = TagCache()
    reportReader = ReportReader(limits: layers.limits, tagCache: tagCache)
    nearbyReader = NearbyReader(limits: layers.limits, tagCache: tagCache)
  }

  var validation: RequestValidation { RequestValidation(limits: layers.limits) }

  /// The unary ones.
  var all: [Operation] {
    let service = "PositionService"
    let layer = "/v1/layers/{layer}"
    return [
      Operation(
        onEventLoop: service, "Report", Moyeo_V1_ReportRequest.self, Moyeo_V1_ReportResponse.self,
        routes: [.init("POST", layer + "/positions")], maximumRequestBytes: 4 << 20,
        isRead: false, encodedHandler: reportOnEventLoop, pool: shared,
        longHandler: { request, _ throws(APIError) in try report(request) }
      ) { request throws(APIError) in try report(request) },
      Operation(
        onEventLoop: service, "Get", Moyeo_V1_GetPositionRequest.self,
        Moyeo_V1_GetPositionResponse.self,
        routes: [.init("GET", layer + "/positions/{id}")]
      ) { request throws(APIError) in try get(request) },
      Operation(
        onEventLoop: service, "Remove", Moyeo_V1_RemovePositionRequest.self,
        Moyeo_V1_RemovePositionResponse.self,
        routes: [.init("DELETE", layer + "/positions/{id}")], isRead: false
      ) { request throws(APIError) in try remove(request) },
      Operation(
        onEventLoop: service, "Nearby", Moyeo_V1_NearbyRequest.self, Moyeo_V1_NearbyResponse.self,
        routes: [.init("GET", layer + "/nearby"), .init("POST", layer + "/nearby")],
        encodedHandler: nearbyOnEventLoop, throttleScope: { $0.layer }, pool: shared,
        longHandler: { request, caller throws(APIError) in try nearby(request, .pool(caller)) }
      ) { request throws(APIError) in try nearby(request, .eventLoop) },
      Operation(
        onEventLoop: service, "NearbyBatch", Moyeo_V1_NearbyBatchRequest.self,
        Moyeo_V1_NearbyBatchResponse.self,
        routes: [.init("POST", layer + "/nearby/batch")], maximumRequestBytes: 4 << 20,
        encodedHandler: nearbyBatchOnEventLoop, pool: shared,
        longHandler: { request, caller throws(APIError) in
          try nearbyBatch(request, .pool(caller))
        }
      ) { request throws(APIError) in try nearbyBatch(request, .eventLoop) },
      Operation(
        service, "Within", Moyeo_V1_WithinRequest.self, Moyeo_V1_WithinResponse.self,
        routes: [.init("GET", layer + "/within"), .init("POST", layer + "/within")],
        throttleScope: { $0.layer }
      ) { request, _ in try await within(request) },
      Operation(
        service, "TagHistogram", Moyeo_V1_TagHistogramRequest.self,
        Moyeo_V1_TagHistogramResponse.self, routes: [.init("GET", layer + "/tags")]
      ) { request, _ in try await tagHistogram(request) },
      Operation(
        service, "ListLayers", Moyeo_V1_ListLayersRequest.self, Moyeo_V1_ListLayersResponse.self,
        routes: [.init("GET", "/v1/layers")]
      ) { _, _ in try listLayers() },
      Operation(
        service, "DeleteLayer", Moyeo_V1_DeleteLayerRequest.self,
        Moyeo_V1_DeleteLayerResponse.self, routes: [.init("DELETE", layer)], isRead: false
      ) { request, _ in try await deleteLayer(request) },
    ]
  }

  /// Where a call runs, which says how much work it may do.
  enum Place {
    /// Some hundred microseconds; what takes longer throws ``APIError/isForPool``.
    case eventLoop
    /// What `limits.workPerRequest` allows, while somebody waits for it.
    case pool(WorkCaller)

    var isEventLoop: Bool { if case .eventLoop = self { true } else { false } }
  }

  /// Steps of work on an event loop: a step takes 2 to 100 ns.
  static let stepsOnEventLoop = 16_384
  /// A larger request takes longer to decode than an event loop should be kept.
  static let mostDecodedOnEventLoop = 64 * 1024

  func budget(_ place: Place) -> WorkBudget {
    switch place {
    case .eventLoop: WorkBudget(steps: min(Self.stepsOnEventLoop, layers.limits.workPerRequest))
    case .pool(let caller): caller.budget(steps: layers.limits.workPerRequest)
    }
  }

  /// What the layers refuses, at the place where it was asked.
  func refusal(_ error: LayerError, _ place: Place) -> APIError {
    if case .tooMuchWork = error, place.isEventLoop,
      layers.limits.workPerRequest > Self.stepsOnEventLoop
    {
      return .isForPool
    }
    return APIError(error)
  }

  /// What a read demands of a shared answer.
  func demand(staleness seconds: Double?, minVersion: String?) throws(APIError)
    -> SharedReads.Demand
  {
    var demand = SharedReads.Demand()
    demand.maximumStaleness = try shared.staleness(seconds)
    if let wanted = minVersion.flatMap({ LayerVersion(text: $0) }), wanted.epoch == layers.epoch {
      demand.minimumVersion = wanted.counter
    }
    return demand
  }

  /// The layer a read is about, at the version it asks for.
  func layer(_ name: String?, minVersion: String?) throws(APIError) -> Layer {
    let name = try validation.layerName(name)
    do {
      let layer = try layers.layer(name)
      try layer.require(minVersion: minVersion)
      return layer
    } catch {
      throw APIError(error)
    }
  }
}
