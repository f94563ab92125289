import GRPCCore
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Synchronization

/// gRPC over HTTP/2: a server transport made for short calls (Decisions/0010).
///
/// ```
/// socket ─ WriteGathering ─ NIOHTTP2Handler ─ HotLane ─ HTTP2StreamMultiplexer ─ ConnectionKeeper
///                                                              │ a channel for each cold call
///                                                          ColdStream ─ NIOAsyncChannel ─ task
/// ```
/// Bounds: streams open at once and frame size by HTTP/2's settings, resets, errors and control
/// frames by the HTTP/2 handler's rates, unread answers by ``WriteGathering`` and ``HotLane``,
/// request messages by ``ColdStream`` and ``HotLane``.
final class GRPCTransport: ServerTransport {
  typealias Bytes = MessageBytes

  struct Settings: Sendable {
    var host = "127.0.0.1"
    /// 0 picks a free port.
    var port = 0
    var maximumStreamsPerConnection = 100
    /// Flow control, of a connection and of a stream, in bytes.
    var windowSize = 65_535
    var connection = ConnectionKeeper.Settings()
    var calls = ColdStream.Settings()
    /// By path.
    var hotMethods: [String: HotMethod] = [:]
  }

  private let settings: Settings
  private let eventLoopGroup: MultiThreadedEventLoopGroup
  private let shutdown: ShutdownSignal
  private let onListening: @Sendable (_ port: Int) async -> Void
  private let connections = OpenConnections()

  /// - Parameter shutdown: Ends the streams of the hot lane, before ``beginGracefulShutdown()``.
  init(
    settings: Settings, eventLoopGroup: MultiThreadedEventLoopGroup, shutdown: ShutdownSignal,
    onListening: @escaping @Sendable (_ port: Int) async -> Void
  ) {
    self.settings = settings
    self.eventLoopGroup = eventLoopGroup
    self.shutdown = shutdown
    self.onListening = onListening
  }

  func listen(
    streamHandler: @escaping @Sendable (RPCStream<Inbound, Outbound>, ServerContext) async -> Void
  ) async throws {
    let executors = Dictionary(
      uniqueKeysWithValues: eventLoopGroup.makeIterator().map {
        (ObjectIdentifier($0), EventLoopTaskExecutor($0))
      })
    // No bound of its own: the streams of a connection have one.
    let (calls, continuation) = AsyncStream.makeStream(of: ColdCall.self)
    connections.whenAllClosed { continuation.finish() }
    let listener = try await bind { call in
      if case .terminated = continuation.yield(call) { Self.drop(call) }
    }
    connections.setListener(listener)
    let endingStreams = Task {
      await shutdown.wait()
      if !Task.isCancelled { connections.tell(HotLane.StreamsShouldEnd()) }
    }
    defer { endingStreams.cancel() }
    await withTaskCancellationHandler {
      await onListening(listener.localAddress?.port ?? 0)
      await withDiscardingTaskGroup { group in
        for await call in calls {
          let executor = executors[ObjectIdentifier(call.parts.channel.eventLoop)]
          group.addTask(executorPreference: executor) { await Self.serve(call, streamHandler) }
        }
      }
    } onCancel: {
      connections.close()
    }
  }

  func beginGracefulShutdown() { connections.quiesce() }

