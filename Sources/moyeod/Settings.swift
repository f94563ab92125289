import Configuration
import Foundation
import Logging
import LiveLayers
import Parties
import Tickets
import MoyeoServer
import MoyeoStorage
import ObjectModel
import RESPServer
import SystemPackage
import Webhooks

/// The daemon's settings, read once: flags over environment over file over defaults.
struct Settings: Sendable {
  var daemon = Daemon.Configuration()
  var limits = LayerLimits()
  var threads: Int
  var dataDirectory: String
  var resources: URL?
  var tariffDirectories: [String] = []
  var areaDirectories: [String] = []
  var routes = RouteSettings()
  var places = PlaceSettings()
  /// Nil: clients of Redis are not served.
  var redisDoor: RedisDoor.Configuration?
  var demoCity: String?
  var demoUsers: Int
  var demoSeed: UInt64
  var demoParties: Int
  var demoTickets: Int
  var keepsPositions: Bool
  var writeBehindSeconds: Int
  /// How long a shutdown waits for calls in flight.
  var graceSeconds: Int
  /// Nil: no parties.
  var parties: PartyServiceConfiguration?
  /// Nil: no tickets.
  var tickets: TicketServiceConfiguration?
  var adapters = AdapterSettings()
  var auth = AuthSettings()
  var tls = TLSSettings()
  var webhooks = WebhookSettings()
  var cluster = ClusterSettings()
  /// Nil: it is not kept who was shown whose position.
  var disclosures: DisclosureFiles.Settings?
  var tracing = TracingSettings()
  var logLevel: Logger.Level
  var logFormat: StructuredLogHandler.Format
  var layerSettings: @Sendable (String) -> LayerSettings
  /// Of tenants that have settings of their own, by their names.
  var tenants: [String: TenantSettings] = [:]
  /// What the layers of one tenant may hold, where that differs from what all may.
  var tenantLimits: @Sendable (LayerLimits, _ tenant: String) -> LayerLimits

  /// - Throws: ``SettingError`` with the key and what is wrong.
  static func load(file: String?, flags: [(key: String, value: String)]) async throws -> Settings {
    var providers: [any ConfigProvider] = [
      InMemoryProvider(
        name: "flags",
        values: Dictionary(
          uniqueKeysWithValues: flags.map { key, value in
            (
              AbsoluteConfigKey(key.split(separator: ".").map(String.init)),
              // Lists come with commas, as in the environment.
              ConfigValue(
                key == AdapterSettings.key
                  ? .stringArray(AdapterSettings.words(value)) : .string(value), isSecret: false)
            )
          })),
      EnvironmentVariablesProvider().prefixKeys(with: "moyeo"),
    ]
    var tenants: [String] = []
    if let file {
      tenants = try TenantSettings.names(in: try checkedKeys(inFile: file))
      do {
        providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
      } catch {
        throw SettingError(key: file, problem: "cannot be read as JSON settings: \(error)")
      }
    }
    let values = Values(reader: ConfigReader(providers: providers))
    var settings = try await Settings(values)
    for tenant in tenants {
      settings.tenants[tenant] = try await TenantSettings(
        values, of: tenant, resources: settings.resources)
    }
    return settings
  }

