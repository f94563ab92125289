import Dispatch
import GRPCCore
import GRPCProtobuf
import MoyeoAPI
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Answers the hot unary calls on the event loop itself, in front of gRPC's own stream handler.
///
/// A unary call through the framework costs 52-70 us of CPU, most of it in tasks and hops. This
/// handler stands first in each stream's pipeline. It takes plain unary calls of methods it knows
/// (no compression, an ordinary content type) and passes everything else on untouched, so the
/// official transport keeps ports, TLS, keep-alive, connection limits, streams and all other
/// calls. One conformance suite runs against both lanes.
///
/// ```
/// headers ── known path, application/grpc, no encoding? ── no ─→ next handler, for good
///    │ yes
/// data … ── frame complete, end of stream ─→ answer: headers, data, trailers
/// ```
final class HotLane: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias InboundOut = HTTP2Frame.FramePayload
  typealias OutboundOut = HTTP2Frame.FramePayload

  /// What the lane answers: encoded request in, encoded response out.
  struct Method: Sendable {
    let maximumRequestBytes: Int
    let recorder: RequestMetrics.Recorder
    /// Requests of a viewport session may have to wait, which the lane cannot.
    let isThrottled: Bool
    let call: @Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8]
  }

  private enum State {
    case undecided
    case passing
    case collecting(Method, deadline: UInt64?)
    case answered
  }

  private let methods: [String: Method]
  private var state = State.undecided
  private var body: ByteBuffer?

  /// - Parameter methods: By path, e.g. `/moyeo.v1.PositionService/Nearby`.
  init(methods: [String: Method]) { self.methods = methods }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch state {
    case .passing: context.fireChannelRead(data)
    case .answered: break
    case .undecided: decide(context, data)
    case .collecting(let method, let deadline):
      collect(context, unwrapInboundIn(data), method, deadline)
    }
  }

  private func decide(_ context: ChannelHandlerContext, _ data: NIOAny) {
    guard case .headers(let frame) = unwrapInboundIn(data), !frame.endStream,
      let path = frame.headers.first(name: ":path"), let method = methods[path],
      Self.isPlain(frame.headers),
      !method.isThrottled || frame.headers.first(name: "x-moyeo-session") == nil
    else {
      state = .passing
      context.fireChannelRead(data)
      return
    }
    let deadline = frame.headers.first(name: "grpc-timeout").flatMap(Self.nanoseconds).map {
      DispatchTime.now().uptimeNanoseconds &+ $0
    }
    state = .collecting(method, deadline: deadline)
  }

  /// An ordinary POST of uncompressed protobuf.
  private static func isPlain(_ headers: HPACKHeaders) -> Bool {
    guard headers.first(name: ":method") == "POST",
      let type = headers.first(name: "content-type"),
      type == "application/grpc" || type == "application/grpc+proto"
    else { return false }
    if let encoding = headers.first(name: "grpc-encoding"), encoding != "identity" { return false }
    // A timeout that does not parse is for the framework to refuse.
    if let timeout = headers.first(name: "grpc-timeout"), nanoseconds(timeout) == nil {
      return false
    }
    return true
  }

  /// A `grpc-timeout`: at most 8 digits and a unit (PROTOCOL-HTTP2.md).
  private static func nanoseconds(_ timeout: String) -> UInt64? {
    let digits = timeout.utf8.dropLast()
    guard (1...8).contains(digits.count), let unit = timeout.utf8.last,
      digits.allSatisfy({ (48...57).contains($0) }), let amount = UInt64(timeout.dropLast())
    else { return nil }
    switch unit {
    case UInt8(ascii: "n"): return amount
    case UInt8(ascii: "u"): return amount * 1000
    case UInt8(ascii: "m"): return amount * 1_000_000
    case UInt8(ascii: "S"): return amount * 1_000_000_000
    case UInt8(ascii: "M"): return amount * 60_000_000_000
    case UInt8(ascii: "H"): return amount * 3_600_000_000_000
    default: return nil
    }
  }

  private func collect(
    _ context: ChannelHandlerContext, _ payload: HTTP2Frame.FramePayload, _ method: Method,
    _ deadline: UInt64?
  ) {
    // Trailers of a request end it without data; other frames do not concern the message.
    guard case .data(let frame) = payload else {
      if case .headers(let trailers) = payload, trailers.endStream {
        respond(context, method, deadline)
      }
      return
    }
    guard case .byteBuffer(var bytes) = frame.data else { return }
    if body == nil {
      body = bytes
    } else {
      body?.writeBuffer(&bytes)
    }
    let collected = body?.readableBytes ?? 0
    guard collected <= method.maximumRequestBytes + 5 else {
      let error = APIError(
        .requestTooLarge, "a request has at most \(method.maximumRequestBytes) bytes here")
      method.recorder.finish(method.recorder.start(), reason: error.reason)
      fail(context, error, requestEnded: frame.endStream)
      return
    }
    if frame.endStream { respond(context, method, deadline) }
  }

  private func respond(_ context: ChannelHandlerContext, _ method: Method, _ deadline: UInt64?) {
    let start = method.recorder.start()
    do throws(APIError) {
      if let deadline, start >= deadline {
        throw APIError(.deadlineExceeded, "the deadline passed before the request was complete")
      }
      let answer = try Self.withMessage(body) { bytes throws(APIError) in try method.call(bytes) }
      method.recorder.finish(start, reason: nil)
      succeed(context, answer)
    } catch {
      method.recorder.finish(start, reason: error.reason)
      fail(context, error, requestEnded: true)
    }
    body = nil
  }

  /// The one message of a unary call: a zero byte, its length, its bytes.
  private static func withMessage(
    _ body: ByteBuffer?, _ call: (UnsafeRawBufferPointer) throws(APIError) -> [UInt8]
  ) throws(APIError) -> [UInt8] {
    guard let body else { throw APIError(.malformedRequest, "the request has no message") }
    let outcome: Result<[UInt8], APIError> = body.withUnsafeReadableBytes { raw in
      Result { () throws(APIError) in
        guard raw.count >= 5 else {
          throw APIError(.malformedRequest, "the request has no message")
        }
        guard raw[0] == 0 else {
          throw APIError(.malformedRequest, "a compressed message without grpc-encoding")
        }
        let length = Int(
          UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
        guard raw.count == 5 + length else {
          throw APIError(
            .malformedRequest, "a unary request has one message of the length it says")
        }
        return try call(UnsafeRawBufferPointer(rebasing: raw[5...]))
      }
    }
    return try outcome.get()
  }

  private static let headers = HPACKHeaders([
    (":status", "200"), ("content-type", "application/grpc"),
  ])
  private static let okTrailers = HPACKHeaders([("grpc-status", "0")])

  private func succeed(_ context: ChannelHandlerContext, _ answer: [UInt8]) {
    state = .answered
    var buffer = context.channel.allocator.buffer(capacity: answer.count + 5)
    buffer.writeInteger(UInt8(0))
    buffer.writeInteger(UInt32(answer.count))
    buffer.writeBytes(answer)
    context.write(wrapOutboundOut(.headers(.init(headers: Self.headers))), promise: nil)
    context.write(wrapOutboundOut(.data(.init(data: .byteBuffer(buffer)))), promise: nil)
    context.writeAndFlush(
      wrapOutboundOut(.headers(.init(headers: Self.okTrailers, endStream: true))), promise: nil)
  }

  /// A trailers-only answer, with google.rpc.Status as the framework sends it.
  private func fail(_ context: ChannelHandlerContext, _ error: APIError, requestEnded: Bool) {
    state = .answered
    body = nil
    let status = error.grpcStatus
    var headers = Self.headers
    headers.add(name: "grpc-status", value: "\(error.reason.status.grpc.rawValue)")
    headers.add(name: "grpc-message", value: Self.percentEncoded(error.message))
    for (name, value) in status.rpcErrorMetadata {
      headers.add(name: name, value: value.encoded())
    }
    let written = context.writeAndFlush(
      wrapOutboundOut(.headers(.init(headers: headers, endStream: true))))
    if !requestEnded {
      // The rest of the request is not wanted.
      let channel = context.channel
      written.whenComplete { _ in channel.close(promise: nil) }
    }
  }

  /// As PROTOCOL-HTTP2.md asks for grpc-message: printable ASCII but for %.
  private static func percentEncoded(_ text: String) -> String {
    var out = ""
    for byte in text.utf8 {
      if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") {
        out.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        out += byte < 16 ? "%0" : "%"
        out += String(byte, radix: 16, uppercase: true)
      }
    }
    return out
  }
}
