package import GRPCCore
import NIOCore

/// The bytes of one message, in the type that gRPC's core passes on.
package struct MessageBytes: GRPCContiguousBytes, Sendable {
  var buffer: ByteBuffer
  /// Whether the bytes are encoded as `grpc-encoding` says; only of answers on their way out.
  var isCompressed = false

  init(_ buffer: ByteBuffer) { self.buffer = buffer }

  init(_ message: EncodedMessage) {
    buffer = ByteBuffer(bytes: message.bytes)
    isCompressed = message.isCompressed
  }

  package init(repeating byte: UInt8, count: Int) {
    buffer = ByteBuffer(repeating: byte, count: count)
  }
  package init(_ bytes: some Sequence<UInt8>) { buffer = ByteBuffer(bytes: bytes) }

  package var count: Int { buffer.readableBytes }

  package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try buffer.withUnsafeReadableBytes(body)
  }

  package mutating func withUnsafeMutableBytes<R>(
    _ body: (UnsafeMutableRawBufferPointer) throws -> R
  ) rethrows -> R {
    try buffer.withUnsafeMutableReadableBytes(body)
  }
}

/// Passes bytes on unchanged.
package struct BytesSerializer: MessageSerializer {
  package init() {}

  package func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes {
    Bytes(message)
  }
}

/// Passes bytes on unchanged.
package struct BytesDeserializer: MessageDeserializer {
  package init() {}

  package func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [UInt8] {
    bytes.withUnsafeBytes { Array($0) }
  }
}

/// Extracts messages from the bytes of a stream, in which each is a byte that says whether it is
/// compressed, a length of four bytes and the message. Pieces of the stream may end anywhere.
struct MessageDeframer {
  static let prefixLength = 5

  private let maximumBytes: Int
  private let encoding: MessageEncoding
  private var pending: ByteBuffer?
  /// Whether `pending` has memory of its own. A piece of what was read from the socket would keep
  /// the whole of it alive.
  private var ownsPending = false

  /// - Parameters:
  ///   - maximumBytes: The most bytes of one message, decoded.
  ///   - encoding: How messages may be encoded.
  init(maximumBytes: Int, encoding: MessageEncoding = .identity) {
    self.maximumBytes = maximumBytes
    self.encoding = encoding
  }

  /// The number of bytes that wait for the rest of their message.
  var pendingBytes: Int { pending?.readableBytes ?? 0 }

  /// Whether the stream would end inside a message if it ended now.
  var isInsideMessage: Bool { pendingBytes > 0 }

  mutating func append(_ bytes: ByteBuffer) {
    guard isInsideMessage else {
      pending = bytes
      ownsPending = false
      return
    }
    pending?.discardReadBytes()
    pending?.writeImmutableBuffer(bytes)
    ownsPending = true
  }

  /// Returns the next whole message, `nil` when more bytes are needed.
  mutating func next() throws(RefusalCause) -> ByteBuffer? {
    guard let start = pending?.readerIndex, isInsideMessage,
      let flag: UInt8 = pending?.getInteger(at: start),
      let length: UInt32 = pending?.getInteger(at: start + 1)
    else {
      ownPending()
      return nil
    }
    guard flag == 0 || (flag == 1 && encoding == .gzip) else {
      throw .malformedRequest("A message is compressed and the call has no grpc-encoding.")
    }
    let most = flag == 0 ? maximumBytes : encoding.maximumEncodedBytes(maximumBytes)
    guard length <= most else { throw .messageTooLarge(maximumBytes: maximumBytes) }
    guard let message = pending?.getSlice(at: start + Self.prefixLength, length: Int(length))
    else {
      ownPending()
      return nil
    }
    pending?.moveReaderIndex(forwardBy: Self.prefixLength + Int(length))
    guard flag != 0 else { return message }
    let unpacked = message.withUnsafeReadableBytes { [maximumBytes] raw in
      Result { () throws(RefusalCause) in
        try MessageEncoding.unpacked(raw, maximumBytes: maximumBytes)
      }
    }
    return ByteBuffer(bytes: try unpacked.get())
  }

  private mutating func ownPending() {
    guard !ownsPending, let bytes = pending, bytes.readableBytes > 0 else { return }
    pending = ByteBuffer(bytes: bytes.readableBytesView)
    ownsPending = true
  }
}
