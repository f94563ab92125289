import Dispatch
import GRPCCore
import MoyeoAPI
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Answers the hot calls of a connection on its event loop, before a channel or a task is made
/// for them; the frames of all other streams go on to the multiplexer.
///
/// It takes plain calls of methods it knows: no compression, an ordinary content type, and for
/// streams no deadline. One conformance suite runs against both lanes.
///
/// ```
/// headers ── known path, application/grpc, no encoding? ── no ─→ multiplexer, for good
///    │ yes
/// data … ── end of stream ─→ answer: headers, data, trailers            (unary)
///        └─ each message ──→ answer: data; end of stream: trailers      (stream)
/// ```
final class HotLane: ChannelDuplexHandler {
  typealias InboundIn = HTTP2Frame
  typealias InboundOut = HTTP2Frame
  typealias OutboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  /// Tells a connection that the shutdown has begun: streams end, calls are still answered.
  struct StreamsShouldEnd: Sendable {}

  private enum Call {
    case unary(HotUnaryCall)
    case stream(HotStreamCall)
    /// Not closed yet; what still comes does not matter.
    case answered
  }

  private enum Beginning {
    case call(Call)
    case refused
    /// For the multiplexer.
    case cold
  }

  /// Unary answers on their way, in bytes, from which on requests wait.
  private static let mostUnsent = 16 << 20
  /// Smaller answers are not counted: the streams of a connection bound them.
  private static let leastCounted = 16 * 1024

  private let methods: [String: HotMethod]
  private let windowSize: Int
  private let maximumStreams: Int
  private let keeper: ConnectionKeeper
  private var calls: [HTTP2StreamID: Call] = [:]
  private var takesStreams = true
  private var unsent = 0
  /// Whole unary requests, until answers before them are taken.
  private var waiting: [HTTP2StreamID] = []
  /// Unary calls with a deadline that began with the input being read.
  private var timed: [HTTP2StreamID] = []
  private var deadlineTimer: (deadline: UInt64, task: Scheduled<Void>)?

  /// - Parameters:
  ///   - methods: By path, e.g. `/moyeo.v1.PositionService/Nearby`.
  ///   - windowSize: Of the connection and of a stream, in bytes: refilled when half is used.
  ///   - maximumStreams: Open at once.
  init(
    methods: [String: HotMethod], windowSize: Int, maximumStreams: Int, keeper: ConnectionKeeper
  ) {
    self.methods = methods
    self.windowSize = windowSize
    self.maximumStreams = maximumStreams
    self.keeper = keeper
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    if let call = calls[frame.streamID] {
      receive(context, frame, call)
    } else if case .headers(let headers) = frame.payload {
      switch begin(context, frame, headers) {
      case .call(let call): calls[frame.streamID] = call
      case .refused: break
      case .cold: context.fireChannelRead(data)
      }
    } else {
      context.fireChannelRead(data)
    }
  }

  /// Answers of the other lane; after them a ping is welcome again.
  func flush(context: ChannelHandlerContext) {
    keeper.answered()
    context.flush()
  }

  private func begin(
    _ context: ChannelHandlerContext, _ frame: HTTP2Frame,
    _ payload: HTTP2Frame.FramePayload.Headers
  ) -> Beginning {
    // HTTP/2 holds a peer to the limit only once it has acknowledged it.
    if keeper.openStreams >= maximumStreams && frame.streamID > keeper.lastStream {
      // First: the stream's end is told before the write returns.
      calls[frame.streamID] = .answered
      write(context, frame.streamID, .rstStream(.refusedStream))
      return .refused
    }
    guard !payload.endStream else { return .cold }
    let headers = CallHeaders(payload.headers)
    guard let path = headers.path, let method = methods[path], headers.isPost, headers.isGRPC,
      headers.encoding == nil, !method.isThrottled || !headers.isOfSession
    else { return .cold }
    switch method.kind {
    case .unary(let answer):
      let deadline = headers.timeoutNanoseconds.map { DispatchTime.now().uptimeNanoseconds &+ $0 }
      if deadline != nil { timed.append(frame.streamID) }
      return .call(.unary(HotUnaryCall(method: method, answer: answer, deadline: deadline)))
    case .stream(let begin):
      // A timer, or a shutdown, is for the framework.
      guard headers.timeoutNanoseconds == nil, takesStreams else { return .cold }
      return .call(
        .stream(HotStreamCall(method: method, session: begin(), windowSize: windowSize)))
    }
  }

