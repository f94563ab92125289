import GRPCCore
package import CallTracing
package import GRPCServerTransport
import Identity
package import Foundation
package import Logging
package import Threading
package import LiveLayers
package import FareEstimation
package import Parties
package import Tickets
package import Places
import NIOCore
package import RoutePlanning
package import NIOPosix
package import ServiceLifecycle

/// gRPC and HTTP/JSON over the same layers and parties, in one process.
package struct Daemon: Sendable {
  package struct Configuration: Sendable {
    package var host = "127.0.0.1"
    /// 0 picks a free port.
    package var httpPort = 8080
    /// 0 picks a free port.
    package var grpcPort = 50051
    /// Origins of other sites whose pages may call; `*` for all.
    package var corsOrigins: [String] = []
    /// Names under which the service may be asked over HTTP, beside those of loopback and `host`;
    /// `*` for all.
    package var hosts: [String] = []
    /// How long requests over HTTP may take to arrive.
    package var httpTimeLimits = HTTPTimeLimits()
    /// The map page's files; none is served without.
    package var pageDirectory: URL?
    /// Where Debian's libjs-leaflet lies.
    package var leafletDirectory: URL?
    /// The JavaScript client, which other pages load from `/moyeo.js`.
    package var clientModule: URL?
    /// Raster tiles under the map page: a URL with {z}, {x}, {y}.
    package var baseMapURL: String?
    package var baseMapAttribution: String?
    /// What the map page draws at street zoom where there are no other tiles; nil: nothing.
    package var roads: (any RoadMap)?
    /// Whether short gRPC calls are answered on the event loop, in front of the framework.
    package var usesFastPath = true
    /// Whether gRPC's reflection is served.
    package var reflects = true
    /// Whether short calls over HTTP/JSON are, in front of the framework.
    package var usesHTTPFastPath = true
    /// What connections and requests of all callers may take.
    package var connections = ConnectionSettings()
    /// What all ports greet with; `nil` for connections without TLS.
    package var certificates: ServerCertificates?
    package var streams = StreamSettings()
    package var sessions = SessionSettings()
    package var coalescing = CoalescingSettings()
    /// Threads of reads too long for an event loop; `nil` for half the cores. Parties match their
    /// batches elsewhere: one of those may last ten seconds, and a tile must not wait for it.
    package var heavyThreads: Int?
    /// Where the operator's calls are answered; nil: nowhere.
    package var admin: AdminListener?
    /// How long such reads should wait at most: while they wait longer, fewer may. Nil: as many as
    /// there is room for, however long they wait.
    package var heavyQueueDelay: QueueDelayLimit.Settings?
    /// What callers may ask in a second.
    package var rates = CallRates()
    /// Where it is kept who was shown whose position; nil: nowhere.
    package var disclosures: (any DisclosureLog)?
    /// Listeners that others serve, for `/metrics`.
    package var otherListeners: [OtherListener] = []
    /// Records calls for a collector; `nil` where none is told of them.
    package var spans: SpanRecorder?

    package init() {}
  }

  /// Where it listens.
  package struct Addresses: Sendable {
    package let host: String
    package let httpPort: Int
    package let grpcPort: Int
    /// Of the operator's calls.
    package var adminPort: Int?
  }

  package let configuration: Configuration
  package let layers: LayerRegistry
  package let shutdown: ShutdownSignal
  private let fares: FareEstimator?
  private let parties: PartyService?
  private let tickets: TicketService?
  private let places: PlaceService?
  private let doors: [any HTTPDoor]
  private let identity: IdentitySettings?
  let readiness: Readiness
  private let degradations: DegradationLog
  let eventLoopGroup: MultiThreadedEventLoopGroup
  let logger: Logger
  let logLevel: LogLevelControl
  private let writePositions: (@Sendable () throws -> Int)?
  private let erase: (@Sendable (_ userID: String) async throws -> ErasureReport)?
  private let metrics: PrometheusMetrics?
  private let onEbb: @Sendable () -> Void
  private let onListening: @Sendable (Addresses) async -> Void

  /// Puts the parts together; no port is bound yet.
  ///
  /// - Parameters:
  ///   - configuration: Addresses, limits and what the map page shows.
  ///   - layers: What positions are kept in.
  ///   - fares: Tariffs, areas and the route provider; its routes are planned with too. Without,
  ///     fare and route calls are unknown.
  ///   - parties: Loaded; started and stopped with the daemon. Without, calls on parties are
  ///     unknown.
  ///   - tickets: Loaded, on the pipeline of `parties`. Without, calls on tickets are unknown.
  ///   - places: Filled and kept in step by the daemon. Without, calls on places are unknown.
  ///   - doors: Apps that speak another dialect over HTTP; of the default tenant.
  ///   - identity: How callers are told apart; nil: they are not, and each may do everything.
  ///   - eventLoopGroup: Whose threads serve all connections.
  ///   - metrics: What `/metrics` shows; nil where none are gathered.
  ///   - readyAfter: Names of further parts that ``markReady(_:)`` will report.
  ///   - degradations: What fails while the daemon serves; shown by `/readyz` and `/metrics`.
  ///   - logLevel: Of all loggers; the operator changes it.
  ///   - writePositions: Writes the default tenant's positions now and returns their number; nil: they
  ///     are not kept.
  ///   - erase: Erases a person of the default tenant; nil: nothing is kept of anybody.
  ///   - logger: Where the daemon writes its own lines.
  ///   - onEbb: Called when a crowd of connections has gone, so that their memory can be given back.
  ///   - onListening: Called once both ports are bound.
  package init(
    configuration: Configuration, layers: LayerRegistry, fares: FareEstimator? = nil,
    parties: PartyService? = nil, tickets: TicketService? = nil, places: PlaceService? = nil,
    doors: [any HTTPDoor] = [], identity: IdentitySettings? = nil,
    eventLoopGroup: MultiThreadedEventLoopGroup,
    metrics: PrometheusMetrics?, readyAfter: Set<String> = [],
    degradations: DegradationLog? = nil, logLevel: LogLevelControl = LogLevelControl(),
    writePositions: (@Sendable () throws -> Int)? = nil,
    erase: (@Sendable (_ userID: String) async throws -> ErasureReport)? = nil, logger: Logger,
    onEbb: @escaping @Sendable () -> Void = {},
    onListening: @escaping @Sendable (Addresses) async -> Void = { _ in }
  ) {
    self.configuration = configuration
    self.layers = layers
    self.fares = fares
    self.parties = parties
    self.tickets = tickets
    self.places = places
    self.doors = doors
    self.identity = identity
    self.eventLoopGroup = eventLoopGroup
    self.metrics = metrics
    self.logger = logger
    self.logLevel = logLevel
    self.writePositions = writePositions
    self.erase = erase
    self.degradations = degradations ?? DegradationLog(logger: logger)
    self.onEbb = onEbb
    self.onListening = onListening
    shutdown = ShutdownSignal()
    readiness = Readiness(
      waitingFor: readyAfter.union(["http", "grpc"]).union(places == nil ? [] : ["places"])
        .union(configuration.admin == nil ? [] : ["admin"]))
  }

  /// Returns when all parts that must start first have started, or the task is cancelled.
  package func waitUntilReady() async { await readiness.wait() }

  package func markReady(_ part: String) { readiness.markReady(part) }

  /// Tells how to find why no new callers should come here for a while; nil: they may.
  package func findsBehind(_ find: @escaping @Sendable () -> String?) {
    readiness.findsBehind(find)
  }

  /// Tells those who wait for it if that has begun or ended; call it as often as you like.
  package func noteBehind() { readiness.noteBehind() }

  /// The services to run, in order of their start.
  package func services() -> [any Service] {
    let threadPool = BoundedThreadPool(
      threadCount: configuration.heavyThreads, queueDelay: configuration.heavyQueueDelay)
    let pump = StreamPump(
      settings: configuration.streams, shutdown: shutdown, clock: layers.clock)
    var requestMetrics = RequestMetrics(
      tenants: TenantLabels(openTenant: identity == nil ? Caller.defaultTenant : nil))
    requestMetrics.spans = configuration.spans
    requestMetrics.logger = logger
    let tenants = requestMetrics.tenants
    var parts = TenantParts(layers: layers, parties: parties, tickets: tickets, places: places)
    parts.writePositions = writePositions
    parts.erase = erase
    let standard = room(
      parts, threadPool, tenants, onFilled: { readiness.markReady("places") })
    let rooms = TenantRooms(
      standard: standard, identity: identity, clock: layers.clock, pool: threadPool, logger: logger
    ) { parts in room(parts, threadPool, tenants, onFilled: {}) }
    let throttle = SessionThrottle(settings: configuration.sessions)
    let ports = BoundPorts(
      host: configuration.host, hasAdmin: configuration.admin != nil, onListening: onListening)
    let grpc = GRPCFrontend(
      rooms: rooms, pump: pump,
      throttle: throttle, requestMetrics: requestMetrics, shutdown: shutdown,
      readiness: readiness, threadPool: threadPool, reflects: configuration.reflects)
    let limits = configuration.connections.makeLimits(onEbb: onEbb)
    let adminLimits = AdminListener.makeLimits()
    let httpEvents = TransportEvents()
    let (grpcServing, events) = grpcService(grpc, limits.grpc, ports)
    let pages = operatorPages(
      standard, rooms, tenants,
      ServingFigures(
        shared: standard.requestServices.shared, tileCache: standard.clusters.tileCache,
        throttle: throttle, pump: pump, rates: configuration.rates, threadPool: threadPool,
        connections: ConnectionFigures(
          grpc: limits.grpc, http: limits.http, events: events, httpEvents: httpEvents,
          certificates: configuration.certificates, others: otherListeners(adminLimits)),
        disclosures: configuration.disclosures, spans: configuration.spans))
    let http = HTTPFrontend(
      rooms: rooms, pump: pump, throttle: throttle, pages: pages,
      hosts: HostAllowList(bound: configuration.host, names: configuration.hosts),
      corsOrigins: configuration.corsOrigins, requestMetrics: requestMetrics,
      doors: doors, threadPool: threadPool, usesFastPath: configuration.usesHTTPFastPath,
      logger: logger)
    // Stopped in the opposite order: what parties have accepted is committed after the last call.
    let others: [any Service] = identity == nil ? [] : [TenantLifecycle(rooms: rooms)]
    let admin = adminService(
      rooms: rooms, pages: pages, requestMetrics: requestMetrics, threadPool: threadPool,
      limits: adminLimits, ports: ports)
    return standard.services + others + admin + [
      grpcServing, httpService(http, limits.http, httpEvents, ports),
      ShutdownAnnouncer(shutdown: shutdown),
    ]
  }

  private func operatorPages(
    _ standard: TenantRoom, _ rooms: TenantRooms, _ tenants: TenantLabels,
    _ serving: ServingFigures
  ) -> OperatorPages {
    let bounds = FieldBounds(limits: layers.limits)
    return OperatorPages(
      layers: layers,
      othersLayers: {
        rooms.served.filter { $0.name != Caller.defaultTenant }
          .filter { tenants.number(of: $0.name) != TenantLabels.others }
          .sorted { $0.name < $1.name }
          .map { ($0.name, $0.room.requestServices.layers) }
      },
      parties: parties, metrics: metrics, serving: serving,
      shutdown: shutdown, readiness: readiness, degradations: degradations,
      openAPI: DocumentOnDemand {
        OpenAPIPage.make(
          operations: standard.operations, streams: standard.streamOperations, raw: standard.raw,
          version: "1", bounds: bounds)
      },
      map: MapPage(
        directory: configuration.pageDirectory, leaflet: configuration.leafletDirectory,
        clientModule: configuration.clientModule, baseMapURL: configuration.baseMapURL,
        attribution: configuration.baseMapAttribution, hasRoads: configuration.roads != nil,
        isOpen: identity == nil))
  }

  /// Listeners beside those of the calls.
  private func otherListeners(_ adminLimits: ConnectionLimits) -> [OtherListener] {
    guard configuration.admin != nil else { return configuration.otherListeners }
    return configuration.otherListeners + [
      OtherListener(name: AdminListener.metricsName, limits: adminLimits, figures: { "" })
    ]
  }

  /// The calls of a tenant, and what runs for it.
  func room(
    _ parts: TenantParts, _ threadPool: BoundedThreadPool, _ tenants: TenantLabels,
    onFilled: @escaping @Sendable () -> Void
  ) -> TenantRoom {
    let services = RequestServices(
      layers: parts.layers,
      shared: SharedReads(
        settings: configuration.coalescing, threadPool: threadPool,
        turn: UInt64(bitPattern: Int64(parts.tenant.hashValue))))
    let positions = PositionOperations(services: services)
    let clusters = ClusterOperations(services: services, disclosures: configuration.disclosures)
    let partyCalls = parts.parties.map { partyService in
      PartyCalls(partyService: partyService, services: services, shutdown: shutdown)
    }
    let ticketCalls = parts.tickets.map { ticketService in
      TicketCalls(ticketService: ticketService, services: services, shutdown: shutdown)
    }
    let lifecycles: [any Service] =
      [LayerMaintenance(layers: parts.layers)]
      + (parts.parties.map { [PartyLifecycle(partyService: $0)] } ?? [])
      + (parts.tickets.map { [TicketLifecycle(ticketService: $0)] } ?? [])
      + (parts.places.map { [PlaceLifecycle(placeService: $0, onFilled: onFilled)] } ?? [])
    return TenantRoom(
      operations: positions.all + clusters.all + fareAndRouteOperations(services.validation)
        + (partyCalls?.operations ?? []) + (ticketCalls?.operations ?? [])
        + (parts.places.map { PlaceOperations(placeService: $0, services: services).all } ?? []),
      streams: [positions.watch, TileWatch(clusters: clusters).operation]
        + (partyCalls?.streams ?? []) + (ticketCalls?.streams ?? []),
      raw: TileRoutes(clusters: clusters).all + RoadTileRoutes(roads: configuration.roads).all,
      positions: positions, clusters: clusters,
      requestServices: services, maximumBatch: layers.limits.batchRequests,
      threadPool: threadPool, services: parts.services + lifecycles, parts: parts,
      rates: configuration.rates.tenant(parts.tenant),
      disclosures: configuration.disclosures, tenantNumber: tenants.number(of: parts.tenant))
  }

  private func fareAndRouteOperations(_ validation: RequestValidation) -> [Operation] {
    guard let fares else { return [] }
    let fareOperations = FareOperations(
      estimator: fares, clock: layers.clock, validation: validation)
    let routeOperations = RouteOperations(
      planner: RoutePlanner(provider: fares.routes), clock: layers.clock, validation: validation)
    return fareOperations.all + routeOperations.all
  }

  private func httpService(
    _ frontend: HTTPFrontend, _ limits: ConnectionLimits, _ events: TransportEvents,
    _ ports: BoundPorts
  ) -> any Service {
    httpService(
      at: (configuration.host, configuration.httpPort), respond: frontend.respond,
      makeGate: frontend.makeGate, limits, events
    ) { port in
      await ports.set(http: port)
      readiness.markReady("http")
    }
  }

  /// A listener for HTTP/1.1; nothing is bound before it runs.
  func httpService(
    at address: (host: String, port: Int), respond: @escaping HTTPListener.Respond,
    makeGate: @escaping @Sendable (HTTPDeadlines) -> HTTPRequestGate, _ limits: ConnectionLimits,
    _ events: TransportEvents, onListening: @escaping @Sendable (_ port: Int) async -> Void
  ) -> any Service {
    HTTPListener(
      host: address.host, port: address.port, respond: respond, makeGate: makeGate,
      timeLimits: configuration.httpTimeLimits, limits: limits,
      certificates: configuration.certificates, events: events, eventLoopGroup: eventLoopGroup,
      logger: logger, onListening: onListening)
  }

  private func grpcService(
    _ frontend: GRPCFrontend, _ limits: ConnectionLimits, _ ports: BoundPorts
  ) -> (service: GRPCService, events: TransportEvents) {
    var settings = GRPCFrontend.Transport.Settings()
    settings.host = configuration.host == "localhost" ? "127.0.0.1" : configuration.host
    settings.port = configuration.grpcPort
    configuration.connections.apply(to: &settings)
    settings.limits = limits
    settings.certificates = configuration.certificates
    settings.pool = frontend.threadPool
    settings.bypassHeader = GRPCFrontend.bypassHeader
    settings.refusal = { CallRefusal(APIError($0)) }
    settings.identifiers = frontend.requestMetrics.identifiers
    let router = frontend.makeRouter()
    settings.paths = Set(router.methods.map { "/\($0.fullyQualifiedMethod)" })
    settings.unaryPaths = frontend.unaryPaths()
    if configuration.usesFastPath { settings.fastPathMethods = frontend.fastPathMethods() }
    let transport = GRPCFrontend.Transport(
      settings: settings, eventLoopGroup: eventLoopGroup
    ) { port in
      await ports.set(grpc: port)
      readiness.markReady("grpc")
    }
    let service = GRPCService(
      server: GRPCServer(transport: transport, router: router), shutdown: shutdown)
    return (service, transport.events)
  }
}

/// Tells once all ports are known.
actor BoundPorts {
  private let host: String
  private let hasAdmin: Bool
  private let onListening: @Sendable (Daemon.Addresses) async -> Void
  private var http: Int?
  private var grpc: Int?
  private var admin: Int?

  init(
    host: String, hasAdmin: Bool,
    onListening: @escaping @Sendable (Daemon.Addresses) async -> Void
  ) {
    self.host = host
    self.hasAdmin = hasAdmin
    self.onListening = onListening
  }

  func set(http: Int) async {
    self.http = http
    await tell()
  }

  func set(grpc: Int) async {
    self.grpc = grpc
    await tell()
  }

  func set(admin: Int) async {
    self.admin = admin
    await tell()
  }

  private func tell() async {
    guard let http, let grpc, !hasAdmin || admin != nil else { return }
    await onListening(
      Daemon.Addresses(host: host, httpPort: http, grpcPort: grpc, adminPort: admin))
  }
}
