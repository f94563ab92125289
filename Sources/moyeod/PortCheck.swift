import Foundation

/// Tries the ports before anything is loaded, so that a message can name the one that is taken.
enum PortCheck {
  /// - Throws: ``StartFailure`` that names the port, its setting and what is wrong.
  static func require(host: String, ports: [(setting: String, flag: String, port: Int)]) throws {
    for (setting, flag, port) in ports where port != 0 {
      guard let problem = problem(host: host, port: port) else { continue }
      switch problem {
      case EADDRINUSE:
        throw StartFailure.failed(
          "port \(port) (\(setting)) is taken: stop the other program or give \(flag)")
      case EACCES:
        throw StartFailure.failed(
          "port \(port) (\(setting)) is not for this user: give \(flag) above 1023")
      default:
        throw StartFailure.failed(
          "port \(port) (\(setting)) on \(host) cannot be listened on: "
            + String(cString: strerror(problem)))
      }
    }
  }

  /// - Returns: The error number; nil when the port is free, or when the host is not to be resolved
  ///   here (the server itself says so then).
  private static func problem(host: String, port: Int) -> Int32? {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let first = found else { return nil }
    defer { freeaddrinfo(first) }
    let address = first.pointee
    let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var isOn: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
      listen(descriptor, 1) == 0
    else { return errno }
    return nil
  }
}
