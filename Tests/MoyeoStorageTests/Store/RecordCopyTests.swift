import DurableCommands
import Foundation
import MoyeoCluster
import ObjectModel
import Testing

@testable import MoyeoStorage

/// An embedded record that is copied into PostgreSQL.
@Suite struct RecordCopyTests {
  private static func tenant(of number: Int) -> String { number % 7 == 0 ? "u" : "t" }

  /// More rows than one piece holds, two tenants, all kinds, texts that need care.
  private static func fill(
    _ store: SQLiteStore, _ directory: ScratchDirectory, _ count: Int
  ) throws {
    // Replies are found by it: there is none without.
    _ = try IdempotencySecret.load(directory: directory.path, store: store)
    for start in stride(from: 0, to: count, by: 50) {
      let groups = (start..<(start + 50)).map { number -> ChangeGroup in
        let tenant = tenant(of: number)
        let id = "p\"\\é-\(number)"
        var stored = party(
          id, version: UInt64(number) + 1, tenant: tenant, seatsFree: number % 4,
          endedAt: number % 5 == 0 ? noon.advanced(milliseconds: Int64(number)) : nil,
          bytes: (0..<(number % 300)).map { UInt8(truncatingIfNeeded: $0 &* number) })
        stored.key.kind = AggregateKind(
          rawValue: ["party", "ticket", "ride_request", "commute"][number % 4])
        stored.summary.destination = number % 3 == 0 ? nil : stored.summary.destination
        stored.summary.originName = number == 8 ? "a\u{0}b" : "\(number)"
        var held = claim("user-\(number)", id, from: 0, tenant: tenant)
        held.aggregate.kind = stored.key.kind
        return group(
          stored, expecting: 0, claims: [held],
          events: (0..<3).map { _ in event(0, id, tenant: tenant) },
          reply: reply(
            UInt64(number) + 1, id, tenant: tenant,
            at: noon.advanced(milliseconds: Int64(number) * 20_000)))
      }
      #expect(store.commit(groups).allSatisfy { $0.isCommitted })
    }
  }

  private static func copy(
    _ directory: ScratchDirectory, _ address: PostgresAddress
  ) throws -> RecordCopy.Report {
    let (store, secret) = try SQLiteStore.openForCopying(directory: directory.path)
    defer { store.close() }
    return try RecordCopy.run(
      from: store, secret: (secret.high, secret.low), to: address.connection)
  }

  private static func everything(_ store: any AggregateStore) throws -> [AggregateKey:
    StoredAggregate]
  {
    var out: [AggregateKey: StoredAggregate] = [:]
    for kind in ["party", "ticket", "ride_request", "commute"] {
      try store.loadAggregates(kind: AggregateKind(rawValue: kind)) {
        var stored = $0
        // PostgreSQL holds no zero byte; these columns are for people.
        stored.summary.originName = stored.summary.originName.replacingOccurrences(
          of: "\u{0}", with: "\u{FFFD}")
        out[$0.key] = stored
      }
    }
    return out
  }

  @Test func allOfItIsThereAfterwards() throws {
    let directory = try ScratchDirectory.withTemplate()
    let count = 2_500
    var source = try SQLiteStore(directory: directory.path)
    try Self.fill(source, directory, count)
    let wanted = try Self.everything(source)
    try source.prune(
      eventsBefore: noon.advanced(milliseconds: -1), repliesBefore: noon, endedBefore: noon)
    source.close()
    let address = try ScratchPostgres.shared.get().emptySchema()
    let report = try Self.copy(directory, address)
    #expect(!report.wasThere)
    #expect(report.rows["event"] == 3 * count)
    #expect(report.rows["claim"] == count && report.rows["reply"] == count)
    let target = try PostgresStore(connection: address.connection)
    #expect(try Self.everything(target) == wanted)
    source = try SQLiteStore(directory: directory.path)
    for tenant in ["t", "u"] {
      let bounds = try source.eventBounds(tenant: tenant)
      #expect(try target.eventBounds(tenant: tenant) == bounds)
      #expect(
        try target.events(tenant: tenant, after: 0, kinds: [], aggregateID: nil, limit: 10_000)
          == source.events(tenant: tenant, after: 0, kinds: [], aggregateID: nil, limit: 10_000))
    }
    var replies: [StoredReply] = []
    try source.loadReplies { replies.append($0) }
    for reply in replies.prefix(50) {
      #expect(try target.reply(tenant: reply.tenant, key: reply.key) == reply)
    }
    let secret = try IdempotencySecret.load(directory: directory.path, store: source)
    source.close()
    let digits = String(format: "%016lx%016lx", secret.high, secret.low)
    #expect(
      try address.run("SELECT encode(value, 'hex') FROM settings WHERE name = 'idempotency'")
        == [digits])
    // A second call finds it done, and so it does when a daemon has gone on from it.
    #expect(try Self.copy(directory, address).wasThere)
    #expect(
      target.commit([group(party("new", version: 1), expecting: 0, events: [event(0, "new")])])[0]
        .isCommitted)
    #expect(try Self.copy(directory, address).wasThere)
    #expect(try target.all()["t/new"] != nil)
  }

  @Test func whatIsNotEmptyIsRefused() throws {
    let directory = try ScratchDirectory.withTemplate()
    let source = try SQLiteStore(directory: directory.path)
    try Self.fill(source, directory, 50)
    source.close()
    let address = try ScratchPostgres.shared.get().migratedSchema()
    let target = try PostgresStore(connection: address.connection)
    _ = target.commit([group(party("p", version: 1), expecting: 0)])
    let refusal = #expect(throws: StoreFailure.self) { try Self.copy(directory, address) }
    #expect(refusal?.reason.contains("not empty") == true, "\(String(describing: refusal))")
    #expect(try target.all().count == 1)
    // Another record than the one that was copied.
    let other = try ScratchPostgres.shared.get().emptySchema()
    #expect(try !Self.copy(directory, other).wasThere)
    let changed = try SQLiteStore(directory: directory.path)
    _ = changed.commit([group(party("late", version: 1), expecting: 0)])
    changed.close()
    let second = #expect(throws: StoreFailure.self) { try Self.copy(directory, other) }
    #expect(second?.reason.contains("another record") == true)
  }

  @Test func whatCannotBeCopiedIsSaid() throws {
    let address = try ScratchPostgres.shared.get().migratedSchema()
    let empty = try ScratchDirectory()
    #expect(throws: StorageError.self) { try Self.copy(empty, address) }
    #expect(!FileManager.default.fileExists(atPath: empty.databasePath))
    // A daemon runs on it.
    let directory = try ScratchDirectory.withTemplate()
    let running = try SQLiteStore(directory: directory.path)
    #expect(throws: StorageError.self) { try Self.copy(directory, address) }
    // An id that PostgreSQL cannot hold: nothing of it is there.
    _ = running.commit([
      group(party("p", version: 1), expecting: 0),
      group(party("q\u{0}", version: 1), expecting: 0),
    ])
    running.close()
    #expect(throws: StoreFailure.self) { try Self.copy(directory, address) }
    #expect(try PostgresStore(connection: address.connection).all().isEmpty)
    // Somebody was erased whom a restored record has still.
    let restored = try ScratchDirectory.withTemplate()
    _ = try ErasureList(directory: restored.path).add(tenant: "t", userID: "gone", at: noon)
    #expect(throws: StorageError.self) { try Self.copy(restored, address) }
  }
}
