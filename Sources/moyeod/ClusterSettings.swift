import MoyeoCluster
import ObjectModel

/// Where daemons find the record that they share.
struct ClusterSettings: Hashable, Sendable {
  /// A connection string of libpq; nil: the record is a file of this daemon's own.
  var postgres: String?

  static func read(_ values: Values) async throws -> ClusterSettings {
    let string = try await values.string("cluster.postgres").flatMap { $0.isEmpty ? nil : $0 }
    if let string, let problem = PostgresStore.problem(in: string) {
      // The string may hold a password: it is not repeated.
      throw SettingError(
        key: "cluster.postgres", problem: "is no connection string for PostgreSQL: \(problem)")
    }
    return ClusterSettings(postgres: string)
  }

  /// Deadlines, departures and ages go by it: the same for all daemons on a record.
  func makeClock() -> any WallClock { postgres == nil ? SystemClock() : ClusterClock() }
}
