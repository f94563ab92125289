import CSpatiaLite
import Dispatch
import Foundation
import Threading

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A copy of the record as it stood at one moment, taken while the daemon goes on committing.
///
/// The copy holds all that was acknowledged before it began. It is one file, checked and synced
/// before it gets its name, and opens as `moyeo.sqlite` of a new data directory.
///
/// The secret under which the directory's idempotency keys are hashed is copied beside it
/// (``secretPath(of:)``), readable by its owner alone. Without it a restored record does not know
/// the keys of commands that took effect: one repeated after the restore would be carried out again.
package enum StoreBackup {
  /// Where the secret of a copy stands.
  package static func secretPath(of file: String) -> String { file + ".secret" }

  /// What a copy is called until it is whole. Whoever makes it holds a lock (`flock`) on it, so that
  /// one left behind by a process that was killed is known as such.
  static let partialSuffix = ".moyeo-partial"
  /// What ``StoreDoctor`` calls the directories that it measures in.
  static let measureName = "moyeo-measure-"

  package struct Report: Hashable, Sendable {
    package var bytes: Int64
    package var seconds: Double
    package var parties: Int64
    package var claims: Int64
    package var events: Int64
    /// Beside the copy; nil when the directory has none.
    package var secretPath: String?
    /// Keys, webhooks and the like, beside the copy.
    package var companions: [String] = []
  }

  /// Copies the record into one file, while a daemon may write it.
  ///
  /// Runs on a thread of its own at a low priority, and rests three times as long as it works: a
  /// daemon at its limit goes first, whose syncs share the disk with the copy's. The caller waits.
  ///
  /// - Parameters:
  ///   - dataDirectory: The daemon's directory, with the record.
  ///   - file: Must not exist yet.
  ///   - onPages: Told after each step how many pages of how many are copied, on that thread.
  /// - Returns: The size of the copy, how long it took and what it holds.
  /// - Throws: ``StorageError``; then no file of that name was made.
  package static func run(
    dataDirectory: String, to file: String,
    onPages: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(StorageError) -> Report {
    let result = Outcome()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      // Of this thread alone on Linux; elsewhere the process keeps its own.
      #if os(Linux)
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
      #endif
      let outcome = Result { () throws(StorageError) in
        try runHere(dataDirectory: dataDirectory, to: file, onPages)
      }
      result.value.withLock { $0 = outcome }
      done.signal()
    }
    thread.start()
    done.wait()
    guard let outcome = result.value.withLock({ $0 }) else {
      throw .cannotOpen(path: file, reason: "the copy did not run")
    }
    return try outcome.get()
  }

  private final class Outcome: Sendable {
    let value = StateLock<Result<Report, StorageError>?>(nil)
  }

  private static func runHere(
    dataDirectory: String, to file: String, _ onPages: (Int, Int) -> Void
  ) throws(StorageError) -> Report {
    let start = ContinuousClock.now
    let secret = secretPath(of: file)
    let beside = companionNames.map { companionPath($0, of: file) }
    for path in [file, secret] + beside where FileManager.default.fileExists(atPath: path) {
      throw .cannotOpen(path: path, reason: "it exists already")
    }
    let source = try StoreReader(directory: dataDirectory)
    let directory = (file as NSString).deletingLastPathComponent
    sweep(directory: directory.isEmpty ? "." : directory)
    let partial = file + partialSuffix
    let partialSecret = secret + partialSuffix
    let held = try hold(partial)
    // Closed after SQLite has closed the file: its own locks on it would fall with this descriptor.
    defer { close(held) }
    var hasSecret = false
    var made: [String] = []
    do {
      try copy(source.connection, to: partial, onPages)
      var report = try check(partial)
      try FileProtection.sync(partial)
      if try copySecret(of: dataDirectory, to: partialSecret) {
        guard rename(partialSecret, secret) == 0 else {
          throw StorageError.cannotOpen(path: secret, reason: String(cString: strerror(errno)))
        }
        hasSecret = true
        report.secretPath = secret
      }
      made = try copyCompanions(of: dataDirectory, beside: file)
      report.companions = made
      guard rename(partial, file) == 0 else {
        throw StorageError.cannotOpen(path: file, reason: String(cString: strerror(errno)))
      }
      try FileProtection.sync(directory)
      let (whole, parts) = start.duration(to: .now).components
      report.seconds = Double(whole) + Double(parts) * 1e-18
      return report
    } catch {
      remove(partial)
      unlink(partialSecret)
      if hasSecret { unlink(secret) }
      for path in made { unlink(path) }
      throw StoreFile.error(file, error)
    }
  }

  /// - Returns: Whether there is one. One that cannot be read is an error.
  private static func copySecret(of directory: String, to path: String) throws -> Bool {
    let source = directory + "/" + IdempotencySecret.fileName
    guard FileManager.default.fileExists(atPath: source) else { return false }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: source))
    // Nobody else may read it at any moment.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else {
      throw StorageError.cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: bytes)
    try file.synchronize()
    return true
  }

  /// 1 MiB a step. A step copies what the source's transaction sees: without one it would begin anew
  /// after every commit.
  private static let stepPages: Int32 = 256
  /// Of SQLite's machine, a few milliseconds of the integrity check.
  private static let stepOperations: Int32 = 50_000

  private final class Pace {
    private var began = ContinuousClock.now

    func rest() {
      let (seconds, attoseconds) = (began.duration(to: .now) * 3).components
      Thread.sleep(forTimeInterval: Double(seconds) + Double(attoseconds) * 1e-18)
      began = .now
    }
  }

  /// Syncs as it goes: 100 MB at once would hold up the commits of the daemon.
  static func copy(
    _ source: OpaquePointer, to path: String, _ onPages: (Int, Int) -> Void = { _, _ in }
  ) throws {
    var target: OpaquePointer?
    defer { sqlite3_close(target) }
    let code = sqlite3_open_v2(path, &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    guard code == SQLITE_OK, let target else { throw SQLiteFailure(target, code) }
    // Pages leave the cache as they come, without a journal: a copy that fails is thrown away.
    try executeSQL(
      target, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA cache_size = -1024")
    let descriptor = open(path, O_RDWR)
    defer { if descriptor >= 0 { close(descriptor) } }
    try executeSQL(source, "BEGIN")
    defer { try? executeSQL(source, "COMMIT") }
    _ = try StoreFile.number(source, "SELECT count(*) FROM sqlite_master")
    guard let backup = sqlite3_backup_init(target, "main", source, "main") else {
      throw SQLiteFailure(target, sqlite3_errcode(target))
    }
    let pace = Pace()
    var step = SQLITE_OK
    var waits = 0
    while step == SQLITE_OK || ((step == SQLITE_BUSY || step == SQLITE_LOCKED) && waits < 50) {
      if step != SQLITE_OK {
        waits += 1
        sqlite3_sleep(100)
      }
      step = sqlite3_backup_step(backup, stepPages)
      let all = Int(sqlite3_backup_pagecount(backup))
      onPages(all - Int(sqlite3_backup_remaining(backup)), all)
      if descriptor >= 0 { _ = fsync(descriptor) }
      pace.rest()
    }
    let finished = sqlite3_backup_finish(backup)
    guard step == SQLITE_DONE, finished == SQLITE_OK else {
      throw SQLiteFailure(target, finished == SQLITE_OK ? step : finished)
    }
  }

  private static func check(_ path: String) throws -> Report {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let handle else { throw SQLiteFailure(handle, code) }
    // One file, without a log beside it.
    try executeSQL(handle, "PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE")
    let pace = Pace()
    defer { withExtendedLifetime(pace) { sqlite3_progress_handler(handle, 0, nil, nil) } }
    sqlite3_progress_handler(
      handle, stepOperations,
      { context in
        if let context { Unmanaged<Pace>.fromOpaque(context).takeUnretainedValue().rest() }
        return 0
      }, Unmanaged.passUnretained(pace).toOpaque())
    let integrity = try SQLStatement(handle, "PRAGMA integrity_check(1)")
    guard try integrity.step(), integrity.text(0) == "ok" else {
      throw StorageError.damaged(path: path, reason: "the copy: \(integrity.text(0))")
    }
    integrity.reset()
    let pages = try StoreFile.number(handle, "PRAGMA page_count")
    return Report(
      bytes: pages * (try StoreFile.number(handle, "PRAGMA page_size")), seconds: 0,
      parties: try StoreFile.number(handle, "SELECT count(*) FROM parties"),
      claims: try StoreFile.number(handle, "SELECT count(*) FROM claims"),
      events: try StoreFile.number(handle, "SELECT count(*) FROM events"), secretPath: nil)
  }

  /// Creates the file for its owner alone and locks it.
  private static func hold(_ partial: String) throws(StorageError) -> Int32 {
    let descriptor = open(partial, O_RDWR | O_CREAT | O_CLOEXEC, FileProtection.fileMode)
    guard descriptor >= 0 else {
      throw .cannotOpen(path: partial, reason: String(cString: strerror(errno)))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .cannotOpen(path: partial, reason: "another backup is writing it")
    }
    ftruncate(descriptor, 0)
    return descriptor
  }

  /// Removes what backups and measurements left in a directory when they were killed.
  static func sweep(directory: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for name in names {
      let path = directory + "/" + name
      if name.hasSuffix(".secret" + partialSuffix) {
        let copy = String(path.dropLast((".secret" + partialSuffix).utf8.count)) + partialSuffix
        if !isHeld(copy) { unlink(path) }
      } else if name.hasSuffix(partialSuffix) {
        if !isHeld(path) { remove(path) }
      } else if name.hasPrefix(measureName), UUID(uuidString: String(name.dropFirst(14))) != nil,
        !DirectoryLock.isHeld(directory: path).isHeld
      {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
  }

  private static func isHeld(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0
  }

  private static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }
}
