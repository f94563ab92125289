import DurableCommands
import Foundation
import MoyeoCluster
import ObjectModel
import Testing
import TestSupport
import Threading

/// What stores tell that several daemons write to.
@Suite struct FollowedStoreTests {
  enum Kind: String, CaseIterable, Sendable {
    case memory, postgres

    /// Two daemons' stores over one record.
    func make() throws -> (any FollowedStore, any FollowedStore) {
      switch self {
      case .memory:
        let store = MemoryStore(isShared: true)
        return (store, store)
      case .postgres:
        let address = try ScratchPostgres.shared.get().migratedSchema()
        return (
          try PostgresStore(connection: address.connection),
          try PostgresStore(connection: address.connection)
        )
      }
    }
  }

  private static func news(
    _ store: any FollowedStore, after commits: Int64, atMost most: Int64 = 100,
    eventsAfter: UInt64 = 0, eventLimit: Int = 100
  ) throws -> RecordNews {
    var news = try store.news(
      tenant: "t", after: commits, atMost: most, eventsAfter: eventsAfter, eventLimit: eventLimit)
    news.aggregates.sort { $0.key.id < $1.key.id }
    return news
  }

  @Test(arguments: Kind.allCases)
  func whatWasCommittedSinceIsTold(_ kind: Kind) throws {
    let (one, other) = try kind.make()
    #expect(try other.head(tenant: "t") == RecordHead())
    #expect(try Self.news(other, after: 0) == RecordNews(head: RecordHead()))
    #expect(other.lastCommit(tenant: "t") == nil)
    // Two groups of one batch are one transaction; another tenant's counts for itself.
    let (p, q) = (party("p", version: 1), party("q", version: 1))
    _ = one.commit([
      group(p, expecting: 0, events: [event(0, "p")]),
      group(q, expecting: 0, events: [event(0, "q")]),
    ])
    _ = one.commit([group(party("x", version: 1, tenant: "u"), expecting: 0)])
    let changed = party("p", version: 2, seatsFree: 1)
    _ = other.commit([group(changed, expecting: 1, events: [event(0, "p")])])
    // What conflicts, and what changes nothing, is no transaction.
    _ = other.commit([group(changed, expecting: 1)])
    // The first of a connection is not told: it is to be read.
    #expect(other.lastCommit(tenant: "t") == (kind == .memory ? 2 : nil))
    #expect(try other.head(tenant: "t").commits == 2)
    let head = RecordHead(commits: 2, oldest: 1, newest: 3)
    #expect(try other.head(tenant: "t") == head)
    let all = try Self.news(other, after: 0)
    #expect(all.head == head)
    #expect(all.aggregates == [changed, q])
    #expect(all.events.map(\.sequence) == [1, 2, 3])
    #expect(try Self.news(one, after: 1).aggregates == [changed])
    // In pieces: a state of a later transaction comes with that.
    #expect(try Self.news(one, after: 0, atMost: 1).aggregates == [q])
    #expect(try Self.news(one, after: 2, eventsAfter: 3) == RecordNews(head: head))
    #expect(
      try Self.news(one, after: 2, eventsAfter: 1, eventLimit: 1).events.map(\.sequence) == [2])
    #expect(try one.head(tenant: "u").commits == 1)
    _ = other.commit([group(party("q", version: 2), expecting: 1)])
    #expect(other.lastCommit(tenant: "t") == 3)
  }

  /// A batch is decided group upon group. Where one does not come about, those behind it on the same
  /// aggregate do not either, though somebody else has given it the version that they expect.
  @Test(arguments: Kind.allCases)
  func whatRestsOnAMissedChangeIsMissed(_ kind: Kind) throws {
    let store = try kind.make().0
    _ = store.commit([group(party("p", version: 1), expecting: 0)])
    let theirs = party("p", version: 2, seatsFree: 1)
    _ = store.commit([group(theirs, expecting: 1)])
    var refusal = ChangeGroup(changes: [])
    refusal.expectations = [StateExpectation(key: partyKey("p"), version: 2)]
    let both = ChangeGroup(changes: [
      .init(expectedVersion: 2, aggregate: party("p", version: 3)),
      .init(expectedVersion: 0, aggregate: party("q", version: 1)),
    ])
    let outcomes = store.commit([
      group(party("p", version: 2, seatsFree: 0), expecting: 1), both, refusal,
      group(party("q", version: 2), expecting: 1),
      group(party("r", version: 1), expecting: 0),
    ])
    #expect(outcomes.map(\.isCommitted) == [false, false, false, false, true])
    #expect(outcomes[1] == .conflict(newest: [theirs]))
    #expect(try store.all() == ["t/p": theirs, "t/r": party("r", version: 1)])
    // What comes next was decided anew.
    #expect(store.commit([both, refusal])[0].isCommitted)
  }

  @Test(arguments: Kind.allCases)
  func whatIsDroppedIsSaidSo(_ kind: Kind) throws {
    let (one, other) = try kind.make()
    let end = noon.advanced(milliseconds: 5_000)
    _ = one.commit([
      group(
        party("p", version: 1, state: "ended", endedAt: noon), expecting: 0,
        events: [event(0, "p")]),
      group(party("q", version: 1), expecting: 0, events: [event(0, "q", at: end)]),
    ])
    try one.prune(eventsBefore: end, repliesBefore: end, endedBefore: end)
    let head = try other.head(tenant: "t")
    #expect(head == RecordHead(commits: 1, oldest: 2, newest: 2, endedBefore: end))
    // It never goes back.
    try other.prune(eventsBefore: noon, repliesBefore: noon, endedBefore: noon)
    #expect(try one.head(tenant: "t") == head)
  }

  @Test func oneLeadsUntilItIsGone() throws {
    let address = try ScratchPostgres.shared.get().migratedSchema()
    let first = try PostgresStore(connection: address.connection)
    let second = try PostgresStore(connection: address.connection)
    // Another record in the same database has a leader of its own.
    let elsewhere = try PostgresStore(
      connection: ScratchPostgres.shared.get().migratedSchema().connection)
    #expect(!first.isLeading && !second.isLeading)
    func look(_ store: PostgresStore, times: Int = 2) {
      let told = DispatchSemaphore(value: 0)
      store.watch(tenant: "t") { _ in told.signal() }
      for _ in 0..<times { _ = told.wait(timeout: .now() + 20) }
    }
    look(first)
    look(second, times: 4)
    look(elsewhere)
    #expect(first.isLeading && !second.isLeading && elsewhere.isLeading)
    first.close()
    #expect(!first.isLeading)
    var looks = 0
    while !second.isLeading, looks < 100 {
      look(second)
      looks += 1
    }
    #expect(second.isLeading)
    // The server ends the connection: the lock goes with it, and comes back with the next one.
    try address.run(
      """
      SELECT pg_terminate_backend(pid) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND a.application_name = '\(address.schema)'
      """)
    look(second, times: 2)
    while !second.isLeading, looks < 200 {
      look(second)
      looks += 1
    }
    #expect(second.isLeading)
    second.close()
    elsewhere.close()
  }

  @Test func headsAreToldSoonerToWhoHurries() throws {
    let address = try ScratchPostgres.shared.get().migratedSchema()
    var options = PostgresStore.Options()
    // Only hurried looks come in time.
    options.followMilliseconds = 600_000
    let store = try PostgresStore(connection: address.connection, options: options)
    let other = try PostgresStore(connection: address.connection)
    defer {
      store.close()
      other.close()
    }
    let heads = StateLock<[RecordHead]>([])
    let told = DispatchSemaphore(value: 0)
    store.watch(tenant: "t") { result in
      if case .success(let head) = result { heads.withLock { $0.append(head) } }
      told.signal()
    }
    store.hurry()
    #expect(told.wait(timeout: .now() + 20) == .success)
    _ = other.commit([group(party("p", version: 1), expecting: 0, events: [event(0, "p")])])
    store.hurry()
    #expect(told.wait(timeout: .now() + 20) == .success)
    #expect(
      heads.withLock { $0 } == [RecordHead(), RecordHead(commits: 1, oldest: 1, newest: 1)])
    store.stopWatching(tenant: "t")
  }
}
