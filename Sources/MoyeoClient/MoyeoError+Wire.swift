import Foundation
import GRPCCore
import GRPCProtobuf
import MoyeoAPI
import NIOCore
import NIOPosix
import SwiftProtobuf

extension MoyeoError {
  /// The error an HTTP answer of a status other than 2xx stands for. Its header `Retry-After` counts
  /// where the body does not say more.
  static func http(status: Int, body: [UInt8], retryAfter: String? = nil) -> MoyeoError {
    let told = retryAfter.flatMap {
      wait(retryAfter: $0, secondsSince1970: Date().timeIntervalSince1970)
    }
    guard let root = try? Google_Protobuf_Struct(jsonUTF8Bytes: body),
      let error = root.fields["error"]?.structValue, let code = error.fields["code"]?.stringValue,
      !code.isEmpty
    else {
      // Of something in front of the service that has no answer from it.
      if [429, 502, 503, 504].contains(status) {
        return .refused(
          Refusal(
            code: "", reason: "", message: "the service answered HTTP status \(status)",
            retryAfter: told, httpStatus: status))
      }
      let start = String(decoding: body.prefix(120), as: UTF8.self)
      return .unexpectedAnswer("HTTP \(status) with the body \(start.debugDescription)")
    }
    func text(_ key: String) -> String { error.fields[key]?.stringValue ?? "" }
    var refusal = Refusal(
      code: code, reason: text("reason"), message: text("message"), httpStatus: status)
    refusal.fields = (error.fields["fields"]?.listValue.values ?? []).map { value in
      let fields = value.structValue.fields
      return Refusal.Field(
        field: fields["field"]?.stringValue ?? "", reason: fields["reason"]?.stringValue ?? "",
        message: fields["message"]?.stringValue ?? "")
    }
    if let milliseconds = error.fields["retryAfterMilliseconds"]?.milliseconds {
      refusal.retryAfter = .milliseconds(milliseconds)
    } else {
      refusal.retryAfter = told
    }
    if root.fields["rejections"] != nil {
      var options = JSONDecodingOptions()
      options.ignoreUnknownFields = true
      refusal.rejections =
        (try? Moyeo_V1_ReportResponse(jsonUTF8Bytes: body, options: options))?.rejections ?? []
    }
    return .refused(refusal)
  }

  /// What a header `Retry-After` asks for (RFC 9110, section 10.2.3): seconds, or a date.
  ///
  /// - Returns: nil for anything else.
  static func wait(retryAfter text: String, secondsSince1970 now: Double) -> Duration? {
    let text = text.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
      return Int64(text).map { .seconds($0) }
    }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    guard let date = format.date(from: text) else { return nil }
    return .milliseconds(Int64(max(0, date.timeIntervalSince1970 - now) * 1000))
  }

  /// The error a failed RPC stands for.
  init(_ error: RPCError, endpoint: Endpoint) {
    if error.code == .cancelled {
      self = .cancelled
      return
    }
    let details = (try? error.unpackGoogleRPCStatus())?.details ?? []
    if details.isEmpty {
      switch error.code {
      // The transport's own words: the service always sends details.
      case .unavailable:
        let cause = error.cause.map(MoyeoError.words) ?? error.message
        self = .unreachable(endpoint: endpoint.description, cause: cause)
        return
      case .deadlineExceeded:
        self = .timedOut(endpoint: endpoint.description)
        return
      default: break
      }
    }
    var refusal = Refusal(code: error.code.wireName, reason: "", message: error.message)
    for detail in details {
      if let info = detail.errorInfo { refusal.reason = info.reason }
      if let retry = detail.retryInfo { refusal.retryAfter = retry.delay }
      for violation in detail.badRequest?.violations ?? [] {
        refusal.fields.append(
          Refusal.Field(
            field: violation.field, reason: violation.reason,
            message: violation.violationDescription))
      }
    }
    self = .refused(refusal)
  }
}

extension MoyeoError {
  /// The API's reason in the trailers of a failed RPC, or the name of its status.
  ///
  /// - Parameters:
  ///   - grpcStatus: The number in `grpc-status`.
  ///   - details: The value of `grpc-status-details-bin`, base64; nil when there was none.
  /// - Returns: The reason, else the status by name, or by number where gRPC has no such error.
  package static func reason(grpcStatus: Int, details: String?) -> String {
    guard let code = Status.Code(rawValue: grpcStatus).flatMap({ RPCError.Code($0) }) else {
      return "status \(grpcStatus)"
    }
    var metadata = Metadata()
    if let details { metadata.addString(details, forKey: "grpc-status-details-bin") }
    let status = try? RPCError(code: code, message: "", metadata: metadata).unpackGoogleRPCStatus()
    let reason = status?.details.lazy.compactMap { $0.errorInfo?.reason }.first
    return reason ?? code.wireName
  }

  /// The API's reason in an HTTP answer of a status other than 2xx, or that status.
  package static func reason(ofStatus status: Int, body: [UInt8]) -> String {
    if case .refused(let refusal) = http(status: status, body: body), !refusal.reason.isEmpty {
      return refusal.reason
    }
    return "status \(status)"
  }

  /// A connection's failure in the system's words, without the call that failed.
  package static func words(_ error: any Error) -> String {
    switch error {
    case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
    case let error as RPCError: error.cause.map(words) ?? error.message
    case let error as NIOConnectionError:
      error.connectionErrors.last.map { words($0.error) } ?? "\(error.host) is not known"
    // What HTTP/2 says of bytes that are none.
    case _ where String(reflecting: type(of: error)).hasPrefix("NIOHTTP2."):
      "it does not speak gRPC; the port for HTTP takes --url http://HOST:PORT"
    default: "\(error)"
    }
  }
}

extension Google_Protobuf_Value {
  /// A number, or a number in a string as protobuf's own mapping prints 64-bit integers.
  fileprivate var milliseconds: Int64? {
    switch kind {
    case .numberValue(let value): Int64(exactly: value.rounded())
    case .stringValue(let text): Int64(text)
    default: nil
    }
  }
}

extension RPCError.Code {
  /// The name in grpc/grpc doc/statuscodes.md.
  var wireName: String {
    StatusCode(rawValue: rawValue)?.name
      ?? [1: "CANCELLED", 2: "UNKNOWN", 15: "DATA_LOSS"][rawValue] ?? "UNKNOWN"
  }
}
