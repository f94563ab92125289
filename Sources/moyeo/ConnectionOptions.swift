import ArgumentParser
import Foundation
import MoyeoClient

/// Where the daemon is.
struct ConnectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The daemon's HTTP address; MOYEO_URL, or http://127.0.0.1:8080.", valueName: "url"))
  var url: String?

  @Option(
    help: ArgumentHelp(
      "Use gRPC at this address, e.g. 127.0.0.1:50051, or grpcs://... with TLS; MOYEO_GRPC.",
      valueName: "host:port"))
  var grpc: String?

  @Option(
    help: ArgumentHelp(
      "An access token or API key, where the daemon asks for one; MOYEO_TOKEN.",
      valueName: "token"))
  var token: String?

  @Option(
    help: ArgumentHelp(
      "PEM file of who signs the daemon's certificate, instead of the system's; MOYEO_CA.",
      valueName: "file"))
  var ca: String?

  @Option(
    help: ArgumentHelp(
      "PEM file of a client's certificate, for mutual TLS; MOYEO_CLIENT_CERTIFICATE.",
      valueName: "file"))
  var clientCertificate: String?

  @Option(
    help: ArgumentHelp("PEM file of its private key; MOYEO_CLIENT_KEY.", valueName: "file"))
  var clientKey: String?

  @Option(
    help: ArgumentHelp(
      "Seconds to wait for one answer, repeated tries included.", valueName: "seconds"))
  var timeout: Double = 30

  func validate() throws {
    guard timeout > 0, timeout <= 86_400 else {
      throw ValidationError("--timeout is above 0 and at most 86400 seconds")
    }
  }

  /// Flags before environment; gRPC before HTTP.
  func endpoint(environment: [String: String] = ProcessInfo.processInfo.environment) throws
    -> Endpoint
  {
    if let text = grpc ?? (url == nil ? Self.variable("MOYEO_GRPC", environment) : nil) {
      // What is in the address bar of a browser says as much.
      let address = text.hasPrefix("http://") ? String(text.dropFirst("http://".count)) : text
      guard let endpoint = Endpoint.grpc(address) else {
        throw CommandFailure.usage("\(text) is not HOST:PORT")
      }
      return try checked(endpoint, isSecure: address.hasPrefix("grpcs://"))
    }
    let address = url ?? Self.variable("MOYEO_URL", environment) ?? "http://127.0.0.1:8080"
    // As for gRPC, HOST:PORT says enough.
    let base = address.contains("://") ? address : "http://" + address
    return try checked(.http(base), isSecure: base.lowercased().hasPrefix("https://"))
  }

  /// Refuses files for TLS where there is none: the caller believes in a protection that is not
  /// there.
  private func checked(_ endpoint: Endpoint, isSecure: Bool) throws -> Endpoint {
    guard isSecure || (ca == nil && clientCertificate == nil && clientKey == nil) else {
      throw CommandFailure.usage(
        "\(endpoint) has no TLS, which --ca and --client-certificate are for: use https:// or "
          + "grpcs://")
    }
    return endpoint
  }

  /// Whom to trust and who calls: flags before environment.
  func tls(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> MoyeoClient.TLS {
    MoyeoClient.TLS(
      authorityFile: ca ?? Self.variable("MOYEO_CA", environment),
      certificateFile: clientCertificate
        ?? Self.variable("MOYEO_CLIENT_CERTIFICATE", environment),
      keyFile: clientKey ?? Self.variable("MOYEO_CLIENT_KEY", environment))
  }

  private static func variable(_ name: String, _ environment: [String: String]) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What says who calls; nothing where no token is given.
  func headers(environment: [String: String] = ProcessInfo.processInfo.environment)
    -> [(String, String)]
  {
    givenToken(environment: environment).map { [("Authorization", "Bearer \($0)")] } ?? []
  }

  private func givenToken(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    token.flatMap { $0.isEmpty ? nil : $0 } ?? Self.variable("MOYEO_TOKEN", environment)
  }

  /// Runs `body` with a client that is closed afterwards. Where no rules of retries are given, they
  /// are the client's own, and streams give up when the daemon stays away for the time limit.
  func withClient<Result>(
    maximumConnections: Int = 8, retries: RetryPolicy? = nil,
    _ body: (MoyeoClient) async throws -> Result
  ) async throws -> Result {
    let limit = Duration.milliseconds(Int64(timeout * 1000))
    return try await MoyeoClient.with(
      try endpoint(),
      configuration: .init(
        timeout: limit, maximumConnections: maximumConnections, tls: tls(),
        token: givenToken().map(TokenSource.fixed),
        retries: retries ?? RetryPolicy(streamPatience: limit)),
      body)
  }
}

/// How results are printed.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print the answer's JSON instead of a table.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Zone of the times in tables, such as Asia/Seoul or UTC; this machine's.",
      valueName: "zone"))
  var timeZone: String?

  func validate() throws {
    if let timeZone, TimeZone(identifier: timeZone) == nil {
      throw ValidationError("\(excerpt(timeZone)) is not a time zone such as Asia/Seoul")
    }
  }

  var clock: LocalClock {
    LocalClock(zone: timeZone.flatMap { TimeZone(identifier: $0) } ?? .current)
  }
}
