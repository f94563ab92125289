import GRPCCore
import GRPCNIOTransportHTTP2
import GRPCProtobuf
import MoyeoAPI
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import SwiftProtobuf
import Synchronization

/// gRPC over HTTP/2: one connection for calls, and one for each fifty streams.
final class GRPCTransport: Sendable {
  static let maximumAnswerBytes = 256 << 20
  /// A connection carries a bounded number of streams, and calls shall not wait behind them.
  static let streamsPerConnection = 50

  private typealias Transport = HTTP2ClientTransport.Posix

  /// A client with its one connection.
  private final class Connection: Sendable {
    let client: GRPCClient<Transport>
    private let task: Task<Void, Never>

    init(_ transport: Transport) {
      client = GRPCClient(transport: transport)
      task = Task { [client] in
        // Ends by `beginGracefulShutdown`; what goes wrong is told to each call.
        try? await client.runConnections()
      }
    }

    func close() async {
      client.beginGracefulShutdown()
      // A peer that was stopped never says goodbye.
      let giveUp = Task { [task] in
        guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
        task.cancel()
      }
      await task.value
      giveUp.cancel()
    }
  }

  /// Connections of streams, each with how many it carries; nil once the client was closed.
  private struct StreamConnections {
    var all: [(connection: Connection, streams: Int)]? = []
  }

  private let calls: Connection
  private let streams = NIOLockedValueBox(StreamConnections())
  private let endpoint: Endpoint
  private let address: (host: String, port: Int)
  private let isSecure: Bool
  private let tls: MoyeoClient.TLS
  private let metadata: Metadata
  private let hasAnswered = Atomic(false)

  init(
    host: String, port: Int, isSecure: Bool, configuration: MoyeoClient.Configuration
  ) throws(MoyeoError) {
    endpoint = isSecure ? .grpcs(host: host, port: port) : .grpc(host: host, port: port)
    address = (host, port)
    self.isSecure = isSecure
    tls = configuration.tls
    if isSecure { try configuration.tls.check() }
    do {
      calls = Connection(try Self.transport(host, port, isSecure ? configuration.tls : nil))
    } catch {
      throw .badEndpoint("\(host):\(port): \(error)")
    }
    var metadata = Metadata()
    for (name, value) in configuration.headers {
      metadata.addString(value, forKey: name.lowercased())
    }
    self.metadata = metadata
  }

  private static func transport(
    _ host: String, _ port: Int, _ tls: MoyeoClient.TLS?
  ) throws -> Transport {
    try HTTP2ClientTransport.Posix(
      target: target(host, port),
      transportSecurity: tls.map(\.transportSecurity) ?? .plaintext,
      config: .defaults { settings in
        // Who calls decides about further tries, and a daemon is back within seconds.
        settings.backoff.initial = .milliseconds(200)
        settings.backoff.max = .seconds(5)
      })
  }

  /// An address is no name to be looked up, nor one that TLS may say in its greeting (RFC 6066,
  /// section 3).
  private static func target(_ host: String, _ port: Int) -> any ResolvableTarget {
    switch try? SocketAddress(ipAddress: host, port: port) {
    case .v4: .ipv4(address: host, port: port)
    case .v6: .ipv6(address: host, port: port)
    default: .dns(host: host, port: port)
    }
  }

  func unary<Request: Message & Sendable, Response: Message & Sendable>(
    _ request: Request, _ descriptor: MethodDescriptor, headers: [(String, String)],
    timeout: Duration, as: Response.Type = Response.self
  ) async throws(MoyeoError) -> Response {
    let metadata = metadata(headers)
    let options = options(timeout)
    let late = MoyeoError.timedOut(endpoint: endpoint.description)
    do {
      // A little later than the service, whose own words are better.
      let response: Response = try await withTimeLimit(timeout + .milliseconds(100), late: late) {
        [self] in
        try await findSomebody()
        return try await calls.client.unary(
          request: ClientRequest(message: request, metadata: metadata), descriptor: descriptor,
          serializer: ProtobufSerializer<Request>(),
          deserializer: ProtobufDeserializer<Response>(), options: options
        ) { try $0.message }
      }
      hasAnswered.store(true, ordering: .relaxed)
      return response
    } catch {
      throw translated(error)
    }
  }

  private func metadata(_ headers: [(String, String)]) -> Metadata {
    var metadata = metadata
    for (name, value) in headers { metadata.addString(value, forKey: name.lowercased()) }
    return metadata
  }

  private func options(_ timeout: Duration?) -> CallOptions {
    var options = CallOptions.defaults
    options.timeout = timeout
    // Nobody there: say so at once instead of waiting for somebody.
    options.waitForReady = false
    options.maxResponseMessageBytes = Self.maximumAnswerBytes
    return options
  }

