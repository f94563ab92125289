import MoyeoClient
import NIOCore
import NIOHPACK
import NIOHTTP2

/// gRPC calls as bare HTTP/2 frames; report streams as messages of one stream.
final class GRPCLoadConnection: ChannelInboundHandler, LoadConnection {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  private struct Call {
    /// Of a unary call, or of each message of a stream that waits for its answer.
    var waiting: CircularBuffer<Completion>
    var isUnary: Bool
    var received = ByteBuffer()
  }

  private let authority: String
  private var context: ChannelHandlerContext?
  private var calls: [HTTP2StreamID: Call] = [:]
  private var nextStream = 1
  private var reportStream: HTTP2StreamID?
  private var headers: [BenchRequests.Method: HPACKHeaders] = [:]
  private let onEnd: () -> Void
  /// The peer takes no new streams, or the connection has ended.
  private var hasEnded = false
  private var hasUnflushed = false
  /// Bytes received that were not handed back to the peer's window yet.
  private var consumed = 0

  private static let largestWindow = 1 << 31 - 1
  /// Returned in large pieces: a sender of requests does nothing else with its frames.
  private static let windowStep = 1 << 28

  /// Begins the client's side of one HTTP/2 connection.
  ///
  /// - Parameters:
  ///   - authority: `host:port`, sent as `:authority` of each request.
  ///   - onEnd: Called once, when the connection takes no more requests.
  init(authority: String, onEnd: @escaping () -> Void) {
    self.authority = authority
    self.onEnd = onEnd
  }

  static let settings = [
    HTTP2Setting(parameter: .initialWindowSize, value: largestWindow),
    HTTP2Setting(parameter: .enablePush, value: 0),
  ]

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    write(.rootStream, .windowUpdate(windowSizeIncrement: Self.largestWindow - 65_535))
    context.flush()
    context.fireChannelActive()
  }

  // MARK: - Sending

  var hasRoom: Bool { !hasEnded }

  func send(_ request: BenchRequests.Prepared, _ completion: @escaping Completion) {
    guard !hasEnded else { return completion(.failure(.unreachable)) }
    if request.method == .streamReports {
      let stream = reportStream ?? open(request.method, isUnary: false)
      reportStream = stream
      calls[stream]?.waiting.append(completion)
      write(stream, .data(.init(data: .byteBuffer(request.bytes))))
    } else {
      let stream = open(request.method, isUnary: true)
      calls[stream]?.waiting.append(completion)
      write(stream, .data(.init(data: .byteBuffer(request.bytes), endStream: true)))
    }
  }

  func flush() {
    guard hasUnflushed else { return }
    hasUnflushed = false
    context?.flush()
  }

  func close() { context?.close(promise: nil) }

  private func open(_ method: BenchRequests.Method, isUnary: Bool) -> HTTP2StreamID {
    let stream = HTTP2StreamID(nextStream)
    nextStream += 2
    calls[stream] = Call(waiting: CircularBuffer(initialCapacity: 1), isUnary: isUnary)
    let fields =
      headers[method]
      ?? HPACKHeaders([
        (":method", "POST"), (":scheme", "http"), (":path", method.path),
        (":authority", authority), ("te", "trailers"), ("content-type", "application/grpc"),
      ])
    headers[method] = fields
    write(stream, .headers(.init(headers: fields)))
    return stream
  }

  private func write(_ stream: HTTP2StreamID, _ payload: HTTP2Frame.FramePayload) {
    hasUnflushed = true
    context?.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
  }

  // MARK: - Receiving

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.payload {
    case .headers(let headers):
      if headers.endStream { end(frame.streamID, headers.headers) }
    case .data(let data):
      guard case .byteBuffer(var bytes) = data.data else { return }
      handBack(bytes.readableBytes)
      take(&bytes, frame.streamID)
    case .rstStream(let code):
      end(frame.streamID, .init("reset (\(code.networkCode))"))
    case .goAway:
      end()
      closeIfDone()
    default: break
    }
  }

  private func end() {
    guard !hasEnded else { return }
    hasEnded = true
    onEnd()
  }

  private func closeIfDone() {
    if hasEnded, calls.isEmpty { close() }
  }

  private func take(_ bytes: inout ByteBuffer, _ stream: HTTP2StreamID) {
    guard var call = calls.removeValue(forKey: stream) else { return }
    if call.received.readableBytes == 0 {
      call.received = bytes
    } else {
      call.received.writeBuffer(&bytes)
    }
    if call.isUnary {
      calls[stream] = call
      return
    }
    var answered: [(Completion, ByteBuffer)] = []
    while let message = Self.message(&call.received) {
      if let completion = call.waiting.popFirst() { answered.append((completion, message)) }
    }
    calls[stream] = call
    for (completion, message) in answered { completion(.success(message)) }
  }

  /// The first whole message, taken out.
  private static func message(_ bytes: inout ByteBuffer) -> ByteBuffer? {
    guard let length: UInt32 = bytes.getInteger(at: bytes.readerIndex + 1),
      bytes.readableBytes >= 5 + Int(length)
    else { return nil }
    bytes.moveReaderIndex(forwardBy: 5)
    return bytes.readSlice(length: Int(length))
  }

  private func end(_ stream: HTTP2StreamID, _ trailers: HPACKHeaders) {
    guard let status = trailers.first(name: "grpc-status").flatMap({ Int($0) }) else {
      return end(stream, .unexpectedAnswer)
    }
    guard status == 0 else {
      let details = trailers.first(name: "grpc-status-details-bin")
      return end(stream, LoadFailure(MoyeoError.reason(grpcStatus: status, details: details)))
    }
    guard var call = calls.removeValue(forKey: stream) else { return }
    if stream == reportStream { reportStream = nil }
    let message = Self.message(&call.received)
    for completion in call.waiting {
      completion(message.map { .success($0) } ?? .failure(.unexpectedAnswer))
    }
    closeIfDone()
  }

  private func end(_ stream: HTTP2StreamID, _ failure: LoadFailure) {
    if stream == reportStream { reportStream = nil }
    for completion in calls.removeValue(forKey: stream)?.waiting ?? [] {
      completion(.failure(failure))
    }
    closeIfDone()
  }

  private func handBack(_ count: Int) {
    consumed += count
    guard consumed >= Self.windowStep else { return }
    write(.rootStream, .windowUpdate(windowSizeIncrement: consumed))
    if let reportStream { write(reportStream, .windowUpdate(windowSizeIncrement: consumed)) }
    consumed = 0
    flush()
  }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    end()
    for stream in Array(calls.keys) { end(stream, .unreachable) }
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Of a single stream: its call ends by what the peer sends, or by its time.
    if error is NIOHTTP2Errors.StreamClosed || error is NIOHTTP2Errors.StreamError { return }
    context.close(promise: nil)
  }
}
