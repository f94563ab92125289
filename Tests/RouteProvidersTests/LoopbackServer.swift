import NIOCore
import NIOHTTP1
import NIOPosix
import Threading

/// An HTTP server on 127.0.0.1 that behaves as badly as it is told.
final class LoopbackServer: Sendable {
  enum Behavior: Sendable {
    case reply(status: Int, headers: [(String, String)] = [], body: String)
    /// `count` bytes, with or without saying so beforehand.
    case flood(count: Int, announced: Bool)
    /// Takes the request and never answers.
    case hang
    /// Head and half a body, then nothing.
    case stall
    /// Closes the connection instead of answering.
    case reset
    /// Announces more than it sends, then closes.
    case truncate
    case garbage
  }

  struct Seen: Sendable {
    let method: String
    let uri: String
    let headers: HTTPHeaders
    let body: String
  }

  private let channel: any Channel
  private let script: Script
  let seen: AsyncStream<Seen>

  /// - Parameter behaviors: by request; the last one repeats.
  static func start(_ behaviors: [Behavior]) async throws -> LoopbackServer {
    let (seen, continuation) = AsyncStream.makeStream(of: Seen.self)
    let script = Script(behaviors, continuation)
    let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Handler(script))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return LoopbackServer(channel, script, seen)
  }

  private init(_ channel: any Channel, _ script: Script, _ seen: AsyncStream<Seen>) {
    self.channel = channel
    self.script = script
    self.seen = seen
  }

  var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }
  var requestCount: Int { script.count }

  func stop() async {
    try? await channel.close()
    script.finish()
  }

  final class Script: Sendable {
    private let state: StateLock<(behaviors: [Behavior], count: Int)>
    private let continuation: AsyncStream<Seen>.Continuation

    init(_ behaviors: [Behavior], _ continuation: AsyncStream<Seen>.Continuation) {
      state = StateLock((behaviors, 0))
      self.continuation = continuation
    }

    var count: Int { state.withLock { $0.count } }

    func next(_ seen: Seen) -> Behavior {
      let behavior = state.withLock { state in
        defer { state.count += 1 }
        return state.behaviors[min(state.count, state.behaviors.count - 1)]
      }
      continuation.yield(seen)
      return behavior
    }

    func finish() { continuation.finish() }
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    private let script: Script
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ script: Script) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let given):
        head = given
        body.clear()
      case .body(var chunk):
        body.writeBuffer(&chunk)
      case .end:
        guard let head else { return }
        let seen = Seen(
          method: head.method.rawValue, uri: head.uri, headers: head.headers,
          body: String(buffer: body))
        act(script.next(seen), context)
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }

    private func act(_ behavior: Behavior, _ context: ChannelHandlerContext) {
      switch behavior {
      case .reply(let status, let headers, let body):
        var all = HTTPHeaders(headers)
        all.add(name: "Content-Length", value: "\(body.utf8.count)")
        write(status, all, [ByteBuffer(string: body)], context, ends: true)
      case .flood(let count, let announced):
        let chunk = ByteBuffer(repeating: UInt8(ascii: "["), count: 64 << 10)
        let headers: HTTPHeaders =
          announced
          ? ["Content-Length": "\(count)"] : ["Transfer-Encoding": "chunked"]
        write(
          200, headers, Array(repeating: chunk, count: count / (64 << 10)), context, ends: true)
      case .hang:
        break
      case .stall:
        write(
          200, ["Content-Length": "1000"], [ByteBuffer(string: "{\"code\":")], context, ends: false)
      case .reset:
        context.close(promise: nil)
      case .truncate:
        write(
          200, ["Content-Length": "1000"], [ByteBuffer(string: "{\"code\":")], context, ends: false)
        context.close(promise: nil)
      case .garbage:
        var bytes = ByteBuffer()
        bytes.writeBytes((0..<300).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 128) })
        write(200, ["Content-Length": "300"], [bytes], context, ends: true)
      }
    }

    private func write(
      _ status: Int, _ headers: HTTPHeaders, _ chunks: [ByteBuffer],
      _ context: ChannelHandlerContext, ends: Bool
    ) {
      let head = HTTPResponseHead(
        version: .http1_1, status: .init(statusCode: status), headers: headers)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      for chunk in chunks {
        context.write(wrapOutboundOut(.body(.byteBuffer(chunk))), promise: nil)
      }
      if ends {
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      } else {
        context.flush()
      }
    }
  }
}
