import Foundation
import Logging
import NIOPosix
import ServiceLifecycle

/// Tells the service manager that started the daemon what state it is in, by the datagrams that
/// sd_notify(3) describes. Without `NOTIFY_SOCKET` in the environment nobody is told.
struct ServiceManager: Sendable {
  /// A path, or a name of the abstract namespace behind `@`.
  let address: String

  /// The manager that the environment names.
  init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard let address = environment["NOTIFY_SOCKET"],
      address.hasPrefix("/") || address.hasPrefix("@"),
      address.utf8.count > 1
    else { return nil }
    self.address = address
  }

  /// Sends one state, such as `READY=1`; lines are joined by newlines.
  ///
  /// - Returns: Whether the manager took it.
  @discardableResult
  func tell(_ state: String) -> Bool {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(address.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: name.sun_path) else { return false }
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    // The length says where a name of the abstract namespace ends.
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let text = Array(state.utf8)
    let sent = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), address, length)
      }
    }
    return sent == text.count
  }
}

/// Tells the service manager when the daemon serves, and when it begins to end. It stands among the
/// last of the services, so that it is told early of a shutdown.
struct ManagerNotification: Service {
  let manager: ServiceManager
  /// Returns when everything that has to be read first is read, or the task is cancelled.
  let waitUntilReady: @Sendable () async -> Void
  let logger: Logger

  func run() async throws {
    await withGracefulShutdownHandler {
      try? await cancelWhenGracefulShutdown {
        await waitUntilReady()
        try Task.checkCancellation()
        if !manager.tell("READY=1\nSTATUS=Serving.\nMAINPID=\(getpid())") {
          logger.warning(
            "the service manager cannot be told that the daemon serves",
            metadata: ["socket": "\(manager.address)"])
        }
        try await gracefulShutdown()
      }
    } onGracefulShutdown: {
      manager.tell("STOPPING=1\nSTATUS=Answering what is under way.")
    }
  }
}
