import GRPCCore
import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL

/// A frame as it stands on the wire (RFC 9113, 4.1).
struct RawFrame {
  enum Kind: UInt8 {
    case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate
    case continuation
  }

  static let endStream: UInt8 = 0x1
  static let ack: UInt8 = 0x1
  static let endHeaders: UInt8 = 0x4
  static let padded: UInt8 = 0x8

  let kind: Kind?
  let flags: UInt8
  let stream: Int
  var payload: ByteBuffer

  var endsStream: Bool { flags & Self.endStream != 0 && (kind == .data || kind == .headers) }
  /// Of a reset, or the second word of a GOAWAY; the increment of a window update.
  var errorCode: UInt32? {
    payload.getInteger(at: payload.readerIndex + (kind == .goAway ? 4 : 0))
  }
  /// Of a GOAWAY.
  var lastStream: UInt32? { payload.getInteger(at: payload.readerIndex) }
}

/// What one call was answered with.
struct RawAnswer {
  var headers: [(name: String, value: String)] = []
  var trailers: [(name: String, value: String)] = []
  var data = ByteBuffer()
  /// The code of a RST_STREAM, if one came.
  var reset: UInt32?

  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
  /// Of an answer of trailers only too.
  func trailer(_ name: String) -> String? {
    (trailers.isEmpty ? headers : trailers).first { $0.name == name }?.value
  }
  /// `grpc-status`.
  var status: Int? { trailer("grpc-status").flatMap { Int($0) } }
  /// The name of the cause, which the harness sends.
  var reason: String? { trailer("x-reason") }
  var messages: [[UInt8]] { flaggedMessages.map(\.bytes) }
  /// The messages with their first byte, which says whether they are compressed.
  var flaggedMessages: [(flag: UInt8, bytes: [UInt8])] {
    var rest = data
    var out: [(flag: UInt8, bytes: [UInt8])] = []
    while let flag = rest.readInteger(as: UInt8.self),
      let length = rest.readInteger(as: UInt32.self),
      let bytes = rest.readBytes(length: Int(length))
    {
      out.append((flag, bytes))
    }
    return out
  }
}

/// An HTTP/2 client that says exactly what a test wants, right or wrong.
final class RawHTTP2Connection {
  static let preface = ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

  let channel: any Channel
  private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
  private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  private var received = ByteBuffer()
  private var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
  private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
  private(set) var answers: [Int: RawAnswer] = [:]
  private(set) var goAways: [RawFrame] = []
  /// What the server has given back of the windows, of the connection under 0.
  private(set) var refilled: [Int: Int] = [:]
  /// Gives back what data took of the windows.
  var refillsWindows = true
  var acknowledgesPings = true
  var acknowledgesSettings = true

  private init(
    _ channel: any Channel,
    _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
    _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) {
    self.channel = channel
    self.inbound = inbound
    self.outbound = outbound
  }

  /// - Parameter greets: Whether to begin as a client should.
  static func run(
    port: Int, greets: Bool = true, _ body: (RawHTTP2Connection) async throws -> Void
  ) async throws {
    let security = TransportSecurity.current
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let security {
            try channel.pipeline.syncOperations.addHandler(security.makeHandler())
          }
          return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    do {
      try await channel.executeThenClose { inbound, outbound in
        let connection = RawHTTP2Connection(
          channel.channel, inbound.makeAsyncIterator(), outbound)
        if greets {
          try await connection.send(preface)
          try await connection.send(.settings, payload: ByteBuffer())
        }
        try await body(connection)
      }
    } catch is ChannelError {
      // The server closed first.
    } catch is NIOSSLError where security != nil {
      // The same, or it refused the handshake.
    }
  }

  // Sending.

  /// Lost when the server has closed the connection: what it said before that is there to read.
  func send(_ bytes: ByteBuffer) async throws { try? await outbound.write(bytes) }

  static func frame(
    _ kind: RawFrame.Kind, flags: UInt8 = 0, stream: Int = 0, payload: ByteBuffer
  ) -> ByteBuffer {
    var out = ByteBuffer()
    out.writeInteger(UInt8(payload.readableBytes >> 16))
    out.writeInteger(UInt16(truncatingIfNeeded: payload.readableBytes))
    out.writeInteger(kind.rawValue)
    out.writeInteger(flags)
    out.writeInteger(UInt32(stream))
    out.writeImmutableBuffer(payload)
    return out
  }

  func send(
    _ kind: RawFrame.Kind, flags: UInt8 = 0, stream: Int = 0, payload: ByteBuffer
  ) async throws {
    try await send(Self.frame(kind, flags: flags, stream: stream, payload: payload))
  }

  func reset(_ stream: Int, code: UInt32 = 8) async throws {
    try await send(.reset, stream: stream, payload: ByteBuffer(integer: code))
  }

  func ping(_ number: UInt64) async throws {
    try await send(.ping, payload: ByteBuffer(integer: number))
  }

