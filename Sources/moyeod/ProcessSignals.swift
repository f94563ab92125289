import Dispatch
import Foundation
import GRPCServerTransport
import Logging
import ServiceLifecycle
import Threading

/// What the daemon does about signals that are not meant to end it.
struct ProcessSignals {
  private let hangups: any DispatchSourceSignal

  /// SIGHUP reads the certificate again; it changes nothing else, because settings are read at the
  /// start, and is logged. SIGUSR1 and SIGUSR2 are ignored. Each of them ends a process that says
  /// nothing of it.
  init(certificates: ServerCertificates?, logger: Logger) {
    for number in [SIGHUP, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
    hangups = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
    hangups.setEventHandler {
      if let certificates {
        logger.info("SIGHUP: the certificate is read again; settings are read at the start")
        return CertificateReloading.reload(certificates, logger)
      }
      logger.warning(
        "SIGHUP changes nothing: settings are read at the start; restart to change them")
    }
    hangups.resume()
  }
}

/// Ends the process when a shutdown takes longer than it may: whatever is stuck, nothing that was
/// acknowledged is lost by it.
///
/// The last of the services, so that it is told first of a shutdown.
struct ShutdownDeadline: Service {
  let graceSeconds: Int
  let logger: Logger
  /// For what is cancelled after the grace to come to its end.
  static let marginSeconds = 4

  func run() async throws {
    try? await gracefulShutdown()
    let milliseconds = Int64(graceSeconds + Self.marginSeconds) * 1000
    let thread = Thread { [logger] in
      // Never signalled; a wait by the wall clock could take hours.
      _ = MonotonicSemaphore(value: 0).wait(milliseconds: milliseconds)
      logger.warning(
        "the shutdown took too long; the process ends with calls unanswered",
        metadata: ["seconds": "\(milliseconds / 1000)"])
      fflush(nil)
      _exit(0)
    }
    thread.name = "moyeo.deadline"
    thread.start()
  }
}
