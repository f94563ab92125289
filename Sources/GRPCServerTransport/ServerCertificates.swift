import Foundation
import NIOCore
package import NIOSSL
import Threading

/// Where the certificate of a server lies, and who may connect.
package struct CertificateFiles: Sendable, Hashable {
  /// A PEM file: the server's certificate, then those between it and its authority.
  package var certificate: String
  /// A PEM file: its private key.
  package var key: String
  /// A PEM file of the authorities that sign clients' certificates; a client without a certificate
  /// of theirs is refused. `nil`: clients need none.
  package var clientAuthority: String?

  package init(certificate: String, key: String, clientAuthority: String? = nil) {
    self.certificate = certificate
    self.key = key
    self.clientAuthority = clientAuthority
  }
}

/// A certificate that cannot be used; the sentence names the file and what is wrong with it.
package struct CertificateError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// The certificate that new connections are greeted with. It may be replaced at any time:
/// connections that are open keep the one that they began with.
///
/// TLS 1.2 and 1.3, with ciphers that have forward secrecy and authenticate what they encrypt.
///
/// Thread safety: any thread may call.
package final class ServerCertificates: Sendable {
  /// What is spoken inside TLS, as ALPN names it (RFC 7301).
  package enum ApplicationProtocol: String, Sendable {
    case http1 = "http/1.1"
    case http2 = "h2"
  }

  /// How often files were read anew, and how long the certificate is good.
  package struct Statistics: Sendable, Hashable {
    /// When the first certificate of the chain ends, in seconds since 1970.
    package var expiresAt: Int
    /// When the first of the authorities that sign clients' certificates ends; `nil`: there is none.
    package var clientAuthorityExpiresAt: Int?
    /// How often another certificate was taken.
    package var reloads = 0
    /// How often one could not be used.
    package var failures = 0
  }

  private struct Contents: Sendable, Equatable {
    var certificate: Data
    var key: Data
    var clientAuthority: Data?
  }

  private struct Contexts: Sendable {
    var http1: NIOSSLContext
    var http2: NIOSSLContext
    /// For a protocol that ALPN has no name for.
    var unnamed: NIOSSLContext
    var expiresAt: Int
    var clientAuthorityExpiresAt: Int?
  }

  private struct State: Sendable {
    var contents: Contents
    var contexts: Contexts
    /// What could not be used, so that it is refused once and not at every look.
    var refused: Contents?
    /// The same of a file that could not be read.
    var unreadable: CertificateError?
    var statistics: Statistics
  }

  /// ECDHE with AES-GCM or ChaCha20-Poly1305, for TLS 1.2; those of TLS 1.3 are all of this kind.
  private static let cipherSuites = [
    "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
  ].joined(separator: ":")

  /// How long an ended connection waits for the peer's end of TLS. The peer has been told what it
  /// needs by GOAWAY, or by the length of its answer.
  private static let shutdownTimeout = TimeAmount.milliseconds(500)

  package let files: CertificateFiles
  private let state: StateLock<State>

  /// Reads the files.
  ///
  /// - Parameter files: Where they lie.
  /// - Throws: ``CertificateError`` when one is missing or cannot be used.
  package init(_ files: CertificateFiles) throws(CertificateError) {
    self.files = files
    let contents = try Self.read(files)
    let contexts = try Self.contexts(contents, files)
    state = StateLock(
      State(
        contents: contents, contexts: contexts, refused: nil, unreadable: nil,
        statistics: Statistics(
          expiresAt: contexts.expiresAt,
          clientAuthorityExpiresAt: contexts.clientAuthorityExpiresAt)))
  }

  package var statistics: Statistics { state.withLock { $0.statistics } }

  /// Makes the handler that speaks TLS on one new connection, to stand next to the socket.
  ///
  /// - Parameter application: What is spoken inside; `nil` for what ALPN has no name for.
  /// - Returns: A handler for this connection alone.
  package func makeHandler(_ application: ApplicationProtocol?) -> NIOSSLServerHandler {
    let contexts = state.withLock { $0.contexts }
    let context =
      switch application {
      case .http1: contexts.http1
      case .http2: contexts.http2
      case nil: contexts.unnamed
      }
    return NIOSSLServerHandler(context: context)
  }

  /// Reads the files again and takes what is new; what cannot be used changes nothing.
  ///
  /// - Returns: Whether there is another certificate now.
  /// - Throws: ``CertificateError`` when they cannot be used and that is news.
  package func reload() throws(CertificateError) -> Bool {
    let contents: Contents
    do throws(CertificateError) {
      contents = try Self.read(files)
    } catch {
      let isKnown = state.withLock { state in
        defer { state.unreadable = error }
        if state.unreadable == error { return true }
        state.statistics.failures += 1
        return false
      }
      if isKnown { return false }
      throw error
    }
    let isKnown = state.withLock { state in
      state.unreadable = nil
      return state.contents == contents || state.refused == contents
    }
    guard !isKnown else { return false }
    do throws(CertificateError) {
      let contexts = try Self.contexts(contents, files)
      state.withLock { state in
        state.contents = contents
        state.contexts = contexts
        state.refused = nil
        state.statistics.expiresAt = contexts.expiresAt
        state.statistics.clientAuthorityExpiresAt = contexts.clientAuthorityExpiresAt
        state.statistics.reloads += 1
      }
      return true
    } catch {
      state.withLock { state in
        state.refused = contents
        state.statistics.failures += 1
      }
      throw error
    }
  }

  private static func read(_ files: CertificateFiles) throws(CertificateError) -> Contents {
    func contents(_ path: String) throws(CertificateError) -> Data {
      guard let data = FileManager.default.contents(atPath: path) else {
        throw CertificateError("\(path) cannot be read")
      }
      return data
    }
    var authority: Data?
    if let path = files.clientAuthority { authority = try contents(path) }
    return Contents(
      certificate: try contents(files.certificate), key: try contents(files.key),
      clientAuthority: authority)
  }

  private static func contexts(
    _ contents: Contents, _ files: CertificateFiles
  ) throws(CertificateError) -> Contexts {
    let chain = try certificates(contents.certificate, files.certificate)
    guard let first = chain.first else {
      throw CertificateError("\(files.certificate) holds no certificate in PEM")
    }
    let key: NIOSSLPrivateKey
    do { key = try NIOSSLPrivateKey(bytes: Array(contents.key), format: .pem) } catch {
      throw CertificateError("\(files.key) holds no private key in PEM")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.cipherSuites = cipherSuites
    configuration.shutdownTimeout = shutdownTimeout
    var authoritiesEndAt: Int?
    if let path = files.clientAuthority, let authority = contents.clientAuthority {
      let authorities = try certificates(authority, path)
      guard !authorities.isEmpty else {
        throw CertificateError("\(path) holds no certificate in PEM")
      }
      authoritiesEndAt = authorities.map { Int($0.notValidAfter) }.min()
      configuration.trustRoots = .certificates(authorities)
      configuration.sendCANameList = true
      // A client's certificate names no host; its chain is checked, and that it holds the key.
      configuration.certificateVerification = .noHostnameVerification
    }
    do {
      configuration.applicationProtocols = [ApplicationProtocol.http1.rawValue]
      let http1 = try NIOSSLContext(configuration: configuration)
      configuration.applicationProtocols = [ApplicationProtocol.http2.rawValue]
      let http2 = try NIOSSLContext(configuration: configuration)
      configuration.applicationProtocols = []
      let unnamed = try NIOSSLContext(configuration: configuration)
      return Contexts(
        http1: http1, http2: http2, unnamed: unnamed, expiresAt: Int(first.notValidAfter),
        clientAuthorityExpiresAt: authoritiesEndAt)
    } catch {
      throw CertificateError(
        "\(files.certificate) and \(files.key) do not belong together: \(error)")
    }
  }

  private static func certificates(
    _ data: Data, _ path: String
  ) throws(CertificateError) -> [NIOSSLCertificate] {
    do { return try NIOSSLCertificate.fromPEMBytes(Array(data)) } catch {
      throw CertificateError("\(path) holds no certificate in PEM")
    }
  }
}
