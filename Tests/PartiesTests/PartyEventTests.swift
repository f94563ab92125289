import Foundation
import ObjectModel
import RideMatching
import Testing

@testable import DurableCommands
import Parties

/// The events of parties, as readers of the tenant's feed get them.
struct PartyEventTests {
  typealias Fixture = PartyFixture

  @Test func placesOutsideTheFeedAreRefused() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    _ = try await it.partyService.create(Fixture.create("ann"), Fixture.plain)
    #expect(try await it.partyService.events(after: 0).events.map(\.sequence) == [1])
    #expect(
      await reason { _ = try await it.partyService.events(after: 2) } == "resume_token_ahead")
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
