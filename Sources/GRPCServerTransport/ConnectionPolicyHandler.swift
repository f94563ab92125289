import NIOCore
import NIOHTTP2

/// Tells a connection that the shutdown has begun: streams end, calls are still answered, and after
/// ``ConnectionPolicy/shutdownGrace`` the connection is closed.
struct ShutdownAnnounced: Sendable {}

/// Decides how long one HTTP/2 connection lasts: by idle time, silence, too many pings and resets,
/// and shutdown.
///
/// ```
/// open ── shutdown, idle ─→ announced ── ack ─→ draining ── last stream ─→ closed
///                           GOAWAY max, PING     GOAWAY last
/// ```
/// There are two GOAWAY frames, because calls may be under way when the first is sent. The ack of
/// the ping between them tells that the peer has read it (RFC 9113, 6.8). The first is sent past
/// the HTTP/2 handler, which would otherwise refuse those calls.
///
/// Invariant: no GOAWAY names a last stream below one that has been begun. The HTTP/2 handler names
/// stream 0 when it thinks that a peer misbehaves, and stock clients then repeat calls that have
/// been carried out; such a frame is corrected before it is sent.
///
/// The HTTP/2 handler reports errors of a stream and of the connection by the same types. The frame
/// that it has just written tells them apart: RST_STREAM, or GOAWAY.
final class ConnectionPolicyHandler: ChannelInboundHandler, NIOHTTP2FrameDelegate {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  private enum State { case open, announced, draining, closed }
  private enum Written { case reset, goAway, other }

  private static let drainPing = HTTP2PingData(withInteger: 0x676F_6F64_6279_6521)
  private static let keepalivePing = HTTP2PingData(withInteger: 0x6172_6520_796F_7521)

  /// The first GOAWAY: it has no error, and its last stream is the last that there can be.
  private static let announcement: ByteBuffer = {
    var frame = ByteBuffer(bytes: [0, 0, 8, 7, 0, 0, 0, 0, 0])
    frame.writeInteger(UInt32(0x7FFF_FFFF))
    frame.writeInteger(UInt32(0))
    return frame
  }()

  private let settings: ConnectionPolicy
  private let socket: WriteGathering
  private let usage: ConnectionUsage
  private let advertisedStreams: Int
  private let events: TransportEvents
  private var state = State.open
  private var context: ChannelHandlerContext?
  private(set) var lastStream = HTTP2StreamID.rootStream
  private var hadStreams = false
  /// Whether a frame was read; the handler that sees every frame sets it.
  var hasReadFrame = false
  private var hasReadFrameSinceCheck = false
  private var lastWritten = Written.other
  private var pings: PingStrikes
  private var resets: FrameBudget
  private var controlFrames: FrameBudget
  private var timers: [EventLoopTimer] = []
  private var keepaliveTimer: EventLoopTimer?
  private var partialFrameTimer: EventLoopTimer?

  /// Makes the handler of one connection. `advertisedStreams` is the
  /// SETTINGS_MAX_CONCURRENT_STREAMS that the peer is told.
  init(
    settings: ConnectionPolicy, socket: WriteGathering, usage: ConnectionUsage,
    advertisedStreams: Int, events: TransportEvents
  ) {
    self.settings = settings
    self.socket = socket
    self.usage = usage
    self.advertisedStreams = advertisedStreams
    self.events = events
    let now = NIODeadline.now()
    pings = PingStrikes(
      minimumInterval: settings.minimumPingInterval, maximumStrikes: settings.maximumPingStrikes)
    resets = FrameBudget(
      burst: settings.resetBurst, perSecond: settings.resetsPerSecond, now: now)
    controlFrames = FrameBudget(
      burst: settings.controlFrameBurst, perSecond: settings.controlFramesPerSecond, now: now)
  }

  /// Slows a peer down that asks for more than it can have.
  func pauseReading() { socket.pauseReading() }

  // The fast path, which sees all streams, calls these.

  func streamOpened(_ id: HTTP2StreamID) {
    usage.openStreams += 1
    lastStream = max(lastStream, id)
    hadStreams = true
  }

  func streamClosed(_ id: HTTP2StreamID) {
    // A stream that was reset because of its first headers has never been open.
    guard id <= lastStream else { return lastStream = id }
    usage.openStreams -= 1
    guard usage.openStreams == 0, state == .draining, let context else { return }
    // This runs after what is being written, since the end of that stream may be among it.
    context.eventLoop.assumeIsolated().execute { self.closeGently(context) }
  }

  /// Counts an answer, or a part of one, that the peer is being sent: it allows more pings and
  /// resets.
  func answered(endsCall: Bool) {
    pings.answered()
    guard endsCall else { return }
    resets.answered()
    controlFrames.answered()
  }

