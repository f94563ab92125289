import MoyeoServer

/// Settings of the operator's listener.
enum AdminListenerSettings {
  /// - Returns: Nil without `admin.port`: nothing listens then.
  /// - Throws: ``SettingError`` with the key and what is wrong, above all for open mode where others
  ///   than this machine may call.
  static func read(
    _ values: Values, daemon: Daemon.Configuration, identity: AuthSettings
  ) async throws -> AdminListener? {
    let host = try await values.string("admin.host") ?? "127.0.0.1"
    guard let port = try await values.int("admin.port", in: 0...65535) else { return nil }
    for (key, other) in [("http.port", daemon.httpPort), ("grpc.port", daemon.grpcPort)]
    where port == other && port != 0 {
      throw SettingError(
        key: "admin.port", problem: "is \(port), as \(key) is: each needs its own")
    }
    guard identity.mode == .tokens || LoopbackHost.contains(host) else {
      throw SettingError(
        key: "admin.host",
        problem: "is \(host) in open mode, so that everybody who reaches it could run the daemon: "
          + "set auth.mode to tokens, or it to a host of loopback")
    }
    return AdminListener(host: host == "localhost" ? "127.0.0.1" : host, port: port)
  }
}
