import CSpatiaLite
import Foundation
import GRDB
import DurableCommands
import ObjectModel

/// One opening of `moyeo.sqlite`: GRDB's pool, what was prepared on its writing connection, and
/// where replies stand.
///
/// `writer` is touched only inside GRDB's serial writing access.
final class StoreConnection: @unchecked Sendable {
  let pool: DatabasePool
  let replies = ReplyIndex()
  let log = LogLength()
  private let caches: SpatiaLiteCaches
  private var writer: CommitWriter?

  init(path: String, synchronous: SQLiteStore.Synchronous) throws(StorageError) {
    // SQLite would make a new file, and delete a log that stands beside an empty one.
    guard StoreBirth.hasContent(path) else {
      throw .recordLost(path: path, beside: (path as NSString).deletingLastPathComponent)
    }
    try StoreFile.requireOurs(path)
    caches = SpatiaLiteCaches()
    do {
      pool = try DatabasePool(path: path, configuration: Self.configuration(caches))
    } catch {
      throw StoreFile.error(path, error)
    }
    do {
      try pool.writeWithoutTransaction { db in
        // GRDB sets NORMAL, under which a power cut takes acknowledged commits with it.
        try db.execute(
          sql: """
            PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = \(synchronous.rawValue);
            PRAGMA journal_size_limit = \(Checkpointer.sizeLimitBytes);
            PRAGMA secure_delete = FAST
            """)
      }
      try pool.read { db in
        guard let connection = db.sqliteConnection,
          try StoreFile.number(
            connection, "SELECT count(*) FROM sqlite_master WHERE tbl_name <> 'grdb_migrations'")
            > 0
        else { return }
        let applicationID = try StoreFile.number(connection, "PRAGMA application_id")
        let version = try StoreFile.number(connection, "PRAGMA user_version")
        try StoreFile.check(path, Int32(truncatingIfNeeded: applicationID), Int(version))
      }
      try StoreSchema.migrator.migrate(pool)
      try pool.writeWithoutTransaction { db in
        guard let connection = db.sqliteConnection else { return }
        try loadReplyIndex(connection)
        writer = try CommitWriter(connection, replies: replies)
        sqlite3_wal_hook(
          connection,
          { context, _, _, frames in
            guard let context else { return SQLITE_OK }
            let log = Unmanaged<LogLength>.fromOpaque(context).takeUnretainedValue()
            log.note(frames: Int(frames))
            return SQLITE_OK
          }, Unmanaged.passUnretained(log).toOpaque())
      }
    } catch {
      close()
      throw StoreFile.error(path, error)
    }
  }

  private static func configuration(_ caches: SpatiaLiteCaches) -> Configuration {
    var configuration = Configuration()
    configuration.label = "moyeo.store"
    configuration.busyMode = .timeout(2)
    configuration.maximumReaderCount = 4
    // Transactions are begun and ended by prepared statements.
    configuration.allowsUnsafeTransactions = true
    configuration.prepareDatabase { db in
      // Readers take plain columns only.
      if !db.configuration.readonly { caches.load(db.sqliteConnection) }
      // 16 MiB: SQLite walks through all of it after a commit that reordered neighbouring pages.
      try db.execute(sql: "PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  /// Ends all accesses; later ones throw.
  /// - Parameter endsLog: Copies the log into the file and ends it. False after a failure: pages
  ///   that the system calls clean may not have reached the disk, and the log alone still has them.
  func close(endsLog: Bool = true) {
    pool.writeWithoutTransaction { db in
      writer = nil
      guard let connection = db.sqliteConnection else { return }
      sqlite3_wal_hook(connection, nil, nil)
      guard endsLog else {
        moyeo_sqlite_keep_log(connection)
        return
      }
      // SQLite does so when the last connection closes; GRDB's readers close last and may not write.
      sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
    // A connection that will not close keeps its cache: a leak is better than a dangling pointer.
    if (try? pool.close()) != nil { caches.free() }
  }

  /// Reads with bare statements, in one snapshot.
  ///
  /// - Parameters:
  ///   - onDamage: Called when the file's content cannot be right.
  ///   - body: Takes SQLite's connection, which is valid until it returns.
  /// - Returns: What `body` returns.
  /// - Throws: ``StoreFailure``: that of `body`, or the words of any other error.
  func read<T>(
    onDamage: (String) -> Void, _ body: (OpaquePointer) throws -> T
  ) throws(StoreFailure) -> T {
    do {
      return try pool.read { db in
        guard let connection = db.sqliteConnection else { throw StoreFailure("closed") }
        return try body(connection)
      }
    } catch let failure as StoreFailure {
      throw failure
    } catch {
      let damage = StoreFile.damage(error)
      if let damage { onDamage(damage) }
      throw StoreFailure("\(error)", isDamage: damage != nil)
    }
  }

  /// Writes outside of ``commit(_:)``, in one transaction.
  func write<T>(_ body: (OpaquePointer, CommitWriter) throws -> T) throws -> T {
    try pool.writeWithoutTransaction { db in
      guard let connection = db.sqliteConnection, let writer else { throw StoreFailure("closed") }
      try writer.begin.run()
      do {
        let result = try body(connection, writer)
        try writer.commit.run()
        return result
      } catch {
        Self.rollBack(connection)
        throw error
      }
    }
  }

  enum Ending {
    case answered([CommitOutcome])
    /// Nothing of it is, or will be, in the file.
    case rolledBack(SQLiteFailure)
    case unknown(SQLiteFailure)
  }

  func commit(_ groups: [ChangeGroup]) throws -> Ending {
    try pool.writeWithoutTransaction { db in
      guard let connection = db.sqliteConnection, let writer else { throw StoreFailure("closed") }
      writer.start()
      var outcomes: [CommitOutcome] = []
      outcomes.reserveCapacity(groups.count)
      do {
        try writer.begin.run()
        for group in groups { outcomes.append(try writer.apply(group)) }
      } catch let failure as SQLiteFailure {
        Self.rollBack(connection)
        return .rolledBack(failure)
      } catch {
        Self.rollBack(connection)
        throw error
      }
      guard writer.hasWritten else {
        Self.rollBack(connection)
        return .answered(outcomes)
      }
      do {
        try writer.commit.run()
      } catch let failure as SQLiteFailure {
        Self.rollBack(connection)
        // A full disk cuts a write short, and the frame that makes a transaction count is the last
        // one written: without it, recovery drops the others.
        return failure.isDiskFull || failure.isBusy ? .rolledBack(failure) : .unknown(failure)
      }
      writer.publishReplies()
      return .answered(outcomes)
    }
  }

  private static func rollBack(_ connection: OpaquePointer) {
    if sqlite3_get_autocommit(connection) == 0 {
      sqlite3_exec(connection, "ROLLBACK", nil, nil, nil)
    }
  }

  private func loadReplyIndex(_ connection: OpaquePointer) throws {
    for hour in try Self.replyHours(connection) {
      let rows = try SQLStatement(connection, ReplyRow.selectKeys(hour: hour))
      while try rows.step() {
        replies.insert(
          IdempotencyHash(high: rows.uint64(0), low: rows.uint64(1)),
          at: ReplyIndex.Place(hour: hour, row: rows.int64(2)))
      }
    }
  }

  /// Oldest first.
  static func replyHours(_ connection: OpaquePointer) throws -> [Int64] {
    let names = try SQLStatement(
      connection, "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'replies_*'")
    var hours: [Int64] = []
    while try names.step() {
      if let hour = StoreSchema.hour(ofRepliesTable: names.text(0)) { hours.append(hour) }
    }
    return hours.sorted()
  }
}
