import GRPCCore
import MoyeoAPI
import NIOCore

/// One message as gRPC's core hands it about.
struct MessageBytes: GRPCContiguousBytes, Sendable {
  var buffer: ByteBuffer

  init(_ buffer: ByteBuffer) { self.buffer = buffer }
  init(repeating byte: UInt8, count: Int) { buffer = ByteBuffer(repeating: byte, count: count) }
  init(_ bytes: some Sequence<UInt8>) { buffer = ByteBuffer(bytes: bytes) }

  var count: Int { buffer.readableBytes }

  func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try buffer.withUnsafeReadableBytes(body)
  }

  mutating func withUnsafeMutableBytes<R>(
    _ body: (UnsafeMutableRawBufferPointer) throws -> R
  ) rethrows -> R {
    try buffer.withUnsafeMutableReadableBytes(body)
  }
}

/// Takes messages out of the bytes of a stream: a zero byte, a length of four bytes, the message.
/// Pieces may end anywhere.
struct MessageDeframer {
  static let prefixLength = 5

  private let maximumBytes: Int
  private var pending: ByteBuffer?

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// Whether the stream would end inside a message if it ended now.
  var isInsideMessage: Bool { (pending?.readableBytes ?? 0) > 0 }

  mutating func append(_ bytes: ByteBuffer) {
    guard isInsideMessage else {
      pending = bytes
      return
    }
    pending?.discardReadBytes()
    pending?.writeImmutableBuffer(bytes)
  }

  /// The next whole message, `nil` when more bytes are needed.
  mutating func next() throws(APIError) -> ByteBuffer? {
    guard let start = pending?.readerIndex, isInsideMessage,
      let flag: UInt8 = pending?.getInteger(at: start),
      let length: UInt32 = pending?.getInteger(at: start + 1)
    else { return nil }
    guard flag == 0 else {
      throw APIError(.malformedRequest, "a compressed message without grpc-encoding")
    }
    guard length <= maximumBytes else {
      throw APIError(.requestTooLarge, "a request has at most \(maximumBytes) bytes here")
    }
    guard let message = pending?.getSlice(at: start + Self.prefixLength, length: Int(length))
    else { return nil }
    pending?.moveReaderIndex(forwardBy: Self.prefixLength + Int(length))
    return message
  }
}
