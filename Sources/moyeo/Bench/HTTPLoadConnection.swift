import MoyeoClient
import NIOCore
import NIOHTTP1

/// HTTP/1.1 kept alive: one request at a time.
final class HTTPLoadConnection: ChannelInboundHandler, LoadConnection {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let authority: String
  private let root: String
  private let onEnd: () -> Void
  private var context: ChannelHandlerContext?
  private var waiting: Completion?
  private var hasUnflushed = false
  private var status = HTTPResponseStatus.ok
  private var body = ByteBuffer()

  /// Begins the client's side of one HTTP/1.1 connection.
  ///
  /// - Parameters:
  ///   - authority: `host:port`, sent as `Host` of each request.
  ///   - root: The path of the layer, with its last slash.
  ///   - onEnd: Called once, when the connection has ended.
  init(authority: String, root: String, onEnd: @escaping () -> Void) {
    self.authority = authority
    self.root = root
    self.onEnd = onEnd
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  var hasRoom: Bool { waiting == nil && context != nil }

  func send(_ request: BenchRequests.Prepared, _ completion: @escaping Completion) {
    guard let context, waiting == nil else { return completion(.failure(.unreachable)) }
    waiting = completion
    hasUnflushed = true
    let head = HTTPRequestHead(
      version: .http1_1, method: .POST, uri: root + request.method.resource,
      headers: [
        "host": authority, "content-type": "application/json",
        "content-length": "\(request.bytes.readableBytes)",
      ])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(request.bytes))), promise: nil)
    context.write(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func flush() {
    guard hasUnflushed else { return }
    hasUnflushed = false
    context?.flush()
  }

  func close() { context?.close(promise: nil) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      status = head.status
      body.clear()
    case .body(var part): body.writeBuffer(&part)
    case .end:
      let answer = body
      let completion = waiting
      waiting = nil
      completion?(
        (200..<300).contains(status.code)
          ? .success(answer)
          : .failure(
            LoadFailure(
              MoyeoError.reason(
                ofStatus: Int(status.code), body: Array(answer.readableBytesView)))))
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    onEnd()
    let completion = waiting
    waiting = nil
    completion?(.failure(.unreachable))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
