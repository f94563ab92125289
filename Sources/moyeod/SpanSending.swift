import CallTracing
import Logging
import ServiceLifecycle

/// Sends what is recorded once a second, and what is left when the daemon ends.
struct SpanSending: Service {
  private static let interval = Duration.seconds(1)
  /// How long the end waits for a collector.
  private static let lastWords = Duration.seconds(2)

  let exporter: SpanExporter
  let logger: Logger

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      var problem: String?
      while !Task.isCancelled {
        try await Task.sleep(for: Self.interval)
        let found = await exporter.flush { seconds in try await Task.sleep(for: .seconds(seconds)) }
        guard found != problem, !Task.isCancelled else { continue }
        problem = found
        if let found {
          logger.warning("the collector takes no spans", metadata: ["reason": "\(found)"])
        } else {
          logger.info("the collector takes spans again")
        }
      }
    }
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { _ = await exporter.flush { _ in throw CancellationError() } }
      tasks.addTask { try? await Task.sleep(for: Self.lastWords) }
      await tasks.next()
      tasks.cancelAll()
    }
  }
}
