import Foundation
import MoyeoAPI
import NIOHTTP1

/// What is refused by a request's head alone, before a byte of its body is read.
struct RequestHeadPolicy: Sendable {
  let hosts: HostAllowList
  let origins: CrossOrigin
  /// Who is refused in another dialect.
  var doors: [any HTTPDoor] = []
  /// The most bytes that the body of a call may have; `nil` where no call answers, which is for
  /// the routes to say.
  let maximumBodyBytes: @Sendable (_ method: String, _ path: String) -> Int?

  /// Bodies up to this size pass without a look at their route: each call takes as much.
  static let smallBodyBytes = 1 << 20

  func refusal(of head: HTTPRequestHead) -> APIError? {
    do throws(APIError) {
      let host = try host(of: head)
      try checkOrigin(of: head, host: host)
      try checkBody(of: head)
      return nil
    } catch {
      return error
    }
  }

  /// The host that a request names, if it is one of ours; `nil` where an HTTP/1.0 request names
  /// none, as no browser's does.
  /// - Throws: `malformed_request` (RFC 9112, section 3.2), `forbidden_host`.
  private func host(of head: HTTPRequestHead) throws(APIError) -> Authority? {
    let named = head.headers["host"]
    guard named.count <= 1 else {
      throw APIError(
        .malformedRequest, "a request has one Host header; this one has \(named.count)")
    }
    guard let text = named.first else {
      guard head.version == .http1_0 else {
        throw APIError(
          .malformedRequest, "an HTTP/1.1 request has a Host header; this one has none")
      }
      return nil
    }
    let host = try allowed(text)
    // `GET http://name/path` names the host once more, and that one counts.
    if let start = head.uri.range(of: "://"), !head.uri.hasPrefix("/") {
      _ = try allowed(head.uri[start.upperBound...].prefix { !"/?#".contains($0) })
    }
    return host
  }

  private func allowed(_ text: some StringProtocol) throws(APIError) -> Authority {
    guard let host = Authority(text) else {
      throw APIError(.malformedRequest, "\(quoted(String(text))) is not a host and port")
    }
    guard hosts.allows(host) else {
      throw APIError(
        .forbiddenHost,
        "this service does not answer as \(quoted(host.name)); name it in http.hosts if it should")
    }
    return host
  }

  /// - Throws: `forbidden_origin`, `unsupported_media_type`.
  private func checkOrigin(of head: HTTPRequestHead, host: Authority?) throws(APIError) {
    switch head.method {
    case .GET, .HEAD, .OPTIONS: return
    default: break
    }
    let named = head.headers["origin"]
    guard !named.isEmpty else { return }
    for origin in named where !origins.mayWrite(origin, host: host) {
      throw APIError(
        .forbiddenOrigin,
        "pages of \(quoted(origin)) may not write here; name it in http.corsOrigins if they should")
    }
    // What a form can send without asking first is never JSON.
    let type = head.headers.first(name: "content-type")
    guard type != nil || head.hasBody else { return }
    guard let type, Self.mediaType(type) == "application/json" else {
      throw APIError(
        .unsupportedMediaType,
        "a page sends application/json, not \(quoted(type ?? "a body without a type"))")
    }
  }

  /// A media type without its parameters.
  static func mediaType(_ header: String) -> String {
    header.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
  }

  /// - Throws: `unsupported_coding`, `unsupported_media_type`, `request_too_large`.
  private func checkBody(of head: HTTPRequestHead) throws(APIError) {
    for coding in head.headers["transfer-encoding"] where coding.lowercased() != "chunked" {
      throw APIError(
        .unsupportedCoding, "the transfer coding \(quoted(coding)) is not known; send chunked alone"
      )
    }
    for coding in head.headers["content-encoding"] where coding.lowercased() != "identity" {
      throw APIError(
        .unsupportedMediaType,
        "a body is read as it is, without the content coding \(quoted(coding))")
    }
    guard let text = head.headers.first(name: "content-length"), let length = Int(text),
      length > Self.smallBodyBytes,
      let maximum = maximumBodyBytes(
        head.method.rawValue, String(head.uri.prefix { $0 != "?" })), length > maximum
    else { return }
    throw .tooLarge(maximumBytes: maximum)
  }
}

extension APIError {
  static func tooLarge(maximumBytes: Int) -> APIError {
    APIError(.requestTooLarge, "a request has at most \(maximumBytes) bytes here")
  }
}

extension HTTPRequestHead {
  /// Whether a body follows (RFC 9112, section 6.3).
  fileprivate var hasBody: Bool {
    if headers.contains(name: "transfer-encoding") { return true }
    return headers.first(name: "content-length").map { $0 != "0" } ?? false
  }
}
