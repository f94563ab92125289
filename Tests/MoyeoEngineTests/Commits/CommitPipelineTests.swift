import Dispatch
import ObjectModel
import QueryCoalescing
import RideMatching
import Testing

@testable import MoyeoEngine

/// What the store may answer, and what callers are told then.
struct CommitPipelineTests {
  typealias Fixture = DeskFixture

  static func fixture(
    _ change: @escaping (inout PartyDeskConfiguration) -> Void = { _ in }
  ) throws -> (Fixture, MemoryStore) {
    let store = MemoryStore()
    return (try Fixture(store: store, change), store)
  }

  @Test func aRollbackIsTriedAgain() async throws {
    let (it, store) = try Self.fixture()
    defer { it.desk.stop() }
    store.inject(.notDone(group: 0, reason: "busy"))
    let party = try await it.desk.create(Fixture.create("ann"), Fixture.key("k")).party
    #expect(party.version == 1)
    #expect(it.desk.commitStatistics.notDone == 1)
    // Twice in a row: the caller is told, and may repeat it.
    store.inject(.notDone(group: 0, reason: "busy"))
    store.inject(.notDone(group: 0, reason: "busy"))
    #expect(
      await reason {
        _ = try await it.desk.join(
          partyID: party.id, JoinParty(riderID: "bob"), Fixture.key("j"))
      } == "unavailable")
    #expect(try it.desk.get(party.id) == party)
    let joined = try await it.desk.join(
      partyID: party.id, JoinParty(riderID: "bob"), Fixture.key("j"))
    #expect(joined.party.version == 2)
    #expect(it.desk.eventBounds.newest == 3)
  }

  @Test func aConflictIsDecidedOnTheNewestState() async throws {
    let (it, store) = try Self.fixture()
    defer { it.desk.stop() }
    let party = try await it.desk.create(Fixture.create("ann", seats: 2), Fixture.plain).party
    // Somebody else writes to the record: the last seat goes to "eve".
    let rules = it.desk.rules
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
    #expect(outcomes == [.committed])
    #expect(
      await reason {
        _ = try await it.desk.join(partyID: party.id, JoinParty(riderID: "bob"), Fixture.plain)
      } == "party_full")
    #expect(try it.desk.get(party.id) == other)
    #expect(it.desk.commitStatistics.conflicts == 1)
  }

  @Test func endlessConflictsEnd() async throws {
    let (it, store) = try Self.fixture()
    defer { it.desk.stop() }
    for _ in 0..<10 { store.inject(.conflict(group: 0)) }
    #expect(
      await reason { _ = try await it.desk.create(Fixture.create("ann"), Fixture.plain) }
        == "unavailable")
  }

  @Test func aDuplicateKnownOnlyToTheStoreAnswersItsReply() async throws {
    let (it, store) = try Self.fixture()
    defer { it.desk.stop() }
    let party = try await it.desk.create(Fixture.create("ann"), Fixture.plain).party
    let context = Fixture.key("k", "request")
    let reply = StoredReply(
      tenant: "default", key: IdempotencyHash(high: 1, low: 2), requestHash: context.requestHash,
      aggregateID: party.id, version: 1, at: it.clock.now())
    store.inject(.duplicate(group: 0, reply))
    let answer = try await it.desk.join(partyID: party.id, JoinParty(riderID: "bob"), context)
    #expect(answer.party == party)
    store.inject(.duplicate(group: 0, reply))
    #expect(
      await reason {
        _ = try await it.desk.join(
          partyID: party.id, JoinParty(riderID: "bob"), Fixture.key("k2", "another"))
      } == "idempotency_mismatch")
  }

  @Test(arguments: [true, false])
  func anUnknownOutcomeIsReadFromTheRecord(takesEffect: Bool) async throws {
    let (it, store) = try Self.fixture()
    defer { it.desk.stop() }
    let party = try await it.desk.create(Fixture.create("ann"), Fixture.plain).party
    store.inject(.unknown(reason: "fsync failed", takesEffect: takesEffect))
    let join = JoinParty(riderID: "bob")
    #expect(
      await reason { _ = try await it.desk.join(partyID: party.id, join, Fixture.key("j")) }
        == "unavailable")
    // What memory shows is what the record holds.
    #expect(try it.desk.get(party.id).version == (takesEffect ? 2 : 1))
    let repeated = try await it.desk.join(partyID: party.id, join, Fixture.key("j")).party
    #expect(repeated.version == 2)
    #expect(repeated.riders.map(\.id) == ["ann", "bob"])
    #expect(it.desk.eventBounds.newest == 3)
    let events = try await it.desk.events(after: 0)
    #expect(events.events.map(\.sequence) == [1, 2, 3])
  }

  @Test func whileTheRecordCannotBeOpenedCommandsAreRefused() async throws {
    let (it, store) = try Self.fixture()
    defer { it.desk.stop() }
    let party = try await it.desk.create(Fixture.create("ann"), Fixture.plain).party
    store.inject(.unknown(reason: "fsync failed", takesEffect: true))
    store.failNextReopen(reason: "the disk is gone")
    let join = JoinParty(riderID: "bob")
    #expect(
      await reason { _ = try await it.desk.join(partyID: party.id, join, Fixture.plain) }
        == "unavailable")
    #expect(it.desk.readOnlyReason == "the disk is gone")
    #expect(
      await reason { _ = try await it.desk.join(partyID: party.id, join, Fixture.plain) }
        == "read_only")
    // Reads go on.
    #expect(try it.desk.get(party.id).riders.map(\.id) == ["ann"])
    it.clock.advance(milliseconds: 1001)
    let joined = try await it.desk.join(partyID: party.id, join, Fixture.plain)
    #expect(joined.party.riders.map(\.id) == ["ann", "bob"])
    #expect(it.desk.readOnlyReason == nil)
  }

  @Test func aFullDiskMakesItReadOnly() async throws {
    let (it, store) = try Self.fixture()
    defer { it.desk.stop() }
    store.inject(.readOnly(reason: "disk full"))
    for _ in 0..<3 { store.failNextReopen(reason: "disk full") }
    #expect(
      await reason { _ = try await it.desk.create(Fixture.create("ann"), Fixture.plain) }
        == "read_only")
    #expect(it.desk.partyCount == 0)
  }

  @Test func aFullQueueIsSaidSoAndDeadlinesActBeforeTheRule() async throws {
    // Not started: what is entered waits.
    let store = MemoryStore()
    let it = try Fixture(store: store, starts: false) { $0.commits.queueLimit = 3 }
    let desk = it.desk
    let soon = it.clock.now().advanced(milliseconds: 100)
    async let first = reason {
      _ = try await desk.create(Fixture.create("a"), CommandContext(deadline: soon))
    }
    async let second = reason { _ = try await desk.create(Fixture.create("b"), Fixture.plain) }
    async let third = reason { _ = try await desk.create(Fixture.create("c"), Fixture.plain) }
    while desk.commitStatistics.queued < 3 { await Task.yield() }
    #expect(
      await reason { _ = try await desk.create(Fixture.create("d"), Fixture.plain) }
        == "overloaded")
    it.clock.advance(milliseconds: 101)
    desk.start()
    #expect(await first == "deadline_exceeded")
    #expect(await second == nil)
    #expect(await third == nil)
    #expect(desk.partyCount == 2)
    #expect(desk.commitStatistics.missedDeadlines == 1)
    #expect(desk.commitStatistics.refusedForLoad == 1)
    desk.stop()
    #expect(
      await reason { _ = try await desk.create(Fixture.create("e"), Fixture.plain) }
        == "unavailable")
  }

  @Test func aRefusalThatRestedOnAFailedChangeIsDecidedAnew() async throws {
    // In one batch: "bob" takes the last seat, "eve" is refused; then bob's change fails.
    let store = MemoryStore()
    let it = try Fixture(store: store)
    let party = try await it.desk.create(Fixture.create("ann", seats: 2), Fixture.plain).party
    it.desk.stop()
    let again = try Fixture(store: store, clock: it.clock, starts: false)
    let desk = again.desk
    let soon = it.clock.now()
    async let bob = reason {
      _ = try await desk.join(partyID: party.id, JoinParty(riderID: "bob"), Fixture.key("b"))
    }
    while desk.commitStatistics.queued < 1 { await Task.yield() }
    async let eve = reason {
      _ = try await desk.join(
        partyID: party.id, JoinParty(riderID: "eve"), CommandContext(deadline: soon))
    }
    while desk.commitStatistics.queued < 2 { await Task.yield() }
    // The batch, then bob alone twice: the second failure alone is final.
    store.inject(.notDone(group: 0, reason: "busy"))
    store.inject(.notDone(group: 0, reason: "busy"))
    desk.start()
    #expect(await bob == "unavailable")
    #expect(await eve == nil)
    #expect(try desk.get(party.id).riders.map(\.id) == ["ann", "eve"])
    desk.stop()
  }

  @Test func twinsInOneBatchHaveOneEffect() async throws {
    let it = try Fixture(starts: false)
    let desk = it.desk
    async let first = desk.create(Fixture.create("ann"), Fixture.key("k"))
    async let second = desk.create(Fixture.create("ann"), Fixture.key("k"))
    async let third = desk.create(Fixture.create("ann"), Fixture.key("k"))
    while desk.commitStatistics.queued < 3 { await Task.yield() }
    desk.start()
    let ids = try await [first.party.id, second.party.id, third.party.id]
    #expect(Set(ids).count == 1)
    #expect(desk.partyCount == 1)
    desk.stop()
  }
}

extension CommitPipelineTests {
  @Test func whatNeverStartedStopsAllTheSame() async throws {
    let it = try Fixture(starts: false)
    let desk = it.desk
    async let waiting = reason { _ = try await desk.create(Fixture.create("a"), Fixture.plain) }
    while desk.commitStatistics.queued < 1 { await Task.yield() }
    desk.stop()
    #expect(await waiting == "unavailable")
    await desk.settleCommands()
    desk.stop()
  }
}
