import CallTracing
import Dispatch
import GRPCCore
import NIOCore
import NIOHPACK
import NIOHTTP2
import Threading

/// Answers the calls of known methods on the event loop of their connection, before a channel or a
/// task is made for them; the frames of all other streams go on to the multiplexer.
///
/// It takes plain calls: no encoding that is not supported, an ordinary content type, and for
/// streams no deadline.
/// ``FastPathState`` describes the states of a call, and this handler carries out what it returns.
/// One conformance suite runs against the fast path and the stream handlers.
///
/// ```
/// headers ── known path, application/grpc, identity or gzip? ── no ─→ multiplexer, for good
///    │ yes
/// data … ── end of stream ─→ answer: headers, data, trailers            (unary)
///        └─ each message ──→ answer: data; end of stream: trailers      (stream)
/// ```
final class FastPathHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTP2Frame
  typealias InboundOut = HTTP2Frame
  typealias OutboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  struct Settings: Sendable {
    /// The methods by path, e.g. `/package.Service/Method`.
    let methods: [String: FastPathMethod]
    /// The window of the connection and of a stream in bytes, refilled when half of it is used.
    let windowSize: Int
    /// The most streams open at once; one more is refused with REFUSED_STREAM.
    let maximumStreams: Int
    /// The most open calls that are not unary.
    let maximumLongStreams: Int
    /// The name of the header in lower case.
    let bypassHeader: String?
    let requestTimeout: TimeAmount
    /// Makes what callers leave out of the tags of a call.
    let identifiers: CallIdentifiers
    /// Compresses answers that are too long for an event loop.
    let pool: BoundedThreadPool
    let refusal: @Sendable (RefusalCause) -> CallRefusal
    let events: TransportEvents
  }

  private enum Beginning {
    /// The fast path has taken the stream on, or refused it.
    case taken
    case forMultiplexer
  }

  /// The least answer that is counted. Smaller ones are bounded by the connection's streams.
  private static let minimumCountedBytes = 16 * 1024

  /// The largest message of a call that begins to be handed on here.
  private static let mostBytesHandedOn = 16 * 1024

  private let settings: Settings
  private let policy: ConnectionPolicyHandler
  private let usage: ConnectionUsage
  private var state: FastPathState
  private var deadlineTimer: (deadline: UInt64, task: EventLoopTimer)?
  private var arrivalTimer: EventLoopTimer?

  init(settings: Settings, policy: ConnectionPolicyHandler, usage: ConnectionUsage) {
    self.settings = settings
    self.policy = policy
    self.usage = usage
    state = FastPathState(usage: usage)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    policy.hasReadFrame = true
    let frame = unwrapInboundIn(data)
    if let call = state.calls[frame.streamID] {
      receive(context, frame, call)
    } else if case .headers(let headers) = frame.payload {
      let isNew = frame.streamID > policy.lastStream
      if case .taken = begin(context, frame, headers, isNew: isNew) { return }
      if isNew && usage.runningHandlers.count >= settings.maximumStreams {
        refuseStream(context, frame.streamID)
      } else {
        context.fireChannelRead(data)
      }
    } else {
      policy.judge(frame)
      context.fireChannelRead(data)
    }
  }

  /// Passes on the frames of the stream handlers.
  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    switch unwrapOutboundIn(data).payload {
    case .headers(let headers): policy.answered(endsCall: headers.endStream)
    case .data: policy.answered(endsCall: false)
    default: break
    }
    context.write(data, promise: promise)
  }

  private func begin(
    _ context: ChannelHandlerContext, _ frame: HTTP2Frame,
    _ payload: HTTP2Frame.FramePayload.Headers, isNew: Bool
  ) -> Beginning {
    let id = frame.streamID
    // These are the trailers of a call that a stream handler serves.
    guard isNew else { return .forMultiplexer }
    guard usage.openStreams < settings.maximumStreams else {
      refuseStream(context, id)
      return .taken
    }
    guard !payload.endStream else { return .forMultiplexer }
    let headers = CallHeaders(payload.headers, bypassHeader: settings.bypassHeader)
    guard let path = headers.path, var method = settings.methods[path], headers.isPost,
      headers.isGRPC, headers.unknownEncoding == nil,
      !method.honoursBypassHeader || !headers.hasBypassHeader
    else { return .forMultiplexer }
    let tags = CallTags(headers.tags, settings.identifiers)
    if let binder = method.binder {
      switch binder(headers.authorization) {
      case .method(let bound): method = bound
      case .forStreamHandlers: return .forMultiplexer
      case .refused(let refusal):
        method.recorder.finish(method.recorder.start(), refusal: refusal, tags: tags)
        state.refuse(id)
        policy.answered(endsCall: true)
        writeRefusal(context, id, refusal, tags: tags, requestEnded: false)
        return .taken
      }
    }
    switch method.kind {
    case .unary(let handler):
      let deadline = headers.timeoutNanoseconds.map { DispatchTime.now().uptimeNanoseconds &+ $0 }
      state.begin(
        id,
        FastPathUnaryCall(
          method: method, handler: handler, headers: headers, deadline: deadline,
          beganAtTick: state.tick, tags: tags))
    case .stream(let begin):
      // The stream handlers serve streams with a deadline, and those that a shutdown ends. They
      // also word the refusal of one too many.
      guard headers.timeoutNanoseconds == nil, state.phase == .serving,
        usage.longStreams < settings.maximumLongStreams
      else { return .forMultiplexer }
      state.begin(
        id,
        FastPathStreamCall(
          method: method, session: begin(), headers: headers, windowSize: settings.windowSize,
          tags: tags))
    }
    return .taken
  }

  /// Refuses a stream for which nothing has been done, so that the client may try it again.
  private func refuseStream(_ context: ChannelHandlerContext, _ id: HTTP2StreamID) {
    settings.events.count("refused_stream")
    // This comes first, because the stream's end is told before the write returns.
    state.refuse(id)
    write(context, id, .rstStream(.refusedStream))
  }

  private func receive(
    _ context: ChannelHandlerContext, _ frame: HTTP2Frame, _ call: FastPathState.Call
  ) {
    let id = frame.streamID
    let bytes: ByteBuffer?
    let isLast: Bool
    switch frame.payload {
    case .data(let data):
      guard case .byteBuffer(let buffer) = data.data else { return }
      bytes = buffer
      isLast = data.endStream
    case .headers(let trailers):
      // The trailers of a request end it without data.
      bytes = nil
      isLast = trailers.endStream
    default:
      policy.judge(frame)
      return
    }
    switch call {
    case .collecting(let unary):
      switch state.collect(id, unary, bytes, isLast: isLast) {
      case .nothing: break
      case .complete(let call): answer(context, id, call, requestEnded: isLast)
      case .noRoom:
        refuse(
          context, id, .tooManyRequestBytes, tags: unary.tags, requestEnded: isLast)
      }
    case .streaming(let stream):
      stream.receive(bytes, isLast: isLast)
      proceed(context, id, stream)
    case .waiting, .deferred, .answered: break
    }
  }

  // The HTTP/2 handler flushes at the end of each piece of input.

  private func answer(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ call: FastPathUnaryCall,
    requestEnded: Bool
  ) {
    let outcome = call.outcome(settings.refusal)
    if case .failure(let error) = outcome, error.isDeferral, let deferred = call.method.deferred {
      guard state.makeRoomToDefer(call) else {
        state.answer(id)
        policy.answered(endsCall: true)
        writeRefusal(
          context, id, settings.refusal(.tooManyRequestBytes), tags: call.tags,
          requestEnded: requestEnded)
        return
      }
      return self.defer(context, id, call, to: deferred)
    }
    if case .success(let answer) = outcome,
      call.answerEncoding.isTooLongForEventLoop(answer.count)
    {
      return encodeElsewhere(context, id, call, answer: answer)
    }
    finish(
      context, id, outcome.map { call.answerEncoding.encoded($0) },
      encoding: call.answerEncoding, tags: call.tags, requestEnded: requestEnded)
  }

  /// Has a request answered away from the event loop. The task is cancelled when the caller leaves
  /// or its deadline passes.
  private func `defer`(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ call: FastPathUnaryCall,
    to deferred: @escaping FastPathMethod.Deferred
  ) {
    let (message, method, encoding) = (call.message, call.method, call.answerEncoding)
    let tags = call.tags
    let isHandedOn = method.handsOnDeferred && message.count <= Self.mostBytesHandedOn
    finishLater(context, id, call, beginsHere: isHandedOn && encoding == .identity) {
      let outcome = await FastPathUnaryCall.outcome(of: message, method, deferred, tags: tags)
      return outcome.map { encoding.encoded($0) }
    }
  }

  /// Has a long answer compressed by the pool.
  private func encodeElsewhere(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ call: FastPathUnaryCall,
    answer: [UInt8]
  ) {
    let (encoding, pool) = (call.answerEncoding, settings.pool)
    finishLater(context, id, call, beginsHere: true) {
      .success(await encoding.encoded(answer, on: pool))
    }
  }

  /// Sends what a task answers unless the call has ended by then.
  ///
  /// - Parameters:
  ///   - context: Of this handler.
  ///   - id: The stream of the call.
  ///   - call: The call, which is deferred from now on.
  ///   - beginsHere: Whether the task runs on the event loop until it waits.
  ///   - work: Answers the call.
  private func finishLater(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ call: FastPathUnaryCall,
    beginsHere: Bool,
    _ work: @escaping @Sendable () async -> Result<EncodedMessage, CallRefusal>
  ) {
    let (encoding, tags) = (call.answerEncoding, call.tags)
    let task = context.eventLoop.answerLater(beginsHere: beginsHere, work) { [weak self] outcome in
      guard let self, case .deferred = state.calls[id], context.channel.isActive else { return }
      finish(context, id, outcome, encoding: encoding, tags: tags, requestEnded: true)
      context.flush()
    }
    state.defer(id, call, to: task)
  }

  private func finish(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID,
    _ outcome: Result<EncodedMessage, CallRefusal>, encoding: MessageEncoding,
    tags: CallTags?, requestEnded: Bool
  ) {
    state.answer(id)
    policy.answered(endsCall: true)
    switch outcome {
    case .success(let answer):
      var buffer = context.channel.allocator.buffer(
        capacity: MessageDeframer.prefixLength + answer.bytes.count)
      buffer.writeMessage(answer)
      write(context, id, .headers(.init(headers: .answer(encoding))))
      context.write(
        wrapOutboundOut(HTTP2Frame(streamID: id, payload: .data(.init(data: .byteBuffer(buffer))))),
        promise: counted(context, answer.bytes.count))
      write(
        context, id, .headers(.init(headers: .ok.naming(tags?.requestID), endStream: true)))
    case .failure(let error):
      writeRefusal(context, id, error, tags: tags, requestEnded: requestEnded)
    }
  }

  private func refuse(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ cause: RefusalCause,
    tags: CallTags?, requestEnded: Bool
  ) {
    settings.events.count(cause.name)
    state.answer(id)
    writeRefusal(context, id, settings.refusal(cause), tags: tags, requestEnded: requestEnded)
  }

  private func writeRefusal(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ refusal: CallRefusal,
    tags: CallTags?, requestEnded: Bool
  ) {
    let headers = HPACKHeaders.trailersOnly(refusal).naming(tags?.requestID)
    write(context, id, .headers(.init(headers: headers, endStream: true)))
    // The rest of the request is not wanted.
    if !requestEnded { write(context, id, .rstStream(.noError)) }
    if refusal.rpcErrorCode == .resourceExhausted { policy.pauseReading() }
  }

  private func counted(_ context: ChannelHandlerContext, _ count: Int) -> EventLoopPromise<Void>? {
    guard count >= Self.minimumCountedBytes else { return nil }
    state.send(count)
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { [weak self] _ in
      guard let self, state.taken(count) else { return }
      // Not at once, because a reset fails the promises in the middle of its own work.
      context.eventLoop.assumeIsolated().execute { self.answerWaiting(context) }
    }
    return written
  }

  private func answerWaiting(_ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    while let (id, call) = state.nextWaiting() {
      answer(context, id, call, requestEnded: true)
    }
    context.flush()
  }

  private func proceed(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ stream: FastPathStreamCall
  ) {
    let (answers, end) = stream.proceed(settings.refusal)
    if answers.readableBytes > 0 {
      policy.answered(endsCall: false)
      beginAnswer(context, id, stream)
      let written = context.eventLoop.makePromise(of: Void.self)
      let count = answers.readableBytes
      // A reset or an end fails the promise: there is nothing more to say then.
      written.futureResult.assumeIsolated().whenSuccess { [weak self] in
        guard stream.took(count), let self, case .streaming = state.calls[id] else { return }
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
    if let end {
      finish(context, id: id, stream: stream, end: end)
    } else if case .streaming = state.calls[id], !state.hold(stream) {
      settings.events.count(RefusalCause.tooManyRequestBytes.name)
      finish(context, id: id, stream: stream, end: .failed(settings.refusal(.tooManyRequestBytes)))
    }
  }

  private func beginAnswer(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ stream: FastPathStreamCall
  ) {
    guard !stream.hasBegun else { return }
    stream.hasBegun = true
    write(context, id, .headers(.init(headers: .answer(stream.answerEncoding))))
  }

  private func finish(
    _ context: ChannelHandlerContext, id: HTTP2StreamID, stream: FastPathStreamCall,
    end: FastPathStreamCall.End
  ) {
    state.answer(id)
    policy.answered(endsCall: true)
    let headers: HPACKHeaders
    switch end {
    case .ok:
      beginAnswer(context, id, stream)
      headers = .ok
    case .failed(let error): headers = stream.hasBegun ? .trailers(error) : .trailersOnly(error)
    }
    let trailers = HTTP2Frame(
      streamID: id,
      payload: .headers(
        .init(headers: headers.naming(stream.tags?.requestID), endStream: true)))
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenSuccess { [weak self] in
      // The rest of the request is not wanted. This waits until the answers are sent, because a
      // reset would drop them.
      guard let self, state.calls[id] != nil else { return }
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

// MARK: Time

// Most requests come in one piece, and their calls need no timer. The calls that are still open
// when all input has been read share one timer for their deadlines, and one for their arrival.
extension FastPathHandler {
  func channelReadComplete(context: ChannelHandlerContext) {
    if let deadline = state.inputRead() { setTimer(context, deadline) }
    if arrivalTimer == nil, state.mayHaveIncompleteRequests { setArrivalTimer(context) }
    context.fireChannelReadComplete()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadlineTimer?.task.cancel()
    deadlineTimer = nil
    arrivalTimer?.cancel()
    arrivalTimer = nil
    context.fireChannelInactive()
  }

  private func setTimer(_ context: ChannelHandlerContext, _ deadline: UInt64) {
    if let deadlineTimer, deadlineTimer.deadline <= deadline { return }
    deadlineTimer?.task.cancel()
    let time = NIODeadline.uptimeNanoseconds(min(deadline, UInt64(Int64.max)))
    let task = EventLoopTimers.of(context.eventLoop).schedule(deadline: time) { [weak self] in
      guard let self else { return }
      deadlineTimer = nil
      let (expired, next) = state.expired(now: DispatchTime.now().uptimeNanoseconds)
      for (id, call, requestEnded) in expired {
        answer(context, id, call, requestEnded: requestEnded)
      }
      if let next { setTimer(context, next) }
      context.flush()
    }
    deadlineTimer = (deadline, task)
  }

  /// Starts the timer for arrivals. It fires twice in the time in which a request has to arrive, so
  /// that no call needs a clock.
  private func setArrivalTimer(_ context: ChannelHandlerContext) {
    arrivalTimer = EventLoopTimers.of(context.eventLoop).schedule(
      in: .nanoseconds(settings.requestTimeout.nanoseconds / 2)
    ) { [weak self] in
      guard let self, context.channel.isActive else { return }
      arrivalTimer = nil
      for (id, call) in state.advanceTick() {
        switch call {
        case .collecting(let unary):
          refuse(context, id, .requestTimedOut, tags: unary.tags, requestEnded: false)
        case .streaming(let stream):
          settings.events.count(RefusalCause.requestTimedOut.name)
          finish(context, id: id, stream: stream, end: .failed(settings.refusal(.requestTimedOut)))
        case .waiting, .deferred, .answered: break
        }
      }
      context.flush()
      if state.mayHaveIncompleteRequests { setArrivalTimer(context) }
    }
  }
}

// The HTTP/2 handler reports streams and windows here; the multiplexer is told of its own streams.
extension FastPathHandler {
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case let change as NIOHTTP2WindowUpdatedEvent:
      windowChanged(context, change)
    case let created as NIOHTTP2StreamCreatedEvent:
      policy.streamOpened(created.streamID)
      if state.calls[created.streamID] == nil { context.fireUserInboundEventTriggered(event) }
    case let closed as StreamClosedEvent:
      if !state.close(closed.streamID) { context.fireUserInboundEventTriggered(event) }
      policy.streamClosed(closed.streamID)
    case is ShutdownAnnounced:
      endStreams(context)
      context.fireUserInboundEventTriggered(event)
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
      if state.calls[change.streamID] == nil { context.fireUserInboundEventTriggered(change) }
      return
    }
    if change.streamID == .rootStream {
      refill(context, .rootStream, left: left)
      return
    }
    switch state.calls[change.streamID] {
    case .collecting, .waiting: refill(context, change.streamID, left: left)
    case .streaming(let stream):
      stream.windowLeft = left
      refill(context, change.streamID, stream)
    case .deferred, .answered: break
    case nil: context.fireUserInboundEventTriggered(change)
    }
  }

  private func refill(_ context: ChannelHandlerContext, _ id: HTTP2StreamID, left: Int) {
    guard left <= settings.windowSize / 2 else { return }
    write(context, id, .windowUpdate(windowSizeIncrement: settings.windowSize - left))
  }

  /// Refills the window of a stream, unless nobody takes its answers: then it gets no room for more
  /// messages.
  private func refill(
    _ context: ChannelHandlerContext, _ id: HTTP2StreamID, _ stream: FastPathStreamCall
  ) {
    guard !stream.isFull, !stream.requestEnded else { return }
    refill(context, id, left: stream.windowLeft)
  }

  /// Ends all streams, which would otherwise hold up a shutdown for ever.
  private func endStreams(_ context: ChannelHandlerContext) {
    for (id, stream) in state.endStreams() {
      finish(context, id: id, stream: stream, end: .failed(settings.refusal(.shuttingDown)))
    }
    context.flush()
  }
}
