import MoyeoStorage
import ObjectModel
import RoutePlanning
import RouteProviders

/// Who is asked for routes (`routes.*`).
struct RouteSettings: Sendable {
  enum Provider: String, Sendable {
    case estimate, osrm, valhalla, naver, kakao, network
  }

  var provider = Provider.estimate
  var url: String?
  var keyID: String?
  var key: String?
  /// A road database made by `moyeo prepare-roads`.
  var network: String?
  var timeoutMilliseconds: Int64 = 3000

  /// - Throws: ``SettingError`` when the provider lacks what it needs.
  func check() throws {
    func require(_ value: String?, _ name: String) throws {
      guard let value, !value.isEmpty else {
        throw SettingError(key: name, problem: "is needed for routes.provider \(provider.rawValue)")
      }
    }
    switch provider {
    case .estimate: break
    case .osrm, .valhalla: try require(url, "routes.url")
    case .naver:
      try require(keyID, "routes.keyId")
      try require(key, "routes.key")
    case .kakao: try require(key, "routes.key")
    case .network: try require(network, "routes.network")
    }
  }

  /// The provider with its cache, falling back to the estimate.
  /// - Throws: ``SettingError`` when the road network cannot be used.
  func makeProvider(clock: any WallClock) throws -> any RouteProvider {
    if provider == .network, let network { return try networkProvider(network) }
    return RouteEngine(
      choice, wallClock: clock,
      settings: .init(
        attemptTimeoutMilliseconds: max(1, timeoutMilliseconds / 2),
        totalTimeoutMilliseconds: timeoutMilliseconds)
    ).provider
  }

  private func networkProvider(_ path: String) throws -> any RouteProvider {
    do {
      let roads = try VirtualRoutingProvider(path: path)
      return FallbackRouteProvider(CoalescedRouteProvider(roads, dependsOnDeparture: true))
    } catch {
      throw SettingError(key: "routes.network", problem: "\(path) cannot be used: \(error)")
    }
  }

  /// The roads that the map page draws; nil where no network is loaded, or one without an R-tree.
  /// - Throws: ``SettingError`` when the road network cannot be read.
  func makeRoadMap() throws -> (any RoadMap)? {
    guard provider == .network, let network else { return nil }
    do {
      return try NetworkRoadMap(path: network)
    } catch .notPrepared {
      return nil
    } catch {
      throw SettingError(key: "routes.network", problem: "\(network) cannot be used: \(error)")
    }
  }

  private var choice: RouteEngineChoice {
    switch provider {
    case .estimate, .network: .none
    case .osrm: .osrm(baseURL: url ?? "")
    case .valhalla: .valhalla(baseURL: url ?? "")
    case .naver: .naver(keyID: keyID ?? "", key: key ?? "", baseURL: url)
    case .kakao: .kakao(key: key ?? "", baseURL: url)
    }
  }
}
