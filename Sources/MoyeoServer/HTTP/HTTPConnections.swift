import GRPCServerTransport
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// HTTP/1.1 connections, each with a gate of its own in front of the calls.
struct HTTPConnections: ServerChildChannel, HTTPChannelHandler {
  typealias Value = HTTPConnection

  let responder: HTTPChannelHandler.Responder
  let makeGate: @Sendable (HTTPDeadlines) -> HTTPRequestGate
  let timeLimits: HTTPTimeLimits
  /// What connections are greeted with; `nil` for connections without TLS.
  let certificates: ServerCertificates?
  let events: TransportEvents

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      if let certificates {
        try pipeline.addHandler(certificates.makeHandler(.http1))
        try pipeline.addHandler(
          TLSHandshakeHandler(
            requiring: nil, timeout: timeLimits.handshakeTimeout, events: events))
      }
      let deadlines = HTTPDeadlines(limits: timeLimits)
      try pipeline.addHandler(deadlines)
      let calls = channel.eventLoop.makePromise(of: HTTPConnection.Calls?.self)
      try pipeline.addHandler(
        FirstBytesHandler(calls) { try addHandlers(to: channel, deadlines, logger) })
      return HTTPConnection(channel: channel, calls: calls.futureResult)
    }
  }

  private func addHandlers(
    to channel: any Channel, _ deadlines: HTTPDeadlines, _ logger: Logger
  ) throws -> HTTPConnection.Calls {
    let pipeline = channel.pipeline.syncOperations
    // The asynchronous channel answers pipelined requests one after another, the gate answers
    // what cannot be parsed.
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false)
    try pipeline.addHandler(makeGate(deadlines))
    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: certificates != nil))
    try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: nil, logger: logger))
    return try NIOAsyncChannel(
      wrappingChannelSynchronously: channel,
      configuration: .init(isOutboundHalfClosureEnabled: true))
  }

  func handle(value: Value, logger: Logger) async {
    let calls = await withTaskCancellationHandler {
      // A connection whose handlers cannot be set up is closed.
      try? await value.calls.get()
    } onCancel: {
      value.channel.close(mode: .input, promise: nil)
    }
    if let calls { await handleHTTP(asyncChannel: calls, logger: logger) }
  }
}

/// A connection, which may never say anything.
struct HTTPConnection: ServerChildChannelValue {
  typealias Calls = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  let channel: any Channel
  /// Known with the first bytes; `nil` for a connection that closed without any.
  let calls: EventLoopFuture<Calls?>
}

/// Sets up what serves a connection's calls when its first bytes come, and leaves the pipeline.
///
/// Those handlers and their task cost two thirds of what opening and closing a connection does: who
/// opens thousands and says nothing must not have them.
final class FirstBytesHandler<Calls: Sendable>: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let calls: EventLoopPromise<Calls?>
  private let addHandlers: () throws -> Calls
  private var isDone = false

  /// - Parameters:
  ///   - calls: What ``addHandlers`` gives; `nil` when the connection closes without any byte.
  ///   - addHandlers: Adds all other handlers behind this one.
  init(
    _ calls: EventLoopPromise<Calls?>, addHandlers: @escaping () throws -> Calls
  ) {
    self.calls = calls
    self.addHandlers = addHandlers
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isDone else { return context.fireChannelRead(data) }
    isDone = true
    do {
      calls.succeed(try addHandlers())
    } catch {
      calls.fail(error)
      return context.close(promise: nil)
    }
    context.fireChannelRead(data)
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent, ChannelEvent.inputClosed: context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    guard !isDone else { return }
    isDone = true
    calls.succeed(nil)
  }
}
