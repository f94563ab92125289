import Foundation
import GeoMath
import GzipCoding
import Identity
import MoyeoAPI
import LiveLayers
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
  /// The tile has more features than one answer may; each of those in it says so too.
  let isTruncated: Bool
}

/// What the short half of a tile's call comes to.
enum TileLookup: Sendable {
  /// The caller's copy is current, or the tile is kept.
  case answer(TileAnswer)
  /// The tile has to be read, which may take long.
  case read(@Sendable () async throws -> TileAnswer)
}

/// Reads one tile and encodes it.
struct TileReader: Sendable {
  let layer: Layer
  let address: TileAddress
  let marginUnits: UInt64
  let filter: ObjectFilter
  let featureLimit: Int
  let now: ObjectModel.Instant
  /// Whether it is noted who sees the tile.
  var isNoted = false

  func version() throws(APIError) -> UInt64 {
    do {
      return try layer.tileVersion(address, marginUnits: marginUnits, filter: filter)
    } catch {
      throw APIError(error)
    }
  }

  func read(
    _ format: TileAnswer.Format, isGzipped: Bool
  ) throws(APIError) -> TileCache.Tile {
    do throws(LayerError) {
      let tile = try layer.tile(
        address, marginUnits: marginUnits, filter: filter, limit: featureLimit, now: now)
      let features = tile.features.map { TileFeature($0, isOfMany: tile.isTruncated) }
      let plain =
        format == .mvt
        ? VectorTileEncoder.encode(layer: layer.name, tile: address, features: features)
        : GeoJSONTile.encode(features)
      let isPacked = isGzipped && !plain.isEmpty
      return TileCache.Tile(
        bytes: isPacked ? GzipEncoder.fast.compress(plain) : plain, isGzipped: isPacked,
        version: tile.version, omittedCount: tile.omittedCount, isTruncated: tile.isTruncated,
        expiresAt: tile.expiresAt,
        shownIDs: isNoted ? tile.features.compactMap { $0.object?.id } : [])
    } catch {
      throw APIError(error)
    }
  }
}

extension ClusterOperations {
  /// Points up to this far outside the tile are drawn in it too, so that markers at a seam are
  /// whole: 64 of 4,096 tile units, 8 pixels of 512.
  private static let margin = 64.0 / 4096

  /// Reads a tile, or finds that the caller's copy is current.
  ///
  /// - Parameters:
  ///   - request: Which tile, filtered how.
  ///   - acceptsGzip: Whether the caller reads gzip.
  ///   - caller: Who is shown the tile.
  /// - Returns: The tile, or that the caller has it.
  /// - Throws: `APIError`.
  func tile(
    _ request: Moyeo_V1_GetTileRequest, acceptsGzip: Bool, caller: Caller
  ) async throws -> TileAnswer {
    switch try await lookUpTile(request, acceptsGzip: acceptsGzip, caller: caller) {
    case .answer(let answer): answer
    case .read(let read): try await read()
    }
  }

