/// Told how long the commands of the running task take to become durable, from when each was handed in to
/// its answer; for those who look at single calls.
///
/// A class, not a closure: optimised, Swift 6.3 hands `TaskLocal.withValue` closures by an address that is
/// none, and the process ends (`swift_task_localValuePush`).
package final class CommitObserver: Sendable {
  package typealias Ended = @Sendable () -> Void

  @TaskLocal package static var current: CommitObserver?

  private let begin: @Sendable () -> Ended

  /// - Parameter begin: Called when a command begins to wait; what it returns is called once that is over.
  package init(_ begin: @escaping @Sendable () -> Ended) {
    self.begin = begin
  }

  /// A command begins to wait. - Returns: To be called once that is over.
  func began() -> Ended { begin() }
}
