import NIOCore
import NIOHTTP2

/// Keeps and ends one HTTP/2 connection: pings and ping floods, silence, shutdown.
///
/// ```
/// open ── shutdown, idle, no answer to a ping ─→ announced ── ack ─→ draining ── last stream ─→ closed
///                                                GOAWAY max, PING     GOAWAY last
/// ```
/// Two GOAWAY frames, because calls may be on their way when the first is sent: the ack of the
/// ping between them tells that the peer has read it (RFC 9113, 6.8). The first goes past the
/// HTTP/2 handler, which would refuse those calls. Client pings as in gRFC A8.
///
/// The HTTP/2 handler tells of errors of a stream and of the connection by the same types. Of which
/// kind one is shows what it has just written: RST_STREAM, or GOAWAY.
final class ConnectionKeeper: ChannelInboundHandler, NIOHTTP2FrameDelegate {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  struct Settings: Sendable {
    /// A connection without calls for so long is ended, at the latest after twice this time.
    var idle = TimeAmount.hours(1)
    /// A connection that sends nothing for so long is asked whether it is there, at the latest
    /// after twice this time.
    var silence = TimeAmount.hours(2)
    /// The time it has to answer, and to take what is queued when its connection ends.
    var pingTimeout = TimeAmount.seconds(20)
    /// A client that pings more often, thrice without an answer in between, is sent away.
    var leastPingInterval = TimeAmount.minutes(5)
    /// The same without calls.
    var leastPingIntervalWithoutCalls = TimeAmount.hours(2)
    /// A peer that does not acknowledge the end in this time is taken to know of it; one that has
    /// all and does not close is closed.
    var goodbye = TimeAmount.seconds(5)
  }

  private enum State { case open, announced, draining, closed }
  private enum Written { case reset, goAway, other }

  private static let goodbyePing = HTTP2PingData(withInteger: 0x676F_6F64_6279_6521)
  private static let silencePing = HTTP2PingData(withInteger: 0x6172_6520_796F_7521)
  private static let mostPingStrikes = 2

  /// The first GOAWAY: no error, and the last stream is the last there can be.
  private static let announcement: ByteBuffer = {
    var frame = ByteBuffer(bytes: [0, 0, 8, 7, 0, 0, 0, 0, 0])
    frame.writeInteger(UInt32(0x7FFF_FFFF))
    frame.writeInteger(UInt32(0))
    return frame
  }()

  private let settings: Settings
  private let socket: WriteGathering
  private var state = State.open
  private var context: ChannelHandlerContext?
  private(set) var openStreams = 0
  private(set) var lastStream = HTTP2StreamID.rootStream
  private var hadStreams = false
  private var hasRead = false
  private var lastWritten = Written.other
  private var pingStrikes = 0
  private var lastPing: NIODeadline?
  private var timers: [Scheduled<Void>] = []
  private var pingTimer: Scheduled<Void>?

  init(settings: Settings, socket: WriteGathering) {
    self.settings = settings
    self.socket = socket
  }

  // Told by the hot lane, which sees all streams.

  func streamOpened(_ id: HTTP2StreamID) {
    openStreams += 1
    lastStream = max(lastStream, id)
    hadStreams = true
  }

  func streamClosed(_ id: HTTP2StreamID) {
    // Reset because of its first headers: it has never been open.
    guard id <= lastStream else { return lastStream = id }
    openStreams -= 1
    guard openStreams == 0, state == .draining, let context else { return }
    // After what is being written: the end of that stream may still be on its way.
    context.eventLoop.assumeIsolated().execute { self.closeGently(context) }
  }

  func answered() {
    pingStrikes = 0
    lastPing = nil
  }

