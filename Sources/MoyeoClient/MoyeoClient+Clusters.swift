import GRPCCore
public import MoyeoAPI
import NIOHTTP1

private typealias ClusterMethod = Moyeo_V1_ClusterService.Method

extension MoyeoClient {
  /// The clusters of a viewport. For one that moves there is ``ClusterViewport``.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer`, `clusters_off`, `bad_box` or `superseded`, where a
  ///   newer viewport of the session came.
  public func getClusters(_ request: Moyeo_V1_GetClustersRequest) async throws(MoyeoError)
    -> Moyeo_V1_GetClustersResponse
  {
    try await getClusters(request, headers: [])
  }

  func getClusters(
    _ request: Moyeo_V1_GetClustersRequest, headers: [(String, String)]
  ) async throws(MoyeoError) -> Moyeo_V1_GetClustersResponse {
    var parameters = request
    if case .http = transport { parameters.clearLayer() }
    return try await unary(
      parameters, ClusterMethod.GetClusters.descriptor, .get("layers", request.layer, "clusters"),
      headers: headers)
  }

  /// What a cluster falls into at its expansion zoom.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer`, `clusters_off` or `unknown_cluster`, as its id
  ///   belongs to another version of the layer.
  public func getChildren(layer: String, clusterID: String) async throws(MoyeoError)
    -> Moyeo_V1_GetChildrenResponse
  {
    var request = Moyeo_V1_GetChildrenRequest()
    if case .grpc = transport {
      request.layer = layer
      request.clusterID = clusterID
    }
    return try await unary(
      request, ClusterMethod.GetChildren.descriptor,
      .get("layers", layer, "clusters", clusterID, "children"))
  }

  /// The objects of a cluster, page by page.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer`, `clusters_off`, `unknown_cluster` or `bad_cursor`.
  public func getLeaves(_ request: Moyeo_V1_GetLeavesRequest) async throws(MoyeoError)
    -> Moyeo_V1_GetLeavesResponse
  {
    var parameters = request
    if case .http = transport {
      parameters.clearLayer()
      parameters.clearClusterID()
    }
    return try await unary(
      parameters, ClusterMethod.GetLeaves.descriptor,
      .get("layers", request.layer, "clusters", request.clusterID, "leaves"))
  }

  /// The zoom at which a cluster falls apart; absent for coincident objects.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer`, `clusters_off` or `unknown_cluster`.
  public func getExpansionZoom(layer: String, clusterID: String) async throws(MoyeoError)
    -> Moyeo_V1_GetExpansionZoomResponse
  {
    var request = Moyeo_V1_GetExpansionZoomRequest()
    if case .grpc = transport {
      request.layer = layer
      request.clusterID = clusterID
    }
    return try await unary(
      request, ClusterMethod.GetExpansionZoom.descriptor,
      .get("layers", layer, "clusters", clusterID, "expansion-zoom"))
  }

  /// A map tile: MVT, or GeoJSON when `format` is `json`; `notModified` while `ifNoneMatch` holds.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer`, `clusters_off` or `bad_tile`, outside the world of
  ///   its zoom.
  public func getTile(_ request: Moyeo_V1_GetTileRequest) async throws(MoyeoError)
    -> Moyeo_V1_GetTileResponse
  {
    guard case .http(let http) = transport else {
      return try await unary(request, ClusterMethod.GetTile.descriptor, .get())
    }
    var parameters = request
    parameters.clearLayer()
    parameters.clearZoom()
    parameters.clearX()
    parameters.clearY()
    parameters.clearFormat()
    parameters.clearIfNoneMatch()
    let suffix = request.format == "json" ? "json" : "mvt"
    let route = HTTPRoute.get(
      "layers", request.layer, "tiles", "\(request.zoom)", "\(request.x)",
      "\(request.y).\(suffix)")
    let query: String
    do { query = try HTTPRoute.query(parameters) } catch {
      throw .badEndpoint("the tile request has no JSON form: \(error)")
    }
    let answer = try await repeating(
      .read, headers: request.hasIfNoneMatch ? [("If-None-Match", request.ifNoneMatch)] : []
    ) { (headers, timeout) async throws(MoyeoError) -> HTTPTransport.Answer in
      let answer = try await http.send(
        "GET", route.path + query, headers: headers, timeout: timeout)
      guard answer.status == 304 || (200..<300).contains(answer.status) else {
        throw answer.error
      }
      return answer
    }
    var response = Moyeo_V1_GetTileResponse()
    response.etag = answer.headers.first(name: "ETag") ?? ""
    if answer.status == 304 {
      response.notModified = true
    } else {
      response.tile = .init(answer.body)
      response.contentType = answer.headers.first(name: "Content-Type") ?? ""
    }
    return response
  }
}
