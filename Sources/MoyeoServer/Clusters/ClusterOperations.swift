import Foundation
import GeoMath
import MoyeoAPI
import Threading
import LiveLayers
import ObjectModel
import PointClustering
import SwiftProtobuf
import WireFormat
import QueryCoalescing

/// The unary calls of ClusterService, but for tiles (see `ClusterOperations+Tiles.swift`).
struct ClusterOperations: Sendable {
  let services: RequestServices
  /// `nil` reads and encodes each tile anew.
  var tileCache: TileCache? = TileCache()
  /// Where it is kept who was shown whose position; `nil`: nowhere.
  var disclosures: (any DisclosureLog)?

  var layers: LayerRegistry { services.layers }
  var validation: RequestValidation { services.validation }

  var all: [Operation] {
    let service = "ClusterService"
    let layer = "/v1/layers/{layer}"
    return [
      Operation(
        service, "GetTile", request: Moyeo_V1_GetTileRequest.self,
        response: Moyeo_V1_GetTileResponse.self,
        routes: []
      ) { request, context in try await tileMessage(request, caller: context.caller) },
      Operation(
        service, "GetClusters", request: Moyeo_V1_GetClustersRequest.self,
        response: Moyeo_V1_GetClustersResponse.self, routes: [.init("GET", layer + "/clusters")],
        throttleScope: { $0.layer }
      ) { request, _ in try await clusters(request) },
      Operation(
        service, "GetChildren", request: Moyeo_V1_GetChildrenRequest.self,
        response: Moyeo_V1_GetChildrenResponse.self,
        routes: [.init("GET", layer + "/clusters/{clusterId}/children")]
      ) { request, _ in try await children(request) },
      Operation(
        service, "GetLeaves", request: Moyeo_V1_GetLeavesRequest.self,
        response: Moyeo_V1_GetLeavesResponse.self,
        routes: [.init("GET", layer + "/clusters/{clusterId}/leaves")]
      ) { request, _ in try await leaves(request) },
      Operation(
        service, "GetExpansionZoom", request: Moyeo_V1_GetExpansionZoomRequest.self,
        response: Moyeo_V1_GetExpansionZoomResponse.self,
        routes: [.init("GET", layer + "/clusters/{clusterId}/expansion-zoom")]
      ) { request, _ in try await expansionZoom(request) },
    ]
  }

  private func clusterID(_ text: String?) throws(APIError) -> ClusterID {
    guard let text else {
      throw APIError(.missingField, field: "clusterId", "clusterId is required")
    }
    guard let id = ClusterID(hexadecimal: text) else {
      throw APIError(
        .badClusterID, field: "clusterId", "a cluster id is 16 hex digits; got \(quoted(text))")
    }
    return id
  }

  private func clusters(_ request: Moyeo_V1_GetClustersRequest) async throws -> [UInt8] {
    let layer = try await services.clusteredLayer(
      request.layerIfSet,
      minVersion: request.minVersionIfSet)
    let box = try validation.box(
      west: request.westIfSet, south: request.southIfSet,
      east: request.eastIfSet, north: request.northIfSet)
    guard let box else {
      throw APIError(.missingField, field: "west", "a viewport needs west, south, east and north")
    }
    let zoom = try zoom(of: request, box: box)
    let limit = try validation.limit(
      request.limitIfSet, default: layers.limits.clustersPerAnswer,
      maximum: layers.limits.clustersPerAnswer)
    let filter = try services.filter(
      tags: request.tags, tagMatch: request.tagMatchIfSet,
      notTags: request.notTags, conditions: request.where)
    let now = layers.clock.now()
    let work: @Sendable (WorkCaller) throws(APIError) -> SharedReads.Answer = {
      _ throws(APIError) in
      var response = Moyeo_V1_GetClustersResponse()
      do throws(LayerError) {
        let shown = try layer.mapFeatures(
          in: box, zoom: zoom, filter: filter, limit: limit, now: now)
        response.clusters = shown.features.map { message(of: $0) }
        response.truncated = shown.isTruncated
      } catch {
        throw APIError(error)
      }
      response.zoom = Int32(zoom)
      response.version = layer.clusterVersion.text
      response.lagMilliseconds = Int32(clamping: layer.clusterLagMilliseconds(now: now))
      return SharedReads.Answer(bytes: try encoded(response))
    }
    // A short read is worked out on the spot; a long one, while it runs, for all who ask the same.
    // Nothing is kept: clusters follow their objects, and do not know when one of them expires.
    guard layer.isHeavyRead(in: box, zoom: zoom, filter: filter, limit: limit) else {
      return SharedReads.Shared(answer: try work(WorkCaller()), ageSeconds: 0, isCoalesced: false)
        .encoded(age: 6, coalesced: 7)
    }
    let demand = try services.demand(
      staleness: nil, minVersion: request.minVersionIfSet)
    return try await services.shared.heavy(
      Self.question(request), demand, version: { layer.clusterVersion.counter }, now: now, work
    ).encoded(age: 6, coalesced: 7)
  }