  private init(_ values: Values) async throws {
    daemon.host = try await values.string("host") ?? "127.0.0.1"
    daemon.httpPort = try await values.int("http.port", in: 0...65535) ?? 8080
    daemon.grpcPort = try await values.int("grpc.port", in: 0...65535) ?? 50051
    guard daemon.httpPort != daemon.grpcPort || daemon.httpPort == 0 else {
      throw SettingError(
        key: "grpc.port", problem: "is \(daemon.grpcPort), as http.port is: each needs its own")
    }
    daemon.corsOrigins = try await values.list("http.corsOrigins") ?? []
    daemon.hosts = try await values.list("http.hosts") ?? []
    if let usesFastPath = try await values.bool("grpc.fastPath") {
      daemon.usesFastPath = usesFastPath
    }
    if let reflects = try await values.bool("grpc.reflection") { daemon.reflects = reflects }
    if let usesHTTPFastPath = try await values.bool("http.fastPath") {
      daemon.usesHTTPFastPath = usesHTTPFastPath
    }
    threads =
      try await values.int("threads", in: 1...1024)
      ?? ProcessInfo.processInfo
      .activeProcessorCount
    dataDirectory = try await values.string("data.directory") ?? "./moyeo-data"
    let named = try await values.string("resources.directory")
    resources = try Resources.find(named: named)
    daemon.pageDirectory = resources?.appendingPathComponent("page")
    daemon.clientModule = resources?.appendingPathComponent("clients/javascript/moyeo.js")
    daemon.leafletDirectory = URL(
      fileURLWithPath: try await values.string("map.leafletDirectory")
        ?? "/usr/share/javascript/leaflet", isDirectory: true)
    daemon.baseMapURL = try await values.string("map.baseMapURL")
    daemon.baseMapAttribution = try await values.string("map.attribution")
    tariffDirectories = try await values.list("fares.tariffDirectories") ?? []
    areaDirectories = try await values.list("fares.areaDirectories") ?? []
    demoCity = try await values.string("demo.city").flatMap { $0.isEmpty ? nil : $0 }
    demoUsers = try await values.int("demo.users", in: 0...5_000_000) ?? 20_000
    demoSeed = UInt64(try await values.int("demo.seed", in: 0...Int.max) ?? 1)
    demoTickets = try await values.int("demo.tickets", in: 0...100_000) ?? 300
    demoParties = try await values.int("demo.parties", in: 0...100_000) ?? 300
    keepsPositions = try await values.bool("positions.keep") ?? true
    writeBehindSeconds = try await values.int("positions.writeBehindSeconds", in: 1...3600) ?? 5
    graceSeconds = try await values.int("shutdown.graceSeconds", in: 0...3600) ?? 5
    logLevel = try await values.word("log.level", Logger.Level.init(rawValue:)) ?? .info
    logFormat =
      try await values.word("log.format", StructuredLogHandler.Format.init(rawValue:)) ?? .text
    layerSettings = values.layerSettings
    tenantLimits = { limits, tenant in QuotaSettings.limits(limits, of: tenant, values) }
    try await readRoutes(values)
    try await readServices(values)
    try await readLimits(values)
    daemon.connections.shutdownGraceSeconds = Double(max(1, graceSeconds))
  }

  /// Where routes and places come from.
  private mutating func readRoutes(_ values: Values) async throws {
    routes.provider =
      try await values.word("routes.provider", RouteSettings.Provider.init(rawValue:)) ?? .estimate
    routes.url = try await values.string("routes.url")
    routes.keyID = try await values.string("routes.keyId")
    routes.key = try await values.string("routes.key")
    routes.network = try await values.string("routes.network")
    routes.timeoutMilliseconds = Int64(
      try await values.int("routes.timeoutMilliseconds", in: 1...600_000) ?? 3000)
    try routes.check()
    places = try await PlaceSettings.read(values)
  }

  /// What is served, to whom and by which other doors.
  private mutating func readServices(_ values: Values) async throws {
    parties = try await PartySettings.read(values, resources: resources)
    tickets = try await TicketSettings.read(values)
    auth = try await AuthSettings.read(values, host: daemon.host)
    adapters = try await AdapterSettings.read(
      values, host: daemon.host, identity: auth, hasParties: parties != nil,
      hasTickets: tickets != nil)
    try await ServingSettings.read(values, into: &daemon)
    daemon.admin = try await AdminListenerSettings.read(values, daemon: daemon, identity: auth)
    redisDoor = try await RedisDoorSettings.read(values, daemon: daemon)
    tls = try await TLSSettings.read(values)
    webhooks = try await WebhookSettings.read(values)
    cluster = try await ClusterSettings.read(values)
    if cluster.redis != nil, redisDoor != nil {
      throw SettingError(
        key: "resp.port",
        problem: "does not go with cluster.redis: the door writes to this daemon's layers alone")
    }
    disclosures = try await DisclosureSettings.read(
      values, doors: [("resp.port", redisDoor != nil), ("adapters", !adapters.names.isEmpty)])
    tracing = try await TracingSettings.read(values)
  }

