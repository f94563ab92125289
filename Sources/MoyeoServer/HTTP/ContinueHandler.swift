import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Tells a caller that asked with `Expect: 100-continue` to go on and send its body (RFC 9110,
/// section 10.1.1). curl asks before it sends more than a megabyte, and waits a second for the word.
final class ContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Requests whose answers have not ended. Amid an earlier answer nothing may be said; the caller
  /// may go on without the word.
  private var unanswered = 0

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let request) = Self.unwrapInboundIn(data) {
      if unanswered == 0, request.headerFields[.expect]?.lowercased() == "100-continue" {
        context.writeAndFlush(
          Self.wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
      }
      unanswered += 1
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = Self.unwrapOutboundIn(data) { unanswered -= 1 }
    context.write(data, promise: promise)
  }
}
