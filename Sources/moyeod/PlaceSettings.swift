import LiveLayers
import Metrics
import ObjectModel
import Places
import RouteProviders

/// Where places are looked for (`places.*`).
struct PlaceSettings: Sendable {
  enum Provider: String, Sendable {
    case none, naver, kakao, nominatim, photon
  }

  /// Empty: places are off.
  var layers = ["places"]
  var provider = Provider.none
  var url: String?
  var keyID: String?
  var key: String?
  /// Of Naver's search API, which has keys of its own.
  var searchKeyID: String?
  var searchKey: String?
  var timeoutMilliseconds: Int64 = 1500

  static func read(_ values: Values) async throws -> PlaceSettings {
    var out = PlaceSettings()
    if let names = try await values.list("places.layers") {
      out.layers = names.filter { !$0.isEmpty }
      try checkLayers(out.layers)
    }
    out.provider =
      try await values.word("places.provider", Provider.init(rawValue:)) ?? .none
    out.url = try await values.string("places.url")
    out.keyID = try await values.string("places.keyId")
    out.key = try await values.string("places.key")
    out.searchKeyID = try await values.string("places.searchKeyId")
    out.searchKey = try await values.string("places.searchKey")
    out.timeoutMilliseconds = Int64(
      try await values.int("places.timeoutMilliseconds", in: 1...60_000) ?? 1500)
    try out.check()
    return out
  }

  private static func checkLayers(_ names: [String]) throws {
    for name in names where !LayerName.isValid(name) {
      throw SettingError(
        key: "places.layers", problem: "\"\(name)\" is no layer name: use a-z, 0-9, _ and -")
    }
    guard Set(names).count == names.count else {
      throw SettingError(key: "places.layers", problem: "names a layer twice")
    }
    guard names.count <= 16 else {
      throw SettingError(key: "places.layers", problem: "names \(names.count) layers; at most 16")
    }
  }

  /// - Throws: ``SettingError`` when the provider lacks what it needs.
  private func check() throws {
    func require(_ value: String?, _ name: String) throws {
      guard let value, !value.isEmpty else {
        throw SettingError(key: name, problem: "is needed for places.provider \(provider.rawValue)")
      }
    }
    switch provider {
    case .none: break
    case .nominatim, .photon: try require(url, "places.url")
    case .kakao: try require(key, "places.key")
    case .naver:
      try require(keyID, "places.keyId")
      try require(key, "places.key")
      if searchKeyID != nil || searchKey != nil {
        try require(searchKeyID, "places.searchKeyId")
        try require(searchKey, "places.searchKey")
      }
    }
  }

  /// - Returns: Nil when places are off.
  func makeService(layers registry: LayerRegistry) -> PlaceService? {
    guard !layers.isEmpty else { return nil }
    let table = PlaceTable(layers: registry, layerNames: layers)
    return PlaceService(table: table, provider: makeProvider(), onProviderFailure: Self.count)
  }

  private func makeProvider() -> (any PlaceProvider)? {
    guard let dialect else { return nil }
    return HTTPPlaceProvider(
      dialect, transport: HTTPClientTransport(),
      settings: .init(
        attemptTimeoutMilliseconds: max(1, timeoutMilliseconds / 2),
        totalTimeoutMilliseconds: timeoutMilliseconds))
  }

  private var dialect: (any PlaceDialect)? {
    switch provider {
    case .none: nil
    case .nominatim: NominatimPlaceDialect(baseURL: url ?? "")
    case .photon: PhotonPlaceDialect(baseURL: url ?? "")
    case .kakao:
      KakaoPlaceDialect(key: key ?? "", baseURL: url ?? KakaoPlaceDialect.defaultBaseURL)
    case .naver:
      NaverPlaceDialect(
        cloud: .init(id: keyID ?? "", key: key ?? ""),
        search: searchKeyID.map { .init(id: $0, key: searchKey ?? "") }, baseURL: url)
    }
  }

  private static func count(_ reason: String) {
    Counter(
      label: "moyeo_place_provider_failures_total", dimensions: [("reason", reason)]
    ).increment()
  }
}
