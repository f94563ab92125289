package import RoutePlanning
import Synchronization
package import Threading

/// A provider over HTTP: dialect, transport, timeouts, retries with jitter and a circuit breaker.
///
/// Answers are held against ``RoutePlausibility`` here already, so that a provider that lies opens
/// its breaker and its lies are never cached.
package final class HTTPRouteProvider: RouteProvider {
  package struct Settings: Hashable, Sendable {
    /// One try, connecting and the whole body included.
    package var attemptTimeoutMilliseconds: Int64
    /// All tries and the pauses between them.
    package var totalTimeoutMilliseconds: Int64
    /// The longest answer.
    package var maximumBytes: Int
    package var retries: RetrySchedule
    package var breaker: CircuitBreaker.Settings
    package var plausibility: RoutePlausibility

    package init(
      attemptTimeoutMilliseconds: Int64 = 1_500, totalTimeoutMilliseconds: Int64 = 3_000,
      maximumBytes: Int = 4 << 20, retries: RetrySchedule = RetrySchedule(),
      breaker: CircuitBreaker.Settings = .init(), plausibility: RoutePlausibility = .init()
    ) {
      self.attemptTimeoutMilliseconds = min(max(1, attemptTimeoutMilliseconds), 600_000)
      self.totalTimeoutMilliseconds = min(max(1, totalTimeoutMilliseconds), 600_000)
      self.maximumBytes = max(0, maximumBytes)
      self.retries = retries
      self.breaker = breaker
      self.plausibility = plausibility
    }
  }

  package let dialect: any RouteDialect
  package let settings: Settings
  private let transport: any RouteTransport
  private let clock: any MonotonicClock
  private let random: @Sendable () -> Double
  private let breaker: Mutex<CircuitBreaker>

  package var source: RouteSource { dialect.source }

  /// Asks nobody yet; the breaker begins closed.
  ///
  /// - Parameters:
  ///   - dialect: Writes the requests and reads the answers of one provider.
  ///   - transport: Carries them.
  ///   - settings: Time limits, retries, the breaker's and the bounds of a plausible answer.
  ///   - clock: By which tries and pauses are timed.
  ///   - random: Uniform in 0..<1, for the jitter.
  package init(
    _ dialect: any RouteDialect, transport: any RouteTransport, settings: Settings = Settings(),
    clock: any MonotonicClock = SystemMonotonicClock(),
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    self.dialect = dialect
    self.transport = transport
    self.settings = settings
    self.clock = clock
    self.random = random
    breaker = Mutex(CircuitBreaker(settings.breaker))
  }

  package var breakerState: CircuitBreaker.State { breaker.withLock { $0.state } }

  package func route(_ request: RouteRequest) async throws(RouteError) -> Route {
    let exchange = try dialect.exchange(for: request)
    let deadline = clock.now() + settings.totalTimeoutMilliseconds * 1_000_000
    var attempts = 0
    while true {
      attempts += 1
      do {
        return try await attempt(exchange, request, deadline)
      } catch {
        guard error.isTransient else { throw error }
        try await pause(after: error, attempts: attempts, deadline)
      }
    }
  }

  /// One try, admitted by the breaker and reported to it.
  private func attempt(
    _ exchange: RouteExchange, _ request: RouteRequest, _ deadline: Nanoseconds
  ) async throws(RouteError) -> Route {
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
      let route = try read(reply, request)
      report(.success, ticket)
      return route
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

  private func read(_ reply: RouteReply, _ request: RouteRequest) throws(RouteError) -> Route {
    switch reply.status {
    case 401, 403: throw .unauthorized
    case 429: throw .rateLimited(retryAfterMilliseconds: reply.retryAfterMilliseconds)
    case 300...399: throw .refused(status: reply.status, message: "redirects are not followed")
    case 200...499: break
    default: throw .unavailable("status \(reply.status)")
    }
    let route: Route
    do {
      route = try dialect.route(from: reply, for: request)
    } catch .malformed(let what) where reply.status >= 400 {
      // A proxy's page, not the engine's words.
      throw .refused(status: reply.status, message: what)
    }
    guard (200...299).contains(reply.status) else {
      throw .malformed("a route with status \(reply.status)")
    }
    try settings.plausibility.check(route, for: request)
    return route
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
