import CallTracing
import GRPCCore
import NIOCore

/// A unary call on the fast path while its request is being collected. It is bound to the event
/// loop.
final class FastPathUnaryCall {
  let method: FastPathMethod
  let handler: FastPathMethod.Handler
  /// The deadline by `DispatchTime`'s clock, in nanoseconds; `nil` for none.
  let deadline: UInt64?
  private let requestEncoding: MessageEncoding
  /// How the answer may be encoded.
  let answerEncoding: MessageEncoding
  /// The ``FastPathState/tick`` at which the call began.
  let beganAtTick: Int
  /// What the caller says of the request; `nil` for nothing.
  let tags: CallTags?
  /// The bytes that the call has taken of the connection's ``ConnectionRequestBytes``.
  var heldBytes = 0
  private var body: ByteBuffer?

  init(
    method: FastPathMethod, handler: @escaping FastPathMethod.Handler, headers: CallHeaders,
    deadline: UInt64?, beganAtTick: Int, tags: CallTags?
  ) {
    self.method = method
    self.handler = handler
    self.deadline = deadline
    requestEncoding = headers.requestEncoding
    answerEncoding = headers.answerEncoding
    self.beganAtTick = beganAtTick
    self.tags = tags
  }

  private var bodyBytes: Int { body?.readableBytes ?? 0 }

  /// Whether more has come than the method takes.
  var isTooLarge: Bool {
    bodyBytes > requestEncoding.maximumEncodedBytes(method.maximumRequestBytes)
      + MessageDeframer.prefixLength
  }

  /// The bytes of the request that ``heldBytes`` does not cover.
  var uncountedBytes: Int { max(0, bodyBytes - heldBytes) }

  func append(_ bytes: ByteBuffer) {
    if body == nil { body = bytes } else { body?.writeImmutableBuffer(bytes) }
  }

  /// Copies the request. It is called before the request waits, because a piece of what was read
  /// from the socket would keep the whole of it alive.
  func ownBody() {
    guard heldBytes == 0, let body else { return }
    self.body = ByteBuffer(bytes: body.readableBytesView)
  }

  /// Answers the request, or returns why it cannot be answered; `refusal` words what the transport
  /// itself refuses.
  func outcome(_ refusal: (RefusalCause) -> CallRefusal) -> Result<[UInt8], CallRefusal> {
    let start = method.recorder.start()
    let outcome: Result<[UInt8], CallRefusal>
    if isTooLarge {
      outcome = .failure(refusal(.messageTooLarge(maximumBytes: method.maximumRequestBytes)))
    } else if let deadline, start >= deadline {
      outcome = .failure(refusal(.deadlineExceeded))
    } else {
      outcome = unpacked(refusal) ?? answered(refusal)
    }
    switch outcome {
    case .success: method.recorder.finish(start, refusal: nil, tags: tags)
    case .failure(let error) where error.isDeferral && method.deferred != nil: break
    case .failure(let error): method.recorder.finish(start, refusal: error, tags: tags)
    }
    return outcome
  }

  /// The message of a request whose framing ``outcome(_:)`` has checked.
  var message: [UInt8] {
    guard let body else { return [] }
    return Array(body.readableBytesView.dropFirst(MessageDeframer.prefixLength))
  }

  /// Answers a message away from the event loop, and records it as ``outcome(_:)`` does.
  static func outcome(
    of message: [UInt8], _ method: FastPathMethod, _ deferred: FastPathMethod.Deferred,
    tags: CallTags?
  ) async -> Result<[UInt8], CallRefusal> {
    let start = method.recorder.start()
    do throws(CallRefusal) {
      let answer = try await deferred(message)
      method.recorder.finish(start, refusal: nil, tags: tags)
      return .success(answer)
    } catch {
      method.recorder.finish(start, refusal: error, tags: tags)
      return .failure(error)
    }
  }

  /// Puts what a compressed message holds in its place.
  ///
  /// - Returns: A failure when that cannot be done; `nil` otherwise.
  private func unpacked(
    _ refusal: (RefusalCause) -> CallRefusal
  ) -> Result<[UInt8], CallRefusal>? {
    guard requestEncoding == .gzip, let body, bodyBytes >= MessageDeframer.prefixLength,
      body.getInteger(at: body.readerIndex, as: UInt8.self) != 0
    else { return nil }
    var deframer = MessageDeframer(
      maximumBytes: method.maximumRequestBytes, encoding: requestEncoding)
    deframer.append(body)
    do throws(RefusalCause) {
      guard let message = try deframer.next(), !deframer.isInsideMessage else {
        throw .malformedRequest("A unary request has one message of the length it says.")
      }
      var plain = ByteBuffer()
      plain.writeMessage(EncodedMessage(Array(message.readableBytesView)))
      self.body = plain
      return nil
    } catch {
      return .failure(refusal(error))
    }
  }

