import ArgumentParser
import MoyeoCluster

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Which Redis Cluster, where daemons share positions.
struct ClusterRedisOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "host:port of servers of the Redis Cluster, with commas between; without it "
        + "MOYEO_CLUSTER_REDIS is taken. User, password and TLS are the environment's, as the daemon "
        + "reads them."))
  var redis: String?

  /// - Returns: Nil where none is named.
  func log() throws -> RedisPositionLog? {
    func variable(_ name: String) -> String? {
      getenv("MOYEO_CLUSTER_REDIS" + name).map { String(cString: $0) }.flatMap {
        $0.isEmpty ? nil : $0
      }
    }
    guard let text = redis ?? variable("") else { return nil }
    guard let seeds = MoyeoCluster.RedisAddress.list(text) else {
      throw CommandFailure.usage("--redis is host:port of servers, with commas between")
    }
    var options = RedisCluster.Options(seeds: seeds)
    options.user = variable("_USER")
    options.password = variable("_PASSWORD")
    let authority = variable("_AUTHORITY")
    if variable("_TLS") == "true" || authority != nil {
      do {
        options.tls = try RedisCluster.tls(authority: authority)
      } catch {
        throw CommandFailure.usage("MOYEO_CLUSTER_REDIS_AUTHORITY cannot be used for TLS: \(error)")
      }
    }
    return RedisPositionLog(cluster: RedisCluster(options: options))
  }
}
