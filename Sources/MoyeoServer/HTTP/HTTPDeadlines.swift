import GRPCServerTransport
import NIOCore
import NIOHTTP1

/// How long the parts of a request may take to arrive (`http.*Seconds`).
package struct HTTPTimeLimits: Sendable, Hashable {
  /// From one answer to the next request, or from the connection's begin to the first.
  package var idleSeconds = 60.0
  /// From the first byte of a head to its last.
  package var headSeconds = 15.0
  /// From a head to the end of its body, and one second more for each ``bodyBytesPerSecond``
  /// that have come.
  package var bodySeconds = 30.0
  /// The rate below which a body is given up.
  package var bodyBytesPerSecond = 16 * 1024
  /// How long an answer may wait for its reader to take more of it.
  package var stalledAnswerSeconds = 60.0

  package init() {}
}

/// Closes a connection whose request does not finish arriving, whose answer nobody takes, or that
/// nobody uses. Stands in front of the parser, where the bytes come.
///
/// One timer a connection: it looks at the phase when it fires, and is set again to the phase's
/// end, so that a request costs no timer.
final class HTTPDeadlines: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// What the connection waits for.
  enum Phase: Equatable {
    case idle
    case head
    /// `bytes` of the body have come.
    case body(bytes: Int)
    /// The call works, or its answer is on its way: calls have limits of their own.
    case answering
  }

  private let limits: HTTPTimeLimits
  private(set) var phase = Phase.idle
  private var since = NIODeadline.uptimeNanoseconds(0)
  private var unwritableSince: NIODeadline?
  private var timer: EventLoopTimer?
  private var context: ChannelHandlerContext?

  init(limits: HTTPTimeLimits) { self.limits = limits }

  // MARK: - Told by the gate

  func headArrived(at now: NIODeadline) { begin(.body(bytes: 0), now) }

  func bodyArrived(_ count: Int) {
    if case .body(let bytes) = phase { phase = .body(bytes: bytes + count) }
  }

  func requestArrived(at now: NIODeadline) { begin(.answering, now) }

  func answersEnded(at now: NIODeadline) { begin(.idle, now) }

  private func begin(_ next: Phase, _ now: NIODeadline) {
    phase = next
    since = now
  }

  // MARK: - Bytes past the encoder

  /// Writes bytes that need no encoder, behind all that was written before.
  ///
  /// - Parameters:
  ///   - answer: The bytes.
  ///   - promise: Told once the system has them, or never will.
  func write(_ answer: ByteBuffer, promise: EventLoopPromise<Void>? = nil) {
    guard let context else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    context.write(Self.wrapOutboundOut(answer), promise: promise)
  }

  // MARK: - Time

  private var end: NIODeadline? {
    switch phase {
    case .idle: since + .seconds(limits.idleSeconds)
    case .head: since + .seconds(limits.headSeconds)
    case .body(let bytes):
      since + .seconds(limits.bodySeconds + Double(bytes) / Double(limits.bodyBytesPerSecond))
    case .answering: unwritableSince.map { $0 + .seconds(limits.stalledAnswerSeconds) }
    }
  }

  private func setTimer(_ context: ChannelHandlerContext) {
    // The shortest phase may begin at any time.
    let soonest = context.eventLoop.now + .seconds(limits.shortest)
    let next = end.map { max($0, context.eventLoop.now) } ?? soonest
    timer = EventLoopTimers.of(context.eventLoop).schedule(deadline: min(next, soonest)) {
      [weak self] in
      guard let self else { return }
      if let end, end <= context.eventLoop.now {
        context.close(promise: nil)
      } else {
        setTimer(context)
      }
    }
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { start(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    if timer == nil { start(context) }
    context.fireChannelActive()
  }

  private func start(_ context: ChannelHandlerContext) {
    since = context.eventLoop.now
    setTimer(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    self.context = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if phase == .idle { begin(.head, context.eventLoop.now) }
    context.fireChannelRead(data)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    unwritableSince = context.channel.isWritable ? nil : context.eventLoop.now
    context.fireChannelWritabilityChanged()
  }
}

extension HTTPTimeLimits {
  /// A TLS handshake has the time of a head: both are what a connection says before anything else.
  var handshakeTimeout: TimeAmount { .seconds(headSeconds) }

  /// Between two looks at a connection.
  fileprivate var shortest: Double {
    min(idleSeconds, headSeconds, bodySeconds, stalledAnswerSeconds)
  }
}

extension TimeAmount {
  fileprivate static func seconds(_ seconds: Double) -> TimeAmount {
    .nanoseconds(Int64(seconds * 1e9))
  }
}
