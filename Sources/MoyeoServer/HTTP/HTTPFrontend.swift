import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MoyeoAPI
import NIOCore

/// The operations, the operator's pages and the map behind HTTP/1.1.
struct HTTPFrontend: Sendable {
  let routes: RouteTable
  let pages: OperatorPages
  let batch: BatchReads
  let recorders: [String: RequestMetrics.Recorder]
  let unmatched: RequestMetrics.Recorder
  let cors: CrossOrigin
  let logger: Logger

  init(
    operations: [Operation], raw: [RawRoute], pages: OperatorPages, corsOrigins: [String],
    requestMetrics: RequestMetrics, maximumBatch: Int, logger: Logger
  ) {
    routes = RouteTable(operations, raw: raw)
    batch = BatchReads(routes: routes, maximumRequests: maximumBatch)
    self.pages = pages
    cors = CrossOrigin(origins: corsOrigins)
    self.logger = logger
    recorders = Dictionary(
      uniqueKeysWithValues: (operations.map(\.rpc) + raw.map(\.name)).map {
        ($0, requestMetrics.recorder(name: $0, transport: "http"))
      })
    unmatched = requestMetrics.recorder(name: "unmatched", transport: "http")
  }

  @Sendable
  func respond(to request: Request, context: some RequestContext) async -> Response {
    let origin = request.headers[.origin]
    if request.method == .options, let preflight = cors.preflight(origin: origin) {
      return preflight
    }
    var response = await answer(request)
    cors.decorate(&response, origin: origin)
    if request.method == .head { response = Self.withoutBody(response) }
    return response
  }

  /// The answer to HEAD: the headers of GET (RFC 9110, section 9.3.2).
  private static func withoutBody(_ response: Response) -> Response {
    var headers = response.headers
    if headers[.contentLength] == nil, let length = response.body.contentLength {
      headers[.contentLength] = "\(length)"
    }
    return Response(status: response.status, headers: headers, body: .init())
  }

  private func answer(_ request: Request) async -> Response {
    if request.method == .get || request.method == .head,
      let page = await pages.response(path: request.uri.path, request: request)
    {
      return page
    }
    var recorder = unmatched
    let start = recorder.start()
    do {
      if request.uri.path == BatchReads.path {
        let body = try await Self.body(of: request, maximumBytes: BatchReads.maximumRequestBytes)
        let answer = try await batch.answer(method: request.method.rawValue, body: body)
        recorder.finish(start, reason: nil)
        return Self.json(answer)
      }
      let match: RouteTable.Match
      do {
        let method = request.method == .head ? .get : request.method
        match = try routes.match(method: method.rawValue, path: request.uri.path)
      } catch {
        try await Self.drain(request)
        throw error
      }
      let response: Response
      switch match.target {
      case .operation(let operation):
        if let named = recorders[operation.rpc] { recorder = named }
        response = try await call(operation, match.parameters, request)
      case .raw(let route):
        if let named = recorders[route.name] { recorder = named }
        try await Self.drain(request)
        response = try await route.respond(match.parameters, request)
      }
      recorder.finish(start, reason: nil)
      return response
    } catch let error as APIError {
      recorder.finish(start, reason: error.reason)
      return Self.response(error)
    } catch {
      logger.error("a request failed unexpectedly", metadata: ["error": "\(error)"])
      let refusal = APIError(.internalError, "something went wrong here; it has been logged")
      recorder.finish(start, reason: refusal.reason)
      return Self.response(refusal)
    }
  }

  private func call(
    _ operation: Operation, _ path: [(name: String, value: String)], _ request: Request
  ) async throws -> Response {
    var body: Data?
    if request.method != .get && request.method != .head && request.method != .delete {
      let bytes = try await Self.body(of: request, maximumBytes: operation.maximumRequestBytes)
      try Self.requireJSON(request, isEmpty: bytes.isEmpty)
      guard !bytes.isEmpty else {
        throw APIError(.malformedRequest, "this call takes a JSON body")
      }
      body = bytes
    } else {
      try await Self.drain(request)
    }
    let parameters = try RequestParameters(operation.requestSchema).json(
      path: path, query: request.uri.query)
    var context = CallContext()
    context.ifNoneMatch = request.headers[.ifNoneMatch]
    context.acceptsGzip = request.headers[.acceptEncoding].map(Self.acceptsGzip) ?? false
    context.session = request.headers[HTTPField.Name.moyeoSession]
    let answer = try await operation.callJSON(body, parameters, context)
    return Self.json(try operation.json(answer))
  }

  static func acceptsGzip(_ header: String) -> Bool {
    header.split(separator: ",").contains { part in
      let pieces = part.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let coding = pieces.first, coding == "gzip" || coding == "*" else { return false }
      return !pieces.dropFirst().contains { $0 == "q=0" || $0 == "q=0.0" || $0 == "q=0.00" }
    }
  }

  /// A body is JSON unless its type says otherwise; forms are what curl sends by default, so they
  /// are taken too.
  private static func requireJSON(_ request: Request, isEmpty: Bool) throws(APIError) {
    guard !isEmpty, let type = request.headers[.contentType]?.lowercased() else { return }
    let accepted = ["application/json", "text/json", "text/plain", "+json"]
    guard accepted.contains(where: type.contains) || type.hasPrefix("application/x-www-form") else {
      throw APIError(.unsupportedMediaType, "send application/json, not \(quoted(type))")
    }
  }
}

// MARK: - Bodies and answers

extension HTTPFrontend {
  /// Most that is read of a body which is refused, so that the caller can finish sending and read
  /// the answer.
  private static let maximumDrainedBytes = 64 << 20

  static func body(of request: Request, maximumBytes: Int) async throws -> Data {
    if let length = request.headers[.contentLength].flatMap(Int.init), length > maximumBytes {
      try await drain(request)
      throw tooLarge(maximumBytes)
    }
    var body = Data()
    var received = 0
    do {
      for try await buffer in request.body {
        received += buffer.readableBytes
        guard received <= maximumDrainedBytes else { break }
        if received <= maximumBytes { body.append(contentsOf: buffer.readableBytesView) }
      }
    } catch {
      throw APIError(.malformedRequest, "the body ended before it was complete")
    }
    guard received <= maximumBytes else { throw tooLarge(maximumBytes) }
    return body
  }

  static func drain(_ request: Request) async throws {
    var received = 0
    do {
      for try await buffer in request.body {
        received += buffer.readableBytes
        guard received <= maximumDrainedBytes else { return }
      }
    } catch {
      throw APIError(.malformedRequest, "the body ended before it was complete")
    }
  }

  private static func tooLarge(_ maximumBytes: Int) -> APIError {
    APIError(.requestTooLarge, "a request has at most \(maximumBytes) bytes here")
  }

  static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status,
      headers: [
        .contentType: "application/json; charset=utf-8", .contentLength: "\(bytes.count)",
      ],
      body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  static func response(_ error: APIError) -> Response {
    var response = json(error.httpBody(), status: .init(code: error.reason.status.http))
    if let milliseconds = error.retryAfterMilliseconds {
      response.headers[.retryAfter] = "\((milliseconds + 999) / 1000)"
    }
    if !error.allowedMethods.isEmpty {
      response.headers[.allow] = error.allowedMethods.joined(separator: ", ")
    }
    return response
  }
}

extension HTTPField.Name {
  static var moyeoSession: HTTPField.Name { HTTPField.Name(parsed: "x-moyeo-session") ?? .from }
}
