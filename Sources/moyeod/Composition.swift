import CallTracing
import CitySimulation
import Foundation
import GRPCServerTransport
import Identity
import Logging
import Metrics
import Threading
import LiveLayers
import FareEstimation
import MoyeoServer
import MoyeoStorage
import NIOPosix
import ObjectModel
import Parties
import Places
import RESPServer
import RoutePlanning
import ServiceLifecycle
import TaxiFares
import Tickets
import Tracing
import UnixSignals

/// Puts the daemon together and runs it.
struct Composition {
  let settings: Settings
  var logLevel = LogLevelControl()
  /// Whether a secret of idempotency keys that does not serve the record is set aside.
  var forgetsKeys = false

  func run() async throws {
    let logger = Logger(label: "moyeod")
    // Whatever is written from here on is for this user alone.
    umask(0o077)
    let certificates = try settings.tls.certificates()
    let signals = ProcessSignals(certificates: certificates, logger: logger)
    defer { withExtendedLifetime(signals) {} }
    let descriptors = try DescriptorLimit.require(eventLoops: settings.threads)
    try PortCheck.require(
      host: settings.daemon.host,
      ports: [
        ("http.port", "--http-port", settings.daemon.httpPort),
        ("grpc.port", "--grpc-port", settings.daemon.grpcPort),
        ("resp.port", "--resp-port", settings.redisDoor?.port ?? 0),
      ])
    if let admin = settings.daemon.admin {
      try PortCheck.require(
        host: admin.host, ports: [("admin.port", "--admin-port", admin.port)])
    }
    let degradations = DegradationLog(parts: DataDirectory.parts, logger: logger)
    let metrics = PrometheusMetrics()
    MetricsSystem.bootstrap(metrics)
    let spans = startTracing()
    let city = try demoCity()
    if settings.resources == nil {
      logger.warning("no shipped files found: the map page is off", metadata: [:])
    }
    var limits = settings.limits
    limits.objectsPerLayer = AddressSpaceLimit.objectsPerLayer(
      limits.objectsPerLayer, logger: logger)
    let authenticator = try await settings.auth.makeAuthenticator(
      dataDirectory: settings.dataDirectory, logger: logger)
    let layerConfiguration = LayerRegistryConfiguration(
      limits: limits, rankKey: try clusterKey(logger: logger),
      layerSettings: settings.layerSettings)
    var ownConfiguration = layerConfiguration
    ownConfiguration.limits = settings.tenantLimits(limits, Caller.defaultTenant)
    let layers = LayerRegistry(
      configuration: ownConfiguration,
      clock: SystemClock(), epoch: UInt32.random(in: 1 ... .max))
    let routes: any RouteProvider
    do {
      routes = try settings.routes.makeProvider(clock: layers.clock)
    } catch {
      throw StartFailure.usage("\(error)")
    }
    let library = try tariffs()
    logger.info(
      "tariffs loaded",
      metadata: [
        "tariffs": "\(library.catalog.tariffs.count)", "areas": "\(library.areas.areas.count)",
      ])
    let fares = FareEstimator(library: library, routes: routes)
    let data = DataDirectory(
      path: settings.dataDirectory, degradations: degradations, logger: logger,
      forgetsKeys: forgetsKeys)
    let record = try settings.parties.map { try openRecord($0, data, layers, fares) }
    defer { record?.store.close() }
    // A record's file has locked the directory; without one it is locked here.
    let keepsFiles = record != nil || settings.keepsPositions
    let lock = record?.file == nil && keepsFiles ? try data.lock() : nil
    defer { withExtendedLifetime(lock) {} }
    let positions =
      settings.keepsPositions
      ? data.openPositions(layers: layers, seconds: settings.writeBehindSeconds) : nil
    if let city { try DemoPlaces.fill(layers, from: city) }
    let places = settings.places.makeService(layers: layers)
    let webhooks = try record.map { _ in
      try WebhookParts(
        settings.webhooks, dataDirectory: settings.dataDirectory, clock: layers.clock,
        logger: logger)
    }
    let disclosures = try disclosures(clock: layers.clock, degradations)
    let erasures =
      (record == nil && positions == nil && disclosures == nil) || settings.cluster.postgres != nil
      ? nil
      : ErasureFiles(
        directory: settings.dataDirectory, store: record?.file, archive: positions?.archive,
        webhooks: webhooks, disclosures: disclosures?.files)
    let tenants = TenantOpening(
      settings: settings, configuration: layerConfiguration, fares: fares, data: data,
      store: record?.store, archive: positions?.archive,
      idempotencySecret: record?.idempotencySecret, webhooks: webhooks, erasures: erasures,
      erased: record?.erased ?? [:])
    let group = MultiThreadedEventLoopGroup(numberOfThreads: settings.threads)
    // A moment later: what the connections held is let go of after they have closed.
    let memory = MaintenanceThread(
      name: "moyeo-memory", gatheringMilliseconds: 1000, work: AllocatorSettings.giveBack)
    memory.start()
    let redisDoor = makeRedisDoor(certificates, authenticator, layers: layers, group: group)
    var daemonSettings = settings.daemon
    daemonSettings.certificates = certificates
    daemonSettings.disclosures = disclosures
    daemonSettings.spans = spans
    daemonSettings.roads = try roadMap()
    if let redisDoor { leaveRoom(for: redisDoor, of: descriptors, in: &daemonSettings) }
    var writePositions: (@Sendable () throws -> Int)?
    if let keeper = positions?.keeper { writePositions = { try keeper.writeRound() } }
    let daemon = Daemon(
      configuration: daemonSettings,
      layers: layers,
      fares: fares, parties: record?.partyService, tickets: record?.ticketService, places: places,
      doors: settings.adapters.makeDoors(
        authenticator: authenticator, layers: layers, fares: fares, parties: record?.partyService,
        tickets: record?.ticketService, places: places),
      identity: authenticator.map { identity($0, tenants) },
      eventLoopGroup: group, metrics: metrics, readyAfter: waitsFor(city, record),
      degradations: degradations, logLevel: logLevel,
      writePositions: writePositions,
      erase: erasures.map {
        eraser($0, layers: layers, record: record, keeper: positions?.keeper)
      } ?? tenants.erasureRefusal,
      logger: logger,
      onEbb: { memory.signal() },
      onListening: { addresses in announce(addresses, logger) })
    let parts = ServedParts(
      daemon: daemon, layers: layers, city: city, record: record, positions: positions,
      webhooks: webhooks, authenticator: authenticator, certificates: certificates,
      redisDoor: redisDoor, disclosures: disclosures, degradations: degradations, spans: spans)
    logger.debug("descriptors", metadata: ["limit": "\(descriptors)"])
    try await serve(services(of: parts, logger: logger), logger: logger)
    logger.info("stopped")
  }

