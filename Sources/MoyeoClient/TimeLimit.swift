import NIOConcurrencyHelpers

/// Runs `body` and gives it up when its time has passed, whatever it waits for: a process that was
/// stopped takes a connection and never reads it.
///
/// - Throws: What `body` throws, or `late`.
func withTimeLimit<Answer: Sendable>(
  _ limit: Duration, late: MoyeoError, _ body: @escaping @Sendable () async throws -> Answer
) async throws -> Answer {
  let call = Task { try await body() }
  let waiting = FirstResult<Answer>()
  let timer = Task {
    guard (try? await Task.sleep(for: limit)) != nil else { return }
    call.cancel()
    waiting.finish(.failure(late))
  }
  Task {
    waiting.finish(await call.result)
    timer.cancel()
  }
  return try await withTaskCancellationHandler {
    try await waiting.value
  } onCancel: {
    call.cancel()
  }
}

/// The first of two results, for one who waits for it.
private final class FirstResult<Answer: Sendable>: Sendable {
  private enum State {
    case empty
    case waiting(CheckedContinuation<Answer, any Error>)
    case finished(Result<Answer, any Error>)
  }

  private let state = NIOLockedValueBox(State.empty)

  /// What was finished with first; asked for once.
  var value: Answer {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLockedValue { state -> Result<Answer, any Error>? in
          if case .finished(let result) = state { return result }
          state = .waiting(continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    }
  }

  func finish(_ result: Result<Answer, any Error>) {
    let continuation = state.withLockedValue { state -> CheckedContinuation<Answer, any Error>? in
      switch state {
      case .empty:
        state = .finished(result)
        return nil
      case .waiting(let continuation):
        state = .finished(result)
        return continuation
      case .finished: return nil
      }
    }
    continuation?.resume(with: result)
  }
}
