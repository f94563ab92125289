import GRPCCore
import GRPCProtobuf
import MoyeoAPI
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One call that the framework serves: HTTP/2 frames on one side, gRPC's parts on the other.
///
/// ```
/// request   headers ─→ metadata    data … ─→ message …    end of stream ─→ input closed
/// answer    metadata ─→ headers    message … ─→ data …    status ─→ trailers, end of stream
/// ```
/// Nothing but this handler is made before the headers are known to begin a call.
final class ColdStream: ChannelDuplexHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias InboundOut = RPCRequestPart<MessageBytes>
  typealias OutboundIn = RPCResponsePart<MessageBytes>
  typealias OutboundOut = HTTP2Frame.FramePayload

  private enum Request { case notBegun, messages(MessageDeframer), unwanted }
  private enum Answer { case notBegun, begun, ended }

  struct Settings: Sendable {
    var maximumMessageBytes = 4 << 20
    /// Of the methods that are served; a call of another is refused here.
    var paths: Set<String> = []
    /// Paths of calls with one answer: their headers wait for it.
    var unaryPaths: Set<String> = []
  }

  private let settings: Settings
  private let accept: @Sendable (ColdCall) -> Void
  private let cancellation = ServerContext.RPCCancellationHandle()
  private var request = Request.notBegun
  private var requestEnded = false
  private var answer = Answer.notBegun
  private var holdsHeaders = false
  /// Messages not yet made a frame: those between two flushes share one.
  private var framed = ByteBuffer()
  private var framedPromise: EventLoopPromise<Void>?

  init(settings: Settings, accept: @escaping @Sendable (ColdCall) -> Void) {
    self.settings = settings
    self.accept = accept
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
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
      abandon(context, "the client cancelled the call")
    default: break
    }
  }

  private func begin(_ context: ChannelHandlerContext, _ headers: HPACKHeaders) {
    let call = CallHeaders(headers)
    let path = call.path ?? ""
    if let refusal = call.refusal { return refuse(context, refusal) }
    guard settings.paths.contains(path), let descriptor = MethodDescriptor(path: path) else {
      return refuse(
        context, .trailersOnly(APIError(.unknownRoute, "no method \(quoted(path))")))
    }
    guard
      let parts = try? NIOAsyncChannel<RPCRequestPart<MessageBytes>, RPCResponsePart<MessageBytes>>(
        wrappingChannelSynchronously: context.channel)
    else {
      return refuse(context, .trailersOnly(APIError(.internalError, "no channel for the call")))
    }
    request = .messages(MessageDeframer(maximumBytes: settings.maximumMessageBytes))
    holdsHeaders = settings.unaryPaths.contains(path)
    context.fireChannelRead(wrapInboundOut(.metadata(Metadata(headers))))
    accept(ColdCall(parts: parts, descriptor: descriptor, cancellation: cancellation))
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
    do throws(APIError) {
      while let message = try deframer.next() {
        context.fireChannelRead(wrapInboundOut(.message(MessageBytes(message))))
      }
      request = .messages(deframer)
    } catch {
      // The call's handler throws it on, and so answers with it.
      context.fireErrorCaught(error)
    }
  }

  private func endRequest(_ context: ChannelHandlerContext) {
    requestEnded = true
    guard case .messages(let deframer) = request else { return }
    request = .unwanted
    if deframer.isInsideMessage {
      context.fireErrorCaught(APIError(.malformedRequest, "the request ends inside a message"))
    } else {
      context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }
  }

  /// Nobody waits for the answer any more.
  private func abandon(_ context: ChannelHandlerContext, _ reason: String) {
    requestEnded = true
    guard answer != .ended else { return }
    answer = .ended
    request = .unwanted
    cancellation.cancel()
    context.fireErrorCaught(RPCError(code: .unavailable, message: reason))
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent { cancellation.cancel() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    abandon(context, "the connection closed")
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    abandon(context, "the stream failed: \(error)")
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    framedPromise?.fail(ChannelError.ioOnClosedChannel)
    framedPromise = nil
  }
}

// Answers.
extension ColdStream {
  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    let part = unwrapOutboundIn(data)
    guard answer != .ended else {
      promise?.fail(RPCError(code: .unavailable, message: "the call has ended"))
      return
    }
    switch part {
    case .metadata(let metadata):
      begin(context, metadata, promise)
    case .message(let message):
      if answer == .notBegun { begin(context, [:], nil) }
      frame(message.buffer, promise)
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
    // A full stream has to move, or the writer waits for room for ever.
    if !holdsHeaders || answer == .ended || !context.channel.isWritable { context.flush() }
  }

  private func begin(
    _ context: ChannelHandlerContext, _ metadata: Metadata, _ promise: EventLoopPromise<Void>?
  ) {
    answer = .begun
    var headers = HPACKHeaders.answer
    headers.add(metadata)
    context.write(wrapOutboundOut(.headers(.init(headers: headers))), promise: promise)
  }

  private func frame(_ message: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
    framed.writeInteger(UInt8(0))
    framed.writeInteger(UInt32(message.readableBytes))
    framed.writeImmutableBuffer(message)
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
    let trailers = OutboundOut.headers(.init(headers: headers, endStream: true))
    guard !requestEnded else { return context.write(wrapOutboundOut(trailers), promise: promise) }
    // The rest of the request is not wanted. Not before the answer is out: a reset drops it.
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenSuccess { [self] in
      guard !requestEnded else { return }
      context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: nil)
    }
    context.write(wrapOutboundOut(trailers), promise: written)
  }
}

/// A call handed to the framework.
struct ColdCall: Sendable {
  let parts: NIOAsyncChannel<RPCRequestPart<MessageBytes>, RPCResponsePart<MessageBytes>>
  let descriptor: MethodDescriptor
  let cancellation: ServerContext.RPCCancellationHandle
}

extension MethodDescriptor {
  /// - Parameter path: `/service/method`.
  init?(path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty, !parts[1].isEmpty, !parts[2].isEmpty
    else { return nil }
    self.init(fullyQualifiedService: String(parts[1]), method: String(parts[2]))
  }
}

extension APIError: RPCErrorConvertible {
  var rpcErrorCode: RPCError.Code { RPCError.Code(reason.status.grpc) }
  var rpcErrorMessage: String { message }
  var rpcErrorMetadata: Metadata { grpcStatus.rpcErrorMetadata }
}
