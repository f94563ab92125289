package import CallTracing
package import GRPCCore
import NIOHPACK

/// The refusal of a call, as it is sent over the wire.
package struct CallRefusal: Error, RPCErrorConvertible {
  /// The code that is sent as `grpc-status`.
  package let rpcErrorCode: RPCError.Code
  /// The sentence for people that is sent as `grpc-message`.
  package let rpcErrorMessage: String
  /// The metadata that is sent with the trailers, e.g. `grpc-status-details-bin`.
  package let rpcErrorMetadata: Metadata
  /// A short name for counters, e.g. `unknown_method`. The transport itself never sends it.
  package let reason: String
  /// Whether this is ``deferral``.
  let isDeferral: Bool
  /// The headers of an answer that consists of this refusal only; `nil`: they are made for each answer.
  private(set) var headers: HPACKHeaders?

  /// Thrown by a handler of ``FastPathMethod/Kind/unary(_:)`` that finds a request too long for the
  /// event loop: ``FastPathMethod``'s `deferred` answers it. It never goes over the wire.
  package static let deferral = CallRefusal(isDeferral: true)

  private init(isDeferral: Bool) {
    rpcErrorCode = .internalError
    rpcErrorMessage = "The call could not be answered."
    rpcErrorMetadata = [:]
    reason = "internal_error"
    self.isDeferral = isDeferral
  }

  package init(
    code: RPCError.Code, message: String, metadata: Metadata = [:], reason: String
  ) {
    rpcErrorCode = code
    rpcErrorMessage = message
    rpcErrorMetadata = metadata
    self.reason = reason
    isDeferral = false
  }

  /// The same refusal, with its headers made already: for one that is sent thousands of times a second.
  package var withHeaders: CallRefusal {
    var same = self
    same.headers = .trailersOnly(self)
    return same
  }

  /// Makes the refusal that a transport without a mapping of its own sends.
  package init(_ cause: RefusalCause) {
    self.init(code: cause.code, message: cause.message, reason: cause.name)
  }
}

/// Why the transport itself refuses a call. The owner of the transport may map each cause to a
/// refusal of its own (``FastPathServerTransport/Settings/refusal``).
package enum RefusalCause: Error, Hashable, Sendable {
  /// Nobody serves this path.
  case unknownMethod(path: String)
  /// The headers or the framing are not gRPC's; the sentence says what is wrong.
  case malformedRequest(String)
  /// The request is compressed in a way that is not supported.
  case unsupportedEncoding(String)
  /// One message is longer than its method takes.
  case messageTooLarge(maximumBytes: Int)
  /// The caller's own deadline has passed.
  case deadlineExceeded
  /// The request began and did not arrive in time.
  case requestTimedOut
  /// The connection has as many long streams open as it may have.
  case tooManyStreams(maximum: Int)
  /// The connection, or the whole process, holds as many bytes of unfinished requests as it may.
  case tooManyRequestBytes
  /// The server is shutting down.
  case shuttingDown
  /// The call could not be set up.
  case internalError(String)

  /// The name of the cause for counters.
  package var name: String {
    switch self {
    case .unknownMethod: "unknown_method"
    case .malformedRequest: "malformed_request"
    case .unsupportedEncoding: "unsupported_encoding"
    case .messageTooLarge: "message_too_large"
    case .deadlineExceeded: "deadline_exceeded"
    case .requestTimedOut: "request_timed_out"
    case .tooManyStreams: "too_many_streams"
    case .tooManyRequestBytes: "too_many_request_bytes"
    case .shuttingDown: "shutting_down"
    case .internalError: "internal_error"
    }
  }

  /// The code that gRPC itself uses in this case.
  package var code: RPCError.Code {
    switch self {
    case .unknownMethod, .unsupportedEncoding: .unimplemented
    case .malformedRequest: .invalidArgument
    case .messageTooLarge, .tooManyStreams, .tooManyRequestBytes: .resourceExhausted
    case .deadlineExceeded, .requestTimedOut: .deadlineExceeded
    case .shuttingDown: .unavailable
    case .internalError: .internalError
    }
  }

  /// The sentence that the caller reads.
  package var message: String {
    switch self {
    case .unknownMethod(let path):
      "There is no method \(path.prefix(200))."
    case .malformedRequest(let sentence): sentence
    case .unsupportedEncoding(let name):
      "The grpc-encoding \(name.prefix(64)) is not supported; see grpc-accept-encoding."
    case .messageTooLarge(let maximum):
      "A request has at most \(maximum) bytes here."
    case .deadlineExceeded:
      "The deadline passed before the call could be answered."
    case .requestTimedOut:
      "The request began to arrive and did not end in the time that is allowed."
    case .tooManyStreams(let maximum):
      "This connection has \(maximum) streams open, the most it may have; end one, or open "
        + "another connection."
    case .tooManyRequestBytes:
      "Too many bytes of unfinished requests are held; finish some, or send again later."
    case .shuttingDown:
      "The service is shutting down; connect again."
    case .internalError(let sentence): sentence
    }
  }
}

/// Counts and times the calls of one method.
package protocol CallRecorder: Sendable {
  /// Begins to time a call.
  ///
  /// - Returns: The time now by `DispatchTime`'s clock, in nanoseconds.
  func start() -> UInt64

  /// Counts a call; it is called once for each call, or for each message of a stream.
  ///
  /// - Parameters:
  ///   - start: What ``start()`` returned.
  ///   - refusal: Why the call was refused; `nil` for a call without an error.
  ///   - tags: What the caller says of the request; `nil` for nothing.
  func finish(_ start: UInt64, refusal: CallRefusal?, tags: CallTags?)
}
