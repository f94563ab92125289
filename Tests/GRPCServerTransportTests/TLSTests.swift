import Foundation
import GRPCCore
import NIOCore
import NIOSSL
import Testing

@testable import GRPCServerTransport

/// What TLS itself owes: who is let in, what is spoken, and certificates that change.
@Suite(.timeLimit(.minutes(10))) struct TLSTests {
  private typealias Raw = RawHTTP2Connection

  /// Whether a call is answered on a connection that is protected so.
  private static func isServed(_ port: Int, _ security: TransportSecurity?) async throws -> Bool {
    var served = false
    try await TransportSecurity.$current.withValue(security) {
      try await Raw.run(port: port) { connection in
        served = try await call(connection, stream: 1)
      }
    }
    return served
  }

  private static func expect(
    _ isExpected: Bool, _ port: Int, _ security: TransportSecurity?
  ) async throws {
    let served = try await isServed(port, security)
    #expect(served == isExpected, "\(String(describing: security))")
  }

  private static func call(_ connection: Raw, stream: Int) async throws -> Bool {
    try await connection.begin("/test.Test/Echo", stream: stream)
    try await connection.send(data: Raw.message([7]), stream: stream, ends: true)
    let answer = try await connection.answer(stream)
    return answer?.status == 0 && answer?.messages == [[7]]
  }

  private static func run(
    clientAuthority: String? = nil, prefaceTimeout: TimeAmount = .minutes(10),
    _ body: @escaping @Sendable (TransportHarness, ServerCertificates) async throws -> Void
  ) async throws {
    let certificates = try ServerCertificates(
      TestCertificates.files(clientAuthority: clientAuthority))
    try await TransportHarness.run {
      $0.certificates = certificates
      $0.connection.prefaceTimeout = prefaceTimeout
    } _: { harness in
      try await body(harness, certificates)
    }
  }

  @Test func versionsFrom12OnAreSpokenAndOnlyHTTP2() async throws {
    try await Self.run { harness, _ in
      for version in [TLSVersion.tlsv12, .tlsv13] {
        try await Self.expect(true, harness.port, TransportSecurity(maximumVersion: version))
      }
      for version in [TLSVersion.tlsv1, .tlsv11] {
        try await Self.expect(false, harness.port, TransportSecurity(maximumVersion: version))
      }
      #expect(await harness.count("tls_handshake_failed", reaching: 2) == 2)
      for protocols in [[], ["http/1.1"], ["spdy"]] {
        try await Self.expect(
          false, harness.port, TransportSecurity(applicationProtocols: protocols))
      }
      #expect(await harness.count("no_application_protocol", reaching: 3) == 3)
      try await Self.expect(
        true, harness.port, TransportSecurity(applicationProtocols: ["grpc-exp", "http/1.1", "h2"]))
      // Without TLS at all.
      try await Self.expect(false, harness.port, nil)
      #expect(await harness.count("tls_handshake_failed", reaching: 3) == 3)
    }
  }

  @Test func mutualTLSTakesClientsOfItsAuthorityOnly() async throws {
    try await Self.run(clientAuthority: "authority") { harness, _ in
      for version in [TLSVersion.tlsv12, .tlsv13] {
        var security = TransportSecurity(client: "client", maximumVersion: version)
        try await Self.expect(true, harness.port, security)
        // Again, as a client does that may resume its session.
        try await Self.expect(true, harness.port, security)
        security.client = "stranger"
        try await Self.expect(false, harness.port, security)
        security.client = nil
        try await Self.expect(false, harness.port, security)
      }
      #expect(await harness.count("tls_handshake_failed", reaching: 4) == 4)
    }
    // The other way round, a server without an authority asks for nothing.
    try await Self.run { harness, _ in
      try await Self.expect(true, harness.port, TransportSecurity(client: "stranger"))
    }
  }

  /// One begins its handshake and goes on after the deadline, another says nothing at all.
  @Test func aHandshakeThatDoesNotEndIsDropped() async throws {
    try await Self.run(prefaceTimeout: .milliseconds(50)) { harness, _ in
      for greeting in [[], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01]] as [[UInt8]] {
        try await Raw.run(port: harness.port, greets: false) { connection in
          try await connection.send(ByteBuffer(bytes: greeting))
          try await connection.drain()
        }
      }
      #expect(await harness.count("no_preface", reaching: 2) == 2)
    }
  }

  @Test func connectionsCountBeforeTheirHandshake() async throws {
    let limits = ConnectionLimits(maximum: 1, maximumPerPeer: 1)
    let certificates = try ServerCertificates(TestCertificates.files())
    try await TransportHarness.run {
      $0.certificates = certificates
      $0.limits = limits
    } _: { harness in
      // It never says a word of TLS.
      try await Raw.run(port: harness.port, greets: false) { silent in
        while limits.statistics.open < 1 { await Task.yield() }
        try await Self.expect(false, harness.port, TransportSecurity())
        #expect(limits.statistics.refusedInTotal + limits.statistics.refusedPerPeer == 1)
        _ = silent
      }
    }
  }

  @Test func certificatesChangeUnderOpenConnections() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("moyeo-tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (certificate, key) = (folder.path + "/certificate.pem", folder.path + "/key.pem")
    @Sendable func put(_ name: String, _ keyName: String) throws {
      for (from, to) in [(name, certificate), (keyName + ".key", key)] {
        let text = try String(contentsOfFile: TestCertificates.path(from), encoding: .utf8)
        try text.write(toFile: to, atomically: true, encoding: .utf8)
      }
    }
    try put("server", "server")
    let certificates = try ServerCertificates(
      CertificateFiles(certificate: certificate, key: key))
    #expect(try !certificates.reload())
    try await TransportHarness.run {
      $0.certificates = certificates
    } _: { harness in
      try await TransportSecurity.$current.withValue(TransportSecurity()) {
        try await Raw.run(port: harness.port) { connection in
          #expect(try await Self.call(connection, stream: 1))
          #expect(try await Self.greeting(harness.port) == "server")
          // One file of two: the old pair stays, and it is said once.
          try put("renewed", "server")
          #expect(throws: CertificateError.self) { try certificates.reload() }
          #expect(try !certificates.reload())
          #expect(try await Self.greeting(harness.port) == "server")
          try "nonsense".write(toFile: certificate, atomically: true, encoding: .utf8)
          #expect(throws: CertificateError.self) { try certificates.reload() }
          try FileManager.default.removeItem(atPath: certificate)
          #expect(throws: CertificateError.self) { try certificates.reload() }
          #expect(try !certificates.reload())
          #expect(try await Self.greeting(harness.port) == "server")
          try put("renewed", "renewed")
          #expect(try certificates.reload())
          #expect(try await Self.greeting(harness.port) == "renewed")
          #expect(try await Self.call(connection, stream: 3))
          #expect(connection.goAways.isEmpty)
        }
      }
    }
    #expect(certificates.statistics.reloads == 1 && certificates.statistics.failures == 3)
    // 2126.
    #expect(certificates.statistics.expiresAt > 4_900_000_000)
  }

  @Test func filesThatCannotBeUsedAreNamed() throws {
    for (files, named) in [
      (CertificateFiles(certificate: "/none/a.pem", key: "/none/b.pem"), "/none/a.pem"),
      (
        CertificateFiles(
          certificate: TestCertificates.path("server"), key: TestCertificates.path("server")),
        "server.pem"
      ),
      (
        CertificateFiles(
          certificate: TestCertificates.path("server"), key: TestCertificates.path("client.key")),
        "client.key.pem"
      ),
      (TestCertificates.files(clientAuthority: "client.key"), "client.key.pem"),
    ] {
      do {
        _ = try ServerCertificates(files)
        Issue.record("\(files) were taken")
      } catch {
        #expect("\(error)".contains(named), "\(error)")
      }
    }
  }

  /// Which certificate a new connection is greeted with, by the name of its file.
  private static func greeting(_ port: Int) async throws -> String? {
    var name: String?
    try await Raw.run(port: port) { connection in
      try await connection.settle()
      let found = try await connection.channel.nioSSL_peerCertificate().get()
      name = try ["server", "renewed"].first { name in
        try NIOSSLCertificate.fromPEMFile(TestCertificates.path(name)).first == found
      }
    }
    return name
  }
}
