import Foundation
import LiveLayers
import Logging
import MoyeoCluster
import MoyeoServer
import MoyeoStorage
import ObjectModel
import ServiceLifecycle
import Threading

/// The positions that this daemon shares with others, and what they are shared through.
struct PositionSharing: Sendable {
  /// The name under which readiness and degradations know it.
  static let part = "position-sharing"

  let log: RedisPositionLog
  let positions: SharedPositions

  init(_ options: RedisCluster.Options) {
    log = RedisPositionLog(cluster: RedisCluster(options: options))
    let clock = SystemMonotonicClock()
    positions = SharedPositions(log: log, monotonic: { clock.now() })
  }
}

/// Follows the log for as long as the daemon runs.
struct PositionFollowing: Service {
  let sharing: PositionSharing
  let daemon: Daemon
  let degradations: DegradationLog

  private static let interval = Duration.milliseconds(20)
  private static let ticksPerLook = 5

  func run() async throws {
    defer { sharing.log.close() }
    daemon.findsBehind { [positions = sharing.positions] in positions.unreadyReason }
    try? await cancelWhenGracefulShutdown {
      var ticks = 0
      var wasLoaded = false
      while !Task.isCancelled {
        sharing.positions.tick()
        if !wasLoaded, sharing.positions.isLoaded {
          wasLoaded = true
          daemon.markReady(PositionSharing.part)
        }
        ticks += 1
        if ticks.isMultiple(of: Self.ticksPerLook) {
          daemon.noteBehind()
          degradations.set(
            PositionSharing.part,
            sharing.positions.unreadyReason ?? sharing.positions.refusingReason)
        }
        try await Task.sleep(for: Self.interval)
      }
    }
  }
}

extension Composition {
  /// The key that ranks the objects of clusters, the same for all daemons on the record.
  ///
  /// - Throws: ``StartFailure``: the record does not answer.
  func sharedClusterKey(_ postgres: String) throws -> HashKey {
    do throws(StoreFailure) {
      let store = try PostgresStore(connection: postgres)
      defer { store.close() }
      let bytes = try store.secret("clusters") {
        (0..<16).map { _ in UInt8.random(in: .min ... .max) }
      }
      guard let key = ClusterSecret.key(of: bytes) else {
        throw StoreFailure("the key of clusters in the record is damaged")
      }
      return key
    } catch {
      throw StartFailure.failed("cluster.postgres: \(error.reason)")
    }
  }
}