  private mutating func readLimits(_ values: Values) async throws {
    func read(_ key: String, _ path: WritableKeyPath<LayerLimits, Int>, _ range: ClosedRange<Int>)
      async throws
    {
      if let value = try await values.int("limits." + key, in: range) {
        limits[keyPath: path] = value
      }
    }
    try await read("workPerRequest", \.workPerRequest, 1000...1_000_000_000_000)
    try await read("objectsPerLayer", \.objectsPerLayer, 1024...(1 << 28))
    try await read("objects", \.objects, 1...(1 << 32))
    try await read("objectBytes", \.objectBytes, 65_536...(1 << 44))
    try await read("idBytes", \.idBytes, 1...256)
    try await read("tagsPerObject", \.tagsPerObject, 1...256)
    try await read("tagBytes", \.tagBytes, 1...256)
    try await read("attributeBytes", \.attributeBytes, 0...65536)
    try await read("hits", \.hits, 1...100_000)
    try await read("polygonCorners", \.polygonCorners, 3...100_000)
    try await read("reportBatch", \.reportBatch, 1...100_000)
    try await read("nearbyBatch", \.nearbyBatch, 1...10_000)
    try await read("batchRequests", \.batchRequests, 1...1000)
    try await read("layers", \.layersPerTenant, 1...10_000)
    try await read("fences", \.fences, 1...100_000)
    try await read("watchedAreas", \.watchedAreas, 1...10_000_000)
    try await read("clustersPerAnswer", \.clustersPerAnswer, 1...1_000_000)
    try await read("excludedIds", \.excludedIDs, 0...100_000)
    try await read("conditions", \.conditions, 0...256)
    if let seconds = try await values.int("limits.maximumTTLSeconds", in: 1...31_536_000) {
      limits.maximumTTLMilliseconds = Int64(seconds) * 1000
    }
    if let seconds = try await values.int("limits.emptyLayerSeconds", in: 1...31_536_000) {
      limits.emptyLayerMilliseconds = Int64(seconds) * 1000
    }
    if let seconds = try await values.int("limits.minimumTTLSeconds", in: 1...31_536_000) {
      limits.minimumTTLMilliseconds = Int64(seconds) * 1000
    }
    guard limits.minimumTTLMilliseconds <= limits.maximumTTLMilliseconds else {
      throw SettingError(
        key: "limits.minimumTTLSeconds", problem: "is above limits.maximumTTLSeconds")
    }
  }

  /// Refuses keys that no setting has: a misspelt key would otherwise be ignored.
  private static func checkedKeys(inFile file: String) throws -> [String: Any] {
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: file)) } catch {
      throw SettingError(key: file, problem: "cannot be read")
    }
    guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
      throw SettingError(key: file, problem: "is not a JSON object")
    }
    func walk(_ object: [String: Any], _ prefix: String) throws {
      for (name, value) in object.sorted(by: { $0.key < $1.key }) {
        let key = prefix + name
        if let inner = value as? [String: Any] {
          guard SettingsTable.knowsGroup(key) else {
            throw SettingError(
              key: key, problem: "is no group of settings; moyeod --print-configuration lists them")
          }
          try walk(inner, key + ".")
        } else if !SettingsTable.knows(key) {
          throw SettingError(
            key: key, problem: "is no setting; moyeod --print-configuration lists them")
        } else {
          try checkLayerSetting(TenantSettings.setting(of: key) ?? key, value)
          try QuotaSettings.check(key, value)
        }
      }
    }
    try walk(object, "")
    return object
  }
}

extension Settings {
  /// Layers begin long after the start: what a file says of them is checked at the start.
  private static func checkLayerSetting(_ key: String, _ value: Any) throws {
    let parts = key.split(separator: ".").map(String.init)
    guard parts.count == 3, parts[0] == "layers" else { return }
    guard LayerName.isValid(parts[1]) else {
      throw SettingError(
        key: "layers.\(parts[1])", problem: "is no layer name: use a-z, 0-9, _ and -")
    }
    switch parts[2] {
    case "ttlSeconds":
      guard let seconds = value as? Double, (0..<1e9).contains(seconds) else {
        throw SettingError(key: key, problem: "must be 0 (for ever) or a number of seconds")
      }
    case "columns":
      guard let names = value as? [String], names.count <= LayerSettings.maximumColumns,
        names.allSatisfy({ !$0.isEmpty }), Set(names).count == names.count
      else {
        throw SettingError(
          key: key, problem: "must list at most \(LayerSettings.maximumColumns) attribute names")
      }
    case let word where ProtectedLayerSettings.covers(word):
      try ProtectedLayerSettings.check(key, layer: parts[1], word: word, value)
    default:
      guard value is Bool else { throw SettingError(key: key, problem: "must be true or false") }
    }
  }
}

/// A setting that cannot be used.
struct SettingError: Error, CustomStringConvertible {
  let key: String
  let problem: String
  var description: String { "\(key) \(problem)" }
}
