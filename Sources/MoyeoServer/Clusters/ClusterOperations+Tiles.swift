import Foundation
import GeoMath
import MoyeoAPI
import MoyeoEngine
import ObjectModel
import PointClustering
import VectorTiles

/// What a tile request comes to, the same for gRPC and HTTP.
struct TileAnswer: Sendable {
  enum Format: String, Sendable {
    case mvt, json
  }

  /// `nil` when the caller's copy is current.
  let bytes: [UInt8]?
  let contentType: String
  /// Strong, in quotes.
  let etag: String
  let isGzipped: Bool
  let version: String
  let lagMilliseconds: Int
  let emptyIsNoContent: Bool
}

extension ClusterOperations {
  /// Points up to this far outside the tile are drawn in it too, so that markers at a seam are
  /// whole: 64 of 4,096 tile units, 8 pixels of 512.
  private static let margin = 64.0 / 4096

  func tile(
    _ request: Moyeo_V1_GetTileRequest, acceptsGzip: Bool
  ) async throws -> TileAnswer {
    let layer = try await layer(
      request.hasLayer ? request.layer : nil,
      minVersion: request.hasMinVersion ? request.minVersion : nil)
    let address = try address(of: request)
    let format = try format(of: request)
    let filter = try positions.filter(
      tags: request.tags, tagMatch: request.hasTagMatch ? request.tagMatch : nil,
      notTags: request.notTags, excludeIDs: [], conditions: request.where, maxAgeSeconds: nil)
    let marginUnits = UInt64(Double(address.sideUnits) * Self.margin)
    let now = engine.clock.now()
    func answer(_ bytes: [UInt8]?, version: UInt64, isGzipped: Bool) -> TileAnswer {
      TileAnswer(
        bytes: bytes,
        contentType: format == .mvt ? VectorTileEncoder.mediaType : GeoJSONTile.mediaType,
        etag: etag(layer, version, format, isGzipped: acceptsGzip, filter),
        isGzipped: isGzipped, version: layer.clusterVersion.text,
        lagMilliseconds: Int(layer.clusterLagMilliseconds(now: now)),
        emptyIsNoContent: layer.settings.emptyTileIsNoContent)
    }
    do throws(EngineError) {
      if request.hasIfNoneMatch {
        // Without reading the tile: this is what most polls come to.
        let version = try layer.tileVersion(address, marginUnits: marginUnits, filter: filter)
        let current = answer(nil, version: version, isGzipped: acceptsGzip)
        if Self.matches(request.ifNoneMatch, current.etag) { return current }
      }
      let tile = try layer.tile(address, marginUnits: marginUnits, filter: filter, now: now)
      let features = tile.features.map { TileFeature($0) }
      let plain =
        format == .mvt
        ? VectorTileEncoder.encode(layer: layer.name, tile: address, features: features)
        : GeoJSONTile.encode(features)
      let packed = acceptsGzip && !plain.isEmpty
      return answer(
        packed ? GzipEncoder.fast.compress(plain) : plain, version: tile.version,
        isGzipped: packed)
    } catch {
      throw APIError(error)
    }
  }

  private func address(of request: Moyeo_V1_GetTileRequest) throws(APIError) -> TileAddress {
    for (field, given) in [("zoom", request.hasZoom), ("x", request.hasX), ("y", request.hasY)] {
      guard given else { throw APIError(.missingField, field: field, "\(field) is required") }
    }
    let maximum = engine.limits.maximumZoom
    guard (0...maximum).contains(Int(request.zoom)) else {
      throw APIError(.badTile, field: "zoom", "zoom is 0 to \(maximum); got \(request.zoom)")
    }
    guard
      let address = TileAddress(
        zoom: Int(request.zoom), x: Int(request.x), y: Int(request.y))
    else {
      let last = (1 << Int(request.zoom)) - 1
      let field = (0...last).contains(Int(request.x)) ? "y" : "x"
      throw APIError(
        .badTile, field: field,
        "at zoom \(request.zoom) x and y are 0 to \(last); got \(request.x), \(request.y)")
    }
    return address
  }

  private func format(of request: Moyeo_V1_GetTileRequest) throws(APIError) -> TileAnswer.Format {
    guard request.hasFormat else { return .mvt }
    guard let format = TileAnswer.Format(rawValue: request.format) else {
      throw APIError(
        .badValue, field: "format", "format is mvt or json; got \(quoted(request.format))")
    }
    return format
  }

  /// Changes whenever the bytes could: this start, the layer, the newest change among the blocks
  /// read, format, encoding and filter.
  private func etag(
    _ layer: Layer, _ version: UInt64, _ format: TileAnswer.Format, isGzipped: Bool,
    _ filter: ObjectFilter
  ) -> String {
    let kind = format.rawValue + (isGzipped ? "z" : "")
    let parts = [
      String(engine.epoch, radix: 16), String(StableHash.hash64(layer.name), radix: 16),
      String(version, radix: 16), kind, String(filter.fingerprint, radix: 16),
    ]
    return "\"" + parts.joined(separator: "-") + "\""
  }

  /// RFC 9110, If-None-Match: a list of tags, weak comparison, or `*`.
  static func matches(_ header: String, _ etag: String) -> Bool {
    header.split(separator: ",").contains { part in
      let tag = part.trimmingCharacters(in: .whitespaces)
      return tag == "*" || tag == etag || tag == "W/" + etag
    }
  }

  func tileMessage(_ request: Moyeo_V1_GetTileRequest) async throws -> [UInt8] {
    let answer = try await tile(request, acceptsGzip: false)
    var response = Moyeo_V1_GetTileResponse()
    response.tile = Data(answer.bytes ?? [])
    response.contentType = answer.contentType
    response.etag = answer.etag
    response.notModified = answer.bytes == nil
    response.version = answer.version
    response.lagMilliseconds = Int32(clamping: answer.lagMilliseconds)
    return try encoded(response)
  }
}