  private func receive(_ context: ChannelHandlerContext, _ frame: HTTP2Frame, _ call: Call) {
    let id = frame.streamID
    let bytes: ByteBuffer?
    let isLast: Bool
    switch frame.payload {
    case .data(let data):
      guard case .byteBuffer(let buffer) = data.data else { return }
      bytes = buffer
      isLast = data.endStream
    case .headers(let trailers):
      // Trailers of a request end it without data.
      bytes = nil
      isLast = trailers.endStream
    default: return
    }
    switch call {
    case .unary(let unary):
      guard unary.receive(bytes, isLast: isLast) else { return }
      if unsent >= Self.mostUnsent && isLast {
        waiting.append(id)
      } else {
        answer(context, id, unary, requestEnded: isLast)
      }
    case .stream(let stream):
      stream.receive(bytes, isLast: isLast)
      proceed(context, id, stream)
    case .answered: break
    }
  }

  // The HTTP/2 handler flushes at the end of each piece of input.

  private func answer(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ call: HotUnaryCall,
    requestEnded: Bool
  ) {
    calls[id] = .answered
    keeper.answered()
    switch call.outcome() {
    case .success(let answer):
      var buffer = context.channel.allocator.buffer(
        capacity: MessageDeframer.prefixLength + answer.count)
      buffer.writeMessage(answer)
      write(context, id, .headers(.init(headers: .answer)))
      context.write(
        wrapOutboundOut(HTTP2Frame(streamID: id, payload: .data(.init(data: .byteBuffer(buffer))))),
        promise: counted(context, answer.count))
      write(context, id, .headers(.init(headers: .ok, endStream: true)))
    case .failure(let error):
      write(context, id, .headers(.init(headers: .trailersOnly(error), endStream: true)))
      // The rest of the request is not wanted.
      if !requestEnded { write(context, id, .rstStream(.noError)) }
    }
  }

  /// HTTP/2's windows, unlike the socket's, do not make the channel unwritable when they are full.
  private func counted(_ context: ChannelHandlerContext, _ count: Int) -> EventLoopPromise<Void>? {
    guard count >= Self.leastCounted else { return nil }
    unsent += count
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { [weak self] _ in
      guard let self else { return }
      unsent -= count
      guard !waiting.isEmpty else { return }
      // Not at once: a reset fails the promises in the middle of its own work.
      context.eventLoop.assumeIsolated().execute { self.answerWaiting(context) }
    }
    return written
  }

  private func answerWaiting(_ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    while unsent < Self.mostUnsent, !waiting.isEmpty {
      let id = waiting.removeFirst()
      if case .unary(let call) = calls[id] { answer(context, id, call, requestEnded: true) }
    }
    context.flush()
  }

  // Deadlines. Most requests come in one piece, and their calls need no timer: those that are still
  // open when all input has been read share one.

  func channelReadComplete(context: ChannelHandlerContext) {
    if !timed.isEmpty {
      for id in timed {
        if case .unary(let call) = calls[id], let deadline = call.deadline {
          setTimer(context, deadline)
        }
      }
      timed.removeAll(keepingCapacity: true)
    }
    context.fireChannelReadComplete()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadlineTimer?.task.cancel()
    deadlineTimer = nil
    context.fireChannelInactive()
  }