  /// Finds what needs no read of the tile: that the caller's copy is current, which is what most polls
  /// come to, or that the tile is kept. It is short enough for an event loop.
  ///
  /// - Throws: `APIError`.
  func lookUpTile(
    _ request: Moyeo_V1_GetTileRequest, acceptsGzip: Bool, caller: Caller
  ) async throws -> TileLookup {
    let layer = try await services.clusteredLayer(
      request.layerIfSet,
      minVersion: request.minVersionIfSet)
    let address = try address(of: request)
    let format = try format(of: request)
    let filter = try services.filter(
      tags: request.tags, tagMatch: request.tagMatchIfSet,
      notTags: request.notTags, conditions: request.where)
    let reader = TileReader(
      layer: layer, address: address,
      marginUnits: UInt64(Double(address.sideUnits) * Self.margin), filter: filter,
      featureLimit: layers.limits.clustersPerAnswer, now: layers.clock.now(),
      isNoted: disclosures?.covers(layer: layer.name) ?? false)
    let key = TileCache.Key(
      layer: layer.name, address: address, format: format, isGzipped: acceptsGzip,
      filter: filter.fingerprint)
    let known = request.ifNoneMatchIfSet
    let version = try reader.version()
    switch tileCache?.lookup(key, version: version, now: reader.now) ?? .miss {
    case .hit(let tile):
      try note(tile, layer, caller)
      return .answer(answer(tile, key, reader, known: known, version: tile.version))
    case .outlived: break
    case .miss:
      let current = answer(nil, key, reader, known: known, version: version)
      if let known, Self.matches(known, current.etag) { return .answer(current) }
    }
    return .read {
      let tile = try await services.shared.onPool(
        if: layer.isHeavyRead(
          in: address.bounds, zoom: address.zoom, filter: filter, limit: reader.featureLimit)
      ) { _ throws(APIError) in
        try reader.read(format, isGzipped: acceptsGzip)
      }
      tileCache?.keep(tile, for: key)
      try note(tile, layer, caller)
      return answer(tile, key, reader, known: known, version: tile.version)
    }
  }

  /// The answer with a tile, or without one where only its version is known; `known` are the tags of
  /// the copies that the caller has.
  private func answer(
    _ tile: TileCache.Tile?, _ key: TileCache.Key, _ reader: TileReader, known: String?,
    version: UInt64
  ) -> TileAnswer {
    let layer = reader.layer
    let etag = etag(key, version, omitted: tile?.omittedCount ?? 0)
    let isKnown = known.map { Self.matches($0, etag) } ?? false
    return TileAnswer(
      bytes: isKnown ? nil : tile?.bytes,
      contentType: key.format == .mvt ? VectorTileEncoder.mediaType : GeoJSONTile.mediaType,
      etag: etag, isGzipped: tile?.isGzipped ?? key.isGzipped, version: layer.clusterVersion.text,
      lagMilliseconds: Int(layer.clusterLagMilliseconds(now: reader.now)),
      emptyIsNoContent: layer.settings.emptyTileIsNoContent,
      isTruncated: tile?.isTruncated ?? false)
  }

  private func note(
    _ tile: TileCache.Tile, _ layer: Layer, _ caller: Caller
  ) throws(APIError) {
    try disclosures?.take(
      Disclosure(to: caller, by: "GetTile", layer: layer.name, ids: tile.shownIDs))
  }

  private func address(of request: Moyeo_V1_GetTileRequest) throws(APIError) -> TileAddress {
    for (field, given) in [("zoom", request.hasZoom), ("x", request.hasX), ("y", request.hasY)] {
      guard given else { throw APIError(.missingField, field: field, "\(field) is required") }
    }
    let maximum = layers.limits.maximumZoom
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
  /// read, how many objects expired before the clusters show it, format, encoding and filter.
  private func etag(_ key: TileCache.Key, _ version: UInt64, omitted: Int) -> String {
    let kind = key.format.rawValue + (key.isGzipped ? "z" : "")
    let parts = [
      String(layers.epoch, radix: 16), String(StableHash.hash64(key.layer), radix: 16),
      String(version, radix: 16) + (omitted > 0 ? "." + String(omitted, radix: 16) : ""), kind,
      String(key.filter, radix: 16),
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

  func tileMessage(
    _ request: Moyeo_V1_GetTileRequest, caller: Caller
  ) async throws -> [UInt8] {
    let answer = try await tile(request, acceptsGzip: false, caller: caller)
    var response = Moyeo_V1_GetTileResponse()
    response.tile = Data(answer.bytes ?? [])
    response.contentType = answer.contentType
    response.etag = answer.etag
    response.notModified = answer.bytes == nil
    response.version = answer.version
    response.lagMilliseconds = Int32(clamping: answer.lagMilliseconds)
    response.truncated = answer.isTruncated
    return try encoded(response)
  }
}
