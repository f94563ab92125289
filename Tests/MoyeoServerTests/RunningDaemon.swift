import AsyncHTTPClient
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2
import Logging
import MoyeoAPI
import LiveLayers
import FareEstimation
import Identity
import DurableCommands
import Parties
import Tickets
import Places
import NIOCore
import NIOHTTP1
import NIOPosix
import ObjectModel
import ServiceLifecycle
import Threading

@testable import MoyeoServer

/// A daemon on free ports, with a clock that the test moves.
struct RunningDaemon: Sendable {
  let layers: LayerRegistry
  let clock: ManualClock
  let addresses: Daemon.Addresses
  let group: ServiceGroup
  let shutdown: ShutdownSignal
  let readiness: Readiness
  let grpc: GRPCClient<HTTP2ClientTransport.Posix>
  /// The calls of the default tenant, as the daemon has them.
  let room: TenantRoom
  /// Where calls of ``room`` run that are long; its one thread is nobody else's.
  let pool: BoundedThreadPool

  /// 2026-11-20T14:10:00Z.
  static let start = ObjectModel.Instant(milliseconds: 1_795_183_800_000)

  var url: String { "http://127.0.0.1:\(addresses.httpPort)" }
  var positions: Moyeo_V1_PositionService.Client<HTTP2ClientTransport.Posix> {
    Moyeo_V1_PositionService.Client(wrapping: grpc)
  }

  /// Runs `body` against a daemon and waits until both have ended.
  static func run(
    settings given: Daemon.Configuration = Daemon.Configuration(),
    configuration: LayerRegistryConfiguration = LayerRegistryConfiguration(),
    corsOrigins: [String] = [],
    usesFastPath: Bool = true, waitsForVersions: Bool = true, fares: FareEstimator? = nil,
    parties: (any AggregateStore)? = nil, placeProvider: (any PlaceProvider)? = nil,
    verifier: (any TokenVerifier)? = nil,
    _ body: @Sendable (RunningDaemon) async throws -> Void
  ) async throws {
    let clock = ManualClock(start)
    var configuration = configuration
    // However busy the machine is, a version that is on its way is waited for.
    if waitsForVersions { configuration.limits.versionWaitMilliseconds = 60_000 }
    let layers = LayerRegistry(configuration: configuration, clock: clock, epoch: 0xABCD)
    var settings = given
    settings.httpPort = 0
    settings.grpcPort = 0
    // Nor is a long read given up because the tests beside it keep the machine busy.
    settings.coalescing.longReadMilliseconds = 600_000
    settings.corsOrigins = corsOrigins
    settings.usesFastPath = usesFastPath
    let (listening, listens) = AsyncStream.makeStream(of: Daemon.Addresses.self)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let estimator =
      try fares
      ?? FareEstimator(library: TariffLibrary.load(tariffDirectories: [], areaDirectories: []))
    @Sendable func parts(_ tenant: String, _ layers: LayerRegistry) throws -> TenantParts {
      var parts = TenantParts(layers: layers)
      if let store = parties {
        var configuration = PartyServiceConfiguration()
        configuration.tenant = tenant
        let commands = try configuration.makeCommands(store: store, clock: clock)
        let tickets = try TicketService(layers: layers, commands: commands)
        configuration.meetings = PartyMeetings(
          areBlocked: tickets.isBlocked, noShow: tickets.noShow,
          bannedUntil: tickets.bannedUntil)
        parts.parties = try PartyService(
          layers: layers, store: store, fares: estimator, configuration: configuration,
          commands: commands)
        parts.tickets = tickets
      }
      parts.places = PlaceService(
        table: PlaceTable(
          layers: layers, layerNames: ["places"]),
        provider: placeProvider)
      return parts
    }
    let standard = try parts(Caller.defaultTenant, layers)
    let daemon = Daemon(
      configuration: settings, layers: layers, fares: estimator, parties: standard.parties,
      tickets: standard.tickets, places: standard.places,
      identity: verifier.map { verifier in
        var identity = IdentitySettings(verifier: verifier) { [configuration] tenant in
          try parts(
            tenant, LayerRegistry(configuration: configuration, clock: clock, epoch: 0xBCDE))
        }
        identity.maximumTenants = 3
        return identity
      },
      eventLoopGroup: .singleton,
      metrics: PrometheusMetrics(), logger: logger,
      onListening: { addresses in listens.yield(addresses) })
    let group = ServiceGroup(
      configuration: .init(
        services: daemon.services().map { .init(service: $0) }, logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        defer { listens.finish() }
        try await group.run()
      }
      var addresses: Daemon.Addresses?
      for await found in listening {
        addresses = found
        break
      }
      guard let addresses else { return try await tasks.waitForAll() }
      let grpc = GRPCClient(
        transport: try HTTP2ClientTransport.Posix(
          target: .ipv4(address: "127.0.0.1", port: addresses.grpcPort),
          transportSecurity: .plaintext))
      tasks.addTask {
        do {
          try await grpc.runConnections()
        } catch let error as RuntimeError where error.code == .clientIsStopped {
          // A body that asks nothing over gRPC may end before this begins.
        }
      }
      let pool = BoundedThreadPool(threadCount: 1)
      let running = RunningDaemon(
        layers: layers, clock: clock, addresses: addresses, group: group,
        shutdown: daemon.shutdown, readiness: daemon.readiness, grpc: grpc,
        room: daemon.room(
          standard, pool, TenantLabels(openTenant: Caller.defaultTenant), onFilled: {}),
        pool: pool)
      let outcome: Result<Void, any Error>
      do {
        try await body(running)
        outcome = .success(())
      } catch {
        outcome = .failure(error)
      }
      grpc.beginGracefulShutdown()
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
      try outcome.get()
    }
  }
}

