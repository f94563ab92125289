import Foundation
import GRPCServerTransport
import NIOCore

/// What the connections and requests of all callers may take (`limits.connections…`, `grpc.…`).
package struct ConnectionSettings: Sendable, Hashable {
  /// Connections open at once on both ports together, half of them on each, so that a flood on one
  /// port leaves the other alone. `nil` is 10,000, or what the limit of descriptors leaves.
  package var maximum: Int?
  /// Connections of one peer, an IPv4 address or a /64 of IPv6, on one port. `nil` is three
  /// quarters of the port's: behind a proxy every caller has the same address.
  package var maximumPerPeer: Int?
  /// Streams open at once on one gRPC connection; one more is refused with REFUSED_STREAM.
  package var maximumStreams = 1000
  /// Calls open at once on one gRPC connection that are not unary; one more is `quota_exceeded`.
  package var maximumLongStreams = 100
  /// Bytes of gRPC requests that have not arrived yet, on one connection.
  package var maximumRequestBytes = 32 << 20
  /// The same on all gRPC connections together.
  package var maximumRequestBytesInTotal = 256 << 20
  /// RST_STREAM frames that a gRPC connection may send ahead of what it is answered.
  package var resetBurst = 2000
  /// What a gRPC connection has to send its preface.
  package var prefaceSeconds = 10.0
  /// What a gRPC request has to arrive, once it has begun.
  package var requestSeconds = 30.0
  /// What calls in flight have to end when the daemon shuts down.
  package var shutdownGraceSeconds = 5.0

  /// The defaults.
  package init() {}

  /// Descriptors that are no connections: the database, its log, the shared files of a backup, the
  /// event loops, routes asked of others.
  private static let reservedDescriptors = 128

  /// Both ports together stay below the limit of descriptors that the process has now.
  ///
  /// - Parameter onEbb: Called when a crowd of connections has gone.
  /// - Returns: The limits of each port.
  func makeLimits(
    onEbb: @escaping @Sendable () -> Void = {}
  ) -> (grpc: ConnectionLimits, http: ConnectionLimits) {
    let possible = max(2, Self.descriptorLimit - Self.reservedDescriptors)
    let each = max(1, min(maximum ?? 10_000, possible) / 2)
    let perPeer = min(maximumPerPeer ?? max(1, each * 3 / 4), each)
    return (
      ConnectionLimits(maximum: each, maximumPerPeer: perPeer, onEbb: onEbb),
      ConnectionLimits(maximum: each, maximumPerPeer: perPeer, onEbb: onEbb)
    )
  }

  private static var descriptorLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  func apply(to settings: inout FastPathServerTransport.Settings) {
    settings.maximumStreamsPerConnection = maximumStreams
    settings.maximumLongStreamsPerConnection = maximumLongStreams
    settings.maximumRequestBytesPerConnection = maximumRequestBytes
    settings.requestMemory = RequestMemory(maximumBytes: maximumRequestBytesInTotal)
    settings.connection.resetBurst = resetBurst
    settings.connection.prefaceTimeout = Self.time(prefaceSeconds)
    settings.connection.requestTimeout = Self.time(requestSeconds)
    settings.connection.shutdownGrace = Self.time(shutdownGraceSeconds)
  }

  private static func time(_ seconds: Double) -> TimeAmount {
    .nanoseconds(Int64(seconds * 1e9))
  }
}