  /// Answers the one message of a unary call, which is a zero byte, its length and its bytes.
  private func answered(_ refusal: (RefusalCause) -> CallRefusal) -> Result<[UInt8], CallRefusal> {
    guard let body, body.readableBytes >= MessageDeframer.prefixLength else {
      return .failure(refusal(.malformedRequest("The request has no message.")))
    }
    return body.withUnsafeReadableBytes { raw in
      guard raw[0] == 0 else {
        return .failure(
          refusal(.malformedRequest("A message is compressed and the call has no grpc-encoding.")))
      }
      guard raw.count <= method.maximumRequestBytes + MessageDeframer.prefixLength else {
        return .failure(refusal(.messageTooLarge(maximumBytes: method.maximumRequestBytes)))
      }
      let length = Int(UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
      guard raw.count == MessageDeframer.prefixLength + length else {
        return .failure(
          refusal(.malformedRequest("A unary request has one message of the length it says.")))
      }
      let message = UnsafeRawBufferPointer(rebasing: raw[MessageDeframer.prefixLength...])
      return Result { () throws(CallRefusal) in try handler(message) }
    }
  }
}

/// A stream on the fast path: each message is answered before the next one. It is bound to the
/// event loop.
final class FastPathStreamCall {
  enum End {
    case ok
    case failed(CallRefusal)
  }

  /// The bytes of answers under way from which on messages wait.
  private static let maximumUnsentBytes = 64 * 1024

  private let method: FastPathMethod
  private let session: any FastPathStream
  /// What the caller says of the request; `nil` for nothing.
  let tags: CallTags?
  /// How the answers may be encoded.
  let answerEncoding: MessageEncoding
  private var deframer: MessageDeframer
  private var unsentBytes = 0
  private(set) var requestEnded = false
  /// Whether the headers of the answer have been sent.
  var hasBegun = false
  /// The bytes that the caller may still send.
  var windowLeft: Int
  /// The bytes that the stream has taken of the connection's ``ConnectionRequestBytes``.
  var heldBytes = 0
  /// The ``FastPathState/tick`` at which a message began that has not arrived yet.
  var messageBeganAtTick: Int?

  init(
    method: FastPathMethod, session: any FastPathStream, headers: CallHeaders, windowSize: Int,
    tags: CallTags?
  ) {
    self.method = method
    self.session = session
    self.tags = tags
    answerEncoding = headers.answerEncoding
    windowLeft = windowSize
    deframer = MessageDeframer(
      maximumBytes: method.maximumRequestBytes, encoding: headers.requestEncoding)
  }

  /// Whether messages wait until the caller has taken answers.
  var isFull: Bool { unsentBytes >= Self.maximumUnsentBytes }

  /// The bytes of messages that have not been answered.
  var pendingBytes: Int { deframer.pendingBytes }

  func receive(_ bytes: ByteBuffer?, isLast: Bool) {
    if let bytes { deframer.append(bytes) }
    if isLast { requestEnded = true }
  }

  /// Answers the messages that are there, as far as there is room for answers.
  func proceed(_ refusal: (RefusalCause) -> CallRefusal) -> (answers: ByteBuffer, End?) {
    var answers = ByteBuffer()
    while !isFull {
      let message: ByteBuffer?
      do throws(RefusalCause) {
        message = try deframer.next()
      } catch {
        return (answers, .failed(refusal(error)))
      }
      guard let message else {
        guard requestEnded else { return (answers, nil) }
        guard !deframer.isInsideMessage else {
          let cause = RefusalCause.malformedRequest("The request ends inside a message.")
          return (answers, .failed(refusal(cause)))
        }
        return (answers, .ok)
      }
      let before = answers.readableBytes
      do throws(CallRefusal) {
        answers.writeMessage(answerEncoding.encodedOnEventLoop(try answer(message)))
      } catch {
        return (answers, .failed(error))
      }
      unsentBytes += answers.readableBytes - before
    }
    return (answers, nil)
  }

  /// Counts answers that the caller has taken.
  ///
  /// - Returns: Whether there is room again, after there was none.
  func took(_ count: Int) -> Bool {
    let wasFull = isFull
    unsentBytes -= count
    return wasFull && !isFull
  }

  private func answer(_ message: ByteBuffer) throws(CallRefusal) -> [UInt8] {
    let start = method.recorder.start()
    let outcome: Result<[UInt8], CallRefusal> = message.withUnsafeReadableBytes { raw in
      Result { () throws(CallRefusal) in try session.answer(raw) }
    }
    switch outcome {
    case .success: method.recorder.finish(start, refusal: nil, tags: tags)
    case .failure(let error): method.recorder.finish(start, refusal: error, tags: tags)
    }
    return try outcome.get()
  }
}
