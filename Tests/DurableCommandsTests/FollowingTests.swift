import ObjectModel
import Testing
import TestSupport
import Threading

@testable import DurableCommands

/// Several pipelines over one record: each takes over what the others commit.
struct FollowingTests {
  typealias Fixture = DinnerFixture

  private static let tenant = DinnerModel.tenant

  /// Pipelines over one record, driven by the test.
  private static func fixtures(
    _ count: Int, _ store: MemoryStore = MemoryStore(isShared: true),
    _ change: (inout CommitConfiguration) -> Void = { _ in }
  ) throws -> [Fixture] {
    try (0..<count).map { _ in try Fixture(store: store, starts: false, change) }
  }

  /// Has a pipeline look at the record.
  private static func follow(_ it: Fixture) {
    it.commands.note(Result { () throws(StoreFailure) in try it.store.head(tenant: tenant) })
    it.lane.carryOutWaiting()
  }

  private static func recorded(_ store: MemoryStore) throws -> [StoredEvent] {
    try store.events(tenant: tenant, after: 0, kinds: [], aggregateID: nil, limit: .max)
  }

  private static func told(_ it: Fixture, after: UInt64 = 0) async throws -> [StoredEvent] {
    try await it.commands.feed.events(after: after, kinds: [], aggregateID: nil, limit: .max).events
  }

  @Test func whatOthersCommitComesWithItsEvents() async throws {
    let all = try Self.fixtures(2)
    let (one, other) = (all[0], all[1])
    _ = one.carryOut(.announce(id: "d", seats: 4, host: "ann"))
    _ = one.carryOut(.join(id: "d", guest: "bob"))
    #expect(other.dinners["d"] == nil)
    Self.follow(other)
    #expect(other.dinners["d"] == one.dinners["d"])
    #expect(try await Self.told(other) == Self.recorded(one.store))
    #expect(other.commands.following?.commits == 2)
    // A daemon's own commits are not read again.
    Self.follow(one)
    #expect(one.commands.following?.commits == 0)
    #expect(one.lane.statistics.conflicts == 0)
  }

  @Test func anOwnCommitBehindOthersBringsThemAlong() async throws {
    let all = try Self.fixtures(2)
    let (one, other) = (all[0], all[1])
    for number in 0..<5 { _ = one.carryOut(.announce(id: "d\(number)", seats: 4, host: "ann")) }
    // Nothing was followed, and yet what is answered stands in a feed without gaps.
    #expect(try other.carryOut(.announce(id: "e", seats: 4, host: "eve"))?.get().version == 1)
    #expect(other.commands.feed.newest == 6)
    #expect(other.dinners.count == 6)
    #expect(try await Self.told(other) == Self.recorded(one.store))
  }

  @Test func aRefusalRestsOnWhatIsCommitted() throws {
    let all = try Self.fixtures(2)
    let (one, other) = (all[0], all[1])
    _ = one.carryOut(.announce(id: "d", seats: 2, host: "ann"))
    // It is not known here yet, and it is not full.
    #expect(try other.carryOut(.join(id: "d", guest: "bob"))?.get().guests == ["ann", "bob"])
    #expect(one.carryOut(.join(id: "d", guest: "eve")) == .failure(.full))
  }

