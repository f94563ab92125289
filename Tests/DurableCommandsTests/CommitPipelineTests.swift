import DurableCommands
import ObjectModel
import Testing
import TestSupport
import Threading

/// What the store may answer, and what callers are told then.
struct CommitPipelineTests {
  typealias Fixture = DinnerFixture

  @Test func aRollbackIsTriedAgain() async throws {
    let it = try Fixture()
    defer { it.commands.stop() }
    it.store.inject(.notDone(group: 0, reason: "busy"))
    #expect(try await it.announce(key: "k").get().version == 1)
    #expect(it.lane.statistics.notDone == 1)
    // Twice in a row: the caller is told, and may repeat it.
    it.store.inject(.notDone(group: 0, reason: "busy"))
    it.store.inject(.notDone(group: 0, reason: "busy"))
    #expect(try await it.join("bob", key: "j") == Fixture.unavailable("busy"))
    #expect(it.dinners["d"]?.guests == ["ann"])
    #expect(try await it.join("bob", key: "j").get().version == 2)
    #expect(it.commands.feed.newest == 2)
  }

  @Test func aConflictIsDecidedOnTheNewestState() async throws {
    let it = try Fixture()
    defer { it.commands.stop() }
    try await it.announce(seats: 2)
    // Somebody else writes to the record: the last seat goes to "eve".
    let other = Dinner(id: "d", seats: 2, guests: ["ann", "eve"], version: 2)
    let change = ChangeGroup.Change(expectedVersion: 1, aggregate: other.stored(Fixture.kind))
    #expect(it.store.commit([ChangeGroup(changes: [change])]) == [.committed(firstSequence: 0)])
    #expect(try await it.join("bob") == .failure(.full))
    #expect(it.dinners["d"] == other)
    #expect(it.lane.statistics.conflicts == 1)
  }

  @Test func endlessConflictsEnd() async throws {
    let it = try Fixture()
    defer { it.commands.stop() }
    for _ in 0..<10 { it.store.inject(.conflict(group: 0)) }
    guard case .failure(.commit(.unavailable)) = try await it.announce() else {
      Issue.record("the command was not given up")
      return
    }
    #expect(it.lane.statistics.conflicts == CommitConfiguration().attempts)
  }

