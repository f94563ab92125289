package import RoutePlanning
package import Threading

/// Calls of one provider, whatever is asked: time limits, retries with jitter, circuit breaker.
///
/// Safe to call from any thread; the breaker is shared by all calls.
package final class ProviderCalls: Sendable {
  package typealias Settings = HTTPRouteProvider.Settings

  private let settings: Settings
  private let transport: any RouteTransport
  private let clock: any MonotonicClock
  private let random: @Sendable () -> Double
  private let breaker: StateLock<CircuitBreaker>

  /// Asks nobody yet; the breaker begins closed.
  ///
  /// - Parameters:
  ///   - transport: Carries the requests.
  ///   - settings: Time limits, retries and the breaker's.
  ///   - clock: By which tries and pauses are timed.
  ///   - random: Uniform in 0..<1, for the jitter.
  package init(
    transport: any RouteTransport, settings: Settings, clock: any MonotonicClock,
    random: @escaping @Sendable () -> Double
  ) {
    self.transport = transport
    self.settings = settings
    self.clock = clock
    self.random = random
    breaker = StateLock(CircuitBreaker(settings.breaker))
  }

  package var breakerState: CircuitBreaker.State { breaker.withLock { $0.state } }

  /// Asks until there is an answer, the tries are used up, or time is.
  ///
  /// - Parameters:
  ///   - exchange: What is sent.
  ///   - read: Reads an answer of status 200...499 other than 3xx, 401, 403 and 429; what it throws
  ///     counts against the provider or not, as ``RouteError/isProviderFault`` says.
  /// - Returns: What was read.
  /// - Throws: ``RouteError``.
  package func answer<Answer: Sendable>(
    to exchange: RouteExchange,
    read: @Sendable (RouteReply) throws(RouteError) -> Answer
  ) async throws(RouteError) -> Answer {
    let deadline = clock.now() + settings.totalTimeoutMilliseconds * 1_000_000
    var attempts = 0
    while true {
      attempts += 1
      do {
        return try await attempt(exchange, deadline, read)
      } catch {
        guard error.isTransient else { throw error }
        try await pause(after: error, attempts: attempts, deadline)
      }
    }
  }

  /// One try, admitted by the breaker and reported to it.
  private func attempt<Answer: Sendable>(
    _ exchange: RouteExchange, _ deadline: Nanoseconds,
    _ read: @Sendable (RouteReply) throws(RouteError) -> Answer
  ) async throws(RouteError) -> Answer {
    let ticket: CircuitBreaker.Ticket
    switch breaker.withLock({ $0.admit(at: clock.now()) }) {
    case .allowed(let given): ticket = given
    case .refused(let milliseconds): throw .circuitOpen(retryAfterMilliseconds: milliseconds)
    }
    do {
      let left = max(1, (deadline - clock.now()) / 1_000_000)
      let reply = try await transport.send(
        exchange, timeoutMilliseconds: min(left, settings.attemptTimeoutMilliseconds),
        maximumBytes: settings.maximumBytes)
      let answer = try Self.checked(reply, read)
      report(.success, ticket)
      return answer
    } catch {
      switch error {
      case .cancelled: report(.abandoned, ticket)
      case _ where error.isProviderFault: report(.failure, ticket)
      default: report(.success, ticket)
      }
      throw error
    }
  }

  private func report(_ outcome: CircuitBreaker.Outcome, _ ticket: CircuitBreaker.Ticket) {
    breaker.withLock { $0.report(outcome, of: ticket, at: clock.now()) }
  }

  /// What every provider's answers have in common, by their status.
  private static func checked<Answer>(
    _ reply: RouteReply, _ read: (RouteReply) throws(RouteError) -> Answer
  ) throws(RouteError) -> Answer {
    switch reply.status {
    case 401, 403: throw .unauthorized
    case 429: throw .rateLimited(retryAfterMilliseconds: reply.retryAfterMilliseconds)
    case 300...399: throw .refused(status: reply.status, message: "redirects are not followed")
    case 200...499: break
    default: throw .unavailable("status \(reply.status)")
    }
    return try read(reply)
  }

  /// Reads an answer's words: what cannot be read in one of status 400 and above is a proxy's page,
  /// not the provider's.
  ///
  /// - Throws: What `read` throws, `malformed` of such a page as ``RouteError/refused(status:message:)``.
  static func words<Answer>(
    of reply: RouteReply, _ read: (RouteReply) throws(RouteError) -> Answer
  ) throws(RouteError) -> Answer {
    do {
      return try read(reply)
    } catch .malformed(let what) where reply.status >= 400 {
      throw .refused(status: reply.status, message: what)
    }
  }

  /// Waits before the next try, or throws the last error when there is none.
  private func pause(
    after error: RouteError, attempts: Int, _ deadline: Nanoseconds
  ) async throws(RouteError) {
    var least: Int64 = 0
    if case .rateLimited(let asked) = error { least = asked ?? 0 }
    guard
      let delay = settings.retries.delayMilliseconds(
        afterAttempts: attempts, minimumMilliseconds: least, random: random())
    else { throw error }
    let next = clock.now() + delay * 1_000_000
    guard next < deadline else { throw error }
    do {
      try await clock.sleep(until: next)
    } catch {
      throw .cancelled
    }
  }
}
