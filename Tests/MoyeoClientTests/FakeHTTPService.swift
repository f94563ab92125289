import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix

/// An HTTP/1.1 server that answers from a closure and remembers what it was asked.
final class FakeHTTPService: Sendable {
  struct Request: Sendable {
    var method: String
    var uri: String
    var body: String
    var headers: [String: String]
  }

  struct Reply: Sendable {
    var status = 200
    var body: String
    var headers: [String: String] = [:]
  }

  private let channel: any Channel
  private let seen: SeenRequests

  final class SeenRequests: Sendable {
    let all = NIOLockedValueBox<[Request]>([])
  }

  var requests: [Request] { seen.all.withLockedValue { $0 } }
  var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

  init(_ answer: @escaping @Sendable (Request) -> Reply) async throws {
    let seen = SeenRequests()
    self.seen = seen
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Handler(seen: seen, answer: answer))
        }
      }.bind(host: "127.0.0.1", port: 0).get()
  }

  func close() async { try? await channel.close() }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let seen: SeenRequests
    private let answer: @Sendable (Request) -> Reply
    private var request = Request(method: "", uri: "", body: "", headers: [:])
    private var body: [UInt8] = []

    init(seen: SeenRequests, answer: @escaping @Sendable (Request) -> Reply) {
      self.seen = seen
      self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        request = Request(method: head.method.rawValue, uri: head.uri, body: "", headers: [:])
        for (name, value) in head.headers { request.headers[name.lowercased()] = value }
        body = []
      case .body(let buffer): body += Array(buffer.readableBytesView)
      case .end:
        request.body = String(decoding: body, as: UTF8.self)
        seen.all.withLockedValue { $0.append(request) }
        let reply = answer(request)
        var headers = HTTPHeaders(reply.headers.map { ($0.key, $0.value) })
        headers.replaceOrAdd(name: "content-length", value: "\(reply.body.utf8.count)")
        let head = HTTPResponseHead(
          version: .http1_1, status: .init(statusCode: reply.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(
          wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: reply.body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      }
    }
  }
}
