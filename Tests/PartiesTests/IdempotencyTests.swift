import ObjectModel
import RideMatching
import Testing

@testable import DurableCommands
import Parties

/// A key's first effect is its only one.
struct IdempotencyTests {
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

  @Test func refusalsAreDecidedAnew() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let party = try await it.partyService.create(Fixture.create("ann", seats: 2), Fixture.plain)
      .party
    _ = try await it.partyService.join(partyID: party.id, JoinParty(riderID: "bob"), Fixture.plain)
    let eve = JoinParty(riderID: "eve")
    #expect(
      await reason { _ = try await it.partyService.join(partyID: party.id, eve, Fixture.key("e")) }
        == "party_full")
    _ = try await it.partyService.leave(partyID: party.id, riderID: "bob", Fixture.plain)
    let joined = try await it.partyService.join(partyID: party.id, eve, Fixture.key("e"))
    #expect(joined.party.riders.map(\.id) == ["ann", "eve"])
  }

  @Test(arguments: [true, false])
  func repliesOutliveARestartAndMemory(isTruncated: Bool) async throws {
    let store = MemoryStore()
    let clock = ManualClock(Fixture.start)
    let first = try Fixture(store: store, clock: clock)
    let party = try await first.partyService.create(Fixture.create("ann"), Fixture.key("c")).party
    _ = try await first.partyService.join(
      partyID: party.id, JoinParty(riderID: "bob"), Fixture.key("j"))
    for i in 0..<5 {
      _ = try await first.partyService.create(
        Fixture.create("other\(i)"), Fixture.key("other\(i)"))
    }
    first.partyService.stop()
    let second = try Fixture(store: store, clock: clock) {
      if isTruncated { $0.commits.repliesInMemory = 2 }
    }
    defer { second.partyService.stop() }
    let replay = try await second.partyService.create(Fixture.create("ann"), Fixture.key("c"))
    #expect(replay.party.id == party.id)
    #expect(replay.party.riders.map(\.id) == ["ann", "bob"])
    #expect(
      await reason {
        _ = try await second.partyService.create(Fixture.create("ann"), Fixture.key("c", "x"))
      } == "idempotency_mismatch")
    #expect(second.partyService.partyCount == 6)
    // A day later the key is free again.
    clock.advance(milliseconds: 86_400_001)
    #expect(
      await reason {
        _ = try await second.partyService.create(Fixture.create("ann"), Fixture.key("c", "x"))
      } == "departure_in_past")
  }
}
