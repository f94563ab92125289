import GRPCCore
import Hummingbird
public import Foundation
public import Logging
public import MoyeoEngine
import NIOCore
import RoutePlanning
public import NIOPosix
public import ServiceLifecycle

/// gRPC and HTTP/JSON over one engine, in one process.
public struct Daemon: Sendable {
  public struct Configuration: Sendable {
    public var host = "127.0.0.1"
    /// 0 picks a free port.
    public var httpPort = 8080
    /// 0 picks a free port.
    public var grpcPort = 50051
    public var corsOrigins: [String] = []
    /// The map page's files; none is served without.
    public var pageDirectory: URL?
    /// Where Debian's libjs-leaflet lies.
    public var leafletDirectory: URL?
    /// Raster tiles under the map page: a URL with {z}, {x}, {y}.
    public var baseMapURL: String?
    public var baseMapAttribution: String?
    /// Whether hot gRPC calls are answered in front of the framework (see `HotLane`).
    public var usesHotLane = true
    /// Streams open at once on one connection.
    public var maximumStreamsPerConnection = 100
    public var streams = StreamSettings()
    public var sessions = SessionSettings()
    public var coalescing = CoalescingSettings()
    /// Threads of reads too long for an event loop; `nil` for half the cores. Parties match their
    /// batches elsewhere: one of those may last ten seconds, and a tile must not wait for it.
    public var heavyThreads: Int?

    public init() {}
  }

  /// Where it listens.
  public struct Addresses: Sendable {
    public let host: String
    public let httpPort: Int
    public let grpcPort: Int
  }

  public let configuration: Configuration
  public let engine: Engine
  public let shutdown: ShutdownSignal
  private let fares: FareEstimator?
  private let parties: PartyDesk?
  private let readiness: Readiness
  private let eventLoopGroup: MultiThreadedEventLoopGroup
  private let logger: Logger
  private let metrics: PrometheusMetrics?
  private let onListening: @Sendable (Addresses) async -> Void

  /// - Parameters:
  ///   - fares: Tariffs, areas and the route provider; its routes are planned with too. Without, fare and route
  ///     calls are unknown.
  ///   - parties: Loaded; started and stopped with the daemon. Without, calls on parties are unknown.
  ///   - readyAfter: Names of further parts that ``markReady(_:)`` will report.
  ///   - onListening: Called once both ports are bound.
  public init(
    configuration: Configuration, engine: Engine, fares: FareEstimator? = nil,
    parties: PartyDesk? = nil, eventLoopGroup: MultiThreadedEventLoopGroup,
    metrics: PrometheusMetrics?, readyAfter: Set<String> = [], logger: Logger,
    onListening: @escaping @Sendable (Addresses) async -> Void = { _ in }
  ) {
    self.configuration = configuration
    self.engine = engine
    self.fares = fares
    self.parties = parties
    self.eventLoopGroup = eventLoopGroup
    self.metrics = metrics
    self.logger = logger
    self.onListening = onListening
    shutdown = ShutdownSignal()
    readiness = Readiness(waitingFor: readyAfter.union(["http", "grpc"]))
  }

  public func markReady(_ part: String) { readiness.markReady(part) }

