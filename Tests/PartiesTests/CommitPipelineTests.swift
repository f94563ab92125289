import Dispatch
import ObjectModel
import RideMatching
import Testing

@testable import DurableCommands
@testable import Parties
import Threading

/// What the store may answer, and what callers are told then.
struct CommitPipelineTests {
  typealias Fixture = PartyFixture

  static func fixture(
    _ change: @escaping (inout PartyServiceConfiguration) -> Void = { _ in }
  ) throws -> (Fixture, MemoryStore) {
    let store = MemoryStore()
    return (try Fixture(store: store, change), store)
  }

  @Test func aRollbackIsTriedAgain() async throws {
    let (it, store) = try Self.fixture()
    defer { it.partyService.stop() }
    store.inject(.notDone(group: 0, reason: "busy"))
    let party = try await it.partyService.create(Fixture.create("ann"), Fixture.key("k")).party
    #expect(party.version == 1)
    #expect(it.partyService.commitStatistics.notDone == 1)
    // Twice in a row: the caller is told, and may repeat it.
    store.inject(.notDone(group: 0, reason: "busy"))
    store.inject(.notDone(group: 0, reason: "busy"))
    #expect(
      await reason {
        _ = try await it.partyService.join(
          partyID: party.id, JoinParty(riderID: "bob"), Fixture.key("j"))
      } == "unavailable")
    #expect(try it.partyService.get(party.id) == party)
    let joined = try await it.partyService.join(
      partyID: party.id, JoinParty(riderID: "bob"), Fixture.key("j"))
    #expect(joined.party.version == 2)
    #expect(it.partyService.eventBounds.newest == 3)
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
    #expect(outcomes == [.committed])
    #expect(
      await reason {
        _ = try await it.partyService.join(
          partyID: party.id, JoinParty(riderID: "bob"), Fixture.plain)
      } == "party_full")
    #expect(try it.partyService.get(party.id) == other)
    #expect(it.partyService.commitStatistics.conflicts == 1)
  }

  @Test func endlessConflictsEnd() async throws {
    let (it, store) = try Self.fixture()
    defer { it.partyService.stop() }
    for _ in 0..<10 { store.inject(.conflict(group: 0)) }
    #expect(
      await reason { _ = try await it.partyService.create(Fixture.create("ann"), Fixture.plain) }
        == "unavailable")
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
    #expect(try it.partyService.get(party.id).version == (takesEffect ? 2 : 1))
    let repeated = try await it.partyService.join(partyID: party.id, join, Fixture.key("j")).party
    #expect(repeated.version == 2)
    #expect(repeated.riders.map(\.id) == ["ann", "bob"])
    #expect(it.partyService.eventBounds.newest == 3)
    let events = try await it.partyService.events(after: 0)
    #expect(events.events.map(\.sequence) == [1, 2, 3])
  }

  @Test func whileTheRecordCannotBeOpenedCommandsAreRefused() async throws {
    let (it, store) = try Self.fixture()
    defer { it.partyService.stop() }
    let party = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    store.inject(.unknown(reason: "fsync failed", takesEffect: true))
    store.failNextReopen(reason: "the disk is gone")
    let join = JoinParty(riderID: "bob")
    #expect(
      await reason { _ = try await it.partyService.join(partyID: party.id, join, Fixture.plain) }
        == "unavailable")
    #expect(it.partyService.readOnlyReason == "the disk is gone")
    #expect(
      await reason { _ = try await it.partyService.join(partyID: party.id, join, Fixture.plain) }
        == "read_only")
    // Reads go on.
    #expect(try it.partyService.get(party.id).riders.map(\.id) == ["ann"])
    // The wall clock is set back by two hours: the record is opened again all the same.
    it.clock.advance(milliseconds: -7_200_000)
    it.monotonic.advance(by: 1_001_000_000)
    let joined = try await it.partyService.join(partyID: party.id, join, Fixture.plain)
    #expect(joined.party.riders.map(\.id) == ["ann", "bob"])
    #expect(it.partyService.readOnlyReason == nil)
  }

  @Test func whileTheRecordIsReadOnlyKeptRepliesAreAnswered() async throws {
    let (it, store) = try Self.fixture()
    defer { it.partyService.stop() }
    let party = try await it.partyService.create(Fixture.create("ann"), Fixture.key("k")).party
    store.inject(.readOnly(reason: "disk full"))
    for _ in 0..<9 { store.failNextReopen(reason: "disk full") }
    #expect(
      await reason {
        _ = try await it.partyService.create(Fixture.create("bob"), Fixture.key("other"))
      }
        == "read_only")
    let again = try await it.partyService.create(Fixture.create("ann"), Fixture.key("k")).party
    #expect(again.id == party.id)
    // The same key with another request is still a mistake of the caller's.
    #expect(
      await reason {
        _ = try await it.partyService.create(
          Fixture.create("ann"), Fixture.key("k", "other content"))
      } == "idempotency_mismatch")
    #expect(it.partyService.readOnlyReason == "disk full")
  }

  /// Each try reads all of the record: damage that is found again is looked for less and less.
  @Test func aDamagedRecordIsReadAnewLessAndLessOften() async throws {
    let (it, store) = try Self.fixture()
    defer { it.partyService.stop() }
    let party = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    store.inject(.unknown(reason: "fsync failed", takesEffect: false))
    for i in 0..<20 { store.failNextReopen(reason: "malformed \(i)", isDamage: true) }
    let join = JoinParty(riderID: "bob")
    _ = await reason {
      _ = try await it.partyService.join(partyID: party.id, join, Fixture.plain)
    }
    var reasons: [String] = []
    for _ in 0..<1800 {
      it.monotonic.advance(by: 1_000_000_000)
      it.partyService.pipeline.tryToRecover()
      await it.partyService.settleCommands()
      let now = it.partyService.readOnlyReason ?? "open"
      if reasons.last != now { reasons.append(now) }
    }
    // Tried at once, and after 1, 2, 4 ... 512 and 600 seconds more.
    #expect(reasons == (1...11).map { "malformed \($0)" })
    #expect(
      await reason { _ = try await it.partyService.join(partyID: party.id, join, Fixture.plain) }
        == "read_only")
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

  @Test func aFullQueueIsSaidSoAndDeadlinesActBeforeTheRule() async throws {
    // Not started: what is entered waits.
    let store = MemoryStore()
    let it = try Fixture(store: store, starts: false) { $0.commits.queueLimit = 3 }
    let partyService = it.partyService
    let soon = it.clock.now().advanced(milliseconds: 100)
    async let first = reason {
      _ = try await partyService.create(Fixture.create("a"), CommandContext(deadline: soon))
    }
    async let second = reason {
      _ = try await partyService.create(Fixture.create("b"), Fixture.plain)
    }
    async let third = reason {
      _ = try await partyService.create(Fixture.create("c"), Fixture.plain)
    }
    while partyService.commitStatistics.queued < 3 { await Task.yield() }
    #expect(
      await reason { _ = try await partyService.create(Fixture.create("d"), Fixture.plain) }
        == "overloaded")
    it.clock.advance(milliseconds: 101)
    partyService.start()
    #expect(await first == "deadline_exceeded")
    #expect(await second == nil)
    #expect(await third == nil)
    #expect(partyService.partyCount == 2)
    #expect(partyService.commitStatistics.missedDeadlines == 1)
    #expect(partyService.commitStatistics.refusedForLoad == 1)
    partyService.stop()
    #expect(
      await reason { _ = try await partyService.create(Fixture.create("e"), Fixture.plain) }
        == "unavailable")
  }

  @Test func aRefusalThatRestedOnAFailedChangeIsDecidedAnew() async throws {
    // In one batch: "bob" takes the last seat, "eve" is refused; then bob's change fails.
    let store = MemoryStore()
    let it = try Fixture(store: store)
    let party = try await it.partyService.create(Fixture.create("ann", seats: 2), Fixture.plain)
      .party
    it.partyService.stop()
    let again = try Fixture(store: store, clock: it.clock, starts: false)
    let partyService = again.partyService
    let soon = it.clock.now()
    async let bob = reason {
      _ = try await partyService.join(
        partyID: party.id, JoinParty(riderID: "bob"), Fixture.key("b"))
    }
    while partyService.commitStatistics.queued < 1 { await Task.yield() }
    async let eve = reason {
      _ = try await partyService.join(
        partyID: party.id, JoinParty(riderID: "eve"), CommandContext(deadline: soon))
    }
    while partyService.commitStatistics.queued < 2 { await Task.yield() }
    // The batch, then bob alone twice: the second failure alone is final.
    store.inject(.notDone(group: 0, reason: "busy"))
    store.inject(.notDone(group: 0, reason: "busy"))
    partyService.start()
    #expect(await bob == "unavailable")
    #expect(await eve == nil)
    #expect(try partyService.get(party.id).riders.map(\.id) == ["ann", "eve"])
    partyService.stop()
  }

  @Test func twinsInOneBatchHaveOneEffect() async throws {
    let it = try Fixture(starts: false)
    let partyService = it.partyService
    async let first = partyService.create(Fixture.create("ann"), Fixture.key("k"))
    async let second = partyService.create(Fixture.create("ann"), Fixture.key("k"))
    async let third = partyService.create(Fixture.create("ann"), Fixture.key("k"))
    while partyService.commitStatistics.queued < 3 { await Task.yield() }
    partyService.start()
    let ids = try await [first.party.id, second.party.id, third.party.id]
    #expect(Set(ids).count == 1)
    #expect(partyService.partyCount == 1)
    partyService.stop()
  }
}

extension CommitPipelineTests {
  @Test func whatNeverStartedStopsAllTheSame() async throws {
    let it = try Fixture(starts: false)
    let partyService = it.partyService
    async let waiting = reason {
      _ = try await partyService.create(Fixture.create("a"), Fixture.plain)
    }
    while partyService.commitStatistics.queued < 1 { await Task.yield() }
    partyService.stop()
    #expect(await waiting == "unavailable")
    await partyService.settleCommands()
    partyService.stop()
  }
}
