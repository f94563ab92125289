import ObjectModel
import PeerMatching
import RideMatching
import Testing

@testable import DurableCommands
@testable import Parties
@testable import Tickets
import TestSupport

/// What operators do, over both services and one record.
struct OperatorCommandTests {
  private static let context = CommandContext(caller: "admin:olga", path: "/v1/admin")

  private static func note(_ action: OperatorNote.Action) -> OperatorNote {
    OperatorNote(action, actor: "olga", reason: "complaints")
  }

  @Test func anOperatorsBanHoldsForRidesAndEndsByTheClock() async throws {
    let clock = ManualClock(PartyFixture.start)
    let both = try NoShowTests.Both(MemoryStore(), clock)
    defer { both.commands.stop() }
    let party = try await both.parties.create(
      PartyFixture.create("host", minutes: 30), PartyFixture.plain
    ).party
    let until = clock.now().advanced(milliseconds: 60_000)
    for _ in 0..<2 {
      _ = try await both.tickets.carryOut(
        .ban(userID: "rider", until: until), Self.context, note: Self.note(.banned))
    }
    let join = JoinParty(riderID: "rider", destination: PartyFixture.gangnam)
    await #expect(throws: PartyServiceError.banned(until: until)) {
      _ = try await both.parties.join(partyID: party.id, join, PartyFixture.plain)
    }
    await #expect(throws: PartyServiceError.banned(until: until)) {
      _ = try await both.parties.create(
        PartyFixture.create("rider", minutes: 90), PartyFixture.plain)
    }
    let told = try await both.commands.feed.events(
      after: 0, kinds: ["admin.banned"], aggregateID: nil, limit: 10
    ).events
    // Said twice, told once; nobody but services hears of it.
    #expect(told.map(\.aggregateID) == ["rider"])
    #expect(told.first?.userIDs == [])
    #expect(told.first.map { String(decoding: $0.body, as: UTF8.self).contains("olga") } == true)
    clock.advance(milliseconds: 60_001)
    let joined = try await both.parties.join(partyID: party.id, join, PartyFixture.plain)
    #expect(joined.party.riders.map(\.id) == ["host", "rider"])
  }

  @Test func aBanByReportsIsOfTicketsAlone() async throws {
    let clock = ManualClock(PartyFixture.start)
    let both = try NoShowTests.Both(MemoryStore(), clock)
    defer { both.commands.stop() }
    for id in ["rider", "a", "b", "c"] {
      _ = try await both.tickets.carryOut(
        .open(userID: id, OpenTicket(here: PartyFixture.gangnam.coordinate)), PartyFixture.plain)
    }
    for id in ["a", "b", "c"] {
      _ = try await both.tickets.carryOut(
        .report(userID: id, otherID: "rider"), PartyFixture.plain)
    }
    let conduct = try #require(both.tickets.conduct(of: "rider"))
    #expect(conduct.bannedUntil != nil)
    #expect(!conduct.isBannedByOperator)
    let created = try await both.parties.create(
      PartyFixture.create("rider", minutes: 30), PartyFixture.plain)
    #expect(created.party.hostID == "rider")
  }

  @Test func aCancelledPartyTellsWhoDidItAndWhyOnce() async throws {
    let clock = ManualClock(PartyFixture.start)
    let both = try NoShowTests.Both(MemoryStore(), clock)
    defer { both.commands.stop() }
    let party = try await both.parties.create(
      PartyFixture.create("host", minutes: 30), PartyFixture.plain
    ).party
    for _ in 0..<2 {
      let answer = try await both.parties.cancel(
        partyID: party.id, by: Self.note(.partyCancelled), Self.context)
      #expect(answer.party.state == .cancelled)
    }
    let events = try await both.commands.feed.events(
      after: 0, kinds: [], aggregateID: party.id, limit: 10
    ).events
    #expect(events.map(\.kind) == ["party.created", "party.cancelled", "admin.party_cancelled"])
  }
}
