import Foundation
import MoyeoCluster
import MoyeoStorage

/// Looks at the record in PostgreSQL, if the settings name one: the environment before the file, as moyeod
/// has it.
struct ClusterCheck {
  /// - Parameters:
  ///   - file: A JSON file of settings; nil: none.
  ///   - environment: Of this process.
  /// - Returns: Nothing where the record is a file of the data directory.
  static func findings(
    file: String?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [StoreDoctor.Finding] {
    guard let named = environment[ClusterOptions.variable] ?? file.flatMap(connection),
      !named.isEmpty
    else { return [] }
    // The string may hold a password: it is not repeated.
    if let problem = PostgresStore.problem(in: named) {
      return [
        .init(.wrong, "postgres", "cluster.postgres is no connection string: \(problem)")
      ]
    }
    return ClusterDoctor.examine(named).map { finding in
      let grade: StoreDoctor.Finding.Grade =
        switch finding.grade {
        case .fine: .fine
        case .notice: .notice
        case .wrong: .wrong
        }
      return .init(grade, finding.subject, finding.text)
    }
  }

  private static func connection(inFile file: String) -> String? {
    guard let data = FileManager.default.contents(atPath: file),
      let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    else { return nil }
    return (object["cluster"] as? [String: Any])?["postgres"] as? String
  }
}
