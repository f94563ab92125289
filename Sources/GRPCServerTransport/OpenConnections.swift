package import NIOCore
package import NIOPosix
import Threading

/// The listener and its connections, so that all of them can be ended.
package final class OpenConnections: Sendable {
  private struct State {
    var listener: (any Channel)?
    var open: [ObjectIdentifier: any Channel] = [:]
    var isAnnounced = false
    var isClosing = false
    var whenAllClosed: (@Sendable () -> Void)?
  }

  private let state = StateLock(State())

  package init() {}

  /// What a port is bound with whose connections are counted here.
  ///
  /// - Parameters:
  ///   - group: Whose threads serve the connections.
  ///   - limits: How many connections there may be.
  ///   - setUp: Adds the handlers of a connection, on its event loop; one that cannot be set up is closed.
  /// - Returns: A bootstrap, to which more options may be added before it binds.
  package func bootstrap(
    group: MultiThreadedEventLoopGroup, limits: ConnectionLimits,
    setUp: @escaping @Sendable (any Channel) throws -> Void
  ) -> ServerBootstrap {
    ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // Thousands that connect at once wait here for the event loop; those that find no room come
      // again a second later.
      .serverChannelOption(.backlog, value: 4096)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptLimitHandler(limits: limits))
        }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try setUp(channel)
          self.add(channel)
        }
      }
  }

  package func whenAllClosed(_ done: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenAllClosed = done }
  }

  package func setListener(_ listener: any Channel) {
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
      // This also runs when the listener fails: what it accepted is served to the end.
      Self.tell(open, ChannelShouldQuiesceEvent())
      self.tellIfAllClosed()
    }
    if isClosing { listener.close(promise: nil) }
  }

  private func add(_ channel: any Channel) {
    let (isAnnounced, isClosing) = state.withLock { state in
      state.open[ObjectIdentifier(channel)] = channel
      return (state.isAnnounced, state.isClosing)
    }
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
      self.tellIfAllClosed()
    }
    if isClosing { return channel.close(promise: nil) }
    if isAnnounced { channel.pipeline.fireUserInboundEventTriggered(ShutdownAnnounced()) }
  }

  /// Tells all connections that the shutdown has begun: long streams end, calls are still answered.
  func announceShutdown() {
    let open = state.withLock { state in
      state.isAnnounced = true
      return Array(state.open.values)
    }
    Self.tell(open, ShutdownAnnounced())
  }

  /// Ends the listener. Connections that are open end when their calls have ended.
  package func quiesce() {
    let listener = state.withLock { state in
      state.isClosing = true
      return state.listener
    }
    listener?.close(promise: nil)
  }

  package func close() {
    let (listener, open) = state.withLock { state in
      state.isClosing = true
      return (state.listener, Array(state.open.values))
    }
    listener?.close(promise: nil)
    for channel in open { channel.close(promise: nil) }
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
