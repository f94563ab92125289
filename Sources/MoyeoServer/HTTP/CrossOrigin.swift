import HTTPTypes
import Hummingbird

/// Which other origins' pages may call (`http.corsOrigins`; `*` for all). None by default.
struct CrossOrigin: Sendable {
  let origins: [String]

  private func allows(_ origin: String) -> Bool {
    origins.contains("*") || origins.contains(origin)
  }

  func preflight(origin: String?) -> Response? {
    guard let origin, allows(origin) else { return nil }
    var response = Response(status: .noContent)
    decorate(&response, origin: origin)
    response.headers[.accessControlAllowMethods] = "GET, POST, DELETE, OPTIONS"
    response.headers[.accessControlAllowHeaders] =
      "content-type, authorization, idempotency-key, if-none-match, last-event-id, "
      + "x-moyeo-session, x-moyeo-sequence"
    response.headers[.accessControlMaxAge] = "600"
    return response
  }

  func decorate(_ response: inout Response, origin: String?) {
    guard let origin, allows(origin) else { return }
    response.headers[.accessControlAllowOrigin] = origins.contains("*") ? "*" : origin
    response.headers[.accessControlExposeHeaders] =
      "etag, retry-after, x-moyeo-version, x-moyeo-lag-milliseconds, x-moyeo-truncated"
    if !origins.contains("*") {
      // A tile varies with its encoding too.
      response.headers[.vary] = response.headers[.vary].map { "\($0), origin" } ?? "origin"
    }
  }
}