  func refill(_ stream: Int, by bytes: Int) async throws {
    try await send(.windowUpdate, stream: stream, payload: ByteBuffer(integer: UInt32(bytes)))
  }

  /// SETTINGS_INITIAL_WINDOW_SIZE: what answers may take of the window of each stream.
  func setWindow(_ bytes: Int) async throws {
    var payload = ByteBuffer(integer: UInt16(4))
    payload.writeInteger(UInt32(bytes))
    try await send(.settings, payload: payload)
  }

  /// The header block of a call.
  func block(
    _ path: String, replacing: [String: String?] = [:], adding: [(String, String)] = []
  ) throws -> ByteBuffer {
    var headers = HPACKHeaders()
    let usual = [
      (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "test"),
      ("content-type", "application/grpc"), ("te", "trailers"),
    ]
    for (name, value) in usual {
      if let value = replacing[name] ?? value { headers.add(name: name, value: value) }
    }
    for (name, value) in adding { headers.add(name: name, value: value) }
    var block = ByteBuffer()
    try encoder.encode(headers: headers, to: &block)
    return block
  }

  func begin(
    _ path: String, stream: Int, replacing: [String: String?] = [:],
    adding: [(String, String)] = [], ends: Bool = false
  ) async throws {
    try await send(
      .headers, flags: RawFrame.endHeaders | (ends ? RawFrame.endStream : 0), stream: stream,
      payload: try block(path, replacing: replacing, adding: adding))
  }

  /// A message with its prefix.
  static func message(_ bytes: [UInt8], flag: UInt8 = 0) -> ByteBuffer {
    var out = ByteBuffer(bytes: [flag])
    out.writeInteger(UInt32(bytes.count))
    out.writeBytes(bytes)
    return out
  }

  func send(data: ByteBuffer, stream: Int, ends: Bool = false) async throws {
    try await send(.data, flags: ends ? RawFrame.endStream : 0, stream: stream, payload: data)
  }

  // Receiving.

  /// The next frame, `nil` at the end of the connection.
  func next() async throws -> RawFrame? {
    while true {
      if let frame = takeFrame() {
        try await take(frame)
        return frame
      }
      guard let more = try? await inbound.next() else { return nil }
      received.writeImmutableBuffer(more)
    }
  }

  private func takeFrame() -> RawFrame? {
    let start = received.readerIndex
    guard let high: UInt8 = received.getInteger(at: start),
      let low: UInt16 = received.getInteger(at: start + 1),
      let kind: UInt8 = received.getInteger(at: start + 3),
      let flags: UInt8 = received.getInteger(at: start + 4),
      let stream: UInt32 = received.getInteger(at: start + 5),
      let payload = received.getSlice(at: start + 9, length: Int(high) << 16 | Int(low))
    else { return nil }
    received.moveReaderIndex(forwardBy: 9 + payload.readableBytes)
    return RawFrame(
      kind: .init(rawValue: kind), flags: flags, stream: Int(stream), payload: payload)
  }

  private func take(_ frame: RawFrame) async throws {
    switch frame.kind {
    case .headers:
      var block = frame.payload
      let headers = try decoder.decodeHeaders(from: &block).map { ($0.name, $0.value) }
      if answers[frame.stream] == nil {
        answers[frame.stream, default: RawAnswer()].headers = headers
      } else {
        answers[frame.stream]?.trailers = headers
      }
    case .data:
      answers[frame.stream]?.data.writeImmutableBuffer(frame.payload)
      if refillsWindows && frame.payload.readableBytes > 0 {
        try await refill(0, by: frame.payload.readableBytes)
        if !frame.endsStream { try await refill(frame.stream, by: frame.payload.readableBytes) }
      }
    case .reset: answers[frame.stream, default: RawAnswer()].reset = frame.errorCode
    case .windowUpdate: refilled[frame.stream, default: 0] += Int(frame.errorCode ?? 0)
    case .goAway: goAways.append(frame)
    case .ping where frame.flags & RawFrame.ack == 0 && acknowledgesPings:
      try await send(.ping, flags: RawFrame.ack, payload: frame.payload)
    case .settings where frame.flags & RawFrame.ack == 0 && acknowledgesSettings:
      try await send(.settings, flags: RawFrame.ack, payload: ByteBuffer())
    default: break
    }
  }

  /// Reads until this stream's answer has ended, one way or the other.
  func answer(_ stream: Int) async throws -> RawAnswer? {
    while let frame = try await next() {
      if frame.stream == stream, frame.endsStream || frame.kind == .reset { break }
    }
    return answers[stream]
  }

  /// Reads until the server's settings have been acknowledged.
  func settle() async throws {
    while let frame = try await next(), frame.kind != .settings {}
  }

  /// Reads until the server has worked through what was sent.
  func catchUp() async throws {
    try await ping(0x6361_7463_6820_7570)
    while let frame = try await next(),
      frame.kind != .ping || frame.flags & RawFrame.ack == 0
    {}
  }

  /// Reads until the server closes the connection.
  func drain() async throws { while try await next() != nil {} }
}