  func wroteFrame(_ frame: HTTP2Frame) {
    switch frame.payload {
    case .rstStream: lastWritten = .reset
    case .goAway: lastWritten = .goAway
    default: lastWritten = .other
    }
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    repeatCheck(context, every: settings.idle) { [unowned self] in
      if openStreams == 0 && !hadStreams { announceEnd(context) }
      hadStreams = false
    }
    repeatCheck(context, every: settings.silence) { [unowned self] in
      if !hasRead && pingTimer == nil { askWhetherThere(context) }
      hasRead = false
    }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    state = .closed
    for timer in timers { timer.cancel() }
    timers = []
    pingTimer?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .ping(let data, let isAck) = unwrapInboundIn(data).payload else { return }
    if isAck {
      acknowledged(context, data)
    } else {
      pinged(context)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    hasRead = true
    lastWritten = .other
    pingTimer?.cancel()
    pingTimer = nil
    context.fireChannelReadComplete()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent { announceEnd(context) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case is NIOHTTP2Errors.StreamError: break
    case is NIOHTTP2Errors.RaisedGoawayLastStreamID where state != .open:
      // The GOAWAY of a connection error, after our own; the error itself follows.
      lastWritten = .goAway
    // A frame after the last call: a window of answers that the peer is still reading.
    case is NIOHTTP2Errors.IOOnClosedConnection where state != .open: break
    // A frame of a call that was on its way when the end was announced, or that has ended.
    case let late as NIOHTTP2Errors.NoSuchStream
    where state != .open || late.streamID <= lastStream:
      // Of ours, held up by a full socket until the peer had reset the call.
      guard lastWritten == .goAway else { break }
      announceEnd(context)
      readOn(context)
    // The stream has been reset; the others go on (RFC 9113, 5.4.2).
    case is any NIOHTTP2Error where lastWritten == .reset: break
    default: context.close(promise: nil)
    }
  }

  /// The HTTP/2 handler leaves the frames behind a bad one lying until more bytes come.
  private func readOn(_ context: ChannelHandlerContext) {
    context.eventLoop.assumeIsolated().execute {
      let pipeline = context.pipeline.syncOperations
      pipeline.fireChannelRead(NIOAny(ByteBuffer()))
      pipeline.fireChannelReadComplete()
    }
  }

  /// Cheaper than a timer that each call sets back: a look now and then whether something was.
  private func repeatCheck(
    _ context: ChannelHandlerContext, every interval: TimeAmount, _ check: @escaping () -> Void
  ) {
    let index = timers.count
    func schedule() -> Scheduled<Void> {
      context.eventLoop.assumeIsolated().scheduleTask(in: interval) { [weak self] in
        guard let self, state != .closed else { return }
        check()
        timers[index] = schedule()
      }
    }
    timers.append(schedule())
  }

  /// A ping of the peer; the HTTP/2 handler has answered it.
  private func pinged(_ context: ChannelHandlerContext) {
    let now = NIODeadline.now()
    let interval =
      openStreams > 0 ? settings.leastPingInterval : settings.leastPingIntervalWithoutCalls
    guard let last = lastPing, now < last + interval else {
      lastPing = now
      return
    }
    pingStrikes += 1
    guard pingStrikes > Self.mostPingStrikes, state != .closed else { return }
    state = .closed
    let reason = context.channel.allocator.buffer(string: "too_many_pings")
    write(
      context, .goAway(lastStreamID: lastStream, errorCode: .enhanceYourCalm, opaqueData: reason))
    context.flush()
    context.eventLoop.assumeIsolated().execute { context.close(promise: nil) }
  }

  private func askWhetherThere(_ context: ChannelHandlerContext) {
    write(context, .ping(Self.silencePing, ack: false))
    context.flush()
    pingTimer = context.eventLoop.assumeIsolated().scheduleTask(in: settings.pingTimeout) {
      context.close(promise: nil)
    }
  }

  private func announceEnd(_ context: ChannelHandlerContext) {
    guard state == .open else { return }
    state = .announced
    socket.sendFrame(Self.announcement)
    write(context, .ping(Self.goodbyePing, ack: false))
    context.flush()
    let timer = context.eventLoop.assumeIsolated().scheduleTask(in: settings.goodbye) {
      [weak self] in
      guard let self, state == .announced else { return }
      drain(context)
    }
    timers.append(timer)
  }

  private func acknowledged(_ context: ChannelHandlerContext, _ data: HTTP2PingData) {
    if data == Self.goodbyePing && state == .announced { drain(context) }
  }

  private func drain(_ context: ChannelHandlerContext) {
    state = .draining
    write(context, .goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil))
    context.flush()
    if openStreams == 0 { closeGently(context) }
  }

  /// What is queued is sent first: closing both ways at once would drop it. Then the peer closes:
  /// what it still sends to a closed socket would drop what it has not read yet.
  private func closeGently(_ context: ChannelHandlerContext) {
    guard state != .closed else { return }
    state = .closed
    let sent = context.eventLoop.makePromise(of: Void.self)
    context.close(mode: .output, promise: sent)
    close(context, in: settings.pingTimeout)
    sent.futureResult.assumeIsolated().whenSuccess { [self] in
      close(context, in: settings.goodbye)
    }
  }

  private func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
    timers.append(
      context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) })
  }

  private func write(_ context: ChannelHandlerContext, _ payload: HTTP2Frame.FramePayload) {
    context.write(
      wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
  }
}
