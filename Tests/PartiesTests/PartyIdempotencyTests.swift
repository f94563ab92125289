import ObjectModel
import RideMatching
import Testing

@testable import DurableCommands
import Parties

/// The first effect of a key on parties is its only one.
struct PartyIdempotencyTests {
  typealias Fixture = PartyFixture

  @Test func aRepeatedCreateIsTheSameParty() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let first = try await it.partyService.create(Fixture.create("ann"), Fixture.key("k1"))
    let again = try await it.partyService.create(Fixture.create("ann"), Fixture.key("k1"))
    #expect(again.party == first.party)
    #expect(it.partyService.partyCount == 1)
    #expect(
      await reason {
        _ = try await it.partyService.create(Fixture.create("ann"), Fixture.key("k1", "other"))
      } == "idempotency_mismatch")
    // Another caller's key is another key.
    #expect(
      await reason {
        _ = try await it.partyService.create(
          Fixture.create("ann"), Fixture.key("k1", caller: "somebody else"))
      } == "overlapping_party")
    #expect(
      await reason {
        _ = try await it.partyService.create(Fixture.create("zoe"), Fixture.key(""))
      } == "bad_value")
  }

  @Test func aRepeatedJoinAfterLeavingDoesNotJoinAgain() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let party = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    let join = JoinParty(riderID: "bob")
    _ = try await it.partyService.join(partyID: party.id, join, Fixture.key("j"))
    _ = try await it.partyService.leave(partyID: party.id, riderID: "bob", Fixture.key("l"))
    let replay = try await it.partyService.join(partyID: party.id, join, Fixture.key("j"))
    #expect(replay.party.riders.map(\.id) == ["ann"])
  }
}
