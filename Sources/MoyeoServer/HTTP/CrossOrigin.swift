import HTTPTypes
import HummingbirdCore

/// Which pages may call: those of the service itself, and those of other origins that are named
/// (`http.corsOrigins`; `*` for all). Without a name no other origin reads or writes.
struct CrossOrigin: Sendable {
  let origins: [String]

  func allows(_ origin: String) -> Bool {
    origins.contains("*") || origins.contains(origin)
  }

  /// Whether a page of `origin` may send what changes something to the service at `host`.
  func mayWrite(_ origin: String, host: Authority?) -> Bool {
    if allows(origin) { return true }
    guard let host else { return false }
    return Self.isOwn(origin, host: host)
  }

  /// Whether an origin is the service's own, which a page learns from its address: the scheme
  /// may be that of a proxy in front, host and port are those the request names.
  private static func isOwn(_ origin: String, host: Authority) -> Bool {
    for (scheme, standardPort) in [("http://", 80), ("https://", 443)] {
      guard origin.hasPrefix(scheme), let page = Authority(origin.dropFirst(scheme.count)) else {
        continue
      }
      return page.name == host.name && (page.port ?? standardPort) == (host.port ?? standardPort)
    }
    return false
  }

  func preflight(origin: String?) -> Response? {
    guard let origin, allows(origin) else { return nil }
    var response = Response(status: .noContent)
    decorate(&response, origin: origin)
    response.headers[.accessControlAllowMethods] = "GET, POST, DELETE, OPTIONS"
    response.headers[.accessControlAllowHeaders] =
      "content-type, authorization, idempotency-key, if-none-match, last-event-id, "
      + "x-moyeo-session, x-moyeo-sequence, x-request-id, traceparent, tracestate"
    response.headers[.accessControlMaxAge] = "600"
    return response
  }

  func decorate(_ response: inout Response, origin: String?) {
    guard let origin, allows(origin) else { return }
    response.headers[.accessControlAllowOrigin] = allowed(origin)
    response.headers[.accessControlExposeHeaders] =
      "etag, retry-after, ratelimit, ratelimit-policy, x-request-id, x-moyeo-version, "
      + "x-moyeo-lag-milliseconds, x-moyeo-truncated"
    if !origins.contains("*") {
      // A tile varies with its encoding too.
      response.headers[.vary] = response.headers[.vary].map { "\($0), origin" } ?? "origin"
    }
  }

  /// The value of `Access-Control-Allow-Origin` for an origin that is allowed.
  func allowed(_ origin: String) -> String { origins.contains("*") ? "*" : origin }
}
