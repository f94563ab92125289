import Foundation
import GRDB
public import MoyeoEngine

/// The record in one SQLite file, `moyeo.sqlite` in the data directory.
///
/// A commit is one transaction in WAL mode with `synchronous = FULL`: answered `committed` means
/// that it outlives a power cut. Checkpoints run on another connection (``Checkpointer``). After a
/// COMMIT that failed, nothing is written until ``reopen()`` succeeded.
///
/// `writing` guards all writes and `failures`; `guarding` guards `connection`, `reason`, `checkpointer`
/// and `lock`.
public final class SQLiteStore: AggregateStore, @unchecked Sendable {
  public static let fileName = "moyeo.sqlite"

  public enum Synchronous: String, Sendable {
    case full = "FULL"
    /// A power cut takes acknowledged commits with it: for tests that show it.
    case off = "OFF"
  }

  public struct Options: Sendable {
    public var synchronous = Synchronous.full
    /// Without, the log grows until ``SQLiteStore/checkpoint()`` is called.
    public var checkpointsByItself = true
    public init() {}
  }

  /// Batches in a row that must fail before the store says that it is read-only.
  static let patience = 3

  public let path: String
  private let options: Options

  private let writing = NSLock()
  private var failures = 0

  private let guarding = NSLock()
  private var connection: StoreConnection?
  private var reason: String?
  private var checkpointer: Checkpointer?
  private var lock: DirectoryLock?

  /// Takes the directory, opens or creates the file, and brings its schema up to date.
  public init(directory: String, options: Options = Options()) throws(StorageError) {
    lock = try DirectoryLock(directory: directory)
    path = directory + "/" + Self.fileName
    self.options = options
    let opened = try StoreConnection(path: path, synchronous: options.synchronous)
    connection = opened
    startCheckpointer(opened)
  }

  deinit { close() }

  /// Ends all work on the file. Later calls fail.
  public func close() {
    writing.withLock {
      let old = guarding.withLock {
        defer {
          connection = nil
          checkpointer = nil
          reason = "the store is closed"
        }
        return (connection, checkpointer, isSound: reason == nil)
      }
      old.1?.stop()
      old.0?.close(endsLog: old.isSound)
      guarding.withLock { lock = nil }
    }
  }

  public var readOnlyReason: String? { guarding.withLock { reason } }

  func current() throws(StoreFailure) -> StoreConnection {
    let found = guarding.withLock { (connection, reason) }
    guard let connection = found.0 else { throw StoreFailure(found.1 ?? "the store is closed") }
    return connection
  }

  // MARK: Writing

  public func commit(_ groups: [ChangeGroup]) -> [CommitOutcome] {
    guard !groups.isEmpty else { return [] }
    return writing.withLock {
      if let reason = readOnlyReason {
        return groups.map { _ in .notDone(reason: reason) }
      }
      do {
        switch try current().commit(groups) {
        case .answered(let outcomes):
          failures = 0
          return outcomes
        case .rolledBack(let failure):
          noteRolledBack(failure)
          return groups.map { _ in .notDone(reason: failure.description) }
        case .unknown(let failure):
          setReadOnly("a commit could not be confirmed: \(failure)")
          return groups.map { _ in .unknown(reason: failure.description) }
        }
      } catch {
        return groups.map { _ in .notDone(reason: "\(error)") }
      }
    }
  }

  private func noteRolledBack(_ failure: SQLiteFailure) {
    // Someone edits the file with another program; it will end.
    guard !failure.isBusy else { return }
    failures += 1
    if failure.isDamage {
      setReadOnly("the file is damaged: \(failure)")
    } else if failures >= Self.patience {
      setReadOnly(failure.isDiskFull ? "the disk is full" : "writing fails: \(failure)")
    }
  }

  private func setReadOnly(_ text: String) {
    guarding.withLock { if reason == nil { reason = text } }
  }

  /// Other writes than commits, one transaction each. A failing COMMIT makes the store read-only.
  func write<T>(
    _ body: (OpaquePointer, CommitWriter) throws -> T
  ) throws(StoreFailure) -> T {
    writing.lock()
    defer { writing.unlock() }
    if let reason = readOnlyReason { throw StoreFailure(reason) }
    do {
      return try current().write(body)
    } catch let failure as SQLiteFailure {
      if failure.isDiskFull || failure.isDamage || failure.isBusy {
        noteRolledBack(failure)
      } else {
        setReadOnly("writing fails: \(failure)")
      }
      throw StoreFailure(failure.description)
    } catch {
      throw StoreFailure("\(error)")
    }
  }

  // MARK: Opening anew

  public func reopen() throws(StoreFailure) {
    writing.lock()
    defer { writing.unlock() }
    let old = guarding.withLock {
      defer {
        connection = nil
        checkpointer = nil
        if reason == nil { reason = "the file is being opened anew" }
      }
      return (connection, checkpointer)
    }
    old.1?.stop()
    // What the file misses, the log has: it is written anew from there.
    old.0?.close(endsLog: false)
    do {
      let opened = try StoreConnection(path: path, synchronous: options.synchronous)
      // What can be read may be read, whatever becomes of writing.
      guarding.withLock { connection = opened }
      try Self.verify(opened)
      failures = 0
      guarding.withLock { reason = nil }
      startCheckpointer(opened)
    } catch {
      let text = "the file cannot be written again: \(error)"
      guarding.withLock { reason = text }
      throw StoreFailure(text)
    }
  }

  /// After a failed fsync the system may call pages clean that never reached the disk. So all that
  /// the log holds is written to the file anew and synced, then read through, then a write is tried.
  private static func verify(_ connection: StoreConnection) throws {
    try connection.pool.writeWithoutTransaction { db in
      guard let handle = db.sqliteConnection else { throw StoreFailure("closed") }
      // Busy (another process reads) is no failure: what could be copied was.
      _ = try StoreFile.number(handle, "PRAGMA wal_checkpoint(TRUNCATE)")
      let check = try SQLStatement(handle, "PRAGMA quick_check(1)")
      guard try check.step(), check.text(0) == "ok" else { throw StoreFailure(check.text(0)) }
    }
    try connection.write { handle, _ in
      try executeSQL(
        handle,
        """
        INSERT INTO probes (id, opened) VALUES (1, 1)
        ON CONFLICT (id) DO UPDATE SET opened = opened + 1
        """)
    }
  }

  // MARK: Checkpoints

  private func startCheckpointer(_ connection: StoreConnection) {
    guard options.checkpointsByItself else { return }
    let started = Checkpointer { [weak self, path, writing, log = connection.log] in
      LogCopier(path: path, log: log, writing: writing) { self?.setReadOnly($0) }
    }
    guarding.withLock { checkpointer = started }
  }

  /// What the thread of `checkpointsByItself` does, for tests.
  func makeCopier(_ limits: LogCopier.Limits) throws -> LogCopier {
    LogCopier(path: path, log: try current().log, writing: writing, limits: limits) {
      [weak self] in self?.setReadOnly($0)
    }
  }

  /// Copies the log into the file as far as readers allow. For tests and `checkpointsByItself`
  /// false.
  public func checkpoint() throws(StoreFailure) {
    do {
      let handle = try Checkpointer.open(path)
      defer { Checkpointer.close(handle) }
      _ = try Checkpointer.run(handle)
    } catch {
      throw StoreFailure("\(error)")
    }
  }
}
