import CSpatiaLite
import Foundation
import GRDB
package import DurableCommands
package import ObjectModel

/// The record in one SQLite file, `moyeo.sqlite` in the data directory.
///
/// A commit is one transaction in WAL mode with `synchronous = FULL`: answered `committed` means
/// that it outlives a power cut. Checkpoints run on another connection (``Checkpointer``). After a
/// COMMIT that failed, nothing is written until ``reopen()`` succeeded.
///
/// `writing` guards all writes, `failures` and `reserve`; `guarding` guards `connection`, `reason`,
/// `checkpointer` and `lock`.
package final class SQLiteStore: AggregateStore, @unchecked Sendable {
  package static let fileName = "moyeo.sqlite"

  package enum Synchronous: String, Sendable {
    case full = "FULL"
    /// A power cut takes acknowledged commits with it: for tests that show it.
    case off = "OFF"
  }

  package struct Options: Sendable {
    package var synchronous = Synchronous.full
    /// Without, the log grows until ``SQLiteStore/checkpoint()`` is called.
    package var checkpointsByItself = true
    /// Room that is kept on the disk for a checkpoint when it is full otherwise, in bytes; 0: none.
    package var reserveBytes = 0
    /// 16 MiB.
    package static let standardReserveBytes = StoreReserve.standardBytes
    /// Whether a record that is damaged is opened all the same, read-only, for what can be read of
    /// it; else that is refused.
    package var opensDamaged = false
    /// Told when something begins to fail, with the reason, and with nil when it is over; from any
    /// thread. It must not call the store.
    package var onTrouble: @Sendable (StoreTrouble, _ reason: String?) -> Void = { _, _ in }
    package init() {}
  }

  /// Batches in a row that must fail before the store says that it is read-only.
  static let patience = 3

  package let path: String
  private let options: Options

  let writing = WriteLock()
  private var failures = 0
  private let reserve: StoreReserve

  private let guarding = NSLock()
  private var connection: StoreConnection?
  private var reason: String?
  private var checkpointer: Checkpointer?
  private var lock: DirectoryLock?
  /// Why the record stays read-only for as long as this process runs.
  private var verdict: String?

  /// Takes the directory, opens or creates the file, and brings its schema up to date.
  package init(directory: String, options: Options = Options()) throws(StorageError) {
    lock = try DirectoryLock(directory: directory)
    path = directory + "/" + Self.fileName
    self.options = options
    reserve = StoreReserve(directory: directory, bytes: options.reserveBytes)
    StoreBackup.sweep(directory: directory)
    try StoreBirth.makeIfMissing(path)
    do {
      let opened = try StoreConnection(path: path, synchronous: options.synchronous)
      connection = opened
      startCheckpointer(opened)
    } catch .damaged(_, let damage) where options.opensDamaged && StoreFile.isDatabase(path) {
      noteDamage(damage)
    }
    if !reserve.take() { options.onTrouble(.reserve, Self.noReserve) }
  }

  private static let noReserve =
    "no room is reserved for a checkpoint: the disk is nearly full"

  deinit { close() }

  /// Ends all work on the file. Later calls fail.
  package func close() {
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

  package var readOnlyReason: String? { guarding.withLock { reason } }

  func current() throws(StoreFailure) -> StoreConnection {
    let found = guarding.withLock { (connection, reason) }
    guard let connection = found.0 else { throw StoreFailure(found.1 ?? "the store is closed") }
    return connection
  }

  // MARK: Writing

  package func commit(_ groups: [ChangeGroup]) -> [CommitOutcome] {
    guard !groups.isEmpty else { return [] }
    return writing.withLock {
      if let reason = readOnlyReason {
        return groups.map { _ in .notDone(reason: reason) }
      }
      do {
        var ending = try current().commit(groups)
        // Nothing of it happened, so that it may be tried once more with the log out of the way.
        if case .rolledBack(let failure) = ending, failure.isDiskFull, makeRoom() {
          ending = try current().commit(groups)
        }
        switch ending {
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
        if let damage = StoreFile.damage(error) { noteDamage(damage) }
        return groups.map { _ in .notDone(reason: "\(error)") }
      }
    }
  }

  private func noteRolledBack(_ failure: SQLiteFailure) {
    // Someone edits the file with another program; it will end.
    guard !failure.isBusy else { return }
    failures += 1
    if failure.isDamage {
      noteDamage(failure.description)
    } else if failures >= Self.patience {
      setReadOnly(failure.isDiskFull ? "the disk is full" : "writing fails: \(failure)")
    }
  }

  /// With `writing` held: gives up the reserved room and copies the log into the file, which frees
  /// all that the log took.
  /// - Returns: Whether anything was gained.
  private func makeRoom() -> Bool {
    guard reserve.giveUp() else { return false }
    options.onTrouble(.reserve, "the disk is full: the room reserved for a checkpoint is in use")
    do {
      let handle = try Checkpointer.open(path)
      defer { Checkpointer.close(handle) }
      sqlite3_busy_timeout(handle, 1_000)
      var code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
      // A reader of old frames keeps the log: what was copied helps when it has ended.
      if code == SQLITE_BUSY { code = SQLITE_OK }
      guard code == SQLITE_OK else { throw SQLiteFailure(handle, code) }
    } catch let failure as SQLiteFailure where failure.primaryCode == SQLITE_IOERR {
      setReadOnly("the log could not be copied into the file: \(failure)")
      return false
    } catch {
      return false
    }
    takeReserve()
    return true
  }

  /// With `writing` held.
  private func takeReserve() {
    if !reserve.isHeld, reserve.take() { options.onTrouble(.reserve, nil) }
  }

  private func setReadOnly(_ text: String) {
    let isNew = guarding.withLock {
      guard reason == nil else { return false }
      reason = text
      return true
    }
    if isNew { options.onTrouble(.readOnly, text) }
  }

  /// What is written next could rest on damage that somebody met.
  func noteDamage(_ text: String) { setReadOnly("the file is damaged: \(text)") }

  /// Makes the reserve again once there is room; asked now and then by the service.
  package func renewReserve() {
    guard writing.lock(withinMilliseconds: 0) else { return }
    defer { writing.unlock() }
    takeReserve()
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
        if failure.isDiskFull { _ = makeRoom() }
        noteRolledBack(failure)
      } else {
        setReadOnly("writing fails: \(failure)")
      }
      throw StoreFailure(failure.description)
    } catch {
      if let damage = StoreFile.damage(error) { noteDamage(damage) }
      throw StoreFailure("\(error)")
    }
  }

  // MARK: Opening anew

  /// The directory is locked: nobody else writes.
  package var isShared: Bool { false }

  /// All is to be loaded: after a failed fsync memory and file may differ in more than the last batch.
  package func reopen() throws(StoreFailure) -> BatchSettlement {
    writing.lock()
    defer { writing.unlock() }
    if let verdict = guarding.withLock({ verdict }) {
      throw StoreFailure(verdict, isDamage: true)
    }
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
      // Copying the log may need the room; it is taken again below.
      _ = reserve.giveUp()
      try Self.verify(opened)
      failures = 0
      guarding.withLock { reason = nil }
      startCheckpointer(opened)
    } catch {
      let text = "the file cannot be written again: \(error)"
      guarding.withLock { reason = text }
      options.onTrouble(.readOnly, text)
      throw StoreFailure(text, isDamage: Self.isDamage(error))
    }
    options.onTrouble(.readOnly, nil)
    takeReserve()
    return BatchSettlement(needsReload: true)
  }

  private static func isDamage(_ error: any Error) -> Bool {
    if let failure = error as? StoreFailure { return failure.isDamage }
    if case .damaged = error as? StorageError { return true }
    return StoreFile.damage(error) != nil
  }

  /// Writes nothing any more in this process, whatever becomes of the file.
  func stayReadOnly(because text: String) {
    guarding.withLock { verdict = text }
    setReadOnly(text)
  }

  /// After a failed fsync the system may call pages clean that never reached the disk. So all that
  /// the log holds is written to the file anew and synced, then read through, then a write is tried.
  private static func verify(_ connection: StoreConnection) throws {
    try connection.pool.writeWithoutTransaction { db in
      guard let handle = db.sqliteConnection else { throw StoreFailure("closed") }
      // Busy (another process reads) is no failure: what could be copied was.
      _ = try StoreFile.number(handle, "PRAGMA wal_checkpoint(TRUNCATE)")
      let check = try SQLStatement(handle, "PRAGMA quick_check(1)")
      guard try check.step(), check.text(0) == "ok" else {
        throw StoreFailure(check.text(0), isDamage: true)
      }
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
    let log = connection.log
    let started = Checkpointer(log) { [weak self, path, writing] in
      LogCopier(
        path: path, log: log, writing: writing, mayCopy: { self?.readOnlyReason == nil }
      ) { self?.noteCopy($0) }
    }
    guarding.withLock { checkpointer = started }
  }

  /// What the thread of `checkpointsByItself` does, for tests.
  func makeCopier(_ limits: LogCopier.Limits) throws -> LogCopier {
    LogCopier(
      path: path, log: try current().log, writing: writing, limits: limits,
      mayCopy: { [weak self] in self?.readOnlyReason == nil }
    ) { [weak self] in self?.noteCopy($0) }
  }

  /// From the copier's thread, which may hold `writing`.
  private func noteCopy(_ outcome: LogCopier.Outcome) {
    switch outcome {
    case .copied: options.onTrouble(.checkpoint, nil)
    case .delayed(let reason): options.onTrouble(.checkpoint, reason)
    case .broken(let reason): setReadOnly(reason)
    }
  }

  /// Copies the log into the file as far as readers allow. For tests and `checkpointsByItself`
  /// false.
  package func checkpoint() throws(StoreFailure) {
    do {
      let handle = try Checkpointer.open(path)
      defer { Checkpointer.close(handle) }
      _ = try Checkpointer.run(handle)
    } catch {
      throw StoreFailure("\(error)")
    }
  }
}
