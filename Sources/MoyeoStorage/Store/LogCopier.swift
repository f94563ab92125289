import CSpatiaLite
import Synchronization

/// What ``Checkpointer`` does at each tick, on one thread.
///
/// A failed sync ends it: the system then calls pages clean that never reached the disk, a later
/// sync of the same file succeeds without them, and the log that still holds them would be begun
/// anew. The store is told, turns read-only and is opened anew, which writes all of the log again.
final class LogCopier {
  /// How many frames make a copy, and when the log's end is sought.
  struct Limits {
    /// 4 MiB of pages.
    var passiveFrames = 1_024
    /// 48 MiB.
    var resetFrames = 12_288
    /// So many frames may be left to copy while commits wait...
    var lastFrames = 256
    /// ... or what came in during the last of so many rounds.
    var rounds = 6
    /// Ticks without a commit, after which all is copied.
    var idleTicks = 100
  }

  private let path: String
  let log: StoreConnection.LogLength
  /// What became of a copy; told when it differs from the one before.
  enum Outcome: Hashable {
    case copied
    /// Nothing is harmed and it is tried again.
    case delayed(reason: String)
    /// The store must be opened anew.
    case broken(reason: String)
  }

  private let writing: WriteLock
  private let limits: Limits
  private let mayCopy: () -> Bool
  private let changed: (Outcome) -> Void
  private var lastOutcome = Outcome.copied
  private var handle: OpaquePointer?
  private(set) var isBroken = false
  private var copied = 0
  private var seenCommits = -1
  private var quietTicks = 0

  /// The number of commits, all of which are copied, so that nothing is to be done before the next;
  /// `nil` while something is.
  var commitsAllCopied: Int? {
    !isBroken && lastOutcome == .copied && quietTicks > limits.idleTicks ? seenCommits : nil
  }

  /// Opens nothing yet; the first ``tick()`` does.
  ///
  /// - Parameters:
  ///   - path: The record's file.
  ///   - log: Tells how many frames the log holds.
  ///   - writing: Held by whoever commits.
  ///   - limits: When frames are copied, and when the log's end is sought.
  ///   - mayCopy: Asked at each tick: a file that is damaged stays as it was found, and so does its log.
  ///   - changed: Called when copying begins to fail, and when it works again.
  init(
    path: String, log: StoreConnection.LogLength, writing: WriteLock, limits: Limits = Limits(),
    mayCopy: @escaping () -> Bool, changed: @escaping (Outcome) -> Void
  ) {
    self.path = path
    self.log = log
    self.writing = writing
    self.limits = limits
    self.mayCopy = mayCopy
    self.changed = changed
  }

  deinit { if let handle { Checkpointer.close(handle) } }

  func tick() {
    guard !isBroken, mayCopy() else { return }
    let handle: OpaquePointer
    do { handle = try opened() } catch {
      note(.delayed(reason: "the log cannot be copied into the file: \(error)"))
      return
    }
    let frames = log.frames.load(ordering: .relaxed)
    let commits = log.commits.load(ordering: .relaxed)
    let isQuiet = commits == seenCommits
    quietTicks = isQuiet ? quietTicks + 1 : 0
    seenCommits = commits
    // Begun anew; without a commit of ours it was another program that copied.
    if frames < copied, !isQuiet { copied = 0 }
    if frames - copied >= limits.passiveFrames {
      copy(handle)
    } else if quietTicks == limits.idleTicks, frames > 0 {
      finish(handle)
    }
    if frames >= limits.resetFrames { catchUp(handle) }
  }

  private func opened() throws -> OpaquePointer {
    if let handle { return handle }
    let opened = try Checkpointer.open(path)
    handle = opened
    return opened
  }

  /// Comes so close to the log's end that the rest is soon copied, then ends it. A reader of old
  /// frames keeps it from getting there; then the log grows on.
  private func catchUp(_ handle: OpaquePointer) {
    var rounds = 0
    while rounds < limits.rounds,
      log.frames.load(ordering: .relaxed) - copied > limits.lastFrames
    {
      rounds += 1
      let before = copied
      copy(handle)
      guard !isBroken, copied > before else { return }
    }
    if !isBroken { finish(handle) }
  }

  /// While commits go on. Synced before more is copied and before commits are made to wait.
  private func copy(_ handle: OpaquePointer) {
    guarded {
      let result = try Checkpointer.run(handle).copied
      if result > copied { try Self.sync(handle) }
      copied = result
    }
  }

  /// With commits waiting. Whoever stops the thread may hold `writing`, so it is only tried.
  private func finish(_ handle: OpaquePointer) {
    guard writing.lock(withinMilliseconds: 50) else { return }
    defer { writing.unlock() }
    guarded { _ = try Checkpointer.run(handle) }
  }

  /// A full disk and a busy file harm nothing and are tried again.
  private func guarded(_ body: () throws -> Void) {
    do {
      try body()
      note(.copied)
    } catch let failure as SQLiteFailure
      where failure.primaryCode == SQLITE_IOERR || failure.isDamage
    {
      isBroken = true
      note(.broken(reason: "the log could not be copied into the file: \(failure)"))
    } catch {
      note(.delayed(reason: "the log cannot be copied into the file: \(error)"))
    }
  }

  private func note(_ outcome: Outcome) {
    guard outcome != lastOutcome else { return }
    lastOutcome = outcome
    changed(outcome)
  }

  /// Syncs the file through its own handle: closing another one would drop the process's locks on
  /// it.
  private static func sync(_ handle: OpaquePointer) throws {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods, let sync = methods.pointee.xSync
    else { return }
    let code = sync(file, SQLITE_SYNC_NORMAL)
    guard code == SQLITE_OK else { throw SQLiteFailure(nil, code) }
  }
}
