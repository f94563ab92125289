import Identity
package import LiveLayers
package import Parties
package import Places
package import ServiceLifecycle
package import Tickets
import Threading

/// What a daemon serves of one tenant: its layers, its parties and tickets, its places, each an object
/// of its own.
package struct TenantParts: Sendable {
  /// Whose they are; the daemon says so.
  var tenant = Caller.defaultTenant
  package var layers: LayerRegistry
  package var parties: PartyService?
  package var tickets: TicketService?
  package var places: PlaceService?
  /// What runs beside them, such as the keeping of positions.
  package var services: [any Service]
  /// Writes the positions that are not written yet and returns their number; it blocks. Nil: none are
  /// kept.
  package var writePositions: (@Sendable () throws -> Int)?
  /// Erases a person from memory and all files. Nil: nothing is kept.
  package var erase: (@Sendable (_ userID: String) async throws -> ErasureReport)?

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
  /// What the calls are bound to; for the operator's.
  let parts: TenantParts
  /// What callers may ask in a second; nil: as much as they like.
  let rates: TenantRates?
  /// Its number in the metrics (``TenantLabels``).
  let tenantNumber: Int
  private let operationsByPath: [String: Operation]

  init(
    operations: [Operation], streams: [StreamOperation], raw: [RawRoute],
    positions: PositionOperations, clusters: ClusterOperations, requestServices: RequestServices,
    maximumBatch: Int, threadPool: BoundedThreadPool, services: [any Service],
    parts: TenantParts, rates: TenantRates? = nil, disclosures: (any DisclosureLog)? = nil,
    tenantNumber: Int = TenantLabels.unknown
  ) {
    self.tenantNumber = tenantNumber
    // Whatever the wire, a call is found here: so this is where it is counted.
    // What is refused there shows nothing, so that answers are noted inside.
    var operations = operations
    var streams = streams
    if let disclosures {
      operations = operations.map { $0.noted(in: disclosures) }
      streams = streams.map { $0.noted(in: disclosures) }
    }
    if let rates {
      operations = operations.map { $0.charged(by: rates) }
      streams = streams.map { $0.charged(by: rates) }
    }
    let raw = raw.map { route in
      var route = route
      route.rates = rates
      return route
    }
    self.rates = rates
    self.operations = operations
    streamOperations = streams
    self.raw = raw
    self.positions = positions
    self.clusters = clusters
    self.requestServices = requestServices
    self.services = services
    self.parts = parts
    routes = RouteTable(operations, streams: streams, raw: raw)
    batch = BatchReads(
      routes: routes, maximumRequests: maximumBatch, pool: threadPool, rates: rates)
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
