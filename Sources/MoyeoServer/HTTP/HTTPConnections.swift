import GRPCServerTransport
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// HTTP/1.1 connections, each with a gate of its own in front of the calls.
struct HTTPConnections: ServerChildChannel, HTTPChannelHandler {
  typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

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
  }

  func handle(value: Value, logger: Logger) async {
    await handleHTTP(asyncChannel: value, logger: logger)
  }
}
