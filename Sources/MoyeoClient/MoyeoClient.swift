import Foundation
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
/// Requests and answers are the messages of `moyeo.v1`. Every call throws ``MoyeoError``, once it is
/// clear that making it again does not help (``RetryPolicy``). A client connects at its first call,
/// may be used by any number of tasks, and is closed by ``close()``.
public final class MoyeoClient: Sendable {
  /// The limits of a client's calls, and what it sends with each of them.
  public struct Configuration: Sendable {
    /// Limit of a unary call, connecting and repeated attempts included. A call that asks the service
    /// to wait for something has that time on top.
    public var timeout: Duration
    /// Of calls over HTTP; gRPC multiplexes one connection.
    public var maximumConnections: Int
    /// Sent with each call: HTTP header fields, gRPC metadata.
    public var headers: [(String, String)]

    /// Used where the endpoint is one of TLS.
    public var tls: TLS

    /// Who calls, where the service asks for it; nil: nobody is named.
    public var token: TokenSource?
    /// When a call is made again.
    public var retries: RetryPolicy
    /// Clocks and dice; tests set it.
    var time = ClientTime.system

    /// Gives calls fifteen seconds and eight HTTP connections unless told otherwise.
    public init(
      timeout: Duration = .seconds(15), maximumConnections: Int = 8,
      headers: [(String, String)] = [], tls: TLS = TLS(), token: TokenSource? = nil,
      retries: RetryPolicy = RetryPolicy()
    ) {
      self.tls = tls
      self.token = token
      self.retries = retries
      self.timeout = timeout
      self.maximumConnections = maximumConnections
      self.headers = headers
    }
  }

  enum Transport: Sendable {
    case http(HTTPTransport)
    case grpc(GRPCTransport)
  }

  /// How long a stream may be silent: the service says every 15 s that it lives.
  static let quietLimit = Duration.seconds(45)

  /// The address that the client was made for; it never changes.
  public let endpoint: Endpoint
  let transport: Transport
  let tokens: TokenKeeper
  let configuration: Configuration

  /// Connects to nobody yet.
  /// - Throws: ``MoyeoError/badEndpoint(_:)``.
  public init(_ endpoint: Endpoint, configuration: Configuration = Configuration())
    throws(MoyeoError)
  {
    self.endpoint = endpoint
    self.configuration = configuration
    tokens = TokenKeeper(configuration.token)
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
  ///
  /// - Throws: ``MoyeoError`` where the endpoint or its certificates cannot be used, and what `body` throws.
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

  /// Makes one call with one answer, over whichever wire the endpoint names, as often as it may help.
  ///
  /// - Parameters:
  ///   - request: What gRPC sends.
  ///   - descriptor: The gRPC method.
  ///   - route: The HTTP method and path.
  ///   - rest: What of the request does not stand in the path; the request when absent.
  ///   - effect: Whether it may be made twice.
  ///   - idempotencyKey: Of a ``CallEffect/keyed`` call; nil: one is made, and kept over its attempts.
  ///   - headers: Beside those of the client.
  ///   - patience: How long the request asks the service to wait.
  /// - Returns: The service's answer.
  /// - Throws: ``MoyeoError`` when the call was refused, was given up or reached nobody.
  func unary<Request: Message & Sendable, Response: Message & Sendable>(
    _ request: Request, _ descriptor: MethodDescriptor, _ route: HTTPRoute,
    overHTTP rest: Request? = nil, effect: CallEffect = .read, idempotencyKey: String? = nil,
    headers: [(String, String)] = [], patience: Duration = .zero
  ) async throws(MoyeoError) -> Response {
    var sent = headers
    if effect == .keyed { sent.append(Self.keyHeader(idempotencyKey)) }
    return try await repeating(effect, headers: sent, patience: patience) {
      [transport] (headers, timeout) async throws(MoyeoError) -> Response in
      switch transport {
      case .http(let http):
        try await http.unary(rest ?? request, route, headers: headers, timeout: timeout)
      case .grpc(let grpc):
        try await grpc.unary(request, descriptor, headers: headers, timeout: timeout)
      }
    }
  }

  static func keyHeader(_ key: String?) -> (String, String) {
    ("Idempotency-Key", key ?? UUID().uuidString.lowercased())
  }

  /// Makes attempts of one call until it succeeds or another one would not help; each takes the
  /// headers to send and the time it has.
  func repeating<Answer>(
    _ effect: CallEffect, headers: [(String, String)] = [], patience: Duration = .zero,
    _ attempt: ([(String, String)], Duration) async throws(MoyeoError) -> Answer
  ) async throws(MoyeoError) -> Answer {
    let time = configuration.time
    var attempts = CallAttempts(
      policy: configuration.retries, effect: effect,
      deadline: time.now() + configuration.timeout + patience, patience: patience)
    var token = try await tokens.current()
    var hasRenewed = false
    while true {
      let error: MoyeoError
      do throws(MoyeoError) {
        return try await attempt(
          headers + TokenKeeper.headers(token), attempts.timeout(at: time.now()))
      } catch let failure {
        error = failure
      }
      if !hasRenewed, tokens.mayRenew(after: error) {
        hasRenewed = true
        token = try await tokens.current(refused: token)
        continue
      }
      let wait = try attempts.wait(after: error, at: time.now(), dice: time.dice())
      do { try await time.sleep(wait) } catch { throw .cancelled }
    }
  }

  /// One HTTP request by method and path, for routes that this client has no call for; over gRPC
  /// it is refused as `unknown_route`. It is repeated where it reads (`GET`) or has an
  /// `Idempotency-Key`, and else only when it certainly did not run.
  /// - Returns: The answer's body.
  /// - Throws: ``MoyeoError``: the refusal of the route, or `unavailable` where nothing answered.
  public func rawHTTP(
    _ method: String, _ path: String, json: [UInt8]? = nil, headers: [(String, String)] = []
  ) async throws(MoyeoError) -> [UInt8] {
    guard case .http(let http) = transport else {
      throw .refused(
        Refusal(
          code: "UNIMPLEMENTED", reason: "unknown_route",
          message: "\(path) is reached over HTTP only"))
    }
    let isKeyed = headers.contains { $0.0.lowercased() == "idempotency-key" }
    let effect: CallEffect = method == "GET" ? .read : isKeyed ? .keyed : .once
    return try await repeating(effect, headers: headers) {
      (headers, timeout) async throws(MoyeoError) -> [UInt8] in
      let answer = try await http.send(
        method, path, body: json, headers: headers, timeout: timeout)
      guard (200..<300).contains(answer.status) else { throw answer.error }
      return answer.body
    }
  }
}
