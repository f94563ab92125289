import MoyeoAPI
import Threading

extension BoundedThreadPool {
  /// Does what is too long for an event loop and for the threads that all tasks share.
  ///
  /// - Throws: `overloaded` when as many as may wait do so already, and what `work` throws.
  func work<Answer: Sendable>(
    _ work: @escaping @Sendable () throws(APIError) -> Answer
  ) async throws -> Answer {
    do {
      return try await run { _ in try work() }
    } catch ThreadPoolError.overloaded(let waiting) {
      throw APIError(
        .overloaded, "\(waiting) long requests wait already", retryAfterMilliseconds: 200)
    }
  }
}
