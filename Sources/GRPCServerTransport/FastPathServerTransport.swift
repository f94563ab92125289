package import CallTracing
package import GRPCCore
import NIOCore
import NIOHPACK
import NIOHTTP2
package import NIOPosix
package import Threading

/// A server transport for gRPC over HTTP/2 that is made for short calls.
///
/// ```
/// socket ─ (TLS) ─ WriteGathering ─ SettingsHandshakeHandler ─ NIOHTTP2Handler ─ FastPathHandler
///           ─ HTTP2StreamMultiplexer ─ ConnectionPolicyHandler
///                      │ a channel for each call that the fast path does not take
///               GRPCStreamHandler ─ NIOAsyncChannel ─ task
/// ```
/// The module's page lists the bounds.
package final class FastPathServerTransport: ServerTransport {
  package typealias Bytes = MessageBytes

  /// Where to listen, what is served, and the bounds of a connection and of the process.
  package struct Settings: Sendable {
    package var host = "127.0.0.1"
    /// The port to listen on; 0 picks a free one.
    package var port = 0
    /// The most streams that one connection may have open, as the peer is told; one more is refused
    /// with REFUSED_STREAM. As many handlers may run for it, those of cancelled calls included.
    package var maximumStreamsPerConnection = 1000
    /// The most calls that are not unary and are open at once on one connection. One more is
    /// refused with RESOURCE_EXHAUSTED, so that a unary call never waits behind them.
    package var maximumLongStreamsPerConnection = 100
    /// The flow-control window of a connection and of a stream, in bytes; at least HTTP/2's own
    /// 65,535.
    package var windowSize = 65_535
    /// The most bytes of one message to a stream handler.
    package var maximumMessageBytes = 4 << 20
    /// The most bytes of requests that have not arrived yet, or wait, on one connection. A call
    /// that goes beyond is refused with RESOURCE_EXHAUSTED.
    package var maximumRequestBytesPerConnection = 32 << 20
    /// The same bound for all connections together.
    package var requestMemory = RequestMemory(maximumBytes: 256 << 20)
    package var connection = ConnectionPolicy()
    /// What connections are greeted with; `nil` for connections without TLS. A connection that
    /// has not finished its handshake after ``ConnectionPolicy/prefaceTimeout`` is closed.
    package var certificates: ServerCertificates?
    /// The bounds on the number of connections.
    package var limits = ConnectionLimits(maximum: 10_000, maximumPerPeer: 5_000)
    /// The calls that the fast path answers, by path.
    package var fastPathMethods: [String: FastPathMethod] = [:]
    /// The name, in lower case, of a header that says that a call may have to wait. The fast path
    /// leaves such calls of methods that honour it to the stream handlers.
    package var bypassHeader: String?
    /// The paths of all methods that are served.
    package var paths: Set<String> = []
    /// The paths of calls with one answer, whose headers wait for it.
    package var unaryPaths: Set<String> = []
    /// Makes the identifiers of requests whose callers give none.
    package var identifiers = CallIdentifiers()
    /// Compresses answers that are too long for an event loop. They are sent as they are while it has no
    /// room.
    package var pool = BoundedThreadPool()
    /// Words what the transport itself refuses.
    package var refusal: @Sendable (RefusalCause) -> CallRefusal = { CallRefusal($0) }

    package init() {}
  }

  /// Counts what is out of the ordinary on the connections.
  package let events = TransportEvents()
  private let settings: Settings
  private let eventLoopGroup: MultiThreadedEventLoopGroup
  private let onListening: @Sendable (_ port: Int) async -> Void
  private let connections = OpenConnections()

  /// - Parameters:
  ///   - settings: The settings, fixed for the life of the transport.
  ///   - eventLoopGroup: Serves the connections; handlers run on it and must not block.
  ///   - onListening: Is called once the port is bound.
  package init(
    settings: Settings, eventLoopGroup: MultiThreadedEventLoopGroup,
    onListening: @escaping @Sendable (_ port: Int) async -> Void
  ) {
    precondition(settings.windowSize >= 65_535, "The window size must be at least 65,535 bytes.")
    self.settings = settings
    self.eventLoopGroup = eventLoopGroup
    self.onListening = onListening
  }

  package func listen(
    streamHandler: @escaping @Sendable (RPCStream<Inbound, Outbound>, ServerContext) async -> Void
  ) async throws {
    let executors = Dictionary(
      uniqueKeysWithValues: eventLoopGroup.makeIterator().map {
        (ObjectIdentifier($0), EventLoopTaskExecutor($0))
      })
    // The stream has no bound of its own, because the streams of each connection have one.
    let (calls, continuation) = AsyncStream.makeStream(of: AcceptedCall.self)
    connections.whenAllClosed { continuation.finish() }
    let listener = try await bind { call in
      if case .terminated = continuation.yield(call) { Self.drop(call) }
    }
    connections.setListener(listener)
    await withTaskCancellationHandler {
      await onListening(listener.localAddress?.port ?? 0)
      await withDiscardingTaskGroup { group in
        for await call in calls {
          let executor = executors[ObjectIdentifier(call.parts.channel.eventLoop)]
          group.addTask(executorPreference: executor) { await self.serve(call, streamHandler) }
        }
      }
    } onCancel: {
      connections.close()
    }
  }

  /// Ends the streams of the fast path, and begins the time after which connections are closed
  /// whatever is half sent (``ConnectionPolicy/shutdownGrace``). Unary calls are still answered,
  /// and connections accepted, until ``beginGracefulShutdown()``.
  package func announceShutdown() { connections.announceShutdown() }

  package func beginGracefulShutdown() { connections.quiesce() }

  private func bind(
    _ accept: @escaping @Sendable (AcceptedCall) -> Void
  ) async throws -> any Channel {
    let pipeline = ConnectionPipeline(settings: settings, events: events, accept: accept)
    return try await connections.bootstrap(
      group: eventLoopGroup, limits: settings.limits, setUp: pipeline.configure
    )
    .childChannelOption(.socketOption(.so_keepalive), value: 1)
    .bind(host: settings.host, port: settings.port).get()
  }

  private func serve(
    _ call: AcceptedCall,
    _ handler: @Sendable (RPCStream<Inbound, Outbound>, ServerContext) async -> Void
  ) async {
    defer { call.running.ended() }
    let channel = call.parts.channel
    let context = ServerContext(
      descriptor: call.descriptor, remotePeer: Self.peer(channel.parent?.remoteAddress),
      localPeer: Self.peer(channel.parent?.localAddress), cancellation: call.cancellation)
    // An error thrown here is the stream's end, which the handler has learned of by its parts.
    try? await call.parts.executeThenClose { inbound, outbound in
      await withTaskCancellationHandler {
        await handler(
          RPCStream(
            descriptor: call.descriptor,
            inbound: RPCAsyncSequence(
              wrapping: CountedRequest(base: inbound, unread: call.unread, channel: channel)),
            outbound: RPCWriter.Closable(
              wrapping: AnswerWriter(
                outbound: outbound, encoding: call.answerEncoding, pool: settings.pool))),
          context)
      } onCancel: {
        call.cancellation.cancel()
      }
      // Closing now would drop what is still being written.
      if !Task.isCancelled { try await channel.closeFuture.get() }
    }
  }

  /// Ends a call that came too late to be served.
  private static func drop(_ call: AcceptedCall) {
    call.running.ended()
    call.parts.channel.close(promise: nil)
    Task { try? await call.parts.executeThenClose { _, outbound in outbound.finish() } }
  }

  private static func peer(_ address: SocketAddress?) -> String {
    switch address {
    case .v4(let v4): "ipv4:\(v4.host):\(address?.port ?? 0)"
    case .v6(let v6): "ipv6:[\(v6.host)]:\(address?.port ?? 0)"
    case .unixDomainSocket: "unix:\(address?.pathname ?? "")"
    case nil: "<unknown>"
    }
  }
}

