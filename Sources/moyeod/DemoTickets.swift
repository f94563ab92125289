import CitySimulation
import DurableCommands
import GeoMath
import Logging
import ObjectModel
import PeerMatching
import ServiceLifecycle
import Tickets

/// Keeps people of the demo city waiting for a study mate: they accept visitors who ask them, and
/// now and then ask one. All through ``TicketService``, as callers would.
struct DemoTickets: Service {
  let ticketService: TicketService
  let clock: any WallClock
  let city: City
  let users: Int
  let tickets: Int
  let seed: UInt64
  let logger: Logger
  let onLoaded: @Sendable () -> Void

  private static let stepInterval = Duration.milliseconds(500)
  private static let openedAtATime = 64
  /// Signs of life a step: about two thirds of three hundred are online.
  private static let heartbeatsAStep = 2
  private static let context = CommandContext(caller: "demo")

  private struct Person: Sendable {
    var user: CityUser
    var here: Coordinate
    var id: String { user.id }
  }

  func run() async throws {
    let simulation = CitySimulation(city: city, users: users, seed: seed, start: clock.now())
    // From the end, so that hosts of parties are others.
    let people = (0..<min(tickets, users)).map { i in
      let index = users - 1 - i
      return Person(
        user: simulation.user(at: index),
        here: simulation.position(of: index, at: clock.now()))
    }
    try? await cancelWhenGracefulShutdown {
      for start in stride(from: 0, to: people.count, by: Self.openedAtATime) {
        try Task.checkCancellation()
        await withTaskGroup(of: Void.self) { group in
          for person in people[start..<min(people.count, start + Self.openedAtATime)] {
            group.addTask { await open(person) }
          }
        }
      }
      logger.info("demo people wait", metadata: ["tickets": "\(people.count)"])
      onLoaded()
      let own = Set(people.map(\.id))
      var draws = SplitMix64(seed: seed)
      // A service that returns ends the daemon, so that with nobody waiting this one sleeps on.
      while !Task.isCancelled {
        try await Task.sleep(for: Self.stepInterval)
        if !people.isEmpty { await step(people, own, &draws) }
      }
    }
    onLoaded()
  }

  private func step(
    _ people: [Person], _ own: Set<String>, _ draws: inout SplitMix64
  ) async {
    for _ in 0..<Self.heartbeatsAStep {
      ticketService.noteSignOfLife(people[draws.below(people.count)].id)
    }
    for person in people {
      guard let answer = try? ticketService.peek(person.id) else { continue }
      switch answer.ticket.state {
      case .open:
        guard let visitor = answer.askedBy.first(where: { !own.contains($0) }) else { continue }
        await carryOut(
          .accept(
            userID: person.id, otherID: visitor, matchID: ticketService.makeMatchID()))
      case .matched: continue
      case .closed, .expired: await open(person)
      }
    }
    await ask(people[draws.below(people.count)], own)
  }

  /// Asks a visitor around, if there is one.
  private func ask(_ person: Person, _ own: Set<String>) async {
    var query = TicketSearchQuery(userID: person.id)
    query.limit = 50
    query.tags = [TicketIndex.anything]
    guard
      let visitor = (try? ticketService.search(query))?.around.first(where: {
        !own.contains($0.ticket.userID) && !$0.isAsked
      })
    else { return }
    await carryOut(
      .propose(
        userID: person.id, otherID: visitor.ticket.userID,
        matchID: ticketService.makeMatchID(), matchesIfAsked: true))
  }

  private func open(_ person: Person) async {
    await carryOut(
      .open(
        userID: person.id,
        OpenTicket(
          here: person.here, tags: Array(person.user.tags.prefix(3)),
          attributes: ["gender": person.user.gender.rawValue])))
  }

  /// Refusals are part of life: someone was quicker.
  private func carryOut(_ command: TicketCommand) async {
    _ = try? await ticketService.carryOut(command, Self.context)
  }
}
