import CallTracing
import GRPCCore
import NIOCore
import NIOHPACK
import NIOHTTP2
import Synchronization

/// Serves one call of the framework: it has HTTP/2 frames on one side and gRPC's parts on the
/// other.
///
/// ```
/// request   headers ─→ metadata    data … ─→ message …    end of stream ─→ input closed
/// answer    metadata ─→ headers    message … ─→ data …    status ─→ trailers, end of stream
/// ```
/// Only this handler is made before the headers are known to begin a call.
final class GRPCStreamHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias InboundOut = RPCRequestPart<MessageBytes>
  typealias OutboundIn = RPCResponsePart<MessageBytes>
  typealias OutboundOut = HTTP2Frame.FramePayload

  private enum Request { case notBegun, messages(MessageDeframer), unwanted }
  private enum Answer { case notBegun, begun, ended }

  struct Settings: Sendable {
    var maximumMessageBytes = 4 << 20
    /// The paths of the methods that are served; a call of another is refused here.
    var paths: Set<String> = []
    /// The paths of calls with one answer, whose headers wait for it.
    var unaryPaths: Set<String> = []
    var maximumLongStreams = 100
    var requestTimeout = TimeAmount.seconds(30)
    /// Makes the identifiers of requests whose callers give none.
    var identifiers = CallIdentifiers()
    var refusal: @Sendable (RefusalCause) -> CallRefusal = { CallRefusal($0) }
    var events = TransportEvents()
  }

  private let settings: Settings
  private let usage: ConnectionUsage
  private let accept: @Sendable (AcceptedCall) -> Void
  private let cancellation = ServerContext.RPCCancellationHandle()
  private let unread = UnreadBytes()
  private var request = Request.notBegun
  private var requestEnded = false
  /// Of the request; it stands in the trailers.
  private var requestID: String?
  private var answer = Answer.notBegun
  private var requestEncoding = MessageEncoding.identity
  private var answerEncoding = MessageEncoding.identity
  private var isUnary = false
  private var isLong = false
  /// The bytes that the call has taken of the connection's ``ConnectionRequestBytes``.
  private var heldBytes = 0
  /// The bytes of all messages of a unary call.
  private var receivedBytes = 0
  /// Whether the channel would take more. Otherwise the call does not read, and nothing can arrive.
  private var isReading = false
  private var arrivalTimer: EventLoopTimer?
  /// The messages that are not framed yet: those between two flushes share a frame.
  private var framed = ByteBuffer()
  private var framedPromise: EventLoopPromise<Void>?

  init(
    settings: Settings, usage: ConnectionUsage, accept: @escaping @Sendable (AcceptedCall) -> Void
  ) {
    self.settings = settings
    self.usage = usage
    self.accept = accept
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReading = false
    switch unwrapInboundIn(data) {
    case .headers(let frame):
      if case .notBegun = request {
        begin(context, frame.headers)
      }
      if frame.endStream { endRequest(context) }
    case .data(let frame):
      if case .byteBuffer(let bytes) = frame.data { receive(context, bytes) }
      if frame.endStream { endRequest(context) }
    case .rstStream:
      abandon(context, "The client cancelled the call.")
    default: break
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if arrivalTimer == nil, isIncomplete { setArrivalTimer(context) }
    context.fireChannelReadComplete()
  }

  func read(context: ChannelHandlerContext) {
    isReading = true
    if heldBytes > 0, case .messages(let deframer) = request { _ = hold(deframer) }
    context.read()
  }

  private func begin(_ context: ChannelHandlerContext, _ headers: HPACKHeaders) {
    let call = CallHeaders(headers)
    let path = call.path ?? ""
    guard call.isGRPC else { return refuse(context, .unsupportedMediaType) }
    let requestID = call.tags.requestID ?? settings.identifiers.requestID()
    self.requestID = requestID
    if let cause = call.refusal {
      var refusal = HPACKHeaders.trailersOnly(settings.refusal(cause))
      if case .unsupportedEncoding = cause {
        refusal.add(name: "grpc-accept-encoding", value: MessageEncoding.accepted)
      }
      return refuse(context, refusal)
    }
    guard settings.paths.contains(path), let descriptor = MethodDescriptor(path: path) else {
      return refuse(context, .unknownMethod(path: path))
    }
    isUnary = settings.unaryPaths.contains(path)
    guard isUnary || usage.longStreams < settings.maximumLongStreams else {
      return refuse(context, .tooManyStreams(maximum: settings.maximumLongStreams))
    }
    guard
      let parts = try? NIOAsyncChannel<RPCRequestPart<MessageBytes>, RPCResponsePart<MessageBytes>>(
        wrappingChannelSynchronously: context.channel)
    else {
      return refuse(context, .internalError("There is no channel for the call."))
    }
    if !isUnary {
      isLong = true
      usage.longStreams += 1
    }
    requestEncoding = call.requestEncoding
    answerEncoding = call.answerEncoding
    request = .messages(
      MessageDeframer(maximumBytes: settings.maximumMessageBytes, encoding: requestEncoding))
    var metadata = Metadata(headers)
    // The call is to see the one that its answer names.
    metadata.replaceOrAddString(requestID, forKey: CallTagHeaders.requestIDName)
    context.fireChannelRead(wrapInboundOut(.metadata(metadata)))
    usage.runningHandlers.began()
    accept(
      AcceptedCall(
        parts: parts, descriptor: descriptor, cancellation: cancellation, unread: unread,
        running: usage.runningHandlers, answerEncoding: answerEncoding))
  }

  private func refuse(_ context: ChannelHandlerContext, _ cause: RefusalCause) {
    settings.events.count(cause.name)
    refuse(context, .trailersOnly(settings.refusal(cause)))
  }

  private func refuse(_ context: ChannelHandlerContext, _ headers: HPACKHeaders) {
    request = .unwanted
    end(context, headers, promise: nil)
    context.flush()
  }

  private func receive(_ context: ChannelHandlerContext, _ bytes: ByteBuffer) {
    guard case .messages(var deframer) = request else { return }
    request = .unwanted
    deframer.append(bytes)
    do throws(RefusalCause) {
      while let message = try deframer.next() {
        receivedBytes += message.readableBytes
        unread.arrived(message.readableBytes)
        // A few compressed bytes may hold many messages of many.
        guard requestEncoding == .identity || hold(deframer) else { throw .tooManyRequestBytes }
        context.fireChannelRead(wrapInboundOut(.message(MessageBytes(message))))
      }
      guard hold(deframer) else { throw .tooManyRequestBytes }
      request = .messages(deframer)
    } catch .tooManyRequestBytes {
      drop(context, .tooManyRequestBytes)
    } catch {
      // The call's handler passes the error on, and so answers with it.
      releaseHeldBytes()
      context.fireErrorCaught(settings.refusal(error))
    }
  }

  /// Counts what the call holds: what waits for the rest of its message, and messages that its
  /// handler has not taken; for a unary call all messages, because the handler works on them.
  ///
  /// - Returns: Whether there is room for it.
  private func hold(_ deframer: MessageDeframer) -> Bool {
    let bytes = deframer.pendingBytes + (isUnary ? receivedBytes : unread.count)
    if bytes > heldBytes {
      guard usage.requestBytes.take(bytes - heldBytes) else { return false }
    } else {
      usage.requestBytes.giveBack(heldBytes - bytes)
    }
    heldBytes = bytes
    return true
  }

  private func releaseHeldBytes() {
    usage.requestBytes.giveBack(heldBytes)
    heldBytes = 0
  }

  /// Refuses a call that has been handed to the framework, and releases what it holds at once.
  private func drop(_ context: ChannelHandlerContext, _ cause: RefusalCause) {
    settings.events.count(cause.name)
    request = .unwanted
    releaseHeldBytes()
    guard answer != .ended else { return }
    let refusal = settings.refusal(cause)
    writeFramed(context)
    end(context, answer == .begun ? .trailers(refusal) : .trailersOnly(refusal), promise: nil)
    context.flush()
    cancellation.cancel()
    context.fireErrorCaught(refusal)
  }

  private func endRequest(_ context: ChannelHandlerContext) {
    requestEnded = true
    guard case .messages(let deframer) = request else { return }
    request = .unwanted
    if deframer.isInsideMessage {
      context.fireErrorCaught(
        settings.refusal(.malformedRequest("The request ends inside a message.")))
    } else {
      context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }
  }

  /// Ends a call whose answer nobody waits for any more.
  private func abandon(_ context: ChannelHandlerContext, _ reason: String) {
    requestEnded = true
    leaveLongStreams()
    guard answer != .ended else { return }
    answer = .ended
    request = .unwanted
    cancellation.cancel()
    context.fireErrorCaught(RPCError(code: .unavailable, message: reason))
  }

  private func leaveLongStreams() {
    guard isLong else { return }
    isLong = false
    usage.longStreams -= 1
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent { cancellation.cancel() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    abandon(context, "The connection closed.")
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    abandon(context, "The stream failed: \(error)")
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    arrivalTimer?.cancel()
    releaseHeldBytes()
    leaveLongStreams()
    framedPromise?.fail(ChannelError.ioOnClosedChannel)
    framedPromise = nil
  }
}

// MARK: Arrival
extension GRPCStreamHandler {
  /// Whether bytes must still come before the call's handler has something to do.
  private var isIncomplete: Bool {
    guard case .messages(let deframer) = request else { return false }
    return isUnary || deframer.isInsideMessage
  }

  private func setArrivalTimer(_ context: ChannelHandlerContext) {
    let received = receivedBytes
    arrivalTimer = EventLoopTimers.of(context.eventLoop).schedule(
      in: settings.requestTimeout
    ) { [weak self] in
      guard let self else { return }
      arrivalTimer = nil
      guard isIncomplete else { return }
      // A stream has made progress with its messages, or its handler holds it up.
      guard isUnary || (received == receivedBytes && isReading) else {
        return setArrivalTimer(context)
      }
      drop(context, .requestTimedOut)
    }
  }
}

// MARK: Answers
extension GRPCStreamHandler {
  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    let part = unwrapOutboundIn(data)
    guard answer != .ended else {
      promise?.fail(RPCError(code: .unavailable, message: "The call has ended."))
      return
    }
    switch part {
    case .metadata(let metadata):
      begin(context, metadata, promise)
    case .message(let message):
      if answer == .notBegun { begin(context, [:], nil) }
      frame(message, promise)
    case .status(let status, let metadata):
      writeFramed(context)
      let headers: HPACKHeaders =
        answer == .begun
        ? .trailers(status, metadata)
        : .trailersOnly(status.code, status.message, metadata)
      end(context, headers, promise: promise)
    }
  }

  func flush(context: ChannelHandlerContext) {
    writeFramed(context)
    // A stream that is full has to send, or the writer would wait for room for ever.
    if !isUnary || answer == .ended || !context.channel.isWritable { context.flush() }
  }

  private func begin(
    _ context: ChannelHandlerContext, _ metadata: Metadata, _ promise: EventLoopPromise<Void>?
  ) {
    answer = .begun
    var headers = HPACKHeaders.answer(answerEncoding)
    headers.add(metadata)
    context.write(wrapOutboundOut(.headers(.init(headers: headers))), promise: promise)
  }

  private func frame(_ message: MessageBytes, _ promise: EventLoopPromise<Void>?) {
    framed.writeInteger(UInt8(message.isCompressed ? 1 : 0))
    framed.writeInteger(UInt32(message.count))
    framed.writeImmutableBuffer(message.buffer)
    framedPromise.setOrCascade(to: promise)
  }

  private func writeFramed(_ context: ChannelHandlerContext) {
    guard framed.readableBytes > 0 else { return }
    let promise = framedPromise
    framedPromise = nil
    context.write(wrapOutboundOut(.data(.init(data: .byteBuffer(framed)))), promise: promise)
    framed = ByteBuffer()
  }

  private func end(
    _ context: ChannelHandlerContext, _ headers: HPACKHeaders, promise: EventLoopPromise<Void>?
  ) {
    answer = .ended
    let trailers = OutboundOut.headers(
      .init(headers: headers.naming(requestID), endStream: true))
    guard !requestEnded else { return context.write(wrapOutboundOut(trailers), promise: promise) }
    // The rest of the request is not wanted. This waits until the answer is sent, because a reset
    // would drop it.
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenSuccess { [self] in
      guard !requestEnded else { return }
      context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: nil)
    }
    context.write(wrapOutboundOut(trailers), promise: written)
  }
}

