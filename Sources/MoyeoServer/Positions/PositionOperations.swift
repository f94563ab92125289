import MoyeoAPI
import LiveLayers
import ObjectModel

/// The calls of PositionService.
struct PositionOperations: Sendable {
  let services: RequestServices
  let reportReader: ReportReader
  let nearbyReader: NearbyReader

  init(services: RequestServices) {
    self.services = services
    reportReader = ReportReader(limits: services.limits, tagCache: services.tagCache)
    nearbyReader = NearbyReader(validation: services.validation, tagCache: services.tagCache)
  }

  var layers: LayerRegistry { services.layers }
  var shared: SharedReads { services.shared }
  var validation: RequestValidation { services.validation }

  private static let service = "PositionService"
  private static let layer = "/v1/layers/{layer}"

  /// The unary ones.
  var all: [Operation] {
    (layers.sharing.map(sharedWrites) ?? ownWrites) + shortReads + nearbyCalls + otherCalls
  }

  /// Writes of a daemon whose positions are its own.
  private var ownWrites: [Operation] {
    let (service, layer) = (Self.service, Self.layer)
    return [
      Operation(
        onEventLoop: service, "Report", request: Moyeo_V1_ReportRequest.self,
        response: Moyeo_V1_ReportResponse.self,
        routes: [.init("POST", layer + "/positions")], maximumRequestBytes: 4 << 20,
        isRead: false, encodedHandler: reportOnEventLoop, pool: shared,
        longHandler: { request, _ throws(APIError) in try report(request) }
      ) { request throws(APIError) in try report(request) },
      Operation(
        onEventLoop: service, "Remove", request: Moyeo_V1_RemovePositionRequest.self,
        response: Moyeo_V1_RemovePositionResponse.self,
        routes: [.init("DELETE", layer + "/positions/{id}")], isRead: false
      ) { request throws(APIError) in try remove(request) },
    ]
  }

  private var shortReads: [Operation] {
    [
      Operation(
        onEventLoop: Self.service, "Get", request: Moyeo_V1_GetPositionRequest.self,
        response: Moyeo_V1_GetPositionResponse.self,
        routes: [.init("GET", Self.layer + "/positions/{id}")]
      ) { request throws(APIError) in try get(request) }
    ]
  }

  private var nearbyCalls: [Operation] {
    let (service, layer) = (Self.service, Self.layer)
    return [
      Operation(
        onEventLoop: service, "Nearby", request: Moyeo_V1_NearbyRequest.self,
        response: Moyeo_V1_NearbyResponse.self,
        routes: [.init("GET", layer + "/nearby"), .init("POST", layer + "/nearby")],
        encodedHandler: nearbyOnEventLoop, throttleScope: { $0.layer }, pool: shared,
        longHandler: { request, caller throws(APIError) in try nearby(request, .pool(caller)) }
      ) { request throws(APIError) in try nearby(request, .eventLoop) },
      Operation(
        onEventLoop: service, "NearbyBatch", request: Moyeo_V1_NearbyBatchRequest.self,
        response: Moyeo_V1_NearbyBatchResponse.self,
        routes: [.init("POST", layer + "/nearby/batch")], maximumRequestBytes: 4 << 20,
        encodedHandler: { bytes throws(APIError) in try nearbyBatch(bytes, .eventLoop) },
        pool: shared,
        longHandler: { request, caller throws(APIError) in
          try nearbyBatch(request, .pool(caller))
        },
        longEncodedHandler: { bytes, caller throws(APIError) in
          try nearbyBatch(bytes, .pool(caller))
        }
      ) { request throws(APIError) in try nearbyBatch(request, .eventLoop) },
    ]
  }

  /// None of which is short enough for an event loop whatever it asks.
  private var otherCalls: [Operation] {
    let (service, layer) = (Self.service, Self.layer)
    return [
      Operation(
        service, "Within", request: Moyeo_V1_WithinRequest.self,
        response: Moyeo_V1_WithinResponse.self,
        routes: [.init("GET", layer + "/within"), .init("POST", layer + "/within")],
        throttleScope: { $0.layer }, pool: shared
      ) { request, _ in try await within(request) },
      Operation(
        service, "TagHistogram", request: Moyeo_V1_TagHistogramRequest.self,
        response: Moyeo_V1_TagHistogramResponse.self, routes: [.init("GET", layer + "/tags")]
      ) { request, _ in try await tagHistogram(request) },
      Operation(
        service, "ListLayers", request: Moyeo_V1_ListLayersRequest.self,
        response: Moyeo_V1_ListLayersResponse.self,
        routes: [.init("GET", "/v1/layers")]
      ) { _, _ in try listLayers() },
      Operation(
        service, "DeleteLayer", request: Moyeo_V1_DeleteLayerRequest.self,
        response: Moyeo_V1_DeleteLayerResponse.self, routes: [.init("DELETE", layer)], isRead: false
      ) { request, _ in try await deleteLayer(request) },
    ]
  }
}
