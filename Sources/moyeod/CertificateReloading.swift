import Foundation
import GRPCServerTransport
import Logging
import ServiceLifecycle

/// Takes a new certificate when its files change, or when SIGHUP says so. Connections that are open
/// keep the one that they began with, and one that cannot be used changes nothing.
struct CertificateReloading: Service {
  let certificates: ServerCertificates
  let checkSeconds: Double
  let logger: Logger

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try await Task.sleep(for: .milliseconds(Int64(checkSeconds * 1000)))
        Self.reload(certificates, logger)
      }
    }
  }

  /// Reads the files now, and says what came of it unless nothing has changed.
  static func reload(_ certificates: ServerCertificates, _ logger: Logger) {
    do throws(CertificateError) {
      guard try certificates.reload() else { return }
      let end = Date(timeIntervalSince1970: Double(certificates.statistics.expiresAt))
      logger.info(
        "a new certificate greets new connections",
        metadata: [
          "file": "\(certificates.files.certificate)", "until": "\(end.formatted(.iso8601))",
        ])
    } catch {
      logger.warning(
        "the new certificate cannot be used; the old one stays",
        metadata: ["reason": "\(error)"])
    }
  }
}
