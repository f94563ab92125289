import GRPCCore
import MoyeoAPI
import SwiftProtobuf

/// A client of the daemon: the same typed calls over HTTP/JSON and gRPC.
///
/// ```swift
/// let moyeo = try MoyeoClient(.http("http://127.0.0.1:8080"))
/// var request = Moyeo_V1_NearbyRequest()
/// request.layer = "users"
/// request.latitude = 37.4979
/// request.longitude = 127.0276
/// request.tags = ["swift"]
/// for hit in try await moyeo.nearby(request).hits { print(hit.id, hit.distanceMeters) }
/// await moyeo.close()
/// ```
/// Requests and answers are the messages of `moyeo.v1`. Every call throws ``MoyeoError``. A client
/// connects at its first call, may be used by any number of tasks, and is closed by ``close()``.
public final class MoyeoClient: Sendable {
  /// The limits of a client's calls, and what it sends with each of them.
  public struct Configuration: Sendable {
    /// Limit of a unary call, connecting included.
    public var timeout: Duration
    /// HTTP only; gRPC multiplexes one connection.
    public var maximumConnections: Int
    /// Sent with each call: HTTP header fields, gRPC metadata.
    public var headers: [(String, String)]

    /// Used where the endpoint is one of TLS.
    public var tls: TLS

    /// Gives calls ten seconds and eight HTTP connections unless told otherwise.
    public init(
      timeout: Duration = .seconds(10), maximumConnections: Int = 8,
      headers: [(String, String)] = [], tls: TLS = TLS()
    ) {
      self.tls = tls
      self.timeout = timeout
      self.maximumConnections = maximumConnections
      self.headers = headers
    }
  }

  enum Transport: Sendable {
    case http(HTTPTransport)
    case grpc(GRPCTransport)
  }

  /// The address that the client was made for; it never changes.
  public let endpoint: Endpoint
  let transport: Transport

  /// Connects to nobody yet.
  /// - Throws: ``MoyeoError/badEndpoint(_:)``.
  public init(_ endpoint: Endpoint, configuration: Configuration = Configuration())
    throws(MoyeoError)
  {
    self.endpoint = endpoint
    switch endpoint {
    case .http(let url):
      transport = .http(try HTTPTransport(baseURL: url, configuration: configuration))
    case .grpc(let host, let port):
      transport = .grpc(
        try GRPCTransport(host: host, port: port, isSecure: false, configuration: configuration))
    case .grpcs(let host, let port):
      transport = .grpc(
        try GRPCTransport(host: host, port: port, isSecure: true, configuration: configuration))
    }
  }

  /// Ends the connections; calls under way are answered first over gRPC and fail over HTTP.
  public func close() async {
    switch transport {
    case .http(let http): await http.close()
    case .grpc(let grpc): await grpc.close()
    }
  }

  /// Opens a client, closes it after `body`, whether that returns or throws.
  public static func with<Result>(
    _ endpoint: Endpoint, configuration: Configuration = Configuration(),
    _ body: (MoyeoClient) async throws -> Result
  ) async throws -> Result {
    let client = try MoyeoClient(endpoint, configuration: configuration)
    do {
      let result = try await body(client)
      await client.close()
      return result
    } catch {
      await client.close()
      throw error
    }
  }

  /// Makes one call with one answer, over whichever wire the endpoint names.
  ///
  /// - Parameters:
  ///   - request: What gRPC sends.
  ///   - descriptor: The gRPC method.
  ///   - route: The HTTP method and path.
  ///   - rest: What of the request does not stand in the path; the request when absent.
  ///   - idempotencyKey: Sent as the header or metadata `Idempotency-Key`; nil: none is sent.
  /// - Returns: The service's answer.
  /// - Throws: ``MoyeoError`` when the call was refused, was given up or reached nobody.
  func unary<Request: Message & Sendable, Response: Message & Sendable>(
    _ request: Request, _ descriptor: MethodDescriptor, _ route: HTTPRoute,
    overHTTP rest: Request? = nil, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Response {
    let headers = idempotencyKey.map { [("Idempotency-Key", $0)] } ?? []
    switch transport {
    case .http(let http):
      return try await http.unary(rest ?? request, route, headers: headers)
    case .grpc(let grpc):
      return try await grpc.unary(request, descriptor, headers: headers)
    }
  }

  /// One HTTP request by method and path, for routes that this client has no call for; over gRPC
  /// it is refused as `unknown_route`.
  /// - Returns: The answer's body.
  public func rawHTTP(
    _ method: String, _ path: String, json: [UInt8]? = nil, headers: [(String, String)] = []
  ) async throws(MoyeoError) -> [UInt8] {
    guard case .http(let http) = transport else {
      throw .refused(
        Refusal(
          code: "UNIMPLEMENTED", reason: "unknown_route",
          message: "\(path) is reached over HTTP only"))
    }
    let answer = try await http.send(method, path, body: json, headers: headers)
    guard (200..<300).contains(answer.status) else {
      throw .http(status: answer.status, body: answer.body)
    }
    return answer.body
  }
}
