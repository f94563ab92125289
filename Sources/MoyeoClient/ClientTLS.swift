import GRPCNIOTransportHTTP2
import NIOSSL

extension MoyeoClient {
  /// Whom a client trusts, and who it is, where it speaks TLS (`https://`, `grpcs://`).
  public struct TLS: Hashable, Sendable {
    /// A PEM file of the authorities that sign the service's certificate; `nil` for those that the
    /// system trusts.
    public var authorityFile: String?
    /// A PEM file of the client's own certificate and its chain, where the service asks for one.
    public var certificateFile: String?
    /// A PEM file of its private key.
    public var keyFile: String?

    /// Trusts the system's authorities and has no certificate of its own, unless told otherwise.
    public init(
      authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil
    ) {
      self.authorityFile = authorityFile
      self.certificateFile = certificateFile
      self.keyFile = keyFile
    }

    /// Reads the files, so that one that cannot be used is named before anything is sent.
    func check() throws(MoyeoError) {
      func isUsable(_ path: String?, _ read: (String) throws -> Bool) throws(MoyeoError) {
        guard let path else { return }
        guard (try? read(path)) == true else {
          throw .badEndpoint("\(path) (expected a PEM file for TLS)")
        }
      }
      func holdsCertificates(_ path: String) throws -> Bool {
        try !NIOSSLCertificate.fromPEMFile(path).isEmpty
      }
      try isUsable(authorityFile, holdsCertificates)
      try isUsable(certificateFile, holdsCertificates)
      try isUsable(keyFile) { path in
        _ = try NIOSSLPrivateKey(file: path, format: .pem)
        return true
      }
      guard (certificateFile == nil) == (keyFile == nil) else {
        throw .badEndpoint("a client's certificate and its key go together")
      }
    }

    /// For HTTP.
    func configuration() throws -> TLSConfiguration {
      var out = TLSConfiguration.makeClientConfiguration()
      out.minimumTLSVersion = .tlsv12
      if let authorityFile {
        out.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authorityFile))
      }
      if let certificateFile, let keyFile {
        out.certificateChain = try NIOSSLCertificate.fromPEMFile(certificateFile).map {
          .certificate($0)
        }
        out.privateKey = .privateKey(try NIOSSLPrivateKey(file: keyFile, format: .pem))
      }
      return out
    }

    /// For gRPC.
    var transportSecurity: HTTP2ClientTransport.Posix.TransportSecurity {
      .tls { settings in
        if let authorityFile {
          settings.trustRoots = .certificates([.file(path: authorityFile, format: .pem)])
        }
        if let certificateFile, let keyFile {
          settings.certificateChain = [.file(path: certificateFile, format: .pem)]
          settings.privateKey = .file(path: keyFile, format: .pem)
        }
      }
    }
  }
}
