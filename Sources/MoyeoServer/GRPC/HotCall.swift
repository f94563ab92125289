import GRPCCore
import GRPCProtobuf
import MoyeoAPI
import NIOCore
import NIOHPACK

/// One unary call on the hot lane, while its request is being collected. Bound to the event loop.
final class HotUnaryCall {
  let method: HotMethod
  let answer: @Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8]
  /// By `DispatchTime`'s clock.
  let deadline: UInt64?
  private var body: ByteBuffer?
  private var isTooLarge: Bool {
    (body?.readableBytes ?? 0) > method.maximumRequestBytes + MessageDeframer.prefixLength
  }

  init(
    method: HotMethod,
    answer: @escaping @Sendable (UnsafeRawBufferPointer) throws(APIError) -> [UInt8],
    deadline: UInt64?
  ) {
    self.method = method
    self.answer = answer
    self.deadline = deadline
  }

  /// - Returns: Whether the request is complete, or too large.
  func receive(_ bytes: ByteBuffer?, isLast: Bool) -> Bool {
    if let bytes {
      if body == nil { body = bytes } else { body?.writeImmutableBuffer(bytes) }
    }
    return isLast || isTooLarge
  }

  func outcome() -> Result<[UInt8], APIError> {
    let start = method.recorder.start()
    let outcome = Result { () throws(APIError) in
      if isTooLarge {
        throw APIError(
          .requestTooLarge, "a request has at most \(method.maximumRequestBytes) bytes here")
      }
      if let deadline, start >= deadline {
        throw APIError(.deadlineExceeded, "the deadline passed before the call could be answered")
      }
      return try answered()
    }
    switch outcome {
    case .success: method.recorder.finish(start, reason: nil)
    case .failure(let error): method.recorder.finish(start, reason: error.reason)
    }
    return outcome
  }

  /// The one message of a unary call: a zero byte, its length, its bytes.
  private func answered() throws(APIError) -> [UInt8] {
    guard let body else { throw APIError(.malformedRequest, "the request has no message") }
    let outcome: Result<[UInt8], APIError> = body.withUnsafeReadableBytes { raw in
      Result { () throws(APIError) in
        guard raw.count >= MessageDeframer.prefixLength else {
          throw APIError(.malformedRequest, "the request has no message")
        }
        guard raw[0] == 0 else {
          throw APIError(.malformedRequest, "a compressed message without grpc-encoding")
        }
        let length = Int(
          UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
        guard raw.count == MessageDeframer.prefixLength + length else {
          throw APIError(
            .malformedRequest, "a unary request has one message of the length it says")
        }
        return try answer(UnsafeRawBufferPointer(rebasing: raw[MessageDeframer.prefixLength...]))
      }
    }
    return try outcome.get()
  }
}

/// One stream on the hot lane: a message, its answer, the next message. Bound to the event loop.
final class HotStreamCall {
  enum End {
    case ok
    case failed(APIError)
  }

  /// Answers on their way, in bytes, from which on messages wait.
  private static let mostUnsent = 64 * 1024

  private let method: HotMethod
  private let session: any HotStream
  private var deframer: MessageDeframer
  private var unsent = 0
  private(set) var requestEnded = false
  /// Whether the headers of the answer have been sent.
  var hasBegun = false
  /// What the caller may still send.
  var windowLeft: Int

  init(method: HotMethod, session: any HotStream, windowSize: Int) {
    self.method = method
    self.session = session
    windowLeft = windowSize
    deframer = MessageDeframer(maximumBytes: method.maximumRequestBytes)
  }

  var isFull: Bool { unsent >= Self.mostUnsent }

  func receive(_ bytes: ByteBuffer?, isLast: Bool) {
    if let bytes { deframer.append(bytes) }
    if isLast { requestEnded = true }
  }

  /// Answers what is there, as far as there is room for answers.
  func proceed() -> (answers: ByteBuffer, End?) {
    var answers = ByteBuffer()
    do throws(APIError) {
      while !isFull {
        guard let message = try deframer.next() else {
          guard requestEnded else { return (answers, nil) }
          guard !deframer.isInsideMessage else {
            throw APIError(.malformedRequest, "the request ends inside a message")
          }
          return (answers, .ok)
        }
        let before = answers.readableBytes
        answers.writeMessage(try answer(message))
        unsent += answers.readableBytes - before
      }
      return (answers, nil)
    } catch {
      return (answers, .failed(error))
    }
  }

  /// - Returns: Whether there is room again, after there was none.
  func took(_ count: Int) -> Bool {
    let wasFull = isFull
    unsent -= count
    return wasFull && !isFull
  }

  private func answer(_ message: ByteBuffer) throws(APIError) -> [UInt8] {
    let start = method.recorder.start()
    let outcome: Result<[UInt8], APIError> = message.withUnsafeReadableBytes { raw in
      Result { () throws(APIError) in try session.answer(raw) }
    }
    switch outcome {
    case .success: method.recorder.finish(start, reason: nil)
    case .failure(let error): method.recorder.finish(start, reason: error.reason)
    }
    return try outcome.get()
  }
}

extension ByteBuffer {
  /// A zero byte, the length, the message.
  mutating func writeMessage(_ message: [UInt8]) {
    writeInteger(UInt8(0))
    writeInteger(UInt32(message.count))
    writeBytes(message)
  }
}

extension HPACKHeaders {
  /// Trailers with google.rpc.Status.
  static func trailers(_ error: APIError) -> HPACKHeaders {
    trailers(
      Status(code: Status.Code(error.rpcErrorCode), message: error.message),
      error.rpcErrorMetadata)
  }

  static func trailersOnly(_ error: APIError) -> HPACKHeaders {
    trailersOnly(Status.Code(error.rpcErrorCode), error.message, error.rpcErrorMetadata)
  }
}
