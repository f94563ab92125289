import CallTracing
import DurableCommands
import Instrumentation
import Tracing

/// The span of a command's way to the disk, beneath that of its call.
enum CommitSpans {
  static let name = "commit"

  /// Runs what may hand in commands. Where the call is not recorded, nothing is made.
  static func recorded<Answer: Sendable>(
    _ work: @Sendable () async throws -> Answer
  ) async rethrows -> Answer {
    guard let context = ServiceContext.current, context.span != nil else { return try await work() }
    let observer = CommitObserver {
      let span = InstrumentationSystem.tracer.startSpan(name, context: context)
      return { span.end() }
    }
    return try await CommitObserver.$current.withValue(observer, operation: work)
  }
}
