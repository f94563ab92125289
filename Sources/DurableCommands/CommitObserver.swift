/// Told how long a command of the running task took to become durable, from when it was handed in to its
/// answer; for those who look at single calls.
package enum CommitObserver {
  package typealias Ended = @Sendable () -> Void

  /// Called when a command begins to wait; what it returns is called once that is over.
  @TaskLocal package static var began: (@Sendable () -> Ended)?
}