  /// Counts a frame that HTTP/2 lets a peer send as often as it likes, and this server does not.
  func judge(_ frame: HTTP2Frame) {
    switch frame.payload {
    case .rstStream:
      if !resets.spend(now: .now()) { endForMisuse("too_many_resets") }
    case .settings, .priority, .alternativeService, .origin:
      if !controlFrames.spend(now: .now()) { endForMisuse("too_many_control_frames") }
    default: break
    }
  }

  /// Looks at a frame before it is handed to the socket.
  func wroteFrame(_ frame: HTTP2Frame) {
    switch frame.payload {
    case .rstStream:
      lastWritten = .reset
      socket.noteReset()
    case .goAway(let last, _, _):
      lastWritten = .goAway
      // The field is behind the frame's head of 9 bytes.
      if last < lastStream { socket.patchNextFrame(at: 9, with: UInt32(Int(lastStream))) }
    case .settings(.settings):
      lastWritten = .other
      // The limit is the first of our settings: behind 9 bytes of head and 2 of its number. The
      // HTTP/2 handler would end the connection for one stream too many, so that it is not told of
      // the limit; the fast path refuses the stream instead.
      socket.patchNextFrame(at: 11, with: UInt32(advertisedStreams))
    default: lastWritten = .other
    }
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { start(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    if timers.isEmpty { start(context) }
    context.fireChannelActive()
  }

  private func start(_ context: ChannelHandlerContext) {
    repeatCheck(context, every: settings.idle) { [unowned self] in
      if usage.openStreams == 0 && !hadStreams { announceEnd(context) }
      hadStreams = false
    }
    repeatCheck(context, every: settings.keepaliveInterval) { [unowned self] in
      if !hasReadFrameSinceCheck { sendKeepalivePing(context) }
      hasReadFrameSinceCheck = false
    }
    after(settings.firstCallTimeout, context) { [unowned self] in
      guard lastStream == .rootStream, state == .open else { return }
      events.count("no_first_call")
      announceEnd(context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    state = .closed
    for timer in timers { timer.cancel() }
    timers = []
    keepaliveTimer?.cancel()
    partialFrameTimer?.cancel()
    usage.requestBytes.close()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .ping(let data, let isAck) = unwrapInboundIn(data).payload else { return }
    if isAck {
      if data == Self.drainPing && state == .announced { drain(context) }
    } else if !pings.pinged(now: .now()) {
      endForMisuse("too_many_pings")
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    lastWritten = .other
    if hasReadFrame {
      hasReadFrame = false
      hasReadFrameSinceCheck = true
      keepaliveTimer?.cancel()
      keepaliveTimer = nil
      partialFrameTimer?.cancel()
      partialFrameTimer = nil
    } else if partialFrameTimer == nil {
      // A piece of a frame has come. One that never ends would keep the connection for ever.
      partialFrameTimer = EventLoopTimers.of(context.eventLoop).schedule(
        in: settings.requestTimeout
      ) { [weak self] in self?.sendKeepalivePing(context) }
    }
    context.fireChannelReadComplete()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ShutdownAnnounced: limitShutdown(context)
    case is ChannelShouldQuiesceEvent:
      limitShutdown(context)
      announceEnd(context)
    default: break
    }
    context.fireUserInboundEventTriggered(event)
  }

  private var shutdownIsLimited = false

  private func limitShutdown(_ context: ChannelHandlerContext) {
    guard !shutdownIsLimited else { return }
    shutdownIsLimited = true
    after(settings.shutdownGrace, context) { [unowned self] in closeNow(context) }
  }
}

// MARK: Errors
extension ConnectionPolicyHandler {
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case let error as NIOHTTP2Errors.StreamError:
      if Self.isHeadersAfterTheEnd(error.baseError) { socket.patchReset(with: .streamClosed) }
    case is NIOHTTP2Errors.RaisedGoawayLastStreamID where state != .open:
      // It is the GOAWAY of a connection error, after our own; the error itself follows.
      lastWritten = .goAway
    // It is a frame after the last call: a window update for answers that the peer still reads.
    case is NIOHTTP2Errors.IOOnClosedConnection where state != .open: break
    // It is a frame of a call that was under way when the end was announced, or that has ended.
    case let late as NIOHTTP2Errors.NoSuchStream
    where state != .open || late.streamID <= lastStream:
      // A frame of ours was held up by a full socket until the peer had reset the call.
      guard lastWritten == .goAway else { break }
      announceEnd(context)
      readRemaining(context)
    // The stream has been reset; the others go on (RFC 9113, 5.4.2).
    case is any NIOHTTP2Error where lastWritten == .reset:
      if Self.isHeadersAfterTheEnd(error) { socket.patchReset(with: .streamClosed) }
    case is any NIOHTTP2Error:
      events.count("http2_error")
      context.close(promise: nil)
    default: context.close(promise: nil)
    }
  }

  /// Returns whether an error is about HEADERS of a stream whose request has ended. The HTTP/2
  /// handler resets the stream with PROTOCOL_ERROR, where RFC 9113 (5.1) asks for STREAM_CLOSED.
  private static func isHeadersAfterTheEnd(_ error: any Error) -> Bool {
    guard let error = error as? NIOHTTP2Errors.BadStreamStateTransition else { return false }
    return error.fromState == .halfClosedRemoteLocalIdle
      || error.fromState == .halfClosedRemoteLocalActive
  }

  /// Reads the frames behind a bad one, which the HTTP/2 handler leaves until more bytes come.
  private func readRemaining(_ context: ChannelHandlerContext) {
    context.eventLoop.assumeIsolated().execute { [socket] in socket.readRemaining() }
  }
}

// MARK: Ending
extension ConnectionPolicyHandler {
  /// Checks now and then whether something happened, which costs less than a timer that each call
  /// sets back.
  private func repeatCheck(
    _ context: ChannelHandlerContext, every interval: TimeAmount, _ check: @escaping () -> Void
  ) {
    let index = timers.count
    func schedule() -> EventLoopTimer {
      EventLoopTimers.of(context.eventLoop).schedule(in: interval) { [weak self] in
        guard let self, state != .closed else { return }
        check()
        timers[index] = schedule()
      }
    }
    timers.append(schedule())
  }

  private func after(
    _ time: TimeAmount, _ context: ChannelHandlerContext, _ action: @escaping () -> Void
  ) {
    timers.append(
      EventLoopTimers.of(context.eventLoop).schedule(in: time) { [weak self] in
        if self != nil { action() }
      })
  }

  /// Ends the connection of a peer that sends too many frames of a kind.
  private func endForMisuse(_ reason: String) {
    guard state != .closed, let context else { return }
    state = .closed
    events.count(reason)
    let data = context.channel.allocator.buffer(string: reason)
    write(
      context, .goAway(lastStreamID: lastStream, errorCode: .enhanceYourCalm, opaqueData: data))
    context.flush()
    context.eventLoop.assumeIsolated().execute { context.close(promise: nil) }
  }

  private func sendKeepalivePing(_ context: ChannelHandlerContext) {
    partialFrameTimer = nil
    guard keepaliveTimer == nil, state != .closed else { return }
    write(context, .ping(Self.keepalivePing, ack: false))
    context.flush()
    keepaliveTimer = EventLoopTimers.of(context.eventLoop).schedule(
      in: settings.keepaliveTimeout
    ) { [weak self] in
      self?.events.count("no_answer_to_ping")
      context.close(promise: nil)
    }
  }

  private func announceEnd(_ context: ChannelHandlerContext) {
    guard state == .open else { return }
    state = .announced
    socket.sendFrame(Self.announcement)
    write(context, .ping(Self.drainPing, ack: false))
    context.flush()
    after(settings.goAwayTimeout, context) { [unowned self] in
      if state == .announced { drain(context) }
    }
  }

  private func drain(_ context: ChannelHandlerContext) {
    state = .draining
    write(context, .goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil))
    context.flush()
    if usage.openStreams == 0 { closeGently(context) }
  }

  /// Closes the connection after what is queued is sent: closing both directions at once would drop
  /// it. Then the peer closes: what it still sent to a closed socket would drop what it has not
  /// read.
  private func closeGently(_ context: ChannelHandlerContext) {
    guard state != .closed else { return }
    state = .closed
    let sent = context.eventLoop.makePromise(of: Void.self)
    context.close(mode: .output, promise: sent)
    after(settings.keepaliveTimeout, context) { context.close(promise: nil) }
    sent.futureResult.assumeIsolated().whenSuccess { [self] in
      after(settings.goAwayTimeout, context) { context.close(promise: nil) }
    }
  }

  /// Closes the connection when the time for a shutdown is over, whatever is half sent or still
  /// runs.
  private func closeNow(_ context: ChannelHandlerContext) {
    if state == .open || state == .announced || usage.openStreams > 0 {
      events.count("shutdown_limit")
    }
    if state == .open || state == .announced {
      write(context, .goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil))
      context.flush()
    }
    state = .closed
    context.close(promise: nil)
  }

  private func write(_ context: ChannelHandlerContext, _ payload: HTTP2Frame.FramePayload) {
    context.write(
      wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
  }
}
