import GeoMath
import ObjectModel
import PeerMatching

@testable import DurableCommands
@testable import LiveLayers
@testable import Tickets
import TestSupport

/// A ticketService over a store, in Seoul.
struct TicketFixture {
  let layers: LayerRegistry
  let clock: ManualClock
  let store: any AggregateStore
  let commands: TenantCommands
  let service: TicketService

  static let start = Instant(milliseconds: 1_790_000_000_000)
  static let gangnam = Coordinate(uncheckedLatitude: 37.4979, longitude: 127.0276)

  init(
    store: any AggregateStore = MemoryStore(), clock: ManualClock = ManualClock(start),
    starts: Bool = true, _ change: (inout TicketServiceConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = TicketServiceConfiguration()
    // Timers are entered by hand.
    configuration.timerMilliseconds = 3_600_000
    change(&configuration)
    self.clock = clock
    self.store = store
    layers = LayerRegistry(clock: clock, epoch: 7)
    commands = try TenantCommands(
      tenant: "default", store: store, clock: clock, eventsInMemory: 1024,
      idempotencySecret: (1, 2))
    service = try TicketService(layers: layers, commands: commands, configuration: configuration)
    if starts { service.start() }
  }

  func stop() {
    service.stop()
    commands.stop()
  }

  @discardableResult
  func open(
    _ id: String, at place: Coordinate = gangnam, tags: [String] = [], key: String? = nil
  ) async throws -> TicketAnswer {
    try await service.carryOut(
      .open(userID: id, OpenTicket(here: place, tags: tags)),
      Self.context("/v1/tickets", key: key))
  }

  @discardableResult
  func propose(_ id: String, _ other: String, key: String? = nil) async throws -> TicketAnswer {
    try await service.carryOut(
      .propose(userID: id, otherID: other, matchID: service.makeMatchID(), matchesIfAsked: true),
      Self.context("/v1/tickets/\(id)/propose", key: key))
  }

  @discardableResult
  func accept(_ id: String, _ other: String) async throws -> TicketAnswer {
    try await service.carryOut(
      .accept(userID: id, otherID: other, matchID: service.makeMatchID()), Self.context())
  }

  static func context(_ path: String = "", key: String? = nil) -> CommandContext {
    CommandContext(path: path, idempotencyKey: key)
  }
}
