import MoyeoAPI

/// Runs `body` until it ends; when the shutdown begins it is cancelled, and the caller told.
func untilShutdown(
  _ shutdown: ShutdownSignal, _ body: @escaping @Sendable () async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Bool.self) { tasks in
    tasks.addTask {
      try await body()
      return true
    }
    tasks.addTask {
      await shutdown.wait()
      return false
    }
    let ended = try await tasks.next() ?? true
    tasks.cancelAll()
    guard ended else {
      throw APIError(.unavailable, "the service is shutting down; connect again").grpcStatus
    }
  }
}
