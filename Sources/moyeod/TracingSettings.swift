import CallTracing
import Foundation

/// Settings of what a collector is told of calls.
struct TracingSettings: Sendable {
  /// Where spans are sent; `nil` where none is recorded.
  var tracesURL: String?
  var spans = SpanRecorder.Settings()

  /// - Throws: ``SettingError`` with the key and what is wrong.
  static func read(_ values: Values) async throws -> TracingSettings {
    var out = TracingSettings()
    if let ratio = try await values.number("tracing.sampleRatio", in: 0...1) {
      out.spans.sampleRatio = ratio
    }
    if let count = try await values.int("tracing.maximumWaiting", in: 512...1_000_000) {
      out.spans.maximumWaiting = count
    }
    guard let endpoint = try await values.string("tracing.endpoint"), !endpoint.isEmpty else {
      return out
    }
    guard let url = tracesURL(of: endpoint) else {
      throw SettingError(
        key: "tracing.endpoint",
        problem: "must be the address of a collector, such as http://localhost:4318, without user, "
          + "query and fragment")
    }
    out.tracesURL = url
    return out
  }

  /// The address that OTLP over HTTP has for traces under an endpoint.
  private static func tracesURL(of endpoint: String) -> String? {
    guard let parts = URLComponents(string: endpoint), let host = parts.host, !host.isEmpty,
      ["http", "https"].contains(parts.scheme?.lowercased()), parts.user == nil,
      parts.password == nil, parts.query == nil, parts.fragment == nil,
      (1...65_535).contains(parts.port ?? (parts.rangeOfPort == nil ? 80 : 0))
    else { return nil }
    return endpoint + (endpoint.hasSuffix("/") ? "v1/traces" : "/v1/traces")
  }
}
