import NIOCore
import NIOSSL
import Testing

@testable import GRPCServerTransport

/// The certificates of `Tests/support/certificates`.
enum TestCertificates {
  private static let folder: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(2).joined(separator: "/") + "/support/certificates/"
  }()

  static func path(_ name: String) -> String { folder + name + ".pem" }

  /// Those of the server, with mutual TLS where an authority is named.
  static func files(clientAuthority: String? = nil) -> CertificateFiles {
    CertificateFiles(
      certificate: path("server"), key: path("server.key"),
      clientAuthority: clientAuthority.map(path))
  }
}

/// How the connections of a test are protected.
struct TransportSecurity: Sendable {
  /// `nil`: no TLS.
  @TaskLocal static var current: TransportSecurity?

  /// The certificate that a client has, by the name of its file.
  var client: String?
  var applicationProtocols = ["h2"]
  var maximumVersion: TLSVersion?

  /// Makes the handler that speaks TLS for a client.
  func makeHandler() throws -> NIOSSLClientHandler {
    var configuration = TLSConfiguration.makeClientConfiguration()
    let authority = TestCertificates.path("authority")
    configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authority))
    configuration.applicationProtocols = applicationProtocols
    if let maximumVersion {
      configuration.minimumTLSVersion = maximumVersion
      configuration.maximumTLSVersion = maximumVersion
    }
    if let client {
      configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(
        TestCertificates.path(client)
      ).map { .certificate($0) }
      configuration.privateKey = .privateKey(
        try NIOSSLPrivateKey(file: TestCertificates.path(client + ".key"), format: .pem))
    }
    return try NIOSSLClientHandler(
      context: NIOSSLContext(configuration: configuration), serverHostname: "localhost")
  }
}

/// Runs each test of a suite twice: over plain connections, and over TLS.
struct OverTLSToo: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await function()
    guard testCase != nil else { return }
    try await TransportSecurity.$current.withValue(TransportSecurity()) { try await function() }
  }
}

extension Trait where Self == OverTLSToo {
  static var overTLSToo: Self { OverTLSToo() }
}
