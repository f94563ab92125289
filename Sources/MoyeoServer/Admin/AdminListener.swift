import GRPCServerTransport
import ServiceLifecycle
import Threading

/// Where the operator's calls are answered.
package struct AdminListener: Hashable, Sendable {
  package var host = "127.0.0.1"
  /// 0 picks a free port.
  package var port: Int
  /// Connections open at once; they are counted apart from those of the calls.
  package static let maximumConnections = 64
  /// The value of the label `transport` of its figures.
  static let metricsName = "admin"

  static func makeLimits() -> ConnectionLimits {
    ConnectionLimits(maximum: maximumConnections, maximumPerPeer: maximumConnections)
  }

  /// - Parameters:
  ///   - host: The address to listen on.
  ///   - port: 0 picks a free one.
  package init(host: String = "127.0.0.1", port: Int) {
    self.host = host
    self.port = port
  }
}

extension Daemon {
  /// The operator's listener, where one is wanted.
  func adminService(
    rooms: TenantRooms, pages: OperatorPages, requestMetrics: RequestMetrics,
    threadPool: BoundedThreadPool, limits: ConnectionLimits, ports: BoundPorts
  ) -> [any Service] {
    guard let listener = configuration.admin else { return [] }
    let calls = AdminCalls(
      rooms: rooms, serving: pages.serving, readiness: readiness, logLevel: logLevel,
      pool: threadPool, logger: logger)
    let frontend = AdminFrontend(
      rooms: rooms, pages: pages, calls: calls,
      page: AdminPage(
        directory: configuration.pageDirectory, isOpen: rooms.identity == nil),
      hosts: HostAllowList(bound: listener.host, names: configuration.hosts),
      requestMetrics: requestMetrics, logger: logger)
    return [
      httpService(
        at: (listener.host, listener.port), respond: frontend.respond,
        makeGate: frontend.makeGate, limits, TransportEvents()
      ) { port in
        await ports.set(admin: port)
        readiness.markReady("admin")
      }
    ]
  }
}