  /// Events until the service ends the stream, or `onEvent` throws.
  func events<Request: Message & Sendable, Event: Message & Sendable>(
    _ request: Request, _ descriptor: MethodDescriptor, headers: [(String, String)],
    onEvent: @Sendable @escaping (Event) async throws -> Void
  ) async throws(MoyeoError) {
    let quiet = QuietWatch(limit: MoyeoClient.quietLimit, endpoint: endpoint)
    do {
      try await findSomebody()
      let connection = try enter()
      defer { leave(connection) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await quiet.run() }
        group.addTask { [self] in
          try await connection.client.serverStreaming(
            request: ClientRequest(message: request, metadata: metadata(headers)),
            descriptor: descriptor, serializer: ProtobufSerializer<Request>(),
            deserializer: ProtobufDeserializer<Event>(), options: options(nil)
          ) { response in
            for try await event in response.messages {
              // However long it takes, that is no silence of the service.
              quiet.pause()
              try await onEvent(event)
              quiet.heard()
            }
          }
        }
        // The stream's end, or that nothing was heard of it.
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      throw translated(error)
    }
  }

  /// A connection with room for one more stream.
  private func enter() throws -> Connection {
    try streams.withLockedValue { state in
      guard var all = state.all else { throw MoyeoError.cancelled }
      if let i = all.firstIndex(where: { $0.streams < Self.streamsPerConnection }) {
        all[i].streams += 1
        state.all = all
        return all[i].connection
      }
      let made = Connection(try Self.transport(address.host, address.port, isSecure ? tls : nil))
      state.all = all + [(made, 1)]
      return made
    }
  }

  private func leave(_ connection: Connection) {
    streams.withLockedValue { state in
      guard let i = state.all?.firstIndex(where: { $0.connection === connection }) else { return }
      state.all?[i].streams -= 1
    }
  }

  func streamReports(
    headers: [(String, String)],
    _ produce: @Sendable @escaping (RPCWriter<Moyeo_V1_StreamReportsRequest>) async throws -> Void,
    onAnswer: @Sendable @escaping (Moyeo_V1_StreamReportsResponse) async throws -> Void
  ) async throws(MoyeoError) {
    do {
      try await findSomebody()
      let connection = try enter()
      defer { leave(connection) }
      try await Moyeo_V1_PositionService.Client(wrapping: connection.client).streamReports(
        metadata: metadata(headers), options: options(nil), requestProducer: produce
      ) { response in
        for try await message in response.messages { try await onAnswer(message) }
      }
    } catch {
      throw translated(error)
    }
  }

  /// Until the first answer: whether anyone listens. On a busy machine the transport now and then
  /// keeps a first call waiting for its deadline although the connection was refused long ago.
  private func findSomebody() async throws {
    guard !hasAnswered.load(ordering: .relaxed) else { return }
    do {
      let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: address.host, port: address.port).get()
      try await channel.close()
    } catch {
      throw MoyeoError.unreachable(
        endpoint: endpoint.description, cause: MoyeoError.words(error), mayHaveRun: false)
    }
  }

  private func translated(_ error: any Error) -> MoyeoError {
    switch error {
    case let error as MoyeoError: error
    case let error as RPCError: MoyeoError(error, endpoint: endpoint)
    case let error as RuntimeError where error.code == .clientIsStopped: .cancelled
    case is CancellationError: .cancelled
    default: .unreachable(endpoint: endpoint.description, cause: "\(error)")
    }
  }

  func close() async {
    let open = streams.withLockedValue { state in
      defer { state.all = nil }
      return state.all ?? []
    }
    await withTaskGroup(of: Void.self) { group in
      for (connection, _) in open { group.addTask { await connection.close() } }
      await calls.close()
    }
  }
}

/// Gives a stream up that has been silent for too long: a cut connection may look like that for
/// hours.
private final class QuietWatch: Sendable {
  private let limit: Duration
  private let endpoint: Endpoint
  /// When it was heard last; nil while an event is dealt with.
  private let last = NIOLockedValueBox<ContinuousClock.Instant?>(.now)

  init(limit: Duration, endpoint: Endpoint) {
    self.limit = limit
    self.endpoint = endpoint
  }

  func heard() { last.withLockedValue { $0 = .now } }

  func pause() { last.withLockedValue { $0 = nil } }

  /// - Throws: ``MoyeoError/timedOut(endpoint:)`` once nothing was heard for the limit.
  func run() async throws {
    while true {
      let end = (last.withLockedValue { $0 } ?? .now) + limit
      guard ContinuousClock.now < end else {
        throw MoyeoError.timedOut(endpoint: endpoint.description)
      }
      try await ContinuousClock().sleep(until: end)
    }
  }
}