  /// Equal for requests that have the same answer.
  private static func question(_ request: Moyeo_V1_GetClustersRequest) -> SharedReads.Question {
    var question = request
    question.clearMaxStalenessSeconds()
    question.clearMinVersion()
    question.tags = QuerySnapping.words(request.tags)
    question.notTags = QuerySnapping.words(request.notTags)
    return SharedReads.Question(call: "GetClusters", question)
  }

  /// The zoom asked for, rounded down, or the one whose pixels (512 a tile) are that large.
  private func zoom(of request: Moyeo_V1_GetClustersRequest, box: GeoBox) throws(APIError) -> Int {
    let maximum = layers.limits.maximumZoom
    if request.hasZoom && request.hasMetersPerPixel {
      throw APIError(
        .conflictingFields, field: "metersPerPixel", "give zoom or metersPerPixel, not both")
    }
    if request.hasMetersPerPixel {
      guard request.metersPerPixel > 0 && request.metersPerPixel.isFinite else {
        throw APIError(
          .limitOutOfRange, field: "metersPerPixel",
          "metersPerPixel is above 0; got \(request.metersPerPixel)")
      }
      let latitude = max(-85, min(85, (box.south + box.north) / 2))
      let worldMeters = MercatorPoint.metersPerUnit(latitude: latitude) * 4_294_967_296
      let zoom = log2(worldMeters / (512 * request.metersPerPixel))
      return Int(max(0, min(Double(maximum), (zoom + 1e-9).rounded(.down))))
    }
    guard request.hasZoom else {
      throw APIError(.missingField, field: "zoom", "zoom or metersPerPixel is required")
    }
    guard request.zoom >= 0 && request.zoom < Double(maximum + 1) else {
      throw APIError(
        .limitOutOfRange, field: "zoom", "zoom is 0 to \(maximum); got \(request.zoom)")
    }
    return Int(request.zoom)
  }

  private func children(_ request: Moyeo_V1_GetChildrenRequest) async throws -> [UInt8] {
    let layer = try await services.clusteredLayer(
      request.layerIfSet,
      minVersion: request.minVersionIfSet)
    let id = try clusterID(request.clusterIDIfSet)
    var response = Moyeo_V1_GetChildrenResponse()
    do {
      response.clusters = try layer.children(of: id, now: layers.clock.now()).map {
        message(of: $0)
      }
    } catch {
      throw APIError(error)
    }
    response.version = layer.clusterVersion.text
    return try encoded(response)
  }

  private func leaves(_ request: Moyeo_V1_GetLeavesRequest) async throws -> [UInt8] {
    let layer = try await services.clusteredLayer(
      request.layerIfSet,
      minVersion: request.minVersionIfSet)
    let id = try clusterID(request.clusterIDIfSet)
    let limit = try validation.limit(
      request.limitIfSet, default: layers.limits.defaultHits,
      maximum: layers.limits.hits)
    let now = layers.clock.now()
    // Members before the cursor are passed over one by one.
    let isHeavy = request.hasCursor && id.zoom < 12
    return try await services.shared.onPool(if: isHeavy) { _ throws(APIError) in
      var writer = ProtobufWriter(capacity: 64 + limit * 160)
      do throws(LayerError) {
        let page = try layer.leaves(
          of: id, limit: limit, cursor: request.cursorIfSet, now: now)
        for object in page.objects { writer.hit(1, object, now: now) }
        if let next = page.nextCursor { writer.string(2, next) }
      } catch {
        throw APIError(error)
      }
      writer.string(3, layer.clusterVersion.text)
      return writer.bytes
    }
  }

  private func expansionZoom(_ request: Moyeo_V1_GetExpansionZoomRequest) async throws -> [UInt8] {
    let layer = try await services.clusteredLayer(
      request.layerIfSet,
      minVersion: request.minVersionIfSet)
    let id = try clusterID(request.clusterIDIfSet)
    var response = Moyeo_V1_GetExpansionZoomResponse()
    do {
      if let zoom = try layer.expansionZoom(of: id) { response.expansionZoom = Int32(zoom) }
    } catch {
      throw APIError(error)
    }
    response.version = layer.clusterVersion.text
    return try encoded(response)
  }
}

extension ProtobufWriter {
  /// A `Hit` without distance as field `number`.
  mutating func hit(_ number: Int, _ object: ObjectSnapshot, now: ObjectModel.Instant) {
    var body = ProtobufWriter(capacity: 64 + object.payload.count)
    body.string(1, object.id)
    body.double(2, object.latitude)
    body.double(3, object.longitude)
    body.double(6, Double(max(0, now.milliseconds(since: object.observedAt))) / 1000)
    object.payload.withUnsafeBytes { body.raw($0) }
    message(number, body)
  }
}
