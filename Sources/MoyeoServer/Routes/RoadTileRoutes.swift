import GeoMath
import HTTPTypes
import HummingbirdCore
import MoyeoAPI
import NIOCore
import ObjectModel
import RoutePlanning
import Threading
import VectorTiles

/// Roads as vector tiles, for maps that have nothing else to draw at street zoom.
struct RoadTileRoutes: Sendable {
  let roads: (any RoadMap)?
  private let waiting = StateLock(0)

  init(roads: (any RoadMap)?) { self.roads = roads }

  /// Stretches of road in one tile.
  static let maximumRoads = 4000
  /// A tile of a lesser zoom holds more roads than a tile should.
  private static let zooms = 14...18
  /// Tiles that are read or wait for it, of a tenant's callers: each takes some milliseconds.
  private static let maximumWaiting = 64
  /// Units around the tile up to which lines go on, so that none ends at the edge.
  private static let marginUnits: Int64 = 128
  private static let extent: Int64 = 4096
  private static let template = "/v1/roads/tiles/{zoom}/{x}/{y}.mvt"
  /// What the map page is told, in the names that map libraries have for the numbers.
  static let pagePath = "v1/roads/tiles/{z}/{x}/{y}.mvt"

  var all: [RawRoute] {
    let side = (1 << Self.zooms.upperBound) - 1
    return [
      RawRoute(
        "GetRoadTile", "GET", template: Self.template, request: nil,
        answers: VectorTileEncoder.mediaType, service: "RoadService",
        pathNumbers: ["zoom": Self.zooms, "x": 0...side, "y": 0...side]
      ) { parameters, request, _, _ in
        guard request.uri.query?.isEmpty ?? true else {
          throw APIError(.unknownField, "this route takes no parameters")
        }
        let tile = try Self.address(parameters)
        let known = request.headers[.ifNoneMatch]
        return .longer { try await response(tile, known: known) }
      }
    ]
  }

  private static func address(
    _ parameters: [(name: String, value: String)]
  ) throws(APIError) -> TileAddress {
    func number(_ name: String) throws(APIError) -> Int {
      let text = parameters.first { $0.name == name }?.value ?? ""
      guard let number = Int(text), number >= 0, text == String(number) else {
        throw APIError(.badTile, field: name, "\(name) is a whole number; got \(quoted(text))")
      }
      return number
    }
    let (zoom, x, y) = (try number("zoom"), try number("x"), try number("y"))
    guard zooms.contains(zoom) else {
      throw APIError(
        .badTile, field: "zoom",
        "roads are told at zooms \(zooms.lowerBound) to \(zooms.upperBound); got \(zoom)")
    }
    guard let tile = TileAddress(zoom: zoom, x: x, y: y) else {
      throw APIError(
        .badTile, field: "x", "x and y are 0 to \((1 << zoom) - 1) at zoom \(zoom); got \(x), \(y)")
    }
    return tile
  }

  private func response(_ tile: TileAddress, known: String?) async throws -> Response {
    let bytes = try await read(tile)
    // What is loaded stays as it is until the next start; tokens make it private.
    let digest = String(bytes.withUnsafeBytes { StableHash.hash64($0) }, radix: 16)
    let etag = "\"\(digest)\""
    var headers: HTTPFields = [.eTag: etag, .cacheControl: "private, max-age=3600"]
    if known == etag || known == "W/" + etag {
      return Response(status: .notModified, headers: headers)
    }
    guard !bytes.isEmpty else { return Response(status: .noContent, headers: headers) }
    headers[.contentType] = VectorTileEncoder.mediaType
    headers[.contentLength] = "\(bytes.count)"
    return Response(
      status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// - Returns: The tile's bytes; none where no road is.
  /// - Throws: `overloaded` where too many wait, `unavailable` where the roads cannot be read.
  private func read(_ tile: TileAddress) async throws -> [UInt8] {
    guard let roads else { return [] }
    let isRoom = waiting.withLock { count in
      guard count < Self.maximumWaiting else { return false }
      count += 1
      return true
    }
    guard isRoom else { throw APIError(.overloaded, "too many tiles of roads are read; try again") }
    defer { waiting.withLock { $0 -= 1 } }
    let found: [Road]
    do {
      found = try await roads.roads(in: tile.bounds, limit: Self.maximumRoads)
    } catch {
      try Task.checkCancellation()
      throw APIError(.unavailable, "the roads cannot be read")
    }
    return Self.encode(found, tile)
  }

  /// Lines in the order of their speed, so that fast roads are drawn over the others.
  static func encode(_ roads: [Road], _ tile: TileAddress) -> [UInt8] {
    var writer = VectorTileLayerWriter(name: "roads", tile: tile, extent: UInt32(extent))
    let (name, speed) = (writer.key("name"), writer.key("speed"))
    let shown = -marginUnits...(extent + marginUnits)
    for road in roads.sorted(by: { $0.freeFlowSpeed < $1.freeFlowSpeed }) {
      let line = road.line.map { place in
        let (x, y) = writer.tileCoordinates(MercatorPoint(place))
        return TileLine.Corner(x: x, y: y)
      }
      for piece in TileLine.pieces(of: line, in: shown) {
        writer.beginLine()
        if !road.name.isEmpty { writer.add(name, string: road.name) }
        writer.add(speed, integer: Int64(min(max(road.freeFlowSpeed, 0), 300).rounded()))
        writer.endLine(piece)
      }
    }
    return writer.finish()
  }
}
