/// Where a daemon answers, and over which wire.
public enum Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// HTTP/JSON at a base address such as `http://127.0.0.1:8080`; a path in front of `/v1` is kept.
  case http(String)
  /// gRPC without TLS.
  case grpc(host: String, port: Int)

  /// Reads `host:port` or `[IPv6]:port`.
  /// - Returns: `nil` for anything else, and for ports outside 1...65535.
  public static func grpc(_ hostAndPort: String) -> Endpoint? {
    guard let colon = hostAndPort.lastIndex(of: ":"),
      let port = Int(hostAndPort[hostAndPort.index(after: colon)...]), (1...65_535).contains(port)
    else { return nil }
    var host = hostAndPort[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, !host.contains("/") else { return nil }
    return .grpc(host: String(host), port: port)
  }

  /// The base address over HTTP as it was given, or `grpc://host:port` with IPv6 in brackets.
  public var description: String {
    switch self {
    case .http(let url): url
    case .grpc(let host, let port):
      host.contains(":") ? "grpc://[\(host)]:\(port)" : "grpc://\(host):\(port)"
    }
  }
}
