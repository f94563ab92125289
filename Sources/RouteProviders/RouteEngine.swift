package import ObjectModel
package import RoutePlanning
package import Threading

/// What an operator chooses in the configuration.
package enum RouteEngineChoice: Hashable, Sendable {
  /// No engine: every route is the estimate.
  case none
  case osrm(baseURL: String)
  case valhalla(baseURL: String)
  /// `baseURL` only for a proxy of one's own.
  case naver(keyID: String, key: String, baseURL: String? = nil)
  /// `baseURL` only for a proxy of one's own.
  case kakao(key: String, baseURL: String? = nil)
}

/// The whole stack behind the port, composed once at the start of the daemon: fallback, cache and
/// coalescing, retries and breaker, dialect, transport.
package struct RouteEngine: Sendable {
  /// Never throws but for ``RouteError/cancelled`` (and requests beyond every limit).
  package let provider: any RouteProvider
  package let estimate: EstimatedRouteProvider
  /// The engine alone, for metrics; `nil` without one.
  package let http: HTTPRouteProvider?
  private let transport: HTTPClientTransport?

  package init(
    _ choice: RouteEngineChoice, estimate: EstimatedRouteProvider = EstimatedRouteProvider(),
    wallClock: any WallClock, clock: any MonotonicClock = SystemMonotonicClock(),
    settings: HTTPRouteProvider.Settings = .init(), cache: CoalescedRouteProvider.Settings = .init()
  ) {
    self.estimate = estimate
    guard let dialect = Self.dialect(choice, wallClock) else {
      provider = estimate
      http = nil
      transport = nil
      return
    }
    let transport = HTTPClientTransport(clock: clock)
    let http = HTTPRouteProvider(dialect, transport: transport, settings: settings, clock: clock)
    provider = FallbackRouteProvider(
      CoalescedRouteProvider(
        http, dependsOnDeparture: dialect.dependsOnDeparture, settings: cache, clock: clock),
      estimate: estimate, plausibility: settings.plausibility)
    self.http = http
    self.transport = transport
  }

  /// A planner that orders stops by the estimate and asks ``provider``.
  package var planner: RoutePlanner { RoutePlanner(provider: provider, estimate: estimate) }

  /// Closes the connections.
  package func shutdown() async { await transport?.shutdown() }

  private static func dialect(
    _ choice: RouteEngineChoice, _ wallClock: any WallClock
  ) -> (any RouteDialect)? {
    switch choice {
    case .none: nil
    case .osrm(let baseURL): OSRMDialect(baseURL: baseURL)
    case .valhalla(let baseURL): ValhallaDialect(baseURL: baseURL)
    case .naver(let keyID, let key, let url):
      NaverDialect(keyID: keyID, key: key, baseURL: url ?? NaverDialect.defaultBaseURL)
    case .kakao(let key, let url):
      KakaoDialect(key: key, clock: wallClock, baseURL: url ?? KakaoDialect.defaultBaseURL)
    }
  }
}