  private func bind(_ accept: @escaping @Sendable (ColdCall) -> Void) async throws -> any Channel {
    let settings = settings
    let connections = connections
    return try await ServerBootstrap(group: eventLoopGroup)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: 512)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try Self.configure(channel, settings, accept)
          connections.add(channel)
        }
      }
      .bind(host: settings.host, port: settings.port).get()
  }

  private static func configure(
    _ channel: any Channel, _ settings: Settings, _ accept: @escaping @Sendable (ColdCall) -> Void
  ) throws {
    var connection = NIOHTTP2Handler.ConnectionConfiguration()
    connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: settings.maximumStreamsPerConnection),
      HTTP2Setting(parameter: .maxHeaderListSize, value: HPACKDecoder.defaultMaxHeaderListSize),
      HTTP2Setting(parameter: .initialWindowSize, value: settings.windowSize),
    ]
    // Data may still come for so many streams that we have ended early.
    connection.maximumRecentlyResetStreams = min(
      2 * settings.maximumStreamsPerConnection + 32, 4096)
    let socket = WriteGathering()
    let keeper = ConnectionKeeper(settings: settings.connection, socket: socket)
    let calls = settings.calls
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(socket)
    try pipeline.addHandler(
      NIOHTTP2Handler(
        mode: .server, frameDelegate: keeper, connectionConfiguration: connection))
    try pipeline.addHandler(
      HotLane(
        methods: settings.hotMethods, windowSize: settings.windowSize,
        maximumStreams: settings.maximumStreamsPerConnection, keeper: keeper))
    try pipeline.addHandler(
      HTTP2StreamMultiplexer(
        mode: .server, channel: channel, targetWindowSize: settings.windowSize
      ) { stream in
        stream.eventLoop.makeCompletedFuture {
          try stream.pipeline.syncOperations.addHandler(
            ColdStream(settings: calls, accept: accept))
        }
      })
    try pipeline.addHandler(keeper)
  }

  private static func serve(
    _ call: ColdCall,
    _ handler: @Sendable (RPCStream<Inbound, Outbound>, ServerContext) async -> Void
  ) async {
    let channel = call.parts.channel
    let context = ServerContext(
      descriptor: call.descriptor, remotePeer: peer(channel.parent?.remoteAddress),
      localPeer: peer(channel.parent?.localAddress), cancellation: call.cancellation)
    // What it throws is the stream's end, which the handler has heard of by its parts.
    try? await call.parts.executeThenClose { inbound, outbound in
      await withTaskCancellationHandler {
        await handler(
          RPCStream(
            descriptor: call.descriptor, inbound: RPCAsyncSequence(wrapping: inbound),
            outbound: RPCWriter.Closable(wrapping: AnswerWriter(outbound: outbound))),
          context)
      } onCancel: {
        call.cancellation.cancel()
      }
      // Closing now would drop what is still being written.
      if !Task.isCancelled { try await channel.closeFuture.get() }
    }
  }

  /// For a call that came too late to be served.
  private static func drop(_ call: ColdCall) {
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

/// The answer's parts; suspends while the stream's buffer is full.
private struct AnswerWriter: ClosableRPCWriterProtocol {
  let outbound: NIOAsyncChannelOutboundWriter<RPCResponsePart<MessageBytes>>

  func write(_ part: RPCResponsePart<MessageBytes>) async throws {
    try await outbound.write(part)
  }

  func write(contentsOf parts: some Sequence<RPCResponsePart<MessageBytes>>) async throws {
    try await outbound.write(contentsOf: parts)
  }

  func finish() async { outbound.finish() }

  func finish(throwing error: any Error) async { outbound.finish() }
}

/// Runs a call's jobs on the event loop of its connection: a hop less for each step of a call
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

/// The listener and its connections, to end them all.
private final class OpenConnections: Sendable {
  private struct State {
    var listener: (any Channel)?
    var open: [ObjectIdentifier: any Channel] = [:]
    var isClosing = false
    var whenAllClosed: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  func whenAllClosed(_ done: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenAllClosed = done }
  }

  func setListener(_ listener: any Channel) {
    let isClosing = state.withLock { state in
      state.listener = listener
      return state.isClosing
    }
    listener.closeFuture.whenComplete { _ in
      let open = self.state.withLock { state in
        state.isClosing = true
        state.listener = nil
        return Array(state.open.values)
      }
      // Also when the listener fails: what it let in is served to the end.
      Self.tell(open, ChannelShouldQuiesceEvent())
      self.tellIfAllClosed()
    }
    if isClosing { listener.close(promise: nil) }
  }

  func add(_ channel: any Channel) {
    let isClosing = state.withLock { state in
      state.open[ObjectIdentifier(channel)] = channel
      return state.isClosing
    }
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
      self.tellIfAllClosed()
    }
    if isClosing { channel.close(promise: nil) }
  }

  /// No new connections; those that are open end when their calls have.
  func quiesce() {
    let listener = state.withLock { state in
      state.isClosing = true
      return state.listener
    }
    listener?.close(promise: nil)
  }

  func close() {
    let (listener, open) = state.withLock { state in
      state.isClosing = true
      return (state.listener, Array(state.open.values))
    }
    listener?.close(promise: nil)
    for channel in open { channel.close(promise: nil) }
  }

  func tell(_ event: some Sendable) {
    Self.tell(state.withLock { Array($0.open.values) }, event)
  }

  private static func tell(_ channels: [any Channel], _ event: some Sendable) {
    for channel in channels { channel.pipeline.fireUserInboundEventTriggered(event) }
  }

  private func tellIfAllClosed() {
    let done = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.isClosing, state.listener == nil, state.open.isEmpty else { return nil }
      defer { state.whenAllClosed = nil }
      return state.whenAllClosed
    }
    done?()
  }
}