  /// Has calls recorded where a collector is named, and what they ask of others as well: before any
  /// client is made.
  private func startTracing() -> SpanRecorder? {
    guard settings.tracing.tracesURL != nil else { return nil }
    let spans = SpanRecorder(settings: settings.tracing.spans, identifiers: CallIdentifiers())
    InstrumentationSystem.bootstrap(CallTracer(spans: spans))
    return spans
  }

  private func openRecord(
    _ configuration: PartyServiceConfiguration, _ data: DataDirectory, _ layers: LayerRegistry,
    _ fares: FareEstimator
  ) throws -> OpenRecord {
    let tickets = settings.tickets.map { $0.keyed(layers.configuration.rankKey) }
    let threadPool = BoundedThreadPool(threadCount: settings.daemon.heavyThreads)
    guard let postgres = settings.cluster.postgres else {
      return try data.openRecord(
        configuration, tickets: tickets, layers: layers, fares: fares, threadPool: threadPool)
    }
    return try data.openSharedRecord(
      postgres, configuration, tickets: tickets, layers: layers, fares: fares,
      threadPool: threadPool)
  }

  /// Erases people of the default tenant.
  private func eraser(
    _ files: ErasureFiles, layers: LayerRegistry, record: OpenRecord?, keeper: PositionWriteBehind?
  ) -> @Sendable (_ userID: String) async throws -> ErasureReport {
    let eraser = PersonEraser(
      tenant: Caller.defaultTenant, layers: layers, parties: record?.partyService,
      tickets: record?.ticketService, keeper: keeper, files: files)
    return { try await eraser.erase($0) }
  }

  /// The log of who was shown whose position, where one is kept.
  private func disclosures(
    clock: any WallClock, _ degradations: DegradationLog
  ) throws -> KeptDisclosures? {
    guard let kept = settings.disclosures else { return nil }
    do throws(StorageError) {
      let files = try DisclosureFiles(
        directory: settings.dataDirectory, settings: kept, clock: clock
      ) { trouble in degradations.set(DataDirectory.disclosuresPart, trouble) }
      return KeptDisclosures(files: files, clock: clock)
    } catch {
      throw StartFailure.failed("\(error)")
    }
  }

  /// The port for clients of Redis, where there is one; nothing listens yet.
  private func makeRedisDoor(
    _ certificates: ServerCertificates?, _ authenticator: Authenticator?, layers: LayerRegistry,
    group: MultiThreadedEventLoopGroup
  ) -> RedisDoor? {
    guard var configuration = settings.redisDoor else { return nil }
    configuration.certificates = certificates
    configuration.authenticate = authenticator.map {
      RedisDoorSettings.authentication($0, clock: layers.clock)
    }
    configuration.charge = RedisDoorSettings.charge(settings.daemon.rates)
    return RedisDoor(
      configuration: configuration, layers: layers, heavyThreads: settings.daemon.heavyThreads,
      group: group)
  }

  /// Leaves descriptors to the connections of the door, and shows its figures.
  private func leaveRoom(
    for door: RedisDoor, of descriptors: Int, in daemon: inout Daemon.Configuration
  ) {
    let possible = descriptors - 128 - door.limits.maximum
    daemon.connections.maximum = max(2, min(daemon.connections.maximum ?? 10_000, possible))
    daemon.otherListeners = [
      OtherListener(name: "resp", limits: door.limits, figures: door.figures)
    ]
  }

