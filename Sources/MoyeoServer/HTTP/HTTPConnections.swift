import GRPCServerTransport
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Sets up connections of HTTP/1.1, each no further than what has come on it needs:
///
/// ```
/// socket ─ (TLS) ─ HTTPDeadlines                              from the beginning
///        ─ parser ─ HTTPRequestGate                           with the first byte
///        ─ HTTPConnectionStateHandler ─ NIOAsyncChannel       with the first request that is not short
///                                             └─ task
/// ```
///
/// Who opens thousands of connections and says little must not have what serves calls: it costs two
/// thirds of what opening and closing a connection does.
struct HTTPConnections: Sendable {
  let makeGate: @Sendable (HTTPDeadlines) -> HTTPRequestGate
  let timeLimits: HTTPTimeLimits
  /// What connections are greeted with; `nil` for connections without TLS.
  let certificates: ServerCertificates?
  let events: TransportEvents
  let calls: HTTPCalls
  let logger: Logger
  /// Takes what serves a connection's calls, once there are any.
  let accept: @Sendable (HTTPCalls.Value) -> Void

  func setUp(_ channel: any Channel) throws {
    let pipeline = channel.pipeline.syncOperations
    if let certificates {
      try pipeline.addHandler(certificates.makeHandler(.http1))
      try pipeline.addHandler(
        TLSHandshakeHandler(
          requiring: nil, timeout: timeLimits.handshakeTimeout, events: events))
    }
    let deadlines = HTTPDeadlines(limits: timeLimits)
    try pipeline.addHandler(deadlines)
    try pipeline.addHandler(
      DeferredSetupHandler(whenInputCloses: .close) { [self] in
        try addGate(to: channel, deadlines)
      })
  }

  private func addGate(to channel: any Channel, _ deadlines: HTTPDeadlines) throws {
    let pipeline = channel.pipeline.syncOperations
    // The asynchronous channel answers pipelined requests one after another, the gate answers
    // what cannot be parsed.
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false)
    try pipeline.addHandler(makeGate(deadlines))
    try pipeline.addHandler(
      // What was answered in front of the calls may still be on its way, and they see it out.
      DeferredSetupHandler(whenInputCloses: .setUp) { [self] in
        calls.setup(channel: channel, logger: logger).whenSuccess(accept)
      })
  }
}

/// The calls of a connection, which Hummingbird hands to a responder one after another.
struct HTTPCalls: HTTPChannelHandler {
  typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  let isSecure: Bool
  let responder: HTTPChannelHandler.Responder

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let made = channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: isSecure))
      try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: nil, logger: logger))
      return try Value(
        wrappingChannelSynchronously: channel,
        configuration: .init(isOutboundHalfClosureEnabled: true))
    }
    made.whenFailure { _ in channel.close(promise: nil) }
    return made
  }

  func handle(value: Value, logger: Logger) async {
    await handleHTTP(asyncChannel: value, logger: logger)
  }
}

/// Sets up the handlers behind it when something first reaches it, and leaves the pipeline.
final class DeferredSetupHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny
  typealias InboundOut = NIOAny

  /// What happens when the peer says that it will send no more, before anything has come.
  enum EndOfInput {
    /// The connection ends.
    case close
    /// The handlers are set up, and told.
    case setUp
  }

  private let endOfInput: EndOfInput
  private var setUp: (() throws -> Void)?

  /// - Parameters:
  ///   - endOfInput: What happens when the peer has said all it will, and nothing came here.
  ///   - setUp: Adds all handlers that come behind this one.
  init(whenInputCloses endOfInput: EndOfInput, setUp: @escaping () throws -> Void) {
    self.endOfInput = endOfInput
    self.setUp = setUp
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard beginSetUp(context) else { return }
    context.fireChannelRead(data)
    leave(context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent: context.close(promise: nil)
    case ChannelEvent.inputClosed:
      guard case .setUp = endOfInput else { return context.close(promise: nil) }
      guard beginSetUp(context) else { return }
      context.fireUserInboundEventTriggered(event)
      leave(context)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func handlerRemoved(context: ChannelHandlerContext) { setUp = nil }

  /// - Returns: Whether what has come can be passed on.
  private func beginSetUp(_ context: ChannelHandlerContext) -> Bool {
    guard let setUp else { return true }
    self.setUp = nil
    do {
      try setUp()
      return true
    } catch {
      context.close(promise: nil)
      return false
    }
  }

  private func leave(_ context: ChannelHandlerContext) {
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }
}
