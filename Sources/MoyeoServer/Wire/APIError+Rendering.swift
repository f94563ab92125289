import GRPCCore
import GRPCProtobuf
import MoyeoAPI
import SwiftProtobuf
import WireFormat

extension APIError {
  /// The body of an HTTP error: `{"error": {...}}`, with the rejections of a Report beside it.
  func httpBody() -> [UInt8] {
    var out = Array(#"{"error":"#.utf8)
    out.append(contentsOf: errorObject())
    if !rejections.isEmpty {
      var response = Moyeo_V1_ReportResponse()
      response.accepted = 0
      response.rejections = rejections
      // `{"accepted":0,"rejections":[...]}` without its opening brace.
      if let bytes: [UInt8] = try? response.serializedBytes(),
        let json = try? JSONTranscoder(Moyeo_V1_ReportResponse.self).json(bytes)
      {
        out.append(UInt8(ascii: ","))
        out.append(contentsOf: json.dropFirst().dropLast())
      }
    }
    out.append(UInt8(ascii: "}"))
    return out
  }

  /// The headers that say more of it than the status does.
  var httpHeaders: [(name: String, value: String)] {
    var found: [(name: String, value: String)] = []
    if let retryAfterMilliseconds {
      found.append(("Retry-After", "\((retryAfterMilliseconds + 999) / 1000)"))
    }
    if reason.status.http == 401 { found.append(("WWW-Authenticate", "Bearer")) }
    found += headers
    if !allowedMethods.isEmpty {
      found.append(("Allow", allowedMethods.joined(separator: ", ")))
    }
    return found
  }

  private func errorObject() -> [UInt8] {
    var out: [UInt8] = []
    func add(_ key: String, _ value: String) {
      out.append(contentsOf: out.isEmpty ? "{".utf8 : ",".utf8)
      JSONText.append(string: key, to: &out)
      out.append(UInt8(ascii: ":"))
      JSONText.append(string: value, to: &out)
    }
    add("code", reason.status.grpc.name)
    add("reason", reason.rawValue)
    add("message", message)
    out.append(contentsOf: #","fields":["#.utf8)
    for (i, field) in fields.enumerated() {
      if i > 0 { out.append(UInt8(ascii: ",")) }
      out.append(contentsOf: #"{"field":"#.utf8)
      JSONText.append(string: field.field, to: &out)
      out.append(contentsOf: #","reason":"#.utf8)
      JSONText.append(string: field.reason.rawValue, to: &out)
      out.append(contentsOf: #","message":"#.utf8)
      JSONText.append(string: field.message, to: &out)
      out.append(UInt8(ascii: "}"))
    }
    out.append(UInt8(ascii: "]"))
    if let retryAfterMilliseconds {
      out.append(contentsOf: #","retryAfterMilliseconds":"#.utf8)
      JSONText.append(retryAfterMilliseconds, to: &out)
    }
    if !metadata.isEmpty {
      out.append(contentsOf: #","metadata":"#.utf8)
      for (i, (key, value)) in metadata.sorted(by: { $0.key < $1.key }).enumerated() {
        out.append(UInt8(ascii: i == 0 ? "{" : ","))
        JSONText.append(string: key, to: &out)
        out.append(UInt8(ascii: ":"))
        JSONText.append(string: value, to: &out)
      }
      out.append(UInt8(ascii: "}"))
    }
    out.append(UInt8(ascii: "}"))
    return out
  }

  /// The error as a message, for items of a batch.
  var asMessage: Moyeo_V1_Error {
    var error = Moyeo_V1_Error()
    error.code = reason.status.grpc.name
    error.reason = reason.rawValue
    error.message = message
    error.fields = fields.map { field in
      var out = Moyeo_V1_FieldError()
      out.field = field.field
      out.reason = field.reason.rawValue
      out.message = field.message
      return out
    }
    if let retryAfterMilliseconds { error.retryAfterMilliseconds = retryAfterMilliseconds }
    return error
  }

  /// `google.rpc.Status` with ErrorInfo, BadRequest and RetryInfo.
  var grpcStatus: GoogleRPCStatus {
    var details: [ErrorDetails] = [
      .errorInfo(reason: reason.rawValue, domain: "moyeo", metadata: metadata)
    ]
    if !fields.isEmpty {
      details.append(
        .badRequest(
          violations: fields.map {
            .init(
              field: $0.field, description: $0.message, reason: $0.reason.rawValue,
              localizedMessage: nil)
          }))
    }
    if let retryAfterMilliseconds {
      details.append(.retryInfo(delay: .milliseconds(retryAfterMilliseconds)))
    }
    return GoogleRPCStatus(
      code: RPCError.Code(reason.status.grpc), message: message, details: details)
  }
}

extension RPCError.Code {
  init(_ status: StatusCode) {
    switch status {
    case .invalidArgument: self = .invalidArgument
    case .deadlineExceeded: self = .deadlineExceeded
    case .notFound: self = .notFound
    case .alreadyExists: self = .alreadyExists
    case .permissionDenied: self = .permissionDenied
    case .resourceExhausted: self = .resourceExhausted
    case .failedPrecondition: self = .failedPrecondition
    case .aborted: self = .aborted
    case .outOfRange: self = .outOfRange
    case .unimplemented: self = .unimplemented
    case .internalError: self = .internalError
    case .unavailable: self = .unavailable
    case .unauthenticated: self = .unauthenticated
    }
  }
}
