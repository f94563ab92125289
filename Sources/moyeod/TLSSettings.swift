import GRPCServerTransport

/// Settings of the certificate that both ports greet with.
struct TLSSettings: Sendable {
  /// `nil`: no TLS.
  var files: CertificateFiles?
  /// How often the files are looked at.
  var checkSeconds = 10.0

  /// - Throws: ``SettingError`` with the key and what is wrong.
  static func read(_ values: Values) async throws -> TLSSettings {
    func path(_ key: String) async throws -> String? {
      try await values.string(key).flatMap { $0.isEmpty ? nil : $0 }
    }
    var out = TLSSettings()
    let certificate = try await path("tls.certificate")
    let key = try await path("tls.key")
    let authority = try await path("tls.clientAuthority")
    if let seconds = try await values.number("tls.checkSeconds", in: 0.1...86_400) {
      out.checkSeconds = seconds
    }
    if let certificate {
      guard let key else {
        throw SettingError(key: "tls.key", problem: "goes with tls.certificate")
      }
      out.files = CertificateFiles(certificate: certificate, key: key, clientAuthority: authority)
    } else if key != nil {
      throw SettingError(key: "tls.certificate", problem: "goes with tls.key")
    } else if authority != nil {
      throw SettingError(key: "tls.certificate", problem: "goes with tls.clientAuthority")
    }
    return out
  }

  /// What the log says of it.
  var words: String {
    guard let files else { return "off" }
    return files.clientAuthority == nil ? "on" : "mutual"
  }

  /// Reads the certificate.
  ///
  /// - Returns: `nil` where none is named.
  /// - Throws: ``StartFailure/usage(_:)`` when it cannot be used.
  func certificates() throws -> ServerCertificates? {
    guard let files else { return nil }
    do throws(CertificateError) {
      return try ServerCertificates(files)
    } catch {
      throw StartFailure.usage("tls: \(error)")
    }
  }
}
