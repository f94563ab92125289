import NIOCore

/// Stands where a socket would, and counts how often it is read.
final class ReadCounter: ChannelOutboundHandler {
  typealias OutboundIn = Never

  var count = 0

  func read(context: ChannelHandlerContext) {
    count += 1
    context.read()
  }
}
