import AsyncHTTPClient
import Foundation
import GRPCCore
import NIOCore
import NIOHTTP1
import NIOPosix
import SwiftProtobuf

/// JSON over HTTP/1.1 with a pool of connections.
final class HTTPTransport: Sendable {
  static let maximumAnswerBytes = 256 << 20

  private let client: HTTPClient
  /// Apart from the calls, since each stream keeps its connection.
  private let streams: HTTPClient
  private let baseURL: String
  private let configuration: MoyeoClient.Configuration

  init(baseURL: String, configuration: MoyeoClient.Configuration) throws(MoyeoError) {
    guard let url = URL(string: baseURL), let scheme = url.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = url.host, !host.isEmpty,
      url.query == nil, url.fragment == nil
    else {
      throw .badEndpoint("\(baseURL) (expected something like http://127.0.0.1:8080)")
    }
    var base = baseURL
    while base.hasSuffix("/") { base.removeLast() }
    self.baseURL = base
    self.configuration = configuration
    var settings = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      // The service says every 15 s that a stream lives; calls have limits of their own.
      timeout: .init(connect: .seconds(5), read: .init(MoyeoClient.quietLimit)))
    settings.httpVersion = .http1Only
    if scheme == "https" {
      try configuration.tls.check()
      do { settings.tlsConfiguration = try configuration.tls.configuration() } catch {
        throw .badEndpoint("the files for TLS cannot be used: \(error)")
      }
    }
    settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
      configuration.maximumConnections
    // Refused means refused: the caller decides about further tries.
    settings.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
    settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.maximumStreams
    streams = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
  }

  private static let maximumStreams = 4096

  struct Answer {
    var status: Int
    var headers: HTTPHeaders
    var body: [UInt8]

    /// What an answer of a status other than 2xx stands for.
    var error: MoyeoError {
      .http(status: status, body: body, retryAfter: headers.first(name: "Retry-After"))
    }
  }

  /// Sends one request, its headers beside those of the client's configuration; any status is an
  /// answer. The time limit holds from connecting to the last byte.
  func send(
    _ method: String, _ pathAndQuery: String, body: [UInt8]? = nil,
    headers: [(String, String)], timeout: Duration
  ) async throws(MoyeoError) -> Answer {
    let request = request(method, pathAndQuery, body: body, headers: headers)
    do {
      return try await withTimeLimit(timeout, late: .timedOut(endpoint: baseURL)) { [client] in
        let response = try await client.execute(request, timeout: TimeAmount(timeout))
        let buffer = try await response.body.collect(upTo: Self.maximumAnswerBytes)
        return Answer(
          status: Int(response.status.code), headers: response.headers,
          body: Array(buffer.readableBytesView))
      }
    } catch {
      throw translated(error)
    }
  }

  private func request(
    _ method: String, _ pathAndQuery: String, body: [UInt8]?, headers: [(String, String)]
  ) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: baseURL + pathAndQuery)
    request.method = HTTPMethod(rawValue: method)
    for (name, value) in configuration.headers + headers {
      request.headers.add(name: name, value: value)
    }
    if let body {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(ByteBuffer(bytes: body))
    }
    return request
  }

  func unary<Request: Message, Response: Message>(
    _ request: Request, _ route: HTTPRoute, headers: [(String, String)], timeout: Duration
  ) async throws(MoyeoError) -> Response {
    let (path, body) = try parts(of: request, route)
    let answer = try await send(
      route.method, path, body: body, headers: headers, timeout: timeout)
    guard (200..<300).contains(answer.status) else { throw answer.error }
    do {
      var options = JSONDecodingOptions()
      // A newer daemon may know fields that this client does not.
      options.ignoreUnknownFields = true
      return try Response(jsonUTF8Bytes: answer.body, options: options)
    } catch {
      throw .unexpectedAnswer("\(route.path) answered what is not a \(Response.protoMessageName)")
    }
  }

  /// Path with query, and body, of a request.
  private func parts(
    of request: some Message, _ route: HTTPRoute
  ) throws(MoyeoError) -> (path: String, body: [UInt8]?) {
    switch route.payload {
    case .none: (route.path, nil)
    case .body: (route.path, try encoded { try HTTPRoute.json(request) })
    case .query: (route.path + (try encoded { try HTTPRoute.query(request) }), nil)
    }
  }

  /// Server-sent events until the service ends the stream, or `onEvent` throws; `onOpen` is called
  /// once the service has accepted it.
  func events<Event: Message>(
    _ request: some Message, _ route: HTTPRoute, headers: [(String, String)],
    onOpen: () -> Void, onEvent: (Event) async throws -> Void
  ) async throws(MoyeoError) {
    let (path, body) = try parts(of: request, route)
    var opening = self.request(route.method, path, body: body, headers: headers)
    opening.headers.add(name: "Accept", value: "text/event-stream")
    do {
      let response = try await streams.execute(opening, deadline: .distantFuture)
      guard response.status.code == 200 else {
        let buffer = try await response.body.collect(upTo: Self.maximumAnswerBytes)
        throw Answer(
          status: Int(response.status.code), headers: response.headers,
          body: Array(buffer.readableBytesView)
        ).error
      }
      onOpen()
      var reader = EventLines()
      for try await chunk in response.body {
        for data in reader.take(chunk.readableBytesView) {
          try await onEvent(try Self.event(data))
        }
      }
    } catch {
      throw translated(error)
    }
  }

  private static func event<Event: Message>(_ data: EventLines.Event) throws -> Event {
    guard data.kind != "error" else { throw MoyeoError.http(status: 200, body: data.data) }
    var options = JSONDecodingOptions()
    options.ignoreUnknownFields = true
    return try Event(jsonUTF8Bytes: data.data, options: options)
  }

  private func encoded<T>(_ body: () throws -> T) throws(MoyeoError) -> T {
    do { return try body() } catch {
      throw .refused(
        Refusal(
          code: "INVALID_ARGUMENT", reason: "malformed_request",
          message: "the request has no JSON form: \(error)"))
    }
  }

  private func translated(_ error: any Error) -> MoyeoError {
    switch error {
    case let error as MoyeoError: return error
    case let error as HTTPClientError:
      switch error {
      case .cancelled, .alreadyShutdown: return .cancelled
      case .deadlineExceeded, .readTimeout, .writeTimeout: return .timedOut(endpoint: baseURL)
      case .connectTimeout:
        return .unreachable(
          endpoint: baseURL, cause: error.shortDescription, mayHaveRun: false)
      default: return .unreachable(endpoint: baseURL, cause: error.shortDescription)
      }
    case is CancellationError: return .cancelled
    case let error as NIOConnectionError:
      let cause =
        error.connectionErrors.first.map { MoyeoError.words($0.error) }
        ?? "no address for \(error.host)"
      return .unreachable(endpoint: baseURL, cause: cause, mayHaveRun: false)
    // To an address rather than a name; a connection that stands is never refused.
    case let error as IOError where error.errnoCode == ECONNREFUSED:
      return .unreachable(
        endpoint: baseURL, cause: MoyeoError.words(error), mayHaveRun: false)
    case is HTTPParserError:
      return .unexpectedAnswer(
        "\(baseURL) does not speak HTTP; the port for gRPC takes --grpc HOST:PORT")
    case is NIOTooManyBytesError:
      return .unexpectedAnswer("more than \(Self.maximumAnswerBytes) bytes")
    default: return .unreachable(endpoint: baseURL, cause: MoyeoError.words(error))
    }
  }

  func close() async {
    try? await streams.shutdown()
    try? await client.shutdown()
  }
}

extension TimeAmount {
  fileprivate init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}

/// Takes server-sent events out of a stream of bytes (WHATWG HTML, section 9.2).
struct EventLines {
  struct Event {
    var kind = ""
    var data: [UInt8] = []
  }

  private var line: [UInt8] = []
  private var event = Event()

  mutating func take(_ bytes: some Sequence<UInt8>) -> [Event] {
    var out: [Event] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        line.append(byte)
        continue
      }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      if line.isEmpty {
        if !event.data.isEmpty { out.append(event) }
        event = Event()
      } else if let value = value(of: "event") {
        event.kind = String(decoding: value, as: UTF8.self)
      } else if let value = value(of: "data") {
        if !event.data.isEmpty { event.data.append(UInt8(ascii: "\n")) }
        event.data += value
      }
      line.removeAll(keepingCapacity: true)
    }
    return out
  }

  private func value(of name: String) -> ArraySlice<UInt8>? {
    let start = Array((name + ":").utf8)
    guard line.starts(with: start) else { return nil }
    let rest = line.dropFirst(start.count)
    return rest.first == UInt8(ascii: " ") ? rest.dropFirst() : rest
  }
}
