import Foundation
import HTTPTypes
import HummingbirdCore
import Identity
import MoyeoAPI
import ObjectModel

import NIOCore
import VectorTiles
import LiveLayers

/// HTTP routes of tiles, whose answers are not JSON messages.
struct TileRoutes: Sendable {
  let clusters: ClusterOperations

  private static let prefix = "/v1/layers/{layer}/tiles"
  private static let tileSchema = MessageSchema.of(Moyeo_V1_GetTileRequest.self)

  var all: [RawRoute] {
    [
      RawRoute(
        "GetTileMVT", "GET", template: Self.prefix + "/{zoom}/{x}/{y}.mvt",
        request: Self.tileSchema,
        answers: VectorTileEncoder.mediaType
      ) { parameters, request, caller, _ in try await tile(parameters, request, as: .mvt, caller) },
      RawRoute(
        "GetTileJSON", "GET", template: Self.prefix + "/{zoom}/{x}/{y}.json",
        request: Self.tileSchema,
        answers: GeoJSONTile.mediaType
      ) { parameters, request, caller, _ in try await tile(parameters, request, as: .json, caller)
      },
      RawRoute(
        "TileJSON", "GET", template: "/v1/layers/{layer}/tiles.json", request: nil,
        answers: "application/json"
      ) { parameters, request, _, token in
        .response(try await tileJSON(parameters, request, token))
      },
    ]
  }

  private func tile(
    _ parameters: [(name: String, value: String)], _ request: Request,
    as format: TileAnswer.Format, _ caller: Caller
  ) async throws -> RawRoute.Step {
    let json = try RequestParameters(Self.tileSchema).json(
      path: parameters, query: request.uri.query)
    var message = try RequestDecoding.message(
      Moyeo_V1_GetTileRequest.self, body: nil, parameters: json)
    guard !message.hasFormat || message.format == format.rawValue else {
      throw APIError(.conflictingFields, field: "format", "the path says \(format.rawValue)")
    }
    message.format = format.rawValue
    if let header = request.headers[.ifNoneMatch] { message.ifNoneMatch = header }
    let acceptsGzip = request.headers[.acceptEncoding].map(AnswerCompression.acceptsGzip) ?? false
    switch try await clusters.lookUpTile(message, acceptsGzip: acceptsGzip, caller: caller) {
    case .answer(let answer): return .response(Self.response(answer))
    case .read(let read): return .longer { Self.response(try await read()) }
    }
  }

  private static func response(_ answer: TileAnswer) -> Response {
    var headers: HTTPFields = [
      .eTag: answer.etag, .cacheControl: "no-cache", .vary: "accept-encoding",
    ]
    headers[version] = answer.version
    headers[lag] = "\(answer.lagMilliseconds)"
    if answer.isTruncated { headers[truncated] = "true" }
    guard let bytes = answer.bytes else {
      return Response(status: .notModified, headers: headers)
    }
    if bytes.isEmpty && answer.emptyIsNoContent {
      return Response(status: .noContent, headers: headers)
    }
    headers[.contentType] = answer.contentType
    headers[.contentLength] = "\(bytes.count)"
    if answer.isGzipped { headers[.contentEncoding] = "gzip" }
    return Response(
      status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  private static var version: HTTPField.Name { .init(parsed: "x-moyeo-version") ?? .eTag }
  /// The tile has more features than the limit of one answer.
  private static var truncated: HTTPField.Name {
    .init(parsed: "x-moyeo-truncated") ?? .eTag
  }
  private static var lag: HTTPField.Name { .init(parsed: "x-moyeo-lag-milliseconds") ?? .eTag }

  private func tileJSON(
    _ parameters: [(name: String, value: String)], _ request: Request, _ token: String?
  ) async throws -> Response {
    guard request.uri.query?.isEmpty ?? true else {
      throw APIError(.unknownField, "this route takes no parameters")
    }
    let layer = try await clusters.services.clusteredLayer(parameters.first?.value, minVersion: nil)
    let scheme = request.headers[Self.forwardedScheme] == "https" ? "https" : "http"
    let host = request.head.authority ?? "127.0.0.1"
    // A map client that came with a token in the address has no other way to pass it on.
    let suffix = token.map { "?\(HTTPFrontend.accessTokenName)=\($0)" } ?? ""
    let document = TileDocument(
      layer: layer, maximumZoom: clusters.layers.limits.maximumZoom,
      now: clusters.layers.clock.now())
    let tiles = "\(scheme)://\(host)/v1/layers/\(layer.name)/tiles/{z}/{x}/{y}.mvt\(suffix)"
    return HTTPFrontend.json(try document.json(tiles: tiles))
  }

  private static var forwardedScheme: HTTPField.Name {
    .init(parsed: "x-forwarded-proto") ?? .from
  }
}

/// A route that makes its own response.
struct RawRoute: Sendable {
  let name: String
  let route: Operation.Route
  /// What path and query are read into; `nil` for a route without parameters but the path's.
  let requestSchema: MessageSchema?
  /// Media type of the answer.
  let mediaType: String
  /// Without the package; its calls stand together in the description.
  let service: String
  /// Whole numbers in the path, where no schema says what they may be.
  let pathNumbers: [String: ClosedRange<Int>]
  /// What is demanded of who calls; nil where ``AccessTable`` has no row.
  let access: AccessRule?
  private let answer: Answer
  /// Of the tenant whose route it is; nil where it has none.
  var rates: TenantRates?

  /// What the short half of a route's work comes to.
  enum Step: Sendable {
    case response(Response)
    /// What is left may take long, or wait: it is not done on an event loop.
    case longer(@Sendable () async throws -> Response)
  }

  /// Path parameters, the request, who makes it, and the token that stood in its address, encoded.
  typealias Answer =
    @Sendable (_ parameters: [(name: String, value: String)], Request, Caller, _ token: String?)
    async throws -> Step

  init(
    _ name: String, _ method: String, template: String, request requestSchema: MessageSchema?,
    answers mediaType: String, service: String = "ClusterService",
    pathNumbers: [String: ClosedRange<Int>] = [:],
    answer: @escaping Answer
  ) {
    self.service = service
    self.pathNumbers = pathNumbers
    self.name = name
    route = Operation.Route(method, template)
    self.requestSchema = requestSchema
    self.mediaType = mediaType
    self.answer = answer
    access = AccessTable.rule(raw: name)
  }

  /// Makes the response, or says that what it takes is not for an event loop.
  ///
  /// - Throws: `rate_limited`, `forbidden`, and what the route itself refuses.
  func begin(
    _ parameters: [(name: String, value: String)], _ request: Request, caller: Caller,
    token: String?
  ) async throws -> Step {
    try rates?.charge(.reads, call: name, caller)
    try (access ?? AccessTable.ruleOfUnknown).admit(caller)
    return try await answer(parameters, request, caller, token)
  }

  /// Makes the response, wherever it is called.
  ///
  /// - Throws: See ``begin(_:_:caller:token:)``.
  func respond(
    _ parameters: [(name: String, value: String)], _ request: Request, caller: Caller,
    token: String?
  ) async throws -> Response {
    switch try await begin(parameters, request, caller: caller, token: token) {
    case .response(let response): response
    case .longer(let work): try await work()
    }
  }
}