  private func identity(
    _ authenticator: Authenticator, _ tenants: TenantOpening
  ) -> IdentitySettings {
    var out = IdentitySettings(verifier: authenticator, openTenant: tenants.open)
    out.maximumTenants = settings.auth.maximumTenants
    out.tenantsAtStart = tenants.kept()
    out.keys = { authenticator.keyRecords }
    return out
  }

  /// The key that ranks the objects of clusters. Without its file the daemon starts all the same:
  /// only the ids of clusters are others then.
  private func clusterKey(logger: Logger) throws -> HashKey {
    let secret: ClusterSecret
    do throws(StorageError) {
      secret = try ClusterSecret.loadOrMake(directory: settings.dataDirectory)
    } catch {
      throw StartFailure.failed("\(error)")
    }
    if let path = secret.unreadablePath {
      logger.warning(
        "the key of cluster ids cannot be read: they differ from those of the last start",
        metadata: ["file": "\(path)"])
    }
    return secret.key
  }

  private func announce(_ addresses: Daemon.Addresses, _ logger: Logger) {
    let host = addresses.host.contains(":") ? "[\(addresses.host)]" : addresses.host
    let scheme = settings.tls.files == nil ? "http" : "https"
    logger.info(
      "serving",
      metadata: [
        "http": "\(scheme)://\(host):\(addresses.httpPort)",
        "grpc": "\(host):\(addresses.grpcPort)", "tls": "\(settings.tls.words)",
        "httpPort": "\(addresses.httpPort)", "grpcPort": "\(addresses.grpcPort)",
      ].merging(adminMetadata(addresses, scheme)) { first, _ in first })
    guard settings.demoCity != nil else { return }
    print(
      """

      Moyeo is running.
        map    \(scheme)://\(host):\(addresses.httpPort)/\(openModeText)
        HTTP   \(scheme)://\(host):\(addresses.httpPort)/v1   (reference: /openapi.json)
        gRPC   \(host):\(addresses.grpcPort)

      Who studies Swift near City Hall? Paste into another terminal:
        curl '\(scheme)://\(host):\(addresses.httpPort)/v1/layers/users/nearby?latitude=37.5663&longitude=126.9779&tags=swift&limit=3'
        .build/release/moyeo nearby --url \(scheme)://\(host):\(addresses.httpPort) --layer users --at 37.5663,126.9779 --tags swift --limit 3

      Ctrl-C stops it.

      """)
    // Standard output may be a file or pipe.
    fflush(nil)
  }

  private func adminMetadata(
    _ addresses: Daemon.Addresses, _ scheme: String
  ) -> Logger.Metadata {
    guard let port = addresses.adminPort, let listener = settings.daemon.admin else { return [:] }
    let host = listener.host.contains(":") ? "[\(listener.host)]" : listener.host
    return ["admin": "\(scheme)://\(host):\(port)", "adminPort": "\(port)"]
  }

  private var openModeText: String {
    settings.auth.mode == .open ? "   (open mode: everybody here may do everything)" : ""
  }

  private func roadMap() throws -> (any RoadMap)? {
    do {
      return try settings.routes.makeRoadMap()
    } catch {
      throw StartFailure.usage("\(error)")
    }
  }

  /// Shipped tariffs and areas, then the operator's own.
  func tariffs() throws -> TariffLibrary {
    var tariffDirectories = settings.tariffDirectories
    var areaDirectories = settings.areaDirectories
    if let resources = settings.resources {
      tariffDirectories.insert(resources.appendingPathComponent("data/tariffs").path, at: 0)
      areaDirectories.insert(resources.appendingPathComponent("data/areas").path, at: 0)
    }
    do {
      return try TariffLibrary.load(
        tariffDirectories: tariffDirectories, areaDirectories: areaDirectories)
    } catch {
      throw StartFailure.usage("the tariffs cannot be used:\n\(error)")
    }
  }

  func demoCity() throws -> City? {
    guard let name = settings.demoCity else { return nil }
    guard name == "seoul" else {
      throw StartFailure.usage("--demo: there is no city \"\(name)\"; seoul is the one there is")
    }
    guard let resources = settings.resources else {
      throw StartFailure.failed("--demo needs data/seoul-hotspots.csv: give --resources")
    }
    do {
      let table = try String(
        contentsOf: resources.appendingPathComponent("data/seoul-hotspots.csv"), encoding: .utf8)
      return try City(name: name, utcOffsetSeconds: City.seoulOffsetSeconds, table: table)
    } catch {
      throw StartFailure.failed("data/seoul-hotspots.csv: \(error)")
    }
  }

  func explain(_ error: any Error) -> String {
    let text = "\(error)"
    if text.contains("Address already in use") || text.contains("EADDRINUSE")
      || text.contains("errno: 98")
    {
      return "a port is taken (http \(settings.daemon.httpPort), grpc \(settings.daemon.grpcPort)):"
        + " stop the other program or give --http-port and --grpc-port"
    }
    return text
  }
}
