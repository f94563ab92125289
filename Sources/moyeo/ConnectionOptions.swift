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
      "Use gRPC at this address, e.g. 127.0.0.1:50051; MOYEO_GRPC.", valueName: "host:port"))
  var grpc: String?

  @Option(
    help: ArgumentHelp(
      "An access token or API key, where the daemon asks for one; MOYEO_TOKEN.",
      valueName: "token"))
  var token: String?

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
    func variable(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    if let text = grpc ?? (url == nil ? variable("MOYEO_GRPC") : nil) {
      let bare = text.hasPrefix("grpc://") ? String(text.dropFirst(7)) : text
      guard let endpoint = Endpoint.grpc(bare) else {
        throw CommandFailure.usage("\(text) is not HOST:PORT")
      }
      return endpoint
    }
    return .http(url ?? variable("MOYEO_URL") ?? "http://127.0.0.1:8080")
  }

  /// What says who calls; nothing where no token is given.
  func headers(environment: [String: String] = ProcessInfo.processInfo.environment)
    -> [(String, String)]
  {
    let text = token ?? environment["MOYEO_TOKEN"] ?? ""
    return text.isEmpty ? [] : [("Authorization", "Bearer \(text)")]
  }

  /// Runs `body` with a client that is closed afterwards.
  func withClient<Result>(
    maximumConnections: Int = 8, _ body: (MoyeoClient) async throws -> Result
  ) async throws -> Result {
    try await MoyeoClient.with(
      try endpoint(),
      configuration: .init(
        timeout: .milliseconds(Int64(timeout * 1000)), maximumConnections: maximumConnections,
        headers: headers()),
      body)
  }
}

/// How results are printed.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print the answer's JSON instead of a table.")
  var json = false
}
