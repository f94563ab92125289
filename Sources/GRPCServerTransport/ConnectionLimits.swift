import NIOCore
import Threading

/// Counts the connections of one listener, and decides which are too many.
///
/// A listener has limits of its own, so that a flood on one port leaves the others alone; the sum
/// of all listeners' totals has to stay below the process's limit of descriptors.
package final class ConnectionLimits: Sendable {
  /// The number of connections, and how often there were too many.
  package struct Statistics: Sendable, Hashable {
    /// The number of connections that are open now.
    package var open = 0
    /// The number of connections closed at once because the listener had as many as it takes.
    package var refusedInTotal = 0
    /// The number of connections closed at once because their peer had as many as it may have.
    package var refusedPerPeer = 0
    /// How often accepting paused because there was no descriptor left.
    package var acceptPauses = 0
  }

  private struct State {
    var statistics = Statistics()
    var perPeer: [PeerAddress: Int] = [:]
    /// The most connections since the last ebb.
    var highest = 0

    /// Whether a crowd has gone, which is told once.
    mutating func isEbb() -> Bool {
      guard highest >= ConnectionLimits.crowd, statistics.open * 4 <= highest else { return false }
      highest = statistics.open
      return true
    }
  }

  /// From so many connections on, their going is told.
  package static let crowd = 256

  /// The most connections that are open at once.
  package let maximum: Int
  /// The most connections of one peer: an IPv4 address, or a /64 of IPv6.
  package let maximumPerPeer: Int
  private let onEbb: @Sendable () -> Void
  private let state = StateLock(State())

  /// - Parameters:
  ///   - maximum: The most connections that are open at once.
  ///   - maximumPerPeer: The most of one peer.
  ///   - onEbb: Called on an event loop when three quarters of ``crowd`` or more connections have
  ///     gone; their memory can be given back then.
  package init(
    maximum: Int, maximumPerPeer: Int, onEbb: @escaping @Sendable () -> Void = {}
  ) {
    self.maximum = maximum
    self.maximumPerPeer = maximumPerPeer
    self.onEbb = onEbb
  }

  package var statistics: Statistics { state.withLock { $0.statistics } }

  /// Counts a connection, unless it is one too many.
  ///
  /// - Returns: Whether the connection may stay; it is then counted until ``leave(_:)``.
  func enter(_ peer: PeerAddress) -> Bool {
    state.withLock { state in
      guard state.statistics.open < maximum else {
        state.statistics.refusedInTotal += 1
        return false
      }
      guard state.perPeer[peer, default: 0] < maximumPerPeer else {
        state.statistics.refusedPerPeer += 1
        return false
      }
      state.statistics.open += 1
      state.highest = max(state.highest, state.statistics.open)
      state.perPeer[peer, default: 0] += 1
      return true
    }
  }

  func leave(_ peer: PeerAddress) {
    let isEbb = state.withLock { state in
      state.statistics.open -= 1
      let left = (state.perPeer[peer] ?? 1) - 1
      state.perPeer[peer] = left > 0 ? left : nil
      return state.isEbb()
    }
    if isEbb { onEbb() }
  }

  func paused() { state.withLock { $0.statistics.acceptPauses += 1 } }
}

/// The address that a connection counts for.
struct PeerAddress: Hashable {
  private let high: UInt64
  private let low: UInt64

  init(_ address: SocketAddress?) {
    switch address {
    case .v4:
      // A sockaddr_in has family and port, then four bytes of address.
      (high, low) = (0, Self.bytes(of: address, at: 4, as: UInt32.self).map(UInt64.init) ?? 0)
    case .v6:
      // A sockaddr_in6 has family, port and flow, then the address. A host commonly has a whole
      // /64.
      (high, low) = (Self.bytes(of: address, at: 8, as: UInt64.self) ?? 0, 1 << 32)
    case .unixDomainSocket, nil: (high, low) = (0, 1 << 33)
    }
  }

  private static func bytes<Word: BitwiseCopyable>(
    of address: SocketAddress?, at offset: Int, as type: Word.Type
  ) -> Word? {
    address?.withSockAddr { pointer, size in
      let raw = UnsafeRawBufferPointer(start: pointer, count: size)
      guard offset + MemoryLayout<Word>.size <= raw.count else { return nil }
      return raw.loadUnaligned(fromByteOffset: offset, as: type)
    }
  }
}

/// Closes connections that are too many at once, pauses accepting when there are no descriptors left,
/// and lets the event loops that take connections come round between one turn of accepting and the
/// next: however many connect at once, each loop has no more than a few to set up before it looks at
/// those it serves. It is the first handler of a listening channel.
final class AcceptLimitHandler: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = any Channel
  typealias OutboundOut = any Channel

  private let limits: ConnectionLimits
  private let pause: TimeAmount
  private var resume: EventLoopTimer?
  /// The loops that this turn's connections belong to.
  private var busyLoops: [any EventLoop] = []
  private var isWaiting = false
  private var wantsToRead = false

  /// - Parameters:
  ///   - limits: The limits, shared by all that listen for the same service.
  ///   - pause: How long nothing is accepted after an error for want of descriptors or memory.
  init(limits: ConnectionLimits, pause: TimeAmount = .milliseconds(200)) {
    self.limits = limits
    self.pause = pause
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let connection = unwrapInboundIn(data)
    let peer = PeerAddress(connection.remoteAddress)
    guard limits.enter(peer) else { return connection.close(promise: nil) }
    let limits = limits
    connection.closeFuture.whenComplete { _ in limits.leave(peer) }
    let loop = connection.eventLoop
    if loop !== context.eventLoop, !busyLoops.contains(where: { $0 === loop }) {
      busyLoops.append(loop)
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if !busyLoops.isEmpty, !isWaiting {
      isWaiting = true
      // Behind the setting up of the connections, which was handed to these loops before.
      let turns = busyLoops.map { $0.submit {} }
      busyLoops.removeAll(keepingCapacity: true)
      EventLoopFuture.andAllComplete(turns, on: context.eventLoop).assumeIsolated().whenComplete {
        [weak self] _ in
        guard let self else { return }
        isWaiting = false
        if wantsToRead {
          wantsToRead = false
          context.read()
        }
      }
    }
    context.fireChannelReadComplete()
  }

  func read(context: ChannelHandlerContext) {
    if isWaiting { wantsToRead = true } else { context.read() }
  }

  /// Pauses accepting. NIO stays registered for a socket whose `accept` fails, and would try again
  /// without end; turning automatic reading off ends that.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is IOError else { return context.fireErrorCaught(error) }
    guard resume == nil else { return }
    limits.paused()
    setReading(context, false)
    resume = EventLoopTimers.of(context.eventLoop).schedule(in: pause) { [weak self] in
      guard let self else { return }
      resume = nil
      setReading(context, true)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    resume?.cancel()
    resume = nil
    context.fireChannelInactive()
  }

  private func setReading(_ context: ChannelHandlerContext, _ isReading: Bool) {
    // A channel that cannot do this is one that is closing.
    try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
  }
}
