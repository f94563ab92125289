package import LiveLayers
package import Parties
package import Places
package import ServiceLifecycle
package import Tickets
import Threading

/// What a daemon serves of one tenant: its layers, its parties and tickets, its places, each an object
/// of its own.
package struct TenantParts: Sendable {
  package var layers: LayerRegistry
  package var parties: PartyService?
  package var tickets: TicketService?
  package var places: PlaceService?
  /// What runs beside them, such as the keeping of positions.
  package var services: [any Service]

  package init(
    layers: LayerRegistry, parties: PartyService? = nil, tickets: TicketService? = nil,
    places: PlaceService? = nil, services: [any Service] = []
  ) {
    self.layers = layers
    self.parties = parties
    self.tickets = tickets
    self.places = places
    self.services = services
  }
}

/// The calls of one tenant, bound to its parts: nothing of another tenant can be named here.
final class TenantRoom: Sendable {
  let operations: [Operation]
  let streamOperations: [StreamOperation]
  let raw: [RawRoute]
  let routes: RouteTable
  let batch: BatchReads
  let positions: PositionOperations
  let clusters: ClusterOperations
  let requestServices: RequestServices
  /// By the names of their calls.
  let streams: [String: StreamOperation]
  /// Run for as long as the daemon serves the tenant.
  let services: [any Service]
  private let operationsByPath: [String: Operation]

  init(
    operations: [Operation], streams: [StreamOperation], raw: [RawRoute],
    positions: PositionOperations, clusters: ClusterOperations, requestServices: RequestServices,
    maximumBatch: Int, threadPool: BoundedThreadPool, services: [any Service]
  ) {
    self.operations = operations
    streamOperations = streams
    self.raw = raw
    self.positions = positions
    self.clusters = clusters
    self.requestServices = requestServices
    self.services = services
    routes = RouteTable(operations, streams: streams, raw: raw)
    batch = BatchReads(routes: routes, maximumRequests: maximumBatch, pool: threadPool)
    self.streams = Dictionary(
      streams.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    operationsByPath = Dictionary(
      operations.map { ($0.grpcPath, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The call at a path of gRPC, e.g. `/moyeo.v1.PartyService/Join`.
  func operation(at path: String) -> Operation? { operationsByPath[path] }
}

extension Operation {
  /// E.g. `/moyeo.v1.PartyService/Join`.
  var grpcPath: String { "/\(service)/\(rpc)" }
}