  private func setTimer(_ context: ChannelHandlerContext, _ deadline: UInt64) {
    if let deadlineTimer, deadlineTimer.deadline <= deadline { return }
    deadlineTimer?.task.cancel()
    let time = NIODeadline.uptimeNanoseconds(min(deadline, UInt64(Int64.max)))
    let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in
      guard let self else { return }
      deadlineTimer = nil
      endExpired(context)
    }
    deadlineTimer = (deadline, task)
  }

  private func endExpired(_ context: ChannelHandlerContext) {
    let now = DispatchTime.now().uptimeNanoseconds
    for (id, call) in calls {
      guard case .unary(let unary) = call, let deadline = unary.deadline else { continue }
      guard deadline <= now else {
        setTimer(context, deadline)
        continue
      }
      let waited = waiting.firstIndex(of: id)
      if let waited { waiting.remove(at: waited) }
      answer(context, id, unary, requestEnded: waited != nil)
    }
    context.flush()
  }

  private func proceed(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ stream: HotStreamCall
  ) {
    let (answers, end) = stream.proceed()
    if answers.readableBytes > 0 {
      keeper.answered()
      beginAnswer(context, id, stream)
      let written = context.eventLoop.makePromise(of: Void.self)
      let count = answers.readableBytes
      // A reset or an end fails it: there is nothing more to say then.
      written.futureResult.assumeIsolated().whenSuccess { [weak self] in
        guard stream.took(count), let self, case .stream = calls[id] else { return }
        // The caller reads again.
        refill(context, id, stream)
        proceed(context, id, stream)
        context.flush()
      }
      context.write(
        wrapOutboundOut(
          HTTP2Frame(streamID: id, payload: .data(.init(data: .byteBuffer(answers))))),
        promise: written)
    }
    if let end { finish(context, id, stream, end) }
  }

  private func beginAnswer(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ stream: HotStreamCall
  ) {
    guard !stream.hasBegun else { return }
    stream.hasBegun = true
    write(context, id, .headers(.init(headers: .answer)))
  }

  private func finish(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ stream: HotStreamCall,
    _ end: HotStreamCall.End
  ) {
    calls[id] = .answered
    keeper.answered()
    let headers: HPACKHeaders
    switch end {
    case .ok:
      beginAnswer(context, id, stream)
      headers = .ok
    case .failed(let error): headers = stream.hasBegun ? .trailers(error) : .trailersOnly(error)
    }
    let trailers = HTTP2Frame(
      streamID: id, payload: .headers(.init(headers: headers, endStream: true)))
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenSuccess { [weak self] in
      // The rest of the request is not wanted. Not before the answers are out: a reset drops them.
      guard let self, calls[id] != nil else { return }
      write(context, id, .rstStream(.noError))
      context.flush()
    }
    context.write(wrapOutboundOut(trailers), promise: written)
  }

  private func write(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ payload: HTTP2Frame.FramePayload
  ) {
    context.write(wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: nil)
  }
}

// What the HTTP/2 handler tells of streams and windows; the multiplexer hears of its own streams.
extension HotLane {
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case let change as NIOHTTP2WindowUpdatedEvent:
      windowChanged(context, change)
    case let created as NIOHTTP2StreamCreatedEvent:
      keeper.streamOpened(created.streamID)
      if calls[created.streamID] == nil { context.fireUserInboundEventTriggered(event) }
    case let closed as StreamClosedEvent:
      if calls.removeValue(forKey: closed.streamID) == nil {
        context.fireUserInboundEventTriggered(event)
      }
      if !waiting.isEmpty { waiting.removeAll { $0 == closed.streamID } }
      keeper.streamClosed(closed.streamID)
    case is StreamsShouldEnd:
      endStreams(context)
    case is ChannelShouldQuiesceEvent:
      endStreams(context)
      context.fireUserInboundEventTriggered(event)
    default:
      context.fireUserInboundEventTriggered(event)
    }
  }

  private func windowChanged(
    _ context: ChannelHandlerContext, _ change: NIOHTTP2WindowUpdatedEvent
  ) {
    guard let left = change.inboundWindowSize else {
      if calls[change.streamID] == nil { context.fireUserInboundEventTriggered(change) }
      return
    }
    if change.streamID == .rootStream {
      refill(context, .rootStream, left: left)
      return
    }
    switch calls[change.streamID] {
    case .unary: refill(context, change.streamID, left: left)
    case .stream(let stream):
      stream.windowLeft = left
      refill(context, change.streamID, stream)
    case .answered: break
    case nil: context.fireUserInboundEventTriggered(change)
    }
  }

  private func refill(_ context: ChannelHandlerContext, _ id: HTTP2StreamID, left: Int) {
    guard left <= windowSize / 2 else { return }
    write(context, id, .windowUpdate(windowSizeIncrement: windowSize - left))
  }

  /// A stream whose answers nobody takes gets no room for more messages.
  private func refill(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ stream: HotStreamCall
  ) {
    guard !stream.isFull, !stream.requestEnded else { return }
    refill(context, id, left: stream.windowLeft)
  }

  /// Streams would hold a shutdown up for ever.
  private func endStreams(_ context: ChannelHandlerContext) {
    takesStreams = false
    let error = APIError(.unavailable, "the service is shutting down; connect again")
    for (id, call) in calls {
      if case .stream(let stream) = call { finish(context, id, stream, .failed(error)) }
    }
    context.flush()
  }
}
