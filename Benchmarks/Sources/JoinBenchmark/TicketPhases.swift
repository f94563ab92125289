import DurableCommands
import Foundation
import LiveLayers
import MoyeoStorage
import ObjectModel
import PeerMatching
import Synchronization
import Tickets

/// Study mates through the ticket service and its record: everybody opens a ticket, the daemon starts
/// anew, one of two asks the other, the other one accepts. Clients ask in a closed loop.
struct TicketPhases {
  let count: Int
  let clients: Int
  let directory: String

  /// The service over the record, as the daemon composes it.
  private struct Mates {
    let store: SQLiteStore
    let commands: TenantCommands
    let service: TicketService

    init(_ directory: String) throws {
      store = try SQLiteStore(directory: directory)
      let clock = SystemClock()
      commands = try TenantCommands(
        tenant: "default", store: store, clock: clock, eventsInMemory: 100_000,
        idempotencySecret: (1, 2))
      service = try TicketService(
        layers: LayerRegistry(clock: clock, epoch: 1), commands: commands)
    }

    func stop() {
      service.stop()
      commands.stop()
      store.close()
    }
  }

  func run() async throws {
    print("tickets     a second     p50     p99     max ms   a batch")
    var mates = try Mates(directory)
    mates.service.start()
    try await phase("open", count, mates) { i in
      .open(
        userID: "mate-\(i)",
        OpenTicket(here: JoinedCity.place(i), tags: ["topic\(i % 40)", "topic\(i % 7)"]))
    }
    mates.stop()
    var clock = Stopwatch()
    mates = try Mates(directory)
    print("a start with \(mates.service.waitingCount) people who wait: \(clock.lap()) s")
    mates.service.start()
    defer { mates.stop() }
    let service = mates.service
    try await phase("propose", count / 2, mates) { i in
      .propose(
        userID: "mate-\(2 * i)", otherID: "mate-\(2 * i + 1)", matchID: service.makeMatchID(),
        matchesIfAsked: true)
    }
    try await phase("accept", count / 2, mates) { i in
      .accept(
        userID: "mate-\(2 * i + 1)", otherID: "mate-\(2 * i)", matchID: service.makeMatchID())
    }
    print("\(service.waitingCount) people still wait")
  }

  private func phase(
    _ name: String, _ count: Int, _ mates: Mates,
    _ make: @escaping @Sendable (Int) -> TicketCommand
  ) async throws {
    let turn = Turn()
    let service = mates.service
    let before = service.commitStatistics
    let start = ContinuousClock.now
    let waits = try await withThrowingTaskGroup(of: [Double].self) { group in
      for _ in 0..<clients {
        group.addTask {
          var waits: [Double] = []
          while true {
            let i = turn.take()
            guard i < count else { return waits }
            let began = ContinuousClock.now
            let context = CommandContext(
              caller: "bench", path: "/v1/tickets", idempotencyKey: "\(name)-\(i)", requestHash: 1)
            _ = try await service.carryOut(make(i), context)
            waits.append((ContinuousClock.now - began) / .milliseconds(1))
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }.sorted()
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let after = service.commitStatistics
    func wait(_ share: Double) -> String {
      String(format: "%.2f", waits[min(waits.count - 1, Int(Double(waits.count) * share))])
        .padded(7)
    }
    let batch = Double(after.commands - before.commands) / Double(after.batches - before.batches)
    print(
      name.padding(toLength: 8, withPad: " ", startingAt: 0),
      "\(Int(Double(count) / seconds))".padded(13), wait(0.5), wait(0.99), wait(1).padded(10),
      String(format: "%.1f", batch).padded(9))
  }
}

/// Numbers given out to clients, each once.
private final class Turn: Sendable {
  private let next = Atomic<Int>(0)

  func take() -> Int { next.wrappingAdd(1, ordering: .relaxed).oldValue }
}