  @Test func aDuplicateKnownOnlyToTheStoreAnswersItsReply() async throws {
    let it = try Fixture()
    defer { it.commands.stop() }
    let dinner = try await it.announce().get()
    let reply = StoredReply(
      tenant: DinnerModel.tenant, key: IdempotencyHash(high: 1, low: 2),
      requestHash: CommandContext.requestHash(Array("request".utf8)), aggregateID: "d",
      version: 1, at: it.clock.now())
    it.store.inject(.duplicate(group: 0, reply))
    #expect(try await it.join("bob", key: "k", content: "request") == .success(dinner))
    it.store.inject(.duplicate(group: 0, reply))
    #expect(
      try await it.join("bob", key: "k2", content: "another")
        == Fixture.refused(.idempotencyMismatch))
    #expect(it.lane.statistics.duplicates == 2)
  }

  @Test(arguments: [true, false])
  func anUnknownOutcomeIsReadFromTheRecord(takesEffect: Bool) async throws {
    let it = try Fixture()
    defer { it.commands.stop() }
    try await it.announce()
    it.store.inject(.unknown(reason: "fsync failed", takesEffect: takesEffect))
    #expect(try await it.join("bob", key: "j") == Fixture.unavailable("fsync failed"))
    // What memory shows is what the record holds.
    #expect(it.dinners["d"]?.version == (takesEffect ? 2 : 1))
    #expect(try await it.join("bob", key: "j").get().guests == ["ann", "bob"])
    #expect(it.dinners["d"]?.version == 2)
    let page = try await it.commands.feed.events(
      after: 0, kinds: [], aggregateID: nil, limit: 100)
    #expect(page.events.map(\.sequence) == [1, 2])
  }

  /// The store that is opened anew knows what became of the batch: its callers are told, and nothing
  /// is loaded.
  @Test(arguments: [true, false])
  func aSettledOutcomeIsAnswered(takesEffect: Bool) async throws {
    let it = try Fixture()
    defer { it.commands.stop() }
    try await it.announce()
    it.store.inject(.settled(reason: "the link was cut", takesEffect: takesEffect))
    #expect(try await it.join("bob", key: "j").get().guests == ["ann", "bob"])
    #expect(it.dinners["d"]?.version == 2)
    #expect(it.lane.statistics.unknownOutcomes == 1)
    #expect(it.lane.statistics.notDone == (takesEffect ? 0 : 1))
    #expect(try await it.join("bob", key: "j").get().version == 2)
    #expect(try await it.join("eve").get().version == 3)
    let page = try await it.commands.feed.events(
      after: 0, kinds: [], aggregateID: nil, limit: 100)
    #expect(page.events.map(\.sequence) == [1, 2, 3])
    #expect(page.events.map(\.version) == [1, 2, 3])
  }

  /// It could not be opened at once: callers are told so, and what the batch did is loaded later.
  @Test(arguments: [true, false])
  func anOutcomeThatIsSettledTooLateIsRead(takesEffect: Bool) async throws {
    let it = try Fixture()
    defer { it.commands.stop() }
    try await it.announce()
    it.store.inject(.settled(reason: "the link was cut", takesEffect: takesEffect))
    it.store.failNextReopen(reason: "no answer")
    #expect(try await it.join("bob", key: "j") == Fixture.unavailable("the link was cut"))
    it.monotonic.advance(by: 1_001_000_000)
    #expect(try await it.join("bob", key: "j").get().version == 2)
    #expect(it.dinners["d"]?.guests == ["ann", "bob"])
    #expect(it.commands.feed.newest == 2)
  }

  /// Another daemon writes to the record: memory is behind, and a refusal that rests on it is decided
  /// anew before it goes out.
  @Test func aRefusalOfASharedRecordIsVerified() async throws {
    let it = try Fixture(store: MemoryStore(isShared: true))
    defer { it.commands.stop() }
    let other = try Fixture(store: it.store, clock: it.clock)
    defer { other.commands.stop() }
    // Not known here, full there, known here.
    try await other.announce(seats: 2)
    #expect(try await it.join("bob").get().guests == ["ann", "bob"])
    #expect(try await other.join("eve") == .failure(.full))
    #expect(try await other.announce(seats: 3) == .failure(.exists))
    #expect(other.lane.statistics.conflicts == 1)
    #expect(try await it.join("eve") == .failure(.full))
    // One effect a key, whichever daemon is asked, though here it leads to a refusal.
    #expect(try await it.announce("e", seats: 1, key: "k").get().version == 1)
    #expect(try await other.announce("e", seats: 1, key: "k").get().version == 1)
    #expect(other.lane.statistics.duplicates == 1)
    let page = try await it.commands.feed.events(
      after: 0, kinds: [], aggregateID: nil, limit: 100)
    #expect(page.events.map(\.sequence) == [1, 2, 3])
  }

  @Test func whileTheRecordCannotBeOpenedCommandsAreRefused() async throws {
    let it = try Fixture()
    defer { it.commands.stop() }
    try await it.announce()
    it.store.inject(.unknown(reason: "fsync failed", takesEffect: true))
    it.store.failNextReopen(reason: "the disk is gone")
    #expect(try await it.join("bob") == Fixture.unavailable("fsync failed"))
    #expect(it.lane.readOnlyReason == "the disk is gone")
    #expect(try await it.join("bob") == Fixture.readOnly("the disk is gone"))
    // Reads go on.
    #expect(it.dinners["d"]?.guests == ["ann"])
    // The wall clock is set back by two hours: the record is opened again all the same.
    it.clock.advance(milliseconds: -7_200_000)
    it.monotonic.advance(by: 1_001_000_000)
    #expect(try await it.join("eve").get().guests == ["ann", "bob", "eve"])
    #expect(it.lane.readOnlyReason == nil)
  }

  @Test func whileTheRecordIsReadOnlyKeptRepliesAreAnswered() async throws {
    let it = try Fixture()
    defer { it.commands.stop() }
    let dinner = try await it.announce(key: "k").get()
    it.store.inject(.readOnly(reason: "disk full"))
    for _ in 0..<9 { it.store.failNextReopen(reason: "disk full") }
    #expect(try await it.announce("e", key: "other") == Fixture.readOnly("disk full"))
    #expect(try await it.announce(key: "k") == .success(dinner))
    // The same key with another request is still a mistake of the caller's.
    #expect(
      try await it.announce(key: "k", content: "other content")
        == Fixture.refused(.idempotencyMismatch))
    #expect(it.lane.readOnlyReason == "disk full")
    #expect(it.dinners.count == 1)
  }

  /// Each try reads all of the record: damage that is found again is looked for less and less.
  @Test func aDamagedRecordIsReadAnewLessAndLessOften() throws {
    let it = try Fixture(starts: false)
    defer { it.commands.stop() }
    let join = DinnerCommand.join(id: "d", guest: "bob")
    #expect(try it.carryOut(.announce(id: "d", seats: 4, host: "ann"))?.get().version == 1)
    it.store.inject(.unknown(reason: "fsync failed", takesEffect: false))
    for i in 0..<20 { it.store.failNextReopen(reason: "malformed \(i)", isDamage: true) }
    #expect(it.carryOut(join) == Fixture.unavailable("fsync failed"))
    var reasons: [String] = []
    for _ in 0..<1800 {
      it.monotonic.advance(by: 1_000_000_000)
      it.lane.tryToRecover()
      it.lane.carryOutWaiting()
      let now = it.lane.readOnlyReason ?? "open"
      if reasons.last != now { reasons.append(now) }
    }
    // Tried at once, and after 1, 2, 4 ... 512 and 600 seconds more.
    #expect(reasons == (1...11).map { "malformed \($0)" })
    #expect(it.carryOut(join) == Fixture.readOnly("malformed 11"))
  }
}