/// Sets up the channel of each connection.
struct ConnectionPipeline: Sendable {
  let settings: FastPathServerTransport.Settings
  let fastPath: FastPathHandler.Settings
  let streams: GRPCStreamHandler.Settings
  let http2: NIOHTTP2Handler.ConnectionConfiguration
  let httpStreams: NIOHTTP2Handler.StreamConfiguration
  let events: TransportEvents
  let accept: @Sendable (AcceptedCall) -> Void

  init(
    settings: FastPathServerTransport.Settings, events: TransportEvents,
    accept: @escaping @Sendable (AcceptedCall) -> Void
  ) {
    self.settings = settings
    self.events = events
    self.accept = accept
    fastPath = FastPathHandler.Settings(
      methods: settings.fastPathMethods, windowSize: settings.windowSize,
      maximumStreams: settings.maximumStreamsPerConnection,
      maximumLongStreams: settings.maximumLongStreamsPerConnection,
      bypassHeader: settings.bypassHeader, requestTimeout: settings.connection.requestTimeout,
      identifiers: settings.identifiers, pool: settings.pool, refusal: settings.refusal,
      events: events)
    streams = GRPCStreamHandler.Settings(
      maximumMessageBytes: settings.maximumMessageBytes, paths: settings.paths,
      unaryPaths: settings.unaryPaths,
      maximumLongStreams: settings.maximumLongStreamsPerConnection,
      requestTimeout: settings.connection.requestTimeout, identifiers: settings.identifiers,
      refusal: settings.refusal, events: events)
    var http2 = NIOHTTP2Handler.ConnectionConfiguration()
    http2.initialSettings = [
      // It is first, because the connection's policy writes the limit that the peer is told over
      // it.
      HTTP2Setting(parameter: .maxConcurrentStreams, value: Int(UInt32.max)),
      HTTP2Setting(parameter: .maxHeaderListSize, value: HPACKDecoder.defaultMaxHeaderListSize),
      HTTP2Setting(parameter: .initialWindowSize, value: settings.windowSize),
    ]
    // Data may still come for so many streams that the server has ended early.
    http2.maximumRecentlyResetStreams = min(
      2 * settings.maximumStreamsPerConnection + 32, 1000)
    // Errors of single streams are bounded in time. The handler's bound of 200 for the life of a
    // connection would end every connection that lives long enough.
    http2.maximumConnectionGlitches = .max
    // This has no effect, because its window is always over. ConnectionPolicyHandler judges these
    // frames by what was served; the handler would end a connection after 200 in 30 s.
    http2.controlFrameRateLimit.maximumCount = 1
    http2.controlFrameRateLimit.windowLength = .nanoseconds(-1)
    var httpStreams = NIOHTTP2Handler.StreamConfiguration()
    httpStreams.streamResetFrameRateLimit.maximumCount = 1
    httpStreams.streamResetFrameRateLimit.windowLength = .nanoseconds(-1)
    self.http2 = http2
    self.httpStreams = httpStreams
  }