/// A call that is handed to the framework.
struct AcceptedCall: Sendable {
  let parts: NIOAsyncChannel<RPCRequestPart<MessageBytes>, RPCResponsePart<MessageBytes>>
  let descriptor: MethodDescriptor
  let cancellation: ServerContext.RPCCancellationHandle
  let unread: UnreadBytes
  let running: RunningHandlers
  let answerEncoding: MessageEncoding
}

/// Counts the bytes of messages that have been handed to a call and that its handler has not taken.
final class UnreadBytes: Sendable {
  private let bytes = Atomic<Int>(0)

  var count: Int { bytes.load(ordering: .relaxed) }

  func arrived(_ count: Int) { bytes.add(count, ordering: .relaxed) }

  func taken(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
}

/// The parts of a request; it counts how much of them has been taken.
struct CountedRequest: AsyncSequence, Sendable {
  typealias Element = RPCRequestPart<MessageBytes>

  /// The least message that is counted at once; a smaller one is counted with the next that comes.
  private static let largeMessageBytes = 64 * 1024

  let base: NIOAsyncChannelInboundStream<Element>
  let unread: UnreadBytes
  let channel: any Channel

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), unread: unread, channel: channel)
  }

  struct Iterator: AsyncIteratorProtocol {
    var base: NIOAsyncChannelInboundStream<Element>.AsyncIterator
    let unread: UnreadBytes
    let channel: any Channel

    mutating func next() async throws -> Element? {
      let part = try await base.next()
      if case .message(let message) = part {
        unread.taken(message.count)
        // The channel's handler looks at what is unread when it is asked to read.
        if message.count >= CountedRequest.largeMessageBytes { channel.read() }
      }
      return part
    }
  }
}

extension MethodDescriptor {
  /// Reads a path; `nil` for one that is not of the form `/service/method`.
  init?(path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty, !parts[1].isEmpty, !parts[2].isEmpty
    else { return nil }
    self.init(fullyQualifiedService: String(parts[1]), method: String(parts[2]))
  }
}
