import Foundation
import ObjectModel
import RideMatching
import Testing

@testable import DurableCommands
import Parties

/// The tenant's feed: dense, in order, the same from memory and from the store.
struct EventFeedTests {
  typealias Fixture = PartyFixture

  @Test func memoryAndStoreAnswerTheSame() async throws {
    let store = MemoryStore()
    let it = try Fixture(store: store) { $0.eventsInMemory = 5 }
    defer { it.partyService.stop() }
    var ids: [String] = []
    for i in 0..<10 {
      ids.append(
        try await it.partyService.create(Fixture.create("host\(i)"), Fixture.plain).party.id)
      _ = try await it.partyService.join(
        partyID: ids[i], JoinParty(riderID: "guest\(i)"), Fixture.plain)
    }
    let all = try store.events(
      tenant: "default", after: 0, kinds: [], aggregateID: nil, limit: 1000)
    #expect(all.map(\.sequence) == Array(1...30))
    for after in 0...30 as ClosedRange<UInt64> {
      for limit in [1, 4, 100] {
        for kinds in [[], ["party.joined"], ["party.created", "party.shares_changed"]] {
          for party in [nil, ids[3], ids[9]] {
            let page = try await it.partyService.events(
              after: after, kinds: Set(kinds), partyID: party, limit: limit)
            let wanted = all.filter {
              $0.sequence > after && (kinds.isEmpty || kinds.contains($0.kind))
                && (party == nil || $0.aggregateID == party)
            }.prefix(limit)
            #expect(page.events == Array(wanted))
            #expect(page.next >= after)
            #expect(page.next == (wanted.count == limit ? wanted.last?.sequence : 30))
          }
        }
      }
    }
    #expect(
      await reason { _ = try await it.partyService.events(after: 31) } == "resume_token_expired")
    #expect(
      await reason { _ = try await it.partyService.events(after: 0, limit: 0) }
        == "limit_out_of_range")
  }

  @Test func bodiesAreJSON() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let name = "quote \" slash \\ tab \t 역"
    let id = try await it.partyService.create(
      Fixture.create(
        name, to: RidePlace(name: name, coordinate: Fixture.gangnam.coordinate)), Fixture.plain
    ).party.id
    _ = try await it.partyService.join(
      partyID: id, JoinParty(riderID: "bob", destination: Fixture.yeoksam), Fixture.plain)
    _ = try await it.partyService.update(
      partyID: id, actorID: nil, UpdateParty(seats: 3), Fixture.plain)
    _ = try await it.partyService.removeRider(
      partyID: id, riderID: "bob", reason: .host, actorID: name, Fixture.plain)
    it.clock.advance(milliseconds: 60 * 60_000)
    _ = try await it.partyService.depart(partyID: id, actorID: name, Fixture.plain)
    _ = try await it.partyService.settle(
      partyID: id, actorID: nil, SettleParty(payerID: name, amount: 10_000), Fixture.plain)
    let events = try await it.partyService.events(after: 0).events
    #expect(
      Set(events.map(\.kind)).isSuperset(of: [
        "party.created", "party.joined", "party.shares_changed", "party.updated",
        "party.removed", "party.departed", "party.settled",
      ]))
    for event in events {
      let body = try JSONSerialization.jsonObject(with: Data(event.body)) as? [String: Any]
      let object = try #require(body)
      if event.kind == "party.created" {
        #expect(object["hostId"] as? String == name)
        #expect((object["destination"] as? [String: Any])?["name"] as? String == name)
      }
      #expect(event.userIDs.contains(name))
    }
  }

  @Test func waitersAreWokenByWhatTheyWaitFor() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let first = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party.id
    let partyService = it.partyService
    async let any = partyService.waitForEvents(after: 1, atMost: .seconds(20))
    async let own = partyService.waitForEvents(after: 1, partyID: first, atMost: .seconds(20))
    // Of another party: wakes the first only.
    _ = try await partyService.create(Fixture.create("eve"), Fixture.plain)
    #expect(await any)
    _ = try await partyService.leave(partyID: first, riderID: "ann", Fixture.plain)
    #expect(await own)
    #expect(await partyService.waitForEvents(after: 0, atMost: .zero))
    #expect(await !partyService.waitForEvents(after: 99, partyID: first, atMost: .milliseconds(1)))
  }
}
