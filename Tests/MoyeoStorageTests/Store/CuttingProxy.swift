import Foundation
import Threading

/// A proxy on loopback that cuts its connections after a number of bytes, wherever in a message that is.
///
/// `@unchecked Sendable`: what changes stands in `state`.
final class CuttingProxy: @unchecked Sendable {
  enum Direction: CaseIterable { case toServer, toClient }

  private struct State {
    /// Bytes that still pass in a direction before all connections are cut.
    var left: [Direction: Int] = [:]
    var passed: [Direction: Int] = [:]
    var pairs: [(Int32, Int32)] = []
    var isOver = false
    var cuts = 0
  }

  private let state = StateLock(State())
  private let listener: Int32
  private let target: Int
  let port: Int

  init(to target: Int) throws {
    self.target = target
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = Self.loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(listener, raw, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, raw, &length) == 0
      }
    }
    guard bound else { throw CocoaError(.fileReadUnknown) }
    port = Int(UInt16(bigEndian: address.sin_port))
    let thread = Thread { [self] in accept() }
    thread.start()
  }

  private static func loopback(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Cuts once so many bytes more have passed.
  func cut(after bytes: Int, _ direction: Direction) {
    state.withLock { $0.left = [direction: bytes] }
  }

  /// Lets everything pass from now on.
  func heal() { state.withLock { $0.left = [:] } }

  var cuts: Int { state.withLock { $0.cuts } }

  /// How many bytes have passed.
  func passed(_ direction: Direction) -> Int { state.withLock { $0.passed[direction] ?? 0 } }

  func stop() {
    state.withLock { $0.isOver = true }
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    cutAll()
  }

  private func cutAll() {
    let pairs = state.withLock { state in
      defer { state.pairs = [] }
      return state.pairs
    }
    for (client, server) in pairs {
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
    }
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else {
        if state.withLock({ $0.isOver }) { return }
        continue
      }
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = Self.loopback(port: target)
      let connected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard connected else {
        close(client)
        close(server)
        continue
      }
      state.withLock { $0.pairs.append((client, server)) }
      // Each thread closes nothing: the other may still use the number.
      let open = StateLock(2)
      for (from, to, direction) in [
        (client, server, Direction.toServer), (server, client, .toClient),
      ] {
        Thread { [self] in
          pass(from, to, direction)
          shutdown(from, Int32(SHUT_RDWR))
          shutdown(to, Int32(SHUT_RDWR))
          let isLast = open.withLock { open in
            open -= 1
            return open == 0
          }
          if isLast {
            state.withLock { $0.pairs.removeAll { $0 == (client, server) } }
            close(client)
            close(server)
          }
        }.start()
      }
    }
  }

  private func pass(_ from: Int32, _ to: Int32, _ direction: Direction) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(from, &buffer, buffer.count)
      guard count > 0 else { return }
      let (allowed, isCut) = state.withLock { state -> (Int, Bool) in
        state.passed[direction, default: 0] += count
        guard let left = state.left[direction] else { return (count, false) }
        guard left < count else {
          state.left[direction] = left - count
          return (count, false)
        }
        state.left = [:]
        state.cuts += 1
        return (left, true)
      }
      var sent = 0
      while sent < allowed {
        let wrote = buffer[sent..<allowed].withUnsafeBytes {
          send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard wrote > 0 else { return }
        sent += wrote
      }
      if isCut {
        cutAll()
        return
      }
    }
  }
}
