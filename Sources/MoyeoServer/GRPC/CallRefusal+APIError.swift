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
    self.init(
      code: error.rpcErrorCode, message: error.message, metadata: Self.metadata(of: error),
      reason: error.reason.rawValue)
  }

  private static let overloads = StateLock<[String: Metadata]>([:])
  private static let maximumOverloads = 256

  /// The details of a refusal. Those for overload are kept, since there are thousands a second, which differ
  /// in how many wait alone, and packing them takes as long as the rest of the call.
  private static func metadata(of error: APIError) -> Metadata {
    guard error.reason == .overloaded, error.fields.isEmpty, error.metadata.isEmpty else {
      return error.rpcErrorMetadata
    }
    let key = "\(error.retryAfterMilliseconds ?? 0) \(error.message)"
    if let known = overloads.withLock({ $0[key] }) { return known }
    let made = error.rpcErrorMetadata
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