  @Test func aKeyHasOneEffectWhicheverIsAsked() async throws {
    let store = MemoryStore(isShared: true)
    let one = try Fixture(store: store)
    let other = try Fixture(store: store)
    defer {
      one.commands.stop()
      other.commands.stop()
    }
    let made = try await one.announce("d", key: "k", content: "c")
    #expect(try await other.announce("d", key: "k", content: "c") == made)
    let joined = try await other.join("bob", key: "j", content: "c")
    _ = try await one.join("eve")
    // Answered by what there is now, as ever.
    let again = try await one.join("bob", key: "j", content: "c").get()
    #expect(try joined.get().guests == ["ann", "bob"])
    #expect(again.guests == ["ann", "bob", "eve"])
    #expect(
      try await one.join("bob", key: "j", content: "other")
        == Fixture.refused(.idempotencyMismatch))
  }

  @Test func manyCommitsAreTakenOverInPieces() async throws {
    let all = try Self.fixtures(2)
    let (one, other) = (all[0], all[1])
    // More than is read at once, of both.
    for number in 0..<300 { _ = one.carryOut(.announce(id: "d\(number)", seats: 4, host: "ann")) }
    for number in 0..<300 { _ = one.carryOut(.join(id: "d\(number)", guest: "bob")) }
    Self.follow(other)
    #expect(other.dinners.count == 300)
    #expect(other.dinners["d7"]?.guests == ["ann", "bob"])
    #expect(try await Self.told(other) == Self.recorded(one.store))
    #expect(other.commands.following?.commits == 600)
  }

  @Test func aRecordChangedBesideTheCommandsIsLoadedAnew() async throws {
    let all = try Self.fixtures(2)
    let (one, other) = (all[0], all[1])
    _ = one.carryOut(.announce(id: "d", seats: 4, host: "ann"))
    Self.follow(other)
    // As an erasure does: no version, no event.
    let renamed = Dinner(id: "d", seats: 4, guests: ["erased-1"], version: 1)
    one.store.replace(renamed.stored(Fixture.kind))
    one.store.noteRevision(tenant: Self.tenant)
    for it in all {
      Self.follow(it)
      #expect(it.dinners["d"] == renamed)
    }
    #expect(try one.carryOut(.join(id: "d", guest: "bob"))?.get().guests == ["erased-1", "bob"])
  }

  /// A server took over that had not got everything, and others have written to it since.
  @Test(arguments: [0, 1, 5]) func aRecordThatLostCommitsIsLoadedAnew(written: Int) async throws {
    let all = try Self.fixtures(2)
    let (one, other) = (all[0], all[1])
    _ = one.carryOut(.announce(id: "d", seats: 4, host: "ann"))
    let before = one.store.snapshot()
    for guest in ["bob", "eve"] { _ = one.carryOut(.join(id: "d", guest: guest)) }
    Self.follow(other)
    one.store.restore(before)
    let third = try Fixture(store: one.store, starts: false)
    for guest in 0..<written { _ = third.carryOut(.announce(id: "n\(guest)", seats: 2, host: "h")) }
    Self.follow(other)
    #expect(other.dinners["d"]?.guests == ["ann"])
    #expect(other.dinners.count == 1 + written)
    #expect(try await Self.told(other) == Self.recorded(one.store))
    // Who has lost it by its own command finds out as well.
    #expect(try one.carryOut(.join(id: "d", guest: "zoe"))?.get().guests == ["ann", "zoe"])
    #expect(try await Self.told(one) == Self.recorded(one.store))
  }

  @Test func aRecordThatCannotBeReadIsSaidSo() async throws {
    let all = try Self.fixtures(2)
    let (one, other) = (all[0], all[1])
    other.monotonic.advance(by: 1)
    one.store.failFollowing(StoreFailure("the link is cut"))
    _ = one.carryOut(.announce(id: "d", seats: 4, host: "ann"))
    // Own commands go on.
    #expect(one.dinners["d"] != nil)
    Self.follow(other)
    #expect(other.dinners["d"] == nil)
    #expect(other.commands.following?.trouble == nil)
    other.monotonic.advance(by: 3_000_000_000)
    let trouble = try #require(other.commands.following?.trouble)
    #expect(trouble.contains("the link is cut") && trouble.contains("3000 ms"))
    // An own commit behind others' then leaves those in between to the record.
    _ = one.carryOut(.join(id: "d", guest: "bob"))
    #expect(try other.carryOut(.announce(id: "e", seats: 4, host: "eve"))?.get().version == 1)
    #expect(try await Self.told(other) == Self.recorded(one.store))
    #expect(other.dinners["d"] == nil)
    one.store.failFollowing(nil)
    Self.follow(other)
    #expect(other.dinners["d"]?.guests == ["ann", "bob"])
    #expect(other.commands.following?.trouble == nil)
    #expect(try await Self.told(other) == Self.recorded(one.store))
  }

  @Test func aReaderThatIsAheadIsWaitedFor() async throws {
    let store = MemoryStore(isShared: true)
    let one = try Fixture(store: store)
    let other = try Fixture(store: store)
    defer {
      one.commands.stop()
      other.commands.stop()
    }
    for number in 0..<3 { try await one.announce("d\(number)") }
    let page = try await other.commands.feed.events(
      after: 2, kinds: [], aggregateID: nil, limit: 9)
    #expect(page.events.map(\.sequence) == [3])
    // One that nobody gave.
    await #expect(throws: EventFeedError.resumeTokenAhead(newest: 3)) {
      try await other.commands.feed.events(after: 9, kinds: [], aggregateID: nil, limit: 9)
    }
    store.failFollowing(StoreFailure("the link is cut"))
    try await one.announce("d3")
    await #expect(throws: EventFeedError.unavailable(reason: "the link is cut")) {
      try await other.commands.feed.events(after: 4, kinds: [], aggregateID: nil, limit: 9)
    }
  }

  @Test func aReaderOfADaemonThatIsBehindIsToldToComeBack() async throws {
    let all = try Self.fixtures(2)
    let (one, other) = (all[0], all[1])
    for number in 0..<3 { _ = one.carryOut(.announce(id: "d\(number)", seats: 4, host: "ann")) }
    // The record holds what this daemon has not followed yet: that is no token of another world.
    let behind = EventFeedError.unavailable(
      reason: "this daemon knows the record's events up to 0 of 3 so far")
    await #expect(throws: behind) { try await Self.told(other, after: 2) }
    await #expect(throws: EventFeedError.resumeTokenAhead(newest: 0)) {
      try await Self.told(other, after: 4)
    }
    Self.follow(other)
    #expect(try await Self.told(other, after: 2).map(\.sequence) == [3])
  }

  /// Three pipelines decide, follow and lose answers in an order by seed, and a reader goes from one to
  /// the other: it is told each event once and in order, and memory ends as the record is.
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func anyOrderEndsTheSame(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let store = MemoryStore(isShared: true)
    let all = try Self.fixtures(3, store)
    var read: [UInt64] = []
    var ids: [String] = []
    let joined = StateLock<[String: String]>([:])
    for step in 0..<200 {
      let it = all[Int.random(in: 0..<3, using: &generator)]
      switch Int.random(in: 0..<12, using: &generator) {
      case 0..<2:
        _ = it.carryOut(.announce(id: "d\(step)", seats: 5, host: "ann"))
        ids = ids.suffix(2) + ["d\(step)"]
      case 2..<7:
        // Of one batch, on few dinners: what rests on a change that did not come about falls with it.
        for guest in 0..<Int.random(in: 1...4, using: &generator) {
          let id = ids.randomElement(using: &generator) ?? "none"
          let name = "\(step)-\(guest)"
          it.lane.submit(.join(id: id, guest: name)) { answer in
            if case .success = answer { joined.withLock { $0[name] = id } }
          }
        }
        it.lane.carryOutWaiting()
      case 7: store.inject(.settled(reason: "cut", takesEffect: generator.next() % 2 == 0))
      case 8: store.inject(.unknown(reason: "cut", takesEffect: generator.next() % 2 == 0))
      case 9: store.failFollowing(StoreFailure("cut"))
      default:
        store.failFollowing(nil)
        Self.follow(it)
      }
      it.monotonic.advance(by: 2_000_000_000)
      // The reader changes daemons; one that is behind it is left at once.
      let reader = all[Int.random(in: 0..<3, using: &generator)]
      let last = read.last ?? 0
      guard reader.commands.feed.newest >= last else { continue }
      read += try await Self.told(reader, after: last).map(\.sequence)
    }
    store.failFollowing(nil)
    for it in all { it.lane.carryOutWaiting() }
    // Whoever was told that they are in, is.
    for (guest, id) in joined.withLock({ $0 }) {
      let stored = try store.aggregates(kind: Fixture.kind, tenant: Self.tenant, ids: [id])
      #expect(try Dinner(#require(stored.first)).guests.contains(guest))
    }
    let events = try Self.recorded(store)
    #expect(events.map(\.sequence) == Array(1...UInt64(events.count)))
    #expect(read == Array(1...UInt64(read.count)))
    for it in all {
      // A record that takes no writes is opened anew by what comes next.
      it.monotonic.advance(by: 5_000_000_000)
      _ = it.carryOut(.join(id: "nowhere", guest: "x"))
      Self.follow(it)
      #expect(try await Self.told(it) == events)
      try store.loadAggregates(kind: Fixture.kind) { stored in
        let dinner = try Dinner(stored)
        #expect(it.dinners[dinner.id] == dinner)
      }
    }
  }
}
