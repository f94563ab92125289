package import Logging
import Synchronization

/// The level from which on lines are written, shared by all loggers, so that it changes while the daemon
/// runs.
package final class LogLevelControl: Sendable {
  private static let levels = Logger.Level.allCases
  private let index: Atomic<Int>

  /// Begins at a level.
  package init(_ level: Logger.Level = .info) {
    index = Atomic(Self.levels.firstIndex(of: level) ?? 0)
  }

  package var level: Logger.Level { Self.levels[index.load(ordering: .relaxed)] }

  package func set(_ level: Logger.Level) {
    index.store(Self.levels.firstIndex(of: level) ?? 0, ordering: .relaxed)
  }

  /// All words there are, from the most lines to the fewest.
  static var words: [String] { levels.map(\.rawValue) }
}
