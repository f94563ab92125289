import Synchronization
import Threading

/// What one connection uses of its bounds. It is bound to the connection's event loop.
final class ConnectionUsage {
  /// The number of HTTP/2 streams that are open.
  var openStreams = 0
  /// The number of open calls that are not unary.
  var longStreams = 0
  let requestBytes: ConnectionRequestBytes
  let runningHandlers = RunningHandlers()

  init(requestBytes: ConnectionRequestBytes) { self.requestBytes = requestBytes }
}

/// Counts the handlers of a connection that have not returned, those of cancelled calls included.
final class RunningHandlers: Sendable {
  private let running = Atomic<Int>(0)

  var count: Int { running.load(ordering: .relaxed) }

  func began() { running.add(1, ordering: .relaxed) }

  func ended() { running.subtract(1, ordering: .relaxed) }
}

/// Counts what is out of the ordinary on the connections of a transport.
package final class TransportEvents: Sendable {
  private let counts = StateLock<[String: Int]>([:])

  package init() {}

  /// The counts by name: the names of ``RefusalCause``, and `refused_stream`, `too_many_pings`,
  /// `too_many_resets`, `too_many_control_frames`, `http2_error`, `no_preface`, `no_first_call`,
  /// `no_answer_to_ping`, `shutdown_limit`, `tls_handshake_failed`, `no_application_protocol`,
  /// `no_handshake`.
  package var all: [String: Int] { counts.withLock { $0 } }

  func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
}
