import CSpatiaLite
import Foundation
import GRDB
import GeoMath
import DurableCommands
import MoyeoStorage
import ObjectModel
import Testing

/// Whose directory it is, which versions open, and what a copy holds.
@Suite struct StoreDirectoryTests {
  // MARK: One daemon a directory

  @Test func aSecondDaemonIsRefused() throws {
    let directory = try ScratchDirectory.withTemplate()
    let first = try SQLiteStore(directory: directory.path)
    do {
      _ = try SQLiteStore(directory: directory.path)
      Issue.record("two stores on one directory")
    } catch {
      #expect(
        error
          == .directoryInUse(
            path: directory.path, processID: ProcessInfo.processInfo.processIdentifier))
      #expect(error.description.contains("in use by another moyeod (process "))
    }
    first.close()
    let second = try SQLiteStore(directory: directory.path)
    #expect(first.commit([group(party("p", version: 1), expecting: 0)])[0].isRefusal)
    #expect(throws: StoreFailure.self) { try first.all() }
    #expect(
      second.commit([group(party("p", version: 1), expecting: 0)]) == [.committed(firstSequence: 0)]
    )
  }

  @Test func aLockFileLeftBehindIsNoObstacle() throws {
    let directory = try ScratchDirectory.withTemplate()
    for stale in ["1\n", "", "not a number", String(repeating: "9", count: 400)] {
      try stale.write(
        toFile: directory.path + "/moyeo.lock", atomically: false, encoding: .utf8)
      let store = try SQLiteStore(directory: directory.path)
      store.close()
    }
    let nested = directory.path + "/made/on/demand"
    try SQLiteStore(directory: nested).close()
    try "in the way".write(
      toFile: directory.path + "/file", atomically: false, encoding: .utf8)
    #expect(throws: StorageError.self) { try SQLiteStore(directory: directory.path + "/file") }
  }

  // MARK: Versions

  @Test func theFirstSchemaOpensAndMigrates() throws {
    let directory = try ScratchDirectory()
    let queue = try DatabaseQueue(
      path: directory.databasePath, configuration: spatialConfiguration())
    try queue.write { db in
      try db.execute(sql: firstSchema)
      try db.execute(sql: "UPDATE parties SET bytes = x'0102' WHERE id = 'old'")
    }
    try queue.close()
    let store = try SQLiteStore(directory: directory.path)
    let old = try #require(try store.all()["t/old"])
    #expect(old.version == 3)
    #expect(old.bytes == [1, 2])
    #expect(old.summary.origin.latitude == 37.5547)
    #expect(try store.events(of: "old") == [4, 9])
    #expect(try store.reply(tenant: "t", key: IdempotencyHash(high: 1, low: 2))?.version == 3)
    // And is written to: the rider of then still holds his time.
    let rival = group(party("new", version: 1), expecting: 0, claims: [claim("rider", "new")])
    #expect(store.commit([rival]) == [.conflict(newest: [old])])
    #expect(
      store.commit([group(party("old", version: 4), expecting: 3, events: [event(10, "old")])])
        == [.committed(firstSequence: 10)])
    #expect(try store.events(of: "old") == [4, 9, 10])
    #expect(try StoreFile.inspect(store.path)?.version == StoreSchema.version)
  }

  @Test func aLaterFileIsRefusedAndLeftAsItIs() throws {
    let directory = try ScratchDirectory.withTemplate()
    let queue = try DatabaseQueue(path: directory.databasePath)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 900") }
    try queue.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: directory.databasePath))
    do {
      _ = try SQLiteStore(directory: directory.path)
      Issue.record("a later version was opened")
    } catch {
      #expect(
        error
          == .newerVersion(
            path: directory.databasePath, version: 900, supported: StoreSchema.version))
      #expect(error.description.contains("schema version 900"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: directory.databasePath)) == before)
    // The refused one does not hold the directory.
    _ = try DirectoryLock(directory: directory.path)
  }

  /// The version stands in the log, the file's head still says the one before.
  @Test func aLaterVersionInTheLogIsSeen() throws {
    let directory = try ScratchDirectory.withTemplate()
    let left = try ScratchDirectory()
    let queue = try DatabaseQueue(path: directory.databasePath)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA user_version = 900")
    }
    // As a crash leaves it.
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: directory.databasePath + suffix, toPath: left.databasePath + suffix)
    }
    #expect(
      throws: StorageError.newerVersion(
        path: left.databasePath, version: 900, supported: StoreSchema.version)
    ) { try SQLiteStore(directory: left.path) }
  }

  @Test func anotherProgramsFileIsRefused() throws {
    let directory = try ScratchDirectory()
    let queue = try DatabaseQueue(path: directory.databasePath)
    try queue.write { try $0.execute(sql: "CREATE TABLE mine (a)") }
    try queue.close()
    #expect(throws: StorageError.foreignFile(path: directory.databasePath)) {
      try SQLiteStore(directory: directory.path)
    }
    try Data(repeating: 0x41, count: 8_192).write(
      to: URL(fileURLWithPath: directory.databasePath))
    let refusal = #expect(throws: StorageError.self) {
      try SQLiteStore(directory: directory.path)
    }
    guard case .damaged = refusal else {
      Issue.record("text was opened as a database: \(String(describing: refusal))")
      return
    }
  }

  // MARK: Maps

  @Test func aMapSeesPartiesByTheirPlaces() throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    let busan = Coordinate(uncheckedLatitude: 35.1152, longitude: 129.0422)
    _ = store.commit([
      group(party("a", version: 1), expecting: 0),
      group(party("b", version: 1, origin: busan, destination: nil), expecting: 0),
      group(party("c", version: 1), expecting: 0),
    ])
    // Moved, and with a destination now.
    _ = store.commit([
      group(party("c", version: 2, origin: busan, destination: busan), expecting: 1)
    ])
    store.close()
    let queue = try DatabaseQueue(
      path: directory.databasePath, configuration: spatialConfiguration())
    try queue.read { (db: Database) throws in
      let near = """
        SELECT id FROM parties WHERE row IN (SELECT rowid FROM SpatialIndex
          WHERE f_table_name = 'parties' AND f_geometry_column = 'origin'
            AND search_frame = BuildMbr(129, 35, 130, 36, 4326)) ORDER BY id
        """
      #expect(try String.fetchAll(db, sql: near) == ["b", "c"])
      #expect(
        try String.fetchOne(db, sql: "SELECT AsText(origin) FROM parties WHERE id = 'b'")
          == "POINT(129.0422 35.1152)")
      #expect(
        try String.fetchAll(
          db, sql: "SELECT id FROM parties WHERE destination IS NULL ORDER BY id") == ["b"])
      #expect(
        try String.fetchOne(db, sql: "SELECT starts FROM parties_map WHERE id = 'a'")
          == "2026-07-25T17:20:00Z")
      #expect(
        try Int.fetchOne(db, sql: "SELECT count(*) FROM views_geometry_columns") == 1)
      for column in ["origin", "destination"] {
        #expect(
          try Int.fetchOne(db, sql: "SELECT CheckSpatialIndex('parties', '\(column)')") == 1)
      }
    }
  }

  // MARK: Copies

  @Test func aBackupUnderLoadHoldsWhatWasAcknowledgedBefore() throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    let stopped = Stop()
    let acknowledged = Count()
    let writer = Thread {
      var version: UInt64 = 0
      while !stopped.isSet {
        let done = store.commit(
          (0..<8).map { index in
            group(
              party("\(version * 8 + UInt64(index))", version: 1), expecting: 0,
              claims: [claim("u\(version * 8 + UInt64(index))", "\(version * 8 + UInt64(index))")])
          })
        guard done.allSatisfy({ $0.isCommitted }) else { break }
        version += 1
        acknowledged.set(Int(version) * 8)
      }
      acknowledged.end()
    }
    writer.start()
    defer {
      stopped.set()
      acknowledged.waitForEnd()
    }
    for round in 1...4 {
      acknowledged.wait(for: round * 40)
      let before = acknowledged.value
      let file = directory.path + "/backup-\(round).sqlite"
      let report = try StoreBackup.run(dataDirectory: directory.path, to: file)
      #expect(report.parties >= before)
      #expect(report.claims == report.parties)
      #expect(FileManager.default.fileExists(atPath: file))
      #expect(!FileManager.default.fileExists(atPath: file + "-wal"))
      // It opens as a store of its own.
      let restored = try ScratchDirectory()
      try FileManager.default.copyItem(atPath: file, toPath: restored.databasePath)
      let copy = try SQLiteStore(directory: restored.path)
      let all = try copy.all()
      #expect((0..<before).allSatisfy { all["t/\($0)"] != nil })
      #expect(throws: StorageError.self) {
        try StoreBackup.run(dataDirectory: directory.path, to: file)
      }
    }
  }

  @Test func aBackupBringsTheSecretOfTheKeysForItsOwnerAlone() throws {
    let directory = try ScratchDirectory.withTemplate()
    let digits = Data("0123456789abcdef0123456789abcdef\n".utf8)
    let made = FileManager.default.createFile(
      atPath: directory.path + "/idempotency.secret", contents: digits,
      attributes: [.posixPermissions: 0o644])
    #expect(made)
    let file = directory.path + "/copy.sqlite"
    let report = try StoreBackup.run(dataDirectory: directory.path, to: file)
    let secret = try #require(report.secretPath)
    #expect(secret == file + ".secret")
    #expect(FileManager.default.contents(atPath: secret) == digits)
    let attributes = try FileManager.default.attributesOfItem(atPath: secret)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    // One that stands there is nobody's to write over.
    try FileManager.default.removeItem(atPath: file)
    #expect(throws: StorageError.self) {
      try StoreBackup.run(dataDirectory: directory.path, to: file)
    }
    #expect(FileManager.default.contents(atPath: secret) == digits)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  /// What a backup or a measurement that was killed left behind goes with the next start or backup;
  /// what belongs to a process that lives stays.
  @Test func leftoversAreSwept() throws {
    let directory = try ScratchDirectory.withTemplate()
    let manager = FileManager.default
    func leave(_ name: String) {
      #expect(manager.createFile(atPath: directory.path + "/" + name, contents: Data([1])))
    }
    func names() throws -> Set<String> {
      Set(try manager.contentsOfDirectory(atPath: directory.path))
    }
    let dead = ["a.sqlite.moyeo-partial", "a.sqlite.moyeo-partial-journal"]
    let deadSecret = "a.sqlite.secret.moyeo-partial"
    for name in dead + [deadSecret, "b.sqlite.moyeo-partial", "b.sqlite.secret.moyeo-partial"] {
      leave(name)
    }
    leave("download.partial")
    let measuring = "moyeo-measure-" + UUID().uuidString
    try manager.createDirectory(
      atPath: directory.path + "/" + measuring, withIntermediateDirectories: false)
    let holder = open(directory.path + "/b.sqlite.moyeo-partial", O_RDONLY)
    #expect(flock(holder, LOCK_EX | LOCK_NB) == 0)
    _ = try StoreBackup.run(
      dataDirectory: directory.path, to: directory.path + "/copy.sqlite")
    var found = try names()
    #expect(found.isDisjoint(with: dead + [deadSecret, measuring]), "\(found)")
    #expect(found.contains("b.sqlite.moyeo-partial"))
    #expect(found.contains("b.sqlite.secret.moyeo-partial"))
    close(holder)
    _ = try SQLiteStore(directory: directory.path)
    found = try names()
    #expect(!found.contains { $0.hasSuffix(".moyeo-partial") }, "\(found)")
    #expect(found.contains("download.partial") && found.contains("copy.sqlite"))
  }

  @Test func aBackupOfNothingFailsAndLeavesNothing() throws {
    let directory = try ScratchDirectory()
    let file = directory.path + "/copy.sqlite"
    #expect(throws: StorageError.self) {
      try StoreBackup.run(dataDirectory: directory.path, to: file)
    }
    #expect(throws: StorageError.self) {
      try StoreBackup.run(
        dataDirectory: ScratchDirectory.withTemplate().path, to: "/nowhere/at/all.sqlite")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
  }
}

extension CommitOutcome {
  fileprivate var isRefusal: Bool { if case .notDone = self { true } else { false } }
}

private final class Stop: @unchecked Sendable {
  private let lock = NSLock()
  private var isStopped = false
  var isSet: Bool { lock.withLock { isStopped } }
  func set() { lock.withLock { isStopped = true } }
}

private final class Count: @unchecked Sendable {
  private let condition = NSCondition()
  private var count = 0
  private var hasEnded = false

  var value: Int { condition.withLock { count } }

  func set(_ value: Int) {
    condition.withLock { count = value }
    condition.broadcast()
  }

  func end() {
    condition.withLock { hasEnded = true }
    condition.broadcast()
  }

  func wait(for wanted: Int) {
    condition.withLock { while count < wanted, !hasEnded { condition.wait() } }
  }

  func waitForEnd() {
    condition.withLock { while !hasEnded { condition.wait() } }
  }
}
