import FareEstimation
import LiveLayers
import ObjectModel
import PeerMatching
import RideMatching
import RoutePlanning
import Testing

@testable import DurableCommands
@testable import Parties
@testable import Tickets

/// Who did not come to a party is penalised as a study mate: in the same commit, or not at all.
struct NoShowTests {
  /// Both services over one record, as the daemon has them.
  struct Both {
    let parties: PartyService
    let tickets: TicketService
    let commands: TenantCommands

    init(_ store: any AggregateStore, _ clock: ManualClock) throws {
      let layers = LayerRegistry(clock: clock, epoch: 7)
      var configuration = PartyServiceConfiguration()
      configuration.timerMilliseconds = 3_600_000
      commands = try configuration.makeCommands(store: store, clock: clock)
      var ticketConfiguration = TicketServiceConfiguration()
      ticketConfiguration.timerMilliseconds = 3_600_000
      tickets = try TicketService(
        layers: layers, commands: commands, configuration: ticketConfiguration)
      configuration.meetings = PartyMeetings(
        areBlocked: tickets.isBlocked, noShow: tickets.noShow,
        bannedUntil: tickets.bannedUntil)
      parties = try PartyService(
        layers: layers, store: store,
        fares: FareEstimator(library: PartyFixture.library, routes: EstimatedRouteProvider()),
        configuration: configuration, commands: commands)
      commands.start()
    }

    var dodges: Int { tickets.book.ticket("rider")?.conduct.dodges.count ?? 0 }

    /// A party at the moment of its departure, with a rider who is not there.
    func departingParty(_ clock: ManualClock) async throws -> String {
      let party = try await parties.create(
        PartyFixture.create("host", minutes: 30), PartyFixture.plain
      ).party
      _ = try await parties.join(
        partyID: party.id,
        JoinParty(riderID: "rider", destination: PartyFixture.gangnam), PartyFixture.plain)
      clock.advance(milliseconds: 31 * 60_000)
      return party.id
    }

    func remove(_ party: String, key: String? = nil) async throws -> Party {
      try await parties.removeRider(
        partyID: party, riderID: "rider", reason: .noShow, actorID: "host",
        PartyFixture.key(key)
      ).party
    }

    func riders(_ party: String) async throws -> [String] {
      try await parties.get(party, minVersion: nil).riders.map(\.id)
    }
  }

  @Test func anAbsentRiderIsPenalisedOnceHoweverOftenItIsSaid() async throws {
    let clock = ManualClock(PartyFixture.start)
    let store = SimulatedStore()
    let both = try Both(store, clock)
    defer { both.commands.stop() }
    let id = try await both.departingParty(clock)
    let commits = store.commits
    #expect(try await both.remove(id, key: "k").riders.map(\.id) == ["host"])
    // One transaction for both.
    #expect(store.commits == commits + 1)
    #expect(both.dodges == 1)
    #expect(try await both.remove(id, key: "k").riders.map(\.id) == ["host"])
    _ = try await both.remove(id)
    #expect(both.dodges == 1)
    // The events of both are in the feed, in one order.
    let events = try await both.commands.feed.events(
      after: 0, kinds: ["party.removed", "ticket.penalised"], aggregateID: nil, limit: 10
    ).events
    #expect(events.contains { $0.kind == "ticket.penalised" && $0.aggregateID == "rider" })
    #expect(events.map(\.sequence) == events.map(\.sequence).sorted())
    let penalised = try await both.tickets.events(after: 0, userID: "rider", limit: 10).events
    #expect(penalised.map(\.kind) == ["ticket.penalised"])
  }

  @Test(arguments: [
    SimulatedStore.Fault.crashWithEffect, .crashWithoutEffect, .unknownWithEffect,
    .unknownWithoutEffect,
  ])
  func aCrashKeepsTheRemovalAndItsCountTogether(fault: SimulatedStore.Fault) async throws {
    let clock = ManualClock(PartyFixture.start)
    let store = SimulatedStore()
    let first = try Both(store, clock)
    let id = try await first.departingParty(clock)
    store.fault = fault
    await #expect(throws: PartyServiceError.self) { _ = try await first.remove(id, key: "k") }
    first.commands.stop()
    store.restart()
    let second = try Both(store, clock)
    defer { second.commands.stop() }
    let isRemoved = try await second.riders(id) == ["host"]
    #expect(isRemoved == (fault == .crashWithEffect || fault == .unknownWithEffect))
    #expect(second.dodges == (isRemoved ? 1 : 0))
    // Said again under its key it is true, and counts once.
    #expect(try await second.remove(id, key: "k").riders.map(\.id) == ["host"])
    #expect(second.dodges == 1)
    #expect(second.tickets.book.ticket("rider")?.conduct.penaltyUntil != nil)
  }
}
