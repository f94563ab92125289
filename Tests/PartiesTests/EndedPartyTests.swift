import DurableCommands
import ObjectModel
import RideMatching
import Testing

@testable import Parties

/// Parties that are over are in the record alone, but for the last of them, and nobody can tell.
@Suite struct EndedPartyTests {
  typealias Fixture = PartyFixture

  /// Eight parties of ann, each cancelled before the next is made; bob is in every other one.
  private static func endedParties(_ it: PartyFixture) async throws -> [Party] {
    var ended: [Party] = []
    for number in 0..<8 {
      it.clock.advance(milliseconds: 1000)
      let made = try await it.partyService.create(
        Fixture.create("ann"), Fixture.key("make \(number)")
      ).party
      if number % 2 == 0 {
        _ = try await it.partyService.join(
          partyID: made.id, JoinParty(riderID: "bob"), Fixture.plain)
      }
      ended.append(
        try await it.partyService.cancel(
          partyID: made.id, actorID: nil, Fixture.key("cancel \(number)")
        ).party)
    }
    return ended
  }

  @Test func memoryHoldsTheLastOnesAlone() async throws {
    let it = try Fixture { $0.endedInMemory = 3 }
    defer { it.partyService.stop() }
    let ended = try await Self.endedParties(it)
    #expect(Set(it.partyService.book.all.map(\.party.id)) == Set(ended.suffix(3).map(\.id)))
    #expect(it.partyService.partyCount == 8)
    let live = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    #expect(it.partyService.book.all.count == 4)
    #expect(it.partyService.partyUnderWay(live.id) == live)
    for party in ended {
      #expect(it.partyService.partyUnderWay(party.id) == nil)
      #expect(try await it.partyService.get(party.id) == party)
      #expect(
        try await it.partyService.get(party.id, minVersion: String(party.version)) == party)
      #expect(
        await reason {
          _ = try await it.partyService.get(party.id, minVersion: String(party.version + 1))
        } == "unavailable")
    }
  }

  @Test func listsPageOverMemoryAndRecord() async throws {
    let it = try Fixture { $0.endedInMemory = 3 }
    defer { it.partyService.stop() }
    let ended = try await Self.endedParties(it)
    it.clock.advance(milliseconds: 1000)
    let live = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    func all(
      _ person: PartyListQuery.Person, _ states: Set<Party.State> = [], limit: Int
    ) async throws -> [Party] {
      var query = PartyListQuery(person: person, states: states, limit: limit)
      var found: [Party] = []
      repeat {
        let page = try await it.partyService.list(query)
        #expect(page.parties.count == limit || page.nextCursor == nil)
        found += page.parties
        query.cursor = page.nextCursor
      } while query.cursor != nil
      return found
    }
    for limit in 1...10 {
      #expect(try await all(.host("ann"), limit: limit) == [live] + ended.reversed())
      #expect(
        try await all(.rider("bob"), limit: limit)
          == ended.filter { $0.riders.contains { $0.id == "bob" } }.reversed())
      #expect(try await all(.host("ann"), [.cancelled], limit: limit) == ended.reversed())
      #expect(try await all(.host("ann"), [.open], limit: limit) == [live])
      #expect(try await all(.host("ann"), [.ended], limit: limit) == [])
    }
  }

  @Test func commandsAreRefusedAndRepeatedAsInMemory() async throws {
    let it = try Fixture { $0.endedInMemory = 3 }
    defer { it.partyService.stop() }
    let ended = try await Self.endedParties(it)
    var reasons: Set<String?> = []
    for (number, party) in ended.enumerated() {
      reasons.insert(
        await reason {
          _ = try await it.partyService.join(
            partyID: party.id, JoinParty(riderID: "eve"), Fixture.plain)
        })
      reasons.insert(
        await reason {
          _ = try await it.partyService.previewJoin(partyID: party.id, JoinParty(riderID: "eve"))
        })
      // Cancelled already: unchanged; and the same keys again.
      #expect(
        try await it.partyService.cancel(partyID: party.id, actorID: nil, Fixture.plain).party
          == party)
      #expect(
        try await it.partyService.create(Fixture.create("ann"), Fixture.key("make \(number)")).party
          == party)
      try it.partyService.requireParty(party.id)
    }
    #expect(reasons.count == 1 && reasons.first??.isEmpty == false, "\(reasons)")
    #expect(await reason { _ = try await it.partyService.get("nobody") } == "unknown_party")
    #expect(await reason { try it.partyService.requireParty("nobody") } == "unknown_party")
  }

  @Test func aNewDaemonFindsThemAndPruningForgetsThem() async throws {
    let first = try Fixture()
    let ended = try await Self.endedParties(first)
    first.partyService.stop()
    let second = try Fixture(store: first.store, clock: first.clock)
    defer { second.partyService.stop() }
    #expect(second.partyService.book.all.isEmpty)
    #expect(second.partyService.partyCount == 8)
    let query = PartyListQuery(person: .host("ann"), limit: 8)
    #expect(try await second.partyService.list(query).parties == ended.reversed())
    second.partyService.pipeline.commands.prune(
      eventsBefore: .distantPast, repliesBefore: .distantPast, endedBefore: ended[5].stateSince)
    await second.partyService.settleCommands()
    #expect(try await second.partyService.list(query).parties == ended[5...].reversed())
    #expect(second.partyService.partyCount == 3)
    #expect(
      await reason { _ = try await second.partyService.get(ended[4].id) } == "unknown_party")
  }
}