extension CommitPipelineTests {
  @Test func aFullQueueIsSaidSoAndDeadlinesActBeforeTheRule() async throws {
    // Not started: what is entered waits.
    let it = try Fixture(starts: false) { $0.queueLimit = 3 }
    let soon = it.clock.now().advanced(milliseconds: 100)
    async let first = it.announce("a", deadline: soon)
    async let second = it.announce("b")
    async let third = it.announce("c")
    await it.untilQueued(3)
    #expect(try await it.announce("d") == Fixture.refused(.overloaded(waiting: 3)))
    it.clock.advance(milliseconds: 101)
    it.commands.start()
    #expect(try await first == Fixture.refused(.deadlineExceeded))
    #expect(try await second.get().id == "b")
    #expect(try await third.get().id == "c")
    #expect(it.dinners.count == 2)
    #expect(it.lane.statistics.missedDeadlines == 1)
    #expect(it.lane.statistics.refusedForLoad == 1)
    it.commands.stop()
    #expect(try await it.announce("e") == Fixture.refused(.stopped))
  }

  @Test func aRefusalThatRestedOnAFailedChangeIsDecidedAnew() async throws {
    // In one batch: "bob" takes the last seat, "eve" is refused; then bob's change fails.
    let before = try Fixture()
    try await before.announce(seats: 2)
    before.commands.stop()
    let it = try Fixture(store: before.store, clock: before.clock, starts: false)
    async let bob = it.join("bob", key: "b")
    await it.untilQueued(1)
    async let eve = it.join("eve")
    await it.untilQueued(2)
    // The batch, then bob alone: the second failure alone is final.
    it.store.inject(.notDone(group: 0, reason: "busy"))
    it.store.inject(.notDone(group: 0, reason: "busy"))
    it.commands.start()
    #expect(try await bob == Fixture.unavailable("busy"))
    #expect(try await eve.get().guests == ["ann", "eve"])
    #expect(it.dinners["d"]?.guests == ["ann", "eve"])
    it.commands.stop()
  }

  @Test func twinsInOneBatchHaveOneEffect() async throws {
    let it = try Fixture(starts: false)
    async let first = it.announce(key: "k")
    async let second = it.announce(key: "k")
    async let third = it.announce(key: "k")
    await it.untilQueued(3)
    it.commands.start()
    let answers = try await [first.get(), second.get(), third.get()]
    #expect(Set(answers).count == 1)
    #expect(it.lane.statistics.committedGroups == 1)
    it.commands.stop()
  }

  @Test func aPipelineThatNeverStartedCanBeStopped() async throws {
    let it = try Fixture(starts: false)
    async let waiting = it.announce()
    await it.untilQueued(1)
    it.commands.stop()
    #expect(try await waiting == Fixture.refused(.stopped))
    await it.settle()
    it.commands.stop()
  }

  /// Two services share a record: their events are numbered in one ascending order, though a change
  /// in between fails and takes a number of its own later.
  @Test func twoModelsNumberTheirEventsInOneOrder() async throws {
    let it = try Fixture(starts: false)
    let supper = AggregateKind(rawValue: "supper")
    let (suppers, lane) = try Fixture.add(supper, to: it.commands)
    async let dinner = it.announce("a")
    await it.untilQueued(1)
    async let late = lane.submit(.announce(id: "a", seats: 2, host: "eve"))
    await it.untilQueued(2)
    async let last = it.announce("b")
    await it.untilQueued(3)
    // In the first commit the second of the three groups does not come about.
    it.store.inject(.notDone(group: 1, reason: "busy"))
    it.commands.start()
    #expect(try await [dinner.get().id, late.get().id, last.get().id] == ["a", "a", "b"])
    it.commands.stop()
    #expect(it.dinners.count == 2)
    #expect(suppers["a"]?.guests == ["eve"])
    let events = try it.store.events(
      tenant: DinnerModel.tenant, after: 0, kinds: [], aggregateID: nil, limit: 100)
    #expect(events.map(\.kind) == ["dinner.changed", "dinner.changed", "supper.changed"])
    #expect(events.map(\.sequence) == [1, 2, 3])
    #expect(it.commands.feed.newest == 3)
  }
}
