import NIOCore
import Threading

extension EventLoop {
  /// Has a task answer a call of a connection, and takes the answer on this event loop, never before this
  /// function has returned.
  ///
  /// - Parameters:
  ///   - beginsHere: Whether the task runs on the event loop until it waits; so it should where it only
  ///     hands its call on.
  ///   - work: Answers the call.
  ///   - take: Takes the answer.
  /// - Returns: The task, to be cancelled when nobody waits for the answer any more.
  package func answerLater<Answer: Sendable>(
    beginsHere: Bool = true, _ work: @escaping @Sendable () async -> Answer,
    _ take: @escaping (Answer) -> Void
  ) -> Task<Void, Never> {
    let answered = makePromise(of: Answer.self)
    answered.futureResult.assumeIsolated().whenSuccess(take)
    let task: @Sendable () async -> Void = {
      let answer = await work()
      // Not at once, where it is answered before the call is known to wait.
      self.execute { answered.succeed(answer) }
    }
    let executor = PoolTaskExecutor.shared
    return beginsHere
      ? Task.immediate(executorPreference: executor, operation: task)
      : Task(executorPreference: executor, operation: task)
  }
}
