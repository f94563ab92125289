/// Where a daemon answers, and over which wire.
public enum Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// HTTP/JSON at a base address such as `http://127.0.0.1:8080` or `https://moyeo.example`; a path
  /// in front of `/v1` is kept.
  case http(String)
  /// gRPC without TLS.
  case grpc(host: String, port: Int)
  /// gRPC with TLS.
  case grpcs(host: String, port: Int)

  /// Reads `host:port` or `[IPv6]:port`, with `grpc://` or `grpcs://` in front or nothing.
  /// - Returns: `nil` for anything else, and for ports outside 1...65535.
  public static func grpc(_ address: String) -> Endpoint? {
    if let rest = address.rest(after: "grpcs://") {
      return place(rest).map { .grpcs(host: $0.host, port: $0.port) }
    }
    return place(address.rest(after: "grpc://") ?? address).map {
      .grpc(host: $0.host, port: $0.port)
    }
  }

  private static func place(_ hostAndPort: String) -> (host: String, port: Int)? {
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
    return (String(host), port)
  }

  /// The base address over HTTP as it was given, or `grpc://host:port` or `grpcs://host:port` with
  /// IPv6 in brackets.
  public var description: String {
    switch self {
    case .http(let url): url
    case .grpc(let host, let port): "grpc://" + Self.text(host, port)
    case .grpcs(let host, let port): "grpcs://" + Self.text(host, port)
    }
  }

  private static func text(_ host: String, _ port: Int) -> String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

extension String {
  fileprivate func rest(after start: String) -> String? {
    hasPrefix(start) ? String(dropFirst(start.count)) : nil
  }
}
