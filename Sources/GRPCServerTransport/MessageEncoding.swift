import GzipCoding
import NIOCore
import NIOHPACK
import Threading

/// How the messages of one direction of a call may be encoded (`grpc-encoding`).
enum MessageEncoding: Sendable {
  case identity
  /// Each message says by its first byte whether it is gzip.
  case gzip

  /// What a caller is told when it asks for another.
  static let accepted = "identity,gzip"

  /// Smaller answers are sent as they are.
  static let minimumBytes = 256
  /// Larger answers are compressed away from the event loop: so many take about half a millisecond.
  static let maximumBytesOnEventLoop = 64 * 1024

  /// Returns the most bytes that a message of at most `count` may have once it is encoded: gzip
  /// adds a header, a trailer and a few bytes for each block that it cannot shrink.
  func maximumEncodedBytes(_ count: Int) -> Int {
    self == .identity ? count : count + count / 256 + 1024
  }

  /// Unpacks the bytes of one message that its prefix says is compressed.
  ///
  /// - Parameters:
  ///   - raw: The message without its prefix, in gzip.
  ///   - maximumBytes: The most bytes of the message, unpacked; no more is allocated for it.
  /// - Returns: The message.
  /// - Throws: ``RefusalCause`` for a message that is none, or is too large.
  static func unpacked(
    _ raw: UnsafeRawBufferPointer, maximumBytes: Int
  ) throws(RefusalCause) -> [UInt8] {
    do throws(GzipError) {
      return try GzipDecoder.decompress(raw, limit: maximumBytes)
    } catch {
      switch error {
      case .malformed: throw .malformedRequest("A message is not the gzip that its call announced.")
      case .tooLarge: throw .messageTooLarge(maximumBytes: maximumBytes)
      }
    }
  }

  /// Encodes an answer, whatever its size; it is sent as it is where that is not longer.
  func encoded(_ message: [UInt8]) -> EncodedMessage {
    guard self == .gzip, message.count >= Self.minimumBytes else { return EncodedMessage(message) }
    let packed = GzipEncoder.fast.compress(message)
    return packed.count < message.count
      ? EncodedMessage(bytes: packed, isCompressed: true) : EncodedMessage(message)
  }

  /// Encodes an answer here, or on a pool where it is too large for an event loop.
  func encoded(_ message: [UInt8], on pool: BoundedThreadPool) async -> EncodedMessage {
    guard isTooLongForEventLoop(message.count) else { return encoded(message) }
    return (try? await pool.run { _ in encoded(message) }) ?? EncodedMessage(message)
  }

  /// Encodes an answer unless it is too large for an event loop; such a one is sent as it is.
  func encodedOnEventLoop(_ message: [UInt8]) -> EncodedMessage {
    isTooLongForEventLoop(message.count) ? EncodedMessage(message) : encoded(message)
  }

  /// Whether an answer of so many bytes has to be compressed elsewhere.
  func isTooLongForEventLoop(_ count: Int) -> Bool {
    self == .gzip && count > Self.maximumBytesOnEventLoop
  }
}

/// An answer as it is sent.
struct EncodedMessage: Sendable {
  let bytes: [UInt8]
  let isCompressed: Bool

  init(bytes: [UInt8], isCompressed: Bool) {
    self.bytes = bytes
    self.isCompressed = isCompressed
  }

  /// An answer that is sent as it is.
  init(_ bytes: [UInt8]) { self.init(bytes: bytes, isCompressed: false) }
}

extension ByteBuffer {
  /// Appends the flag, the length and the message.
  mutating func writeMessage(_ message: EncodedMessage) {
    writeInteger(UInt8(message.isCompressed ? 1 : 0))
    writeInteger(UInt32(message.bytes.count))
    writeBytes(message.bytes)
  }
}

extension HPACKHeaders {
  private static let gzipAnswer: HPACKHeaders = [
    ":status": "200", "content-type": "application/grpc", "grpc-encoding": "gzip",
    "grpc-accept-encoding": MessageEncoding.accepted,
  ]

  /// Returns the headers that an answer begins with.
  static func answer(_ encoding: MessageEncoding) -> HPACKHeaders {
    encoding == .gzip ? gzipAnswer : answer
  }
}