  func configure(_ channel: any Channel) throws {
    let pipeline = channel.pipeline.syncOperations
    if let certificates = settings.certificates {
      try pipeline.addHandler(certificates.makeHandler(.http2))
      // The handler behind it waits for the preface, and so for the handshake too.
      try pipeline.addHandler(
        TLSHandshakeHandler(requiring: .http2, timeout: nil, events: events))
    }
    try pipeline.addHandler(
      SettingsHandshakeHandler(timeout: settings.connection.prefaceTimeout, events: events) {
        try addHandlers(to: channel)
      })
  }

  /// Adds what serves the calls of a connection, which has spoken.
  private func addHandlers(to channel: any Channel) throws {
    let usage = ConnectionUsage(
      requestBytes: ConnectionRequestBytes(
        maximumBytes: settings.maximumRequestBytesPerConnection, shared: settings.requestMemory))
    let socket = WriteGathering(
      socket: settings.certificates == nil ? SocketWriter(channel) : SocketWriter())
    let policy = ConnectionPolicyHandler(
      settings: settings.connection, socket: socket, usage: usage,
      advertisedStreams: settings.maximumStreamsPerConnection, events: events)
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(socket)
    try pipeline.addHandler(
      NIOHTTP2Handler(
        mode: .server, frameDelegate: policy, connectionConfiguration: http2,
        streamConfiguration: httpStreams))
    try pipeline.addHandler(FastPathHandler(settings: fastPath, policy: policy, usage: usage))
    let bound = NIOLoopBound(usage, eventLoop: channel.eventLoop)
    let (streams, accept) = (streams, accept)
    try pipeline.addHandler(
      HTTP2StreamMultiplexer(
        mode: .server, channel: channel, targetWindowSize: settings.windowSize
      ) { stream in
        stream.eventLoop.makeCompletedFuture {
          try stream.pipeline.syncOperations.addHandler(
            GRPCStreamHandler(settings: streams, usage: bound.value, accept: accept))
        }
      })
    try pipeline.addHandler(policy)
  }
}

/// Writes the parts of an answer; it suspends while the stream's buffer is full.
private struct AnswerWriter: ClosableRPCWriterProtocol {
  let outbound: NIOAsyncChannelOutboundWriter<RPCResponsePart<MessageBytes>>
  let encoding: MessageEncoding
  let pool: BoundedThreadPool

  func write(_ part: RPCResponsePart<MessageBytes>) async throws {
    try await outbound.write(encoding == .identity ? part : await encoded(part))
  }

  func write(contentsOf parts: some Sequence<RPCResponsePart<MessageBytes>>) async throws {
    guard encoding != .identity else { return try await outbound.write(contentsOf: parts) }
    for part in parts { try await outbound.write(await encoded(part)) }
  }

  private func encoded(_ part: RPCResponsePart<MessageBytes>) async -> RPCResponsePart<MessageBytes>
  {
    guard case .message(let message) = part, message.count >= MessageEncoding.minimumBytes else {
      return part
    }
    let bytes = message.withUnsafeBytes { Array($0) }
    return .message(MessageBytes(await encoding.encoded(bytes, on: pool)))
  }

  func finish() async { outbound.finish() }

  func finish(throwing error: any Error) async { outbound.finish() }
}

/// Runs a call's jobs on the event loop of its connection. That saves a hop for each step of a call
/// (67 to 53 us of CPU a unary call), and a writer cannot run ahead of the loop that tells it to
/// wait. Handlers must not block.
private final class EventLoopTaskExecutor: TaskExecutor {
  private let eventLoop: any EventLoop

  init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    eventLoop.execute { unowned.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
