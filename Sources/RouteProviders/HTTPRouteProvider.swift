package import RoutePlanning
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
  private let calls: ProviderCalls

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
    self.settings = settings
    calls = ProviderCalls(transport: transport, settings: settings, clock: clock, random: random)
  }

  package var breakerState: CircuitBreaker.State { calls.breakerState }

  package func route(_ request: RouteRequest) async throws(RouteError) -> Route {
    let exchange = try dialect.exchange(for: request)
    return try await calls.answer(to: exchange) { [dialect, settings] reply throws(RouteError) in
      let route = try ProviderCalls.words(of: reply) { reply throws(RouteError) in
        try dialect.route(from: reply, for: request)
      }
      guard (200...299).contains(reply.status) else {
        throw .malformed("a route with status \(reply.status)")
      }
      try settings.plausibility.check(route, for: request)
      return route
    }
  }
}