extension PositionOperations {
  /// The calls over layers of a test, without a daemon.
  init(layers: LayerRegistry, shared: SharedReads = SharedReads()) {
    self.init(services: RequestServices(layers: layers, shared: shared))
  }
}

/// An HTTP answer, its body parsed when it is JSON.
struct HTTPAnswer: @unchecked Sendable {
  let status: Int
  let headers: [(name: String, value: String)]
  let body: Data
  /// Safe: never changed after `init`.
  let json: Any?

  var object: [String: Any] { json as? [String: Any] ?? [:] }
  var text: String { String(decoding: body, as: UTF8.self) }
  func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name }?.value
  }

  var error: [String: Any] { object["error"] as? [String: Any] ?? [:] }
  var reason: String? { error["reason"] as? String }
  var fields: [String] {
    (error["fields"] as? [[String: Any]] ?? []).compactMap { $0["field"] as? String }
  }
  var hits: [[String: Any]] { object["hits"] as? [[String: Any]] ?? [] }
  var ids: [String] { hits.compactMap { $0["id"] as? String } }
  var rejections: [[String: Any]] { object["rejections"] as? [[String: Any]] ?? [] }
  var cursor: String? { object["nextCursor"] as? String }
}

extension RunningDaemon {
  func request(
    _ method: String, _ path: String, body: Data? = nil, headers: [(String, String)] = []
  ) async throws -> HTTPAnswer {
    var request = HTTPClientRequest(url: url + path)
    request.method = .init(rawValue: method)
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    let data = Data(try await response.body.collect(upTo: 64 << 20).readableBytesView)
    let type = response.headers.first(name: "content-type") ?? ""
    return HTTPAnswer(
      status: Int(response.status.code),
      headers: response.headers.map { ($0.name, $0.value) }, body: data,
      json: type.contains("json") ? try? JSONSerialization.jsonObject(with: data) : nil)
  }

  func get(_ path: String) async throws -> HTTPAnswer { try await request("GET", path) }

  func post(_ path: String, _ json: String) async throws -> HTTPAnswer {
    try await request(
      "POST", path, body: Data(json.utf8), headers: [("content-type", "application/json")])
  }

  /// Reports over HTTP; each item is JSON text.
  func report(_ items: [String], layer: String = "users") async throws -> HTTPAnswer {
    try await post(
      "/v1/layers/\(layer)/positions", #"{"positions":["# + items.joined(separator: ",") + "]}")
  }
}

/// A GRPC refusal, unpacked.
struct GRPCRefusal: Sendable {
  let code: RPCError.Code
  let reason: String?
  let domain: String?
  let fields: [String]
}
