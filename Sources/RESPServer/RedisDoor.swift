package import GRPCServerTransport
package import LiveLayers
import NIOCore
package import NIOPosix
import Threading

/// The port on which clients of Redis's GEO commands are served from the layers.
///
/// A key is a layer, and a member is an object: what one wire writes, the others show at once. The
/// answers are those of Redis 7.0, but for what docs/redis.md lists.
package final class RedisDoor: Sendable {
  package struct Configuration: Sendable {
    package var host = "127.0.0.1"
    /// 0 picks a free port.
    package var port = 0
    package var limits = RESPLimits()
    /// The most bytes of answers that a peer may leave unread before nothing more is read from it.
    package var unreadBytes = 1 << 20
    /// The most bytes of one answer, roughly.
    package var replyBytes = 64 << 20
    /// A connection on which nothing happens for so long is closed.
    package var idleSeconds = 300.0
    /// How long a command may take on the pool.
    package var longMilliseconds: Int64 = 5000
    /// How many connections there may be.
    package var connections = ConnectionLimits(maximum: 3000, maximumPerPeer: 2250)
    /// What connections are greeted with; `nil` for connections without TLS.
    package var certificates: ServerCertificates?
    /// How long a handshake of TLS may take.
    package var handshakeSeconds = 10.0
    /// Tells what the bearer of a password may do, on the event loop; `nil` for passwords that let
    /// nobody in. Without it nobody is asked for one.
    package var authenticate: (@Sendable (_ password: String) -> DoorAccess?)?
    /// Takes a command from what clients may ask in a second, on the event loop, and tells how many
    /// milliseconds it is too early; `nil` for one that may go on.
    package var charge: (@Sendable (_ isWrite: Bool) -> Int64?)?

    package init() {}

    var idleTime: TimeAmount { .nanoseconds(Int64(idleSeconds * 1e9)) }
  }

  private let services: RedisDoorServices
  private let group: MultiThreadedEventLoopGroup
  private let connections = OpenConnections()

  /// Puts the door together; nothing listens yet.
  ///
  /// - Parameters:
  ///   - configuration: Address and limits.
  ///   - layers: What is served.
  ///   - heavyThreads: Threads for commands too long for an event loop; `nil` for half the cores.
  ///   - group: Whose threads serve the connections.
  package init(
    configuration: Configuration, layers: LayerRegistry, heavyThreads: Int?,
    group: MultiThreadedEventLoopGroup
  ) {
    services = RedisDoorServices(
      layers: layers, configuration: configuration,
      pool: BoundedThreadPool(threadCount: heavyThreads, callerLimit: 4))
    self.group = group
  }

  /// Begins to listen.
  ///
  /// - Returns: The port.
  package func start() async throws -> Int {
    let services = services
    let configuration = services.configuration
    let listener = try await connections.bootstrap(
      group: group, limits: configuration.connections
    ) { channel in
      let pipeline = channel.pipeline.syncOperations
      if let certificates = configuration.certificates {
        try pipeline.addHandler(certificates.makeHandler(nil))
        try pipeline.addHandler(
          TLSHandshakeHandler(
            requiring: nil, timeout: .nanoseconds(Int64(configuration.handshakeSeconds * 1e9)),
            events: services.figures.events))
      }
      try pipeline.addHandler(RESPConnectionHandler(services: services, channel: channel))
    }
    .childChannelOption(.socketOption(.so_keepalive), value: 1)
    .childChannelOption(
      .writeBufferWaterMark,
      value: .init(low: configuration.unreadBytes / 2, high: configuration.unreadBytes)
    )
    .bind(host: configuration.host, port: configuration.port).get()
    connections.setListener(listener)
    services.expiry.follow { [weak services] in
      guard let services else { return }
      listener.eventLoop.scheduleRepeatedTask(
        initialDelay: .milliseconds(100), delay: .milliseconds(100)
      ) { task in
        guard listener.isActive else { return task.cancel() }
        services.endDueKeys()
        if !services.expiry.timerGoesOn() { task.cancel() }
      }
    }
    return listener.localAddress?.port ?? 0
  }

  /// Connections and their bounds.
  package var limits: ConnectionLimits { services.configuration.connections }

  /// Commands and refusals as Prometheus text.
  package func figures() -> String { services.figures.text() }

  /// Waits until the door and all its connections are closed.
  package func waitUntilClosed() async {
    await withCheckedContinuation { continuation in
      connections.whenAllClosed { continuation.resume() }
    }
  }

  /// Takes no further connections and ends those that are open when what has arrived is answered.
  package func beginShutdown() { connections.quiesce() }

  /// Ends everything at once.
  package func close() { connections.close() }
}
