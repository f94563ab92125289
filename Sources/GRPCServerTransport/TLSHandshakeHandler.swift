package import NIOCore
import NIOSSL
import NIOTLS

/// Stands behind the handler that speaks TLS until the handshake is done, then leaves the pipeline.
///
/// ```
/// handshaking ── done, and the protocol is the one that is spoken here ─→ (removed)
///      └─ failed, too late, or another protocol: counted, closed
/// ```
package final class TLSHandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
  package typealias InboundIn = NIOAny

  private let required: ServerCertificates.ApplicationProtocol?
  private let timeout: TimeAmount?
  private let events: TransportEvents
  private var timer: EventLoopTimer?
  private var isDone = false

  /// - Parameters:
  ///   - required: What the peer has to ask for by ALPN; `nil` when it may ask for nothing.
  ///   - timeout: How long the handshake may take; `nil` when somebody else measures it.
  ///   - events: Counts `tls_handshake_failed`, `no_handshake` and `no_application_protocol`.
  package init(
    requiring required: ServerCertificates.ApplicationProtocol?, timeout: TimeAmount?,
    events: TransportEvents
  ) {
    self.required = required
    self.timeout = timeout
    self.events = events
  }

  package func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { setTimer(context) }
  }

  package func channelActive(context: ChannelHandlerContext) {
    setTimer(context)
    context.fireChannelActive()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    finish()
    context.fireChannelInactive()
  }

  package func handlerRemoved(context: ChannelHandlerContext) { finish() }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard !isDone, case TLSUserEvent.handshakeCompleted(let negotiated)? = event as? TLSUserEvent
    else {
      return context.fireUserInboundEventTriggered(event)
    }
    finish()
    guard required == nil || negotiated == required?.rawValue else {
      events.count("no_application_protocol")
      return context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A peer that only looked whether somebody listens has failed at nothing.
    if !isDone, !Self.isEndOfInput(error) {
      finish()
      events.count("tls_handshake_failed")
    }
    context.fireErrorCaught(error)
  }

  private static func isEndOfInput(_ error: any Error) -> Bool {
    switch error {
    case NIOSSLError.handshakeFailed(.sslError(let errors)): errors == [.eofDuringHandshake]
    case NIOSSLError.handshakeFailed: false
    default: true
    }
  }

  private func setTimer(_ context: ChannelHandlerContext) {
    guard let timeout, timer == nil, !isDone else { return }
    timer = EventLoopTimers.of(context.eventLoop).schedule(in: timeout) { [weak self] in
      guard let self, !isDone else { return }
      events.count("no_handshake")
      context.close(promise: nil)
    }
  }

  private func finish() {
    isDone = true
    timer?.cancel()
    timer = nil
  }
}
