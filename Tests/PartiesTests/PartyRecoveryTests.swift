import ObjectModel
import RideMatching
import Testing

@testable import DurableCommands
@testable import Parties
import TestSupport

/// What parties make of outcomes that name the record's own state: the rest of the pipeline is
/// tested without parties in `DurableCommandsTests`.
struct PartyRecoveryTests {
  typealias Fixture = PartyFixture

  static func fixture() throws -> (Fixture, MemoryStore) {
    let store = MemoryStore()
    return (try Fixture(store: store), store)
  }

  @Test func aConflictIsDecidedOnTheNewestState() async throws {
    let (it, store) = try Self.fixture()
    defer { it.partyService.stop() }
    let party = try await it.partyService.create(Fixture.create("ann", seats: 2), Fixture.plain)
      .party
    // Somebody else writes to the record: the last seat goes to "eve".
    let rules = it.partyService.rules
    let other = try rules.join(
      JoinParty(riderID: "eve"), party, now: it.clock.now(), claims: { _ in [] }
    ).party
    let outcomes = store.commit([
      ChangeGroup(
        changes: [
          .init(
            expectedVersion: 1,
            aggregate: StoredAggregate(
              key: AggregateKey(tenant: "default", kind: .party, id: party.id),
              version: other.version, bytes: PartyRecord.encode(other),
              summary: PartyCommitModel.summary(other)))
        ])
    ])
    #expect(outcomes == [.committed(firstSequence: 0)])
    #expect(
      await reason {
        _ = try await it.partyService.join(
          partyID: party.id, JoinParty(riderID: "bob"), Fixture.plain)
      } == "party_full")
    #expect(try await it.partyService.get(party.id) == other)
    #expect(it.partyService.commitStatistics.conflicts == 1)
  }

  @Test func aDuplicateKnownOnlyToTheStoreAnswersItsReply() async throws {
    let (it, store) = try Self.fixture()
    defer { it.partyService.stop() }
    let party = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    let context = Fixture.key("k", "request")
    let reply = StoredReply(
      tenant: "default", key: IdempotencyHash(high: 1, low: 2), requestHash: context.requestHash,
      aggregateID: party.id, version: 1, at: it.clock.now())
    store.inject(.duplicate(group: 0, reply))
    let answer = try await it.partyService.join(
      partyID: party.id, JoinParty(riderID: "bob"), context)
    #expect(answer.party == party)
    store.inject(.duplicate(group: 0, reply))
    #expect(
      await reason {
        _ = try await it.partyService.join(
          partyID: party.id, JoinParty(riderID: "bob"), Fixture.key("k2", "another"))
      } == "idempotency_mismatch")
  }

  @Test(arguments: [true, false])
  func anUnknownOutcomeIsReadFromTheRecord(takesEffect: Bool) async throws {
    let (it, store) = try Self.fixture()
    defer { it.partyService.stop() }
    let party = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    store.inject(.unknown(reason: "fsync failed", takesEffect: takesEffect))
    let join = JoinParty(riderID: "bob")
    #expect(
      await reason { _ = try await it.partyService.join(partyID: party.id, join, Fixture.key("j")) }
        == "unavailable")
    // What memory shows is what the record holds.
    #expect(try await it.partyService.get(party.id).version == (takesEffect ? 2 : 1))
    let repeated = try await it.partyService.join(partyID: party.id, join, Fixture.key("j")).party
    #expect(repeated.version == 2)
    #expect(repeated.riders.map(\.id) == ["ann", "bob"])
    #expect(it.partyService.eventBounds.newest == 3)
    let events = try await it.partyService.events(after: 0)
    #expect(events.events.map(\.sequence) == [1, 2, 3])
  }

  @Test func aFullDiskMakesItReadOnly() async throws {
    let (it, store) = try Self.fixture()
    defer { it.partyService.stop() }
    store.inject(.readOnly(reason: "disk full"))
    for _ in 0..<3 { store.failNextReopen(reason: "disk full") }
    #expect(
      await reason { _ = try await it.partyService.create(Fixture.create("ann"), Fixture.plain) }
        == "read_only")
    #expect(it.partyService.partyCount == 0)
  }
}
