import DurableCommands
import Foundation
import MoyeoCluster
import ObjectModel
import Synchronization
import Testing
import Threading

/// The record in PostgreSQL where it is unlike a file: it is shared, far away, and may not answer.
@Suite struct PostgresStoreTests {
  @Test func migrationsRunOnce() throws {
    let address = try ScratchPostgres.shared.get().emptySchema()
    #expect(try ClusterMigration.status(address.connection).schema == 0)
    #expect {
      try PostgresStore(connection: address.connection)
    } throws: {
      ($0 as? StoreFailure)?.reason.contains("run moyeo cluster migrate") == true
    }
    // Several at once: each migration is run by one of them.
    let all = Array(1...ClusterSchema.version)
    let done = StateLock<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let own = (try? ClusterMigration.migrate(address.connection)) ?? [-1]
      done.withLock { $0 += own }
    }
    #expect(done.withLock { $0.sorted() } == all)
    #expect(try ClusterMigration.migrate(address.connection) == [])
    let store = try PostgresStore(connection: address.connection)
    _ = store.commit([group(party("p", version: 1), expecting: 0, events: [event(0, "p")])])
    let status = try ClusterMigration.status(address.connection)
    #expect(status.schema == status.wanted)
    #expect(
      status.tenants == [
        .init(name: "t", parties: 1, rideRequests: 0, tickets: 0, commutes: 0, newestEvent: 1)
      ])
    // A later release was here.
    try address.run("INSERT INTO schema_migrations (number, name) VALUES (99, 'later')")
    #expect(throws: StoreFailure.self) { try PostgresStore(connection: address.connection) }
    #expect(throws: StoreFailure.self) { try ClusterMigration.migrate(address.connection) }
    // Who is connected goes on: it was here first.
    #expect(store.commit([group(party("q", version: 1), expecting: 0)])[0].isCommitted)
  }

  @Test func aConnectionStringThatIsNoneIsSaidSo() {
    for bad in ["nonsense", "host=a port", "postgresql://[::1", "colour=red"] {
      #expect(PostgresStore.problem(in: bad) != nil, "\(bad)")
    }
    for good in ["host=a,b port=1,2 dbname=m", "postgresql://u@a:1,b:2/m", "service=m"] {
      #expect(PostgresStore.problem(in: good) == nil, "\(good)")
    }
    #expect(throws: StoreFailure.self) {
      try PostgresStore(connection: "host=127.0.0.1 port=1 user=moyeo dbname=postgres")
    }
  }

  /// What PostgreSQL cannot hold is refused alone, and what only people read is shown without.
  @Test func aZeroByteSpoilsNoBatch() throws {
    let address = try ScratchPostgres.shared.get().migratedSchema()
    let store = try PostgresStore(connection: address.connection)
    var shown = party("shown", version: 1)
    shown.summary.originName = "a\0b"
    var odd = event(0, "shown")
    odd.userIDs = ["\"\u{301}", "\\", "{}", ",", "", "NULL"]
    let outcomes = store.commit([
      group(party("a\0b", version: 1), expecting: 0),
      group(shown, expecting: 0, events: [odd]),
      group(party("q", version: 1), expecting: 0, claims: [claim("u\0", "q")]),
      group(party("full", version: 1, seatsFree: 9), expecting: 0),
    ])
    #expect(
      outcomes.map(\.isCommitted) == [false, true, false, false], "\(outcomes)")
    #expect(try store.all()["t/shown"]?.summary.originName == "a\u{FFFD}b")
    let read = try store.events(tenant: "t", after: 0, kinds: [], aggregateID: nil, limit: 9)
    #expect(read.map(\.userIDs) == [odd.userIDs])
  }

  @Test func aSecretIsOneForAll() throws {
    let address = try ScratchPostgres.shared.get().migratedSchema()
    let stores = try (0..<2).map { _ in try PostgresStore(connection: address.connection) }
    #expect(try stores[0].secret("s") { [1, 2, 3] } == [1, 2, 3])
    #expect(try stores[1].secret("s") { [4, 5, 6] } == [1, 2, 3])
    #expect(throws: StoreFailure.self) { try stores[1].secret("s") { [4] } }
  }

  /// Daemons that know nothing of each other: a seat is sold once, the feed has no gap.
  @Test func severalWritersSellASeatOnce() throws {
    let address = try ScratchPostgres.shared.get().migratedSchema()
    let writers = 4
    let rounds = 60
    let committed = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: writers) { writer in
      guard let store = try? PostgresStore(connection: address.connection) else {
        Issue.record("a writer could not connect")
        return
      }
      var random = SplitMix64(seed: UInt64(writer + 1))
      var versions: [String: UInt64] = [:]
      for round in 0..<rounds {
        let groups = (0..<4).map { index -> ChangeGroup in
          let id = "\(random.below(3) * 4 + index)"
          let version = versions[id, default: 0]
          let number = UInt64((writer * rounds + round) * 4 + index)
          return group(
            party(id, version: version + 1), expecting: version,
            claims: [claim("u\(number)", id)], events: [event(0, id)], reply: reply(number, id))
        }
        for (group, outcome) in zip(groups, store.commit(groups)) {
          let id = group.changes[0].aggregate.key.id
          switch outcome {
          case .committed:
            committed.add(1, ordering: .relaxed)
            versions[id] = group.changes[0].aggregate.version
          case .conflict(let newest): versions[id] = newest.first?.version ?? 0
          default: Issue.record("\(outcome)")
          }
        }
      }
    }
    let store = try PostgresStore(connection: address.connection)
    let count = committed.load(ordering: .relaxed)
    #expect(count >= rounds * 4)
    #expect(try store.events(limit: 10_000) == Array(1...UInt64(count)))
    #expect(try store.all().values.reduce(0) { $0 + Int($1.version) } == count)
    #expect(try address.run("SELECT count(*) FROM replies") == ["\(count)"])
    // Of each party the claim of its last rider alone.
    #expect(
      try address.run("SELECT count(*) FROM claims").first == "\(try store.all().count)")
  }

  /// The server ends an idle connection: nobody notices.
  @Test func aConnectionThatIsGoneIsMadeAnew() throws {
    let address = try ScratchPostgres.shared.get().migratedSchema()
    let store = try PostgresStore(connection: address.connection)
    #expect(try store.all().isEmpty)
    try address.run(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = '\(address.schema)' AND pid <> pg_backend_pid()
      """)
    let made = group(party("p", version: 1), expecting: 0, reply: reply(1))
    guard case .notDone = store.commit([made])[0] else {
      Issue.record("a commit on a connection that is gone was not refused")
      return
    }
    #expect(store.readOnlyReason != nil)
    #expect(try store.reopen() == BatchSettlement(needsReload: false))
    #expect(store.commit([made]) == [.committed(firstSequence: 0)])
    #expect(try store.all().count == 1)
  }
}
