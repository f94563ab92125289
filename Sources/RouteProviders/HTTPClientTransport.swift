import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
package import RoutePlanning
package import Threading

/// The real transport, over async-http-client.
///
/// The deadline covers everything, connecting and the last byte of the body included, so that an
/// answer that drips is as dead as one that never begins. Redirects are not followed.
package struct HTTPClientTransport: RouteTransport {
  private let owner: Owner
  private let clock: any MonotonicClock

  package init(
    clock: any MonotonicClock = SystemMonotonicClock(), connectTimeoutMilliseconds: Int64 = 2_000,
    connectionsPerHost: Int = 16
  ) {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    configuration.timeout.connect = .milliseconds(min(max(1, connectTimeoutMilliseconds), 600_000))
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(
      1, connectionsPerHost)
    owner = Owner(HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration))
    self.clock = clock
  }

  /// Closes all connections and returns when they are closed; the transport answers
  /// ``RouteError/unavailable(_:)`` afterwards. Without it they close when the last copy goes.
  package func shutdown() async {
    // It only fails when it was shut down before.
    try? await owner.client.shutdown()
  }

  /// async-http-client traps when a client goes that was not shut down.
  private final class Owner: Sendable {
    let client: HTTPClient

    init(_ client: HTTPClient) { self.client = client }

    deinit { client.shutdown { _ in } }
  }

  package func send(
    _ exchange: RouteExchange, timeoutMilliseconds: Int64, maximumBytes: Int
  ) async throws(RouteError) -> RouteReply {
    guard Self.isUsable(exchange.url) else {
      throw .refused(status: 0, message: "the provider's address is not an HTTP URL")
    }
    let deadline = clock.now() + timeoutMilliseconds * 1_000_000
    do {
      return try await withThrowingTaskGroup(of: RouteReply?.self) { group in
        group.addTask { try await exchangeOnce(exchange, maximumBytes: maximumBytes) }
        group.addTask {
          try await clock.sleep(until: deadline)
          return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let reply = first else {
          throw RouteError.timedOut(milliseconds: timeoutMilliseconds)
        }
        return reply
      }
    } catch {
      if Task.isCancelled { throw .cancelled }
      throw Self.routeError(error, timeoutMilliseconds, maximumBytes)
    }
  }

  /// An http or https URL with a host. The client traps on a port beyond 65,535.
  static func isUsable(_ url: String) -> Bool {
    guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty else {
      return false
    }
    return ["http", "https"].contains(parts.scheme?.lowercased())
      && (1...65_535).contains(parts.port ?? (parts.rangeOfPort == nil ? 80 : 0))
      && parts.user == nil
  }

  private func exchangeOnce(
    _ exchange: RouteExchange, maximumBytes: Int
  ) async throws -> RouteReply {
    var request = HTTPClientRequest(url: exchange.url)
    request.headers.add(name: "Accept", value: "application/json")
    request.headers.add(name: "User-Agent", value: "moyeo")
    for header in exchange.headers { request.headers.add(name: header.name, value: header.value) }
    if case .post(let body) = exchange.method {
      request.method = .POST
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(ByteBuffer(bytes: body))
    }
    // Far away: the clock of this transport decides.
    let response = try await owner.client.execute(request, deadline: .distantFuture)
    let announced = response.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
    guard announced <= maximumBytes else { throw RouteError.tooLarge(limitBytes: maximumBytes) }
    var body: [UInt8] = []
    body.reserveCapacity(announced)
    for try await chunk in response.body {
      guard body.count + chunk.readableBytes <= maximumBytes else {
        throw RouteError.tooLarge(limitBytes: maximumBytes)
      }
      body.append(contentsOf: chunk.readableBytesView)
    }
    let retryAfter = response.headers.first(name: "Retry-After").flatMap { Int64($0) }
    return RouteReply(
      status: Int(response.status.code),
      retryAfterMilliseconds: retryAfter.map { min(max(0, $0), 86_400) * 1000 }, body: body)
  }

  private static func routeError(
    _ error: any Error, _ timeoutMilliseconds: Int64, _ maximumBytes: Int
  ) -> RouteError {
    if let error = error as? RouteError { return error }
    if let error = error as? HTTPClientError {
      switch error {
      case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded,
        .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
        return .timedOut(milliseconds: timeoutMilliseconds)
      case .invalidURL, .emptyHost, .emptyScheme:
        return .refused(status: 0, message: "the provider's address is not an HTTP URL")
      default:
        return .unavailable(error.shortDescription)
      }
    }
    // The type only: descriptions of network errors hold addresses.
    return .unavailable("\(type(of: error))")
  }
}