  /// The services to run, in order of their start.
  public func services() -> [any Service] {
    let heavyWork = HeavyWork(threadCount: configuration.heavyThreads)
    let positions = PositionOperations(
      engine: engine,
      shared: SharedReads(settings: configuration.coalescing, heavyWork: heavyWork))
    let clusters = ClusterOperations(engine: engine, positions: positions, heavyWork: heavyWork)
    let clusterStreams = [positions.watch, TileWatch(clusters: clusters).operation]
    let pump = StreamPump(settings: configuration.streams, shutdown: shutdown)
    let partyCalls = parties.map { desk in
      PartyCalls(
        desk: desk, clock: engine.clock, validation: positions.validation,
        shared: positions.shared, shutdown: shutdown)
    }
    let streams = clusterStreams + (partyCalls?.streams ?? [])
    let operations =
      positions.all + clusters.all + fareAndRouteOperations(positions.validation)
      + (partyCalls?.operations ?? [])
    let tiles = TileRoutes(clusters: clusters).all
    let throttle = SessionThrottle(settings: configuration.sessions)
    let requestMetrics = RequestMetrics()
    let ports = BoundPorts(host: configuration.host, onListening: onListening)
    let pages = OperatorPages(
      engine: engine, parties: parties, metrics: metrics,
      serving: ServingFigures(
        shared: positions.shared, tileCache: clusters.tileCache, throttle: throttle, pump: pump),
      shutdown: shutdown, readiness: readiness,
      openAPI: OpenAPIPage.make(
        operations: operations, streams: streams, raw: tiles, version: "1"),
      map: MapPage(
        directory: configuration.pageDirectory, leaflet: configuration.leafletDirectory,
        baseMapURL: configuration.baseMapURL, attribution: configuration.baseMapAttribution))
    let http = HTTPFrontend(
      operations: operations, streams: streams, raw: tiles,
      pump: pump, throttle: throttle, pages: pages, corsOrigins: configuration.corsOrigins,
      requestMetrics: requestMetrics, maximumBatch: engine.limits.batchRequests, logger: logger)
    let grpc = GRPCFrontend(
      operations: operations, positions: positions, streams: streams, pump: pump,
      throttle: throttle, requestMetrics: requestMetrics, shutdown: shutdown)
    // Stopped in the opposite order: what parties have accepted is committed after the last call.
    let first: [any Service] =
      [EngineMaintenance(engine: engine)] + (parties.map { [PartyDeskService(desk: $0)] } ?? [])
    return first + [
      grpcService(grpc, ports), httpService(http, ports), ShutdownAnnouncer(shutdown: shutdown),
    ]
  }

  private func fareAndRouteOperations(_ validation: RequestValidation) -> [Operation] {
    guard let fares else { return [] }
    let fareOperations = FareOperations(
      estimator: fares, clock: engine.clock, validation: validation)
    let routeOperations = RouteOperations(
      planner: RoutePlanner(provider: fares.routes), clock: engine.clock, validation: validation)
    return fareOperations.all + routeOperations.all
  }

  private func httpService(_ frontend: HTTPFrontend, _ ports: BoundPorts) -> any Service {
    let responder = CallbackResponder<ConnectionContext> { request, context in
      await frontend.respond(to: request, context: context)
    }
    let server = Application(
      responder: responder,
      // A connection that sends nothing, or half a request and no more, is closed.
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [ContinueHandler()], idleTimeout: .seconds(60))),
      configuration: .init(
        address: .hostname(configuration.host, port: configuration.httpPort),
        serverName: "moyeo"),
      onServerRunning: { channel in
        await ports.set(http: channel.localAddress?.port ?? 0)
        readiness.markReady("http")
      },
      eventLoopGroupProvider: .shared(eventLoopGroup), logger: logger)
    return HTTPService(server: server, executor: EventLoopExecutor(eventLoopGroup))
  }

  private func grpcService(_ frontend: GRPCFrontend, _ ports: BoundPorts) -> any Service {
    var settings = GRPCTransport.Settings()
    settings.host = configuration.host == "localhost" ? "127.0.0.1" : configuration.host
    settings.port = configuration.grpcPort
    settings.maximumStreamsPerConnection = configuration.maximumStreamsPerConnection
    let router = frontend.makeRouter()
    settings.calls.paths = Set(router.methods.map { "/\($0.fullyQualifiedMethod)" })
    settings.calls.unaryPaths = frontend.unaryPaths()
    if configuration.usesHotLane { settings.hotMethods = frontend.hotMethods() }
    let transport = GRPCTransport(
      settings: settings, eventLoopGroup: eventLoopGroup, shutdown: shutdown
    ) { port in
      await ports.set(grpc: port)
      readiness.markReady("grpc")
    }
    return GRPCService(
      server: GRPCServer(transport: transport, router: router))
  }
}

/// Tells once both ports are known.
private actor BoundPorts {
  private let host: String
  private let onListening: @Sendable (Daemon.Addresses) async -> Void
  private var http: Int?
  private var grpc: Int?

  init(host: String, onListening: @escaping @Sendable (Daemon.Addresses) async -> Void) {
    self.host = host
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

  private func tell() async {
    guard let http, let grpc else { return }
    await onListening(Daemon.Addresses(host: host, httpPort: http, grpcPort: grpc))
  }
}
