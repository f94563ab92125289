import GRPCCore
import GRPCNIOTransportHTTP2
import GRPCProtobuf
import MoyeoAPI
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import SwiftProtobuf
import Synchronization

/// gRPC over one HTTP/2 connection.
final class GRPCTransport: Sendable {
  static let maximumAnswerBytes = 256 << 20

  let client: GRPCClient<HTTP2ClientTransport.Posix>
  private let connections: Task<Void, Never>
  private let endpoint: Endpoint
  private let address: (host: String, port: Int)
  private let metadata: Metadata
  private let options: CallOptions
  private let timeout: Duration
  private let hasAnswered = Atomic(false)

  init(
    host: String, port: Int, isSecure: Bool, configuration: MoyeoClient.Configuration
  ) throws(MoyeoError) {
    endpoint = isSecure ? .grpcs(host: host, port: port) : .grpc(host: host, port: port)
    address = (host, port)
    if isSecure { try configuration.tls.check() }
    do {
      client = GRPCClient(
        transport: try HTTP2ClientTransport.Posix(
          target: Self.target(host, port),
          transportSecurity: isSecure ? configuration.tls.transportSecurity : .plaintext))
    } catch {
      throw .badEndpoint("\(host):\(port): \(error)")
    }
    var metadata = Metadata()
    for (name, value) in configuration.headers {
      metadata.addString(value, forKey: name.lowercased())
    }
    self.metadata = metadata
    var options = CallOptions.defaults
    options.timeout = configuration.timeout
    timeout = configuration.timeout
    // Nobody there: say so at once instead of waiting for somebody.
    options.waitForReady = false
    options.maxResponseMessageBytes = Self.maximumAnswerBytes
    self.options = options
    connections = Task { [client] in
      // Ends by `beginGracefulShutdown`; what goes wrong is told to each call.
      try? await client.runConnections()
    }
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
    _ request: Request, _ descriptor: MethodDescriptor, headers: [(String, String)] = [],
    as: Response.Type = Response.self
  ) async throws(MoyeoError) -> Response {
    var metadata = metadata
    for (name, value) in headers { metadata.addString(value, forKey: name.lowercased()) }
    do {
      let response: Response = try await inTime { [self, metadata] in
        try await findSomebody()
        return try await client.unary(
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

  /// Events until the service ends the stream, or `onEvent` throws.
  func events<Request: Message & Sendable, Event: Message & Sendable>(
    _ request: Request, _ descriptor: MethodDescriptor,
    onEvent: @Sendable @escaping (Event) async throws -> Void
  ) async throws(MoyeoError) {
    var streamOptions = options
    streamOptions.timeout = nil
    do {
      try await findSomebody()
      try await client.serverStreaming(
        request: ClientRequest(message: request, metadata: metadata), descriptor: descriptor,
        serializer: ProtobufSerializer<Request>(), deserializer: ProtobufDeserializer<Event>(),
        options: streamOptions
      ) { response in
        for try await event in response.messages { try await onEvent(event) }
      }
    } catch {
      throw translated(error)
    }
  }

  func streamReports(
    _ produce: @Sendable @escaping (RPCWriter<Moyeo_V1_StreamReportsRequest>) async throws -> Void,
    onAnswer: @Sendable @escaping (Moyeo_V1_StreamReportsResponse) async throws -> Void
  ) async throws(MoyeoError) {
    var streamOptions = options
    streamOptions.timeout = nil
    do {
      try await findSomebody()
      try await Moyeo_V1_PositionService.Client(wrapping: client).streamReports(
        metadata: metadata, options: streamOptions, requestProducer: produce
      ) { response in
        for try await message in response.messages { try await onAnswer(message) }
      }
    } catch {
      throw translated(error)
    }
  }

  /// Gives a call up when its time has passed. The deadline that a call carries is the service's to
  /// keep; a process that was stopped takes the connection and never reads it.
  private func inTime<Answer: Sendable>(
    _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    let call = Task { try await body() }
    let waiting = FirstResult<Answer>()
    // A little later than the service, whose own words are better.
    let limit = timeout + .milliseconds(100)
    let late = MoyeoError.timedOut(endpoint: endpoint.description)
    let timer = Task {
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      call.cancel()
      waiting.finish(.failure(late))
    }
    Task {
      waiting.finish(await call.result)
      timer.cancel()
    }
    return try await withTaskCancellationHandler {
      try await waiting.value
    } onCancel: {
      call.cancel()
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
        endpoint: endpoint.description, cause: MoyeoError.words(error))
    }
  }

  private func translated(_ error: any Error) -> MoyeoError {
    switch error {
    case let error as MoyeoError: error
    case let error as RPCError: MoyeoError(error, endpoint: endpoint)
    case is CancellationError: .cancelled
    default: .unreachable(endpoint: endpoint.description, cause: "\(error)")
    }
  }

  func close() async {
    client.beginGracefulShutdown()
    // A peer that was stopped never says goodbye.
    let giveUp = Task { [connections] in
      guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
      connections.cancel()
    }
    await connections.value
    giveUp.cancel()
  }
}

/// The first of two results, for one who waits for it.
private final class FirstResult<Answer: Sendable>: Sendable {
  private enum State {
    case empty
    case waiting(CheckedContinuation<Answer, any Error>)
    case finished(Result<Answer, any Error>)
  }

  private let state = NIOLockedValueBox(State.empty)

  /// What was finished with first; asked for once.
  var value: Answer {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLockedValue { state -> Result<Answer, any Error>? in
          if case .finished(let result) = state { return result }
          state = .waiting(continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    }
  }

  func finish(_ result: Result<Answer, any Error>) {
    let continuation = state.withLockedValue { state -> CheckedContinuation<Answer, any Error>? in
      switch state {
      case .empty:
        state = .finished(result)
        return nil
      case .waiting(let continuation):
        state = .finished(result)
        return continuation
      case .finished: return nil
      }
    }
    continuation?.resume(with: result)
  }
}
