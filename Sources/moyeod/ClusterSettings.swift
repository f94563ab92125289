import MoyeoCluster
import ObjectModel

/// Where daemons find the record and the positions that they share.
struct ClusterSettings: Sendable {
  /// A connection string of libpq; nil: the record is a file of this daemon's own.
  var postgres: String?
  /// Nil: positions are this daemon's own.
  var redis: RedisCluster.Options?

  static func read(_ values: Values) async throws -> ClusterSettings {
    let string = try await values.string("cluster.postgres").flatMap { $0.isEmpty ? nil : $0 }
    if let string, let problem = PostgresStore.problem(in: string) {
      // The string may hold a password: it is not repeated.
      throw SettingError(
        key: "cluster.postgres", problem: "is no connection string for PostgreSQL: \(problem)")
    }
    let redis = try await readRedis(values)
    guard redis == nil || string != nil else {
      throw SettingError(
        key: "cluster.redis",
        problem: "goes with cluster.postgres, where daemons find the key of cluster ids")
    }
    return ClusterSettings(postgres: string, redis: redis)
  }

  private static func readRedis(_ values: Values) async throws -> RedisCluster.Options? {
    func text(_ key: String) async throws -> String? {
      try await values.string(key).flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let list = try await text("cluster.redis") else { return nil }
    guard let seeds = RedisAddress.list(list) else {
      throw SettingError(
        key: "cluster.redis", problem: "is host:port of some of the servers, with commas between")
    }
    var out = RedisCluster.Options(seeds: seeds)
    out.user = try await text("cluster.redisUser")
    out.password = try await text("cluster.redisPassword")
    guard out.user == nil || out.password != nil else {
      throw SettingError(key: "cluster.redisUser", problem: "goes with cluster.redisPassword")
    }
    let authority = try await text("cluster.redisAuthority")
    guard try await values.bool("cluster.redisTLS") ?? (authority != nil) else {
      guard authority == nil else {
        throw SettingError(
          key: "cluster.redisAuthority", problem: "needs cluster.redisTLS, which is false")
      }
      return out
    }
    do {
      out.tls = try RedisCluster.tls(authority: authority)
    } catch {
      throw SettingError(
        key: "cluster.redisAuthority", problem: "cannot be used for TLS: \(error)")
    }
    return out
  }

  /// Deadlines, departures and ages go by it: the same for all daemons on a record.
  func makeClock() -> any WallClock { postgres == nil ? SystemClock() : ClusterClock() }
}
