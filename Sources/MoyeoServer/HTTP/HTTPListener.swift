import GRPCServerTransport
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import NIOPosix
import ServiceLifecycle

/// Listens for HTTP/1.1; nothing is bound before it runs.
struct HTTPListener: Service {
  typealias Respond =
    @Sendable (_ request: Request, _ connection: any Channel) async -> Response

  let host: String
  /// 0 picks a free port.
  let port: Int
  let respond: Respond
  /// Makes what stands in front of the calls of one connection.
  let makeGate: @Sendable (HTTPDeadlines) -> HTTPRequestGate
  let timeLimits: HTTPTimeLimits
  let limits: ConnectionLimits
  let certificates: ServerCertificates?
  let events: TransportEvents
  let eventLoopGroup: MultiThreadedEventLoopGroup
  let logger: Logger
  let onListening: @Sendable (_ port: Int) async -> Void

  /// Serves until the service is asked to shut down and the last connection has closed.
  func run() async throws {
    try await withTaskExecutorPreference(EventLoopExecutor(eventLoopGroup)) { try await serve() }
  }

  private func serve() async throws {
    let connections = OpenConnections()
    // The stream has no bound of its own, because the connections have one.
    let (accepted, continuation) = AsyncStream.makeStream(of: HTTPCalls.Value.self)
    connections.whenAllClosed { continuation.finish() }
    let calls = HTTPCalls(isSecure: certificates != nil, responder: responder)
    let listener = try await bind(
      HTTPConnections(
        makeGate: makeGate, timeLimits: timeLimits, certificates: certificates, events: events,
        calls: calls, logger: logger
      ) { value in
        if case .terminated = continuation.yield(value) { Self.drop(value) }
      }, connections)
    connections.setListener(listener)
    await withTaskCancellationHandler {
      await withGracefulShutdownHandler {
        await onListening(listener.localAddress?.port ?? 0)
        await withDiscardingTaskGroup { group in
          for await value in accepted {
            group.addTask { await calls.handle(value: value, logger: logger) }
          }
        }
      } onGracefulShutdown: {
        connections.quiesce()
      }
    } onCancel: {
      connections.close()
    }
  }

  private func bind(
    _ setup: HTTPConnections, _ connections: OpenConnections
  ) async throws -> any Channel {
    try await connections.bootstrap(group: eventLoopGroup, limits: limits, setUp: setup.setUp)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .bind(host: host, port: port).get()
  }

  private var responder: HTTPChannelHandler.Responder {
    let respond = respond
    return { request, writer, connection in
      var response = await respond(request, connection)
      response.headers[.date] = HTTPDate.now
      response.headers[.server] = HTTPFrontend.serverName
      try await writer.write(response: response.head, body: response.body)
    }
  }

  /// Ends a connection whose first call came too late to be served.
  private static func drop(_ calls: HTTPCalls.Value) {
    calls.channel.close(promise: nil)
    Task { try? await calls.executeThenClose { _, outbound in outbound.finish() } }
  }
}
