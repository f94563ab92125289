import CallTracing
import GRPCCore
import GRPCProtobuf
import GRPCServerTransport
import MoyeoAPI
import Threading

extension APIError: RPCErrorConvertible {
  var rpcErrorCode: RPCError.Code { RPCError.Code(reason.status.grpc) }
  var rpcErrorMessage: String { message }
  var rpcErrorMetadata: Metadata { grpcStatus.rpcErrorMetadata }
}

extension CallRefusal {
  /// A refusal with google.rpc.Status.
  init(_ error: APIError) {
    guard error.reason == .overloaded, error.fields.isEmpty, error.metadata.isEmpty,
      error.rejections.isEmpty
    else {
      self.init(making: error)
      return
    }
    self = Self.overload(error)
  }

  private init(making error: APIError) {
    self.init(
      code: error.rpcErrorCode, message: error.message, metadata: error.rpcErrorMetadata,
      reason: error.reason.rawValue)
  }

  private struct Overload: Hashable {
    let message: String
    let retryAfterMilliseconds: Int64?
  }

  private static let overloads = StateLock<[Overload: CallRefusal]>([:])
  private static let maximumOverloads = 64

  /// A refusal for overload, which is kept: there are few, thousands of each a second, and packing one
  /// takes longer than the rest of the call.
  private static func overload(_ error: APIError) -> CallRefusal {
    let key = Overload(
      message: error.message, retryAfterMilliseconds: error.retryAfterMilliseconds)
    if let known = overloads.withLock({ $0[key] }) { return known }
    let made = CallRefusal(making: error).withHeaders
    overloads.withLock { overloads in
      if overloads.count >= maximumOverloads { overloads.removeAll(keepingCapacity: true) }
      overloads[key] = made
    }
    return made
  }
}

extension APIError {
  /// What the transport refuses, with the reason that the API has for it.
  init(_ cause: RefusalCause) {
    switch cause {
    case .unknownMethod(let path):
      self.init(.unknownRoute, "no method \(quoted(path))")
    case .malformedRequest(let sentence):
      self.init(.malformedRequest, sentence)
    case .unsupportedEncoding(let name):
      self.init(
        .unsupportedMediaType,
        "grpc-encoding \(quoted(name)) is not supported: see grpc-accept-encoding")
    case .messageTooLarge(let maximum):
      self.init(.requestTooLarge, "a request has at most \(maximum) bytes here")
    case .deadlineExceeded, .requestTimedOut:
      self.init(.deadlineExceeded, cause.message)
    case .tooManyStreams:
      self.init(.quotaExceeded, cause.message)
    case .tooManyRequestBytes:
      self.init(.overloaded, cause.message, retryAfterMilliseconds: 1000)
    case .shuttingDown:
      self.init(.unavailable, "the service is shutting down; connect again")
    case .internalError(let sentence):
      self.init(.internalError, sentence)
    }
  }
}

extension RequestMetrics.Recorder: CallRecorder {
  func finish(_ start: UInt64, refusal: CallRefusal?, tags: CallTags?) {
    finish(start, reasonName: refusal?.reason, tags: tags)
  }
}
