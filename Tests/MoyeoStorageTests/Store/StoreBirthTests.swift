import Foundation
import GRDB
import ObjectModel
import Testing

@testable import MoyeoStorage
import DurableCommands

/// A first start or a migration that is cut short is finished or begun anew by the next start, and a
/// record that lost its file is not begun anew.
@Suite struct StoreBirthTests {
  // MARK: Cut short

  /// The process is killed before each of its operations on files in turn.
  @Test func aFirstStartMayEndAtAnyMoment() throws {
    var moment = 0
    var hasSucceeded = false
    while !hasSucceeded {
      let disk = try FaultyDisk(isEmpty: true)
      disk.stop(after: moment)
      hasSucceeded = (try? disk.open()) != nil
      disk.stop(after: nil)
      let store = try disk.open()
      let made = group(party("p", version: 1), expecting: 0, claims: [claim("u", "p")])
      #expect(
        store.commit([made]) == [.committed(firstSequence: 0)], "killed before operation \(moment)")
      store.close()
      let findings = StoreDoctor.examine(dataDirectory: disk.directory.path)
      #expect(!findings.contains { $0.grade == .wrong }, "\(moment): \(findings)")
      let names = try FileManager.default.contentsOfDirectory(atPath: disk.directory.path)
      #expect(!names.contains { $0.contains(".partial") }, "\(moment): \(names)")
      // Neighbouring operations of a start are of one kind but for the first.
      moment += moment < 12 ? 1 : 29
    }
    #expect(moment > 12, "the operations are counted")
  }

  @Test func aWholeFileThatHasNoNameYetIsBegunAnew() throws {
    let directory = try ScratchDirectory.withTemplate()
    try FileManager.default.moveItem(
      atPath: directory.databasePath, toPath: directory.databasePath + ".partial")
    let store = try SQLiteStore(directory: directory.path)
    #expect(
      store.commit([group(party("p", version: 1), expecting: 0)]) == [.committed(firstSequence: 0)])
    #expect(!FileManager.default.fileExists(atPath: directory.databasePath + ".partial"))
  }

  /// As the release before left a first start that was killed or had no space: the list of
  /// migrations is there, the first of them is not.
  @Test func whatAnEarlierReleaseBeganIsFinished() throws {
    let directory = try ScratchDirectory()
    let pool = try DatabasePool(path: directory.databasePath)
    try pool.write {
      try $0.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    }
    try pool.close()
    let store = try SQLiteStore(directory: directory.path)
    #expect(
      store.commit([group(party("p", version: 1), expecting: 0)]) == [.committed(firstSequence: 0)])
    store.close()
    #expect(try StoreFile.inspect(store.path)?.version == StoreSchema.version)
    // With a table of its own it is another program's.
    let other = try ScratchDirectory()
    let queue = try DatabaseQueue(path: other.databasePath)
    try queue.write {
      try $0.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT); CREATE TABLE mine (a)")
    }
    try queue.close()
    #expect(throws: StorageError.foreignFile(path: other.databasePath)) {
      try SQLiteStore(directory: other.path)
    }
  }

  /// The record of the first release, the migrations killed before each operation in turn.
  @Test func aMigrationMayEndAtAnyMoment() throws {
    let original = try ScratchDirectory()
    let queue = try DatabaseQueue(
      path: original.databasePath, configuration: spatialConfiguration())
    try queue.write { try $0.execute(sql: firstSchema) }
    try queue.close()
    var moment = 0
    var hasSucceeded = false
    while !hasSucceeded {
      let disk = try FaultyDisk(isEmpty: true)
      try FileManager.default.copyItem(
        atPath: original.databasePath, toPath: disk.directory.databasePath)
      disk.stop(after: moment)
      do {
        let store = try disk.open()
        store.close()
        hasSucceeded = !disk.hasStopped
      } catch {}
      disk.stop(after: nil)
      let store = try disk.open()
      #expect(try store.all()["t/old"]?.version == 3, "killed before operation \(moment)")
      #expect(try store.events(of: "old") == [4, 9])
      store.close()
      #expect(try StoreFile.inspect(store.path)?.version == StoreSchema.version)
      moment += moment < 24 ? 1 : 7
    }
    #expect(moment > 24, "the operations are counted")
  }

  /// A record of the release before tickets, with parties in it.
  @Test func aRecordOfSchemaThreeOpensWithEverythingAndTakesTickets() throws {
    let directory = try ScratchDirectory()
    let queue = try DatabaseQueue(
      path: directory.databasePath, configuration: spatialConfiguration())
    try queue.write { try $0.execute(sql: firstSchema) }
    try StoreSchema.migrator.migrate(queue, upTo: "3 the secret's fingerprint")
    let (schema, hasTickets) = try queue.read { db in
      (try Int.fetchOne(db, sql: "PRAGMA user_version"), try db.tableExists("tickets"))
    }
    #expect(schema == 3 && !hasTickets)
    try queue.close()
    let store = try SQLiteStore(directory: directory.path)
    #expect(try StoreFile.inspect(store.path)?.version == StoreSchema.version)
    #expect(try store.all()["t/old"]?.version == 3)
    #expect(try store.all()["t/old"]?.bytes == [0])
    #expect(try store.events(of: "old") == [4, 9])
    // Its claims hold: the rider is in one party.
    let twin = group(
      party("new", version: 1), expecting: 0,
      claims: [
        TimeClaim(
          tenant: "t", userID: "rider", from: Instant(milliseconds: 1_785_000_000_500),
          through: Instant(milliseconds: 1_785_000_002_000), aggregate: partyKey("new"))
      ])
    guard case .conflict = store.commit([twin])[0] else {
      Issue.record("a claim of schema 3 is lost")
      return
    }
    let ticket = StoredAggregate(
      key: AggregateKey(tenant: "t", kind: AggregateKind(rawValue: "ticket"), id: "ann"),
      version: 1, bytes: [7],
      summary: AggregateSummary(
        state: "open", ownerID: "ann", origin: gangnam,
        startsAt: Instant(milliseconds: 1), endsAt: Instant(milliseconds: 2), endedAt: nil))
    #expect(store.commit([group(ticket, expecting: 0)]) == [.committed(firstSequence: 0)])
    store.close()
    let again = try SQLiteStore(directory: directory.path)
    defer { again.close() }
    #expect(try again.all()["t/old"]?.version == 3)
    var tickets: [StoredAggregate] = []
    try again.loadAggregates(kind: AggregateKind(rawValue: "ticket")) { tickets.append($0) }
    #expect(tickets.map(\.bytes) == [[7]])
  }

  /// And the power is cut instead, at each sync.
  @Test(arguments: [0, 128, 256])
  func aMigrationSurvivesAPowerCut(survivors: Int) throws {
    let original = try ScratchDirectory()
    let queue = try DatabaseQueue(
      path: original.databasePath, configuration: spatialConfiguration())
    try queue.write { try $0.execute(sql: firstSchema) }
    try queue.close()
    for skipped in 0..<12 {
      let disk = try FaultyDisk(isEmpty: true)
      try FileManager.default.copyItem(
        atPath: original.databasePath, toPath: disk.directory.databasePath)
      disk.failSyncs(after: skipped, count: 1_000)
      let store = try? disk.open()
      let left = try disk.cutPower(seed: UInt64(skipped), survivors: survivors)
      store?.close()
      disk.failSyncs(count: 0)
      let after = try SQLiteStore(directory: left.path)
      #expect(try after.all()["t/old"]?.version == 3, "\(skipped) syncs, survivors \(survivors)")
      #expect(try after.events(of: "old") == [4, 9])
    }
  }

  // MARK: Lost

  enum Trace: String, CaseIterable, Sendable { case log, secret, both }

  @Test(arguments: Trace.allCases, [false, true])
  func aRecordThatLostItsFileIsNotBegunAnew(trace: Trace, isEmptied: Bool) throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    #expect(
      store.commit([group(party("p", version: 1), expecting: 0, reply: reply(1))])
        == [.committed(firstSequence: 0)])
    let left = try ScratchDirectory()
    let log = left.databasePath + "-wal"
    if trace != .secret {
      try FileManager.default.copyItem(atPath: directory.databasePath + "-wal", toPath: log)
    }
    let secret = left.path + "/" + IdempotencySecret.fileName
    if trace != .log { try Data("x".utf8).write(to: URL(fileURLWithPath: secret)) }
    if isEmptied { try Data().write(to: URL(fileURLWithPath: left.databasePath)) }
    let before = FileManager.default.contents(atPath: log)
    let refusal = #expect(throws: StorageError.self) { try SQLiteStore(directory: left.path) }
    #expect(
      refusal
        == .recordLost(path: left.databasePath, beside: trace == .secret ? secret : log))
    #expect(refusal?.description.contains("restore a backup") == true)
    #expect(FileManager.default.contents(atPath: log) == before)
    #expect(
      StoreDoctor.examine(dataDirectory: left.path).contains {
        $0.subject == "record" && $0.grade == .wrong
      })
    // With the file back all is there.
    try? FileManager.default.removeItem(atPath: left.databasePath)
    try FileManager.default.copyItem(
      atPath: directory.databasePath, toPath: left.databasePath)
    if trace != .secret {
      #expect(try SQLiteStore(directory: left.path).all().count == 1)
    }
  }

  @Test func aStoreThatLosesItsFileWhileOpenDoesNotBeginAnew() throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    try FileManager.default.removeItem(atPath: directory.databasePath)
    #expect(throws: StoreFailure.self) { _ = try store.reopen() }
    #expect(store.readOnlyReason != nil)
    #expect(!FileManager.default.fileExists(atPath: directory.databasePath))
  }

  // MARK: Rights

  @Test func filesAreTheirOwnersAlone() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/data"
    let store = try SQLiteStore(directory: path)
    #expect(
      store.commit([group(party("p", version: 1), expecting: 0)]) == [.committed(firstSequence: 0)])
    _ = try IdempotencySecret.load(directory: path, store: store)
    let archive = PositionsSnapshot(directory: path)
    try archive.write([], removing: [])
    func rights(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try rights(path) == 0o700)
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(names.contains("moyeo.sqlite-wal") && names.contains("positions.sqlite"))
    for name in names { #expect(try rights(path + "/" + name) == 0o600, "\(name)") }
    // What an earlier release or a restore left open is closed and listed; others' files stay.
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: path + "/moyeo.sqlite")
    try Data().write(to: URL(fileURLWithPath: path + "/notes.txt"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: path + "/notes.txt")
    #expect(FileProtection.tighten(directory: path) == [path, path + "/moyeo.sqlite"])
    #expect(try rights(path) == 0o700)
    #expect(try rights(path + "/moyeo.sqlite") == 0o600)
    #expect(try rights(path + "/notes.txt") == 0o644)
    #expect(FileProtection.tighten(directory: path) == [])
  }
}
