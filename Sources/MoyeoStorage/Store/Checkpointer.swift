import CSpatiaLite
import Foundation
import Synchronization
import Threading

/// Copies the write-ahead log into the file, on a connection and a thread of its own: inside a
/// commit this would stall 7-60 ms.
///
/// A passive checkpoint lets commits go on meanwhile; but only a log that was copied to its very end
/// is begun anew. Under constant load that end is never reached, so past a length the last few frames are copied while commits wait, once all others have been. When idle, all is copied.
///
/// SQLite syncs the file only when it has copied all, so that this last copy would have tens of
/// megabytes to sync; here each copy is synced, before the next and before commits are made to wait.
///
/// The log file is not cut: a commit that makes the file grow has its new length to sync as well.
/// Only what a long reader (a backup) made of it is cut, to `journal_size_limit`.
final class Checkpointer: Sendable {
  static let sizeLimitBytes = 128 << 20
  private static let tickMilliseconds: Int64 = 20
  /// The longest rest; a commit ends it. Ticks alone would cost an idle daemon more than all else.
  private static let restMilliseconds: Int64 = 60_000

  private let log: StoreConnection.LogLength
  private let makeCopier: @Sendable () -> LogCopier
  private let isStopping = Atomic<Bool>(false)
  private let ended = MonotonicSemaphore(value: 0)

  /// - Parameters:
  ///   - log: What the copier copies.
  ///   - makeCopier: Called on the thread that will use it.
  init(
    _ log: StoreConnection.LogLength, _ makeCopier: @escaping @Sendable () -> LogCopier
  ) {
    self.log = log
    self.makeCopier = makeCopier
    let thread = Thread { self.loop() }
    thread.start()
  }

  /// Returns when the thread has left the file. May be called with `writing` held.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    log.wakeCopier()
    ended.wait()
    // For whoever stops it once more.
    ended.signal()
  }

  private func loop() {
    // Foundation passes a name on to the system only while the thread runs.
    Thread.current.name = "moyeo.copier"
    do {
      // Its handle is closed before anyone hears that the thread has left.
      let copier = makeCopier()
      while true {
        if let commits = copier.commitsAllCopied {
          log.waitForCommit(beyond: commits, milliseconds: Self.restMilliseconds)
        } else {
          log.wait(milliseconds: Self.tickMilliseconds)
        }
        if isStopping.load(ordering: .acquiring) { break }
        copier.tick()
      }
    }
    ended.signal()
  }

  static func open(_ path: String) throws -> OpaquePointer {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close(handle) }
      throw SQLiteFailure(handle, code)
    }
    // The log's frames are synced before they are copied, the file before the log is reused.
    try executeSQL(handle, "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0")
    return handle
  }

  static func close(_ handle: OpaquePointer) { sqlite3_close(handle) }

  /// Frames in the log and how many of them are in the file now.
  static func run(_ handle: OpaquePointer) throws -> (frames: Int, copied: Int) {
    var frames: Int32 = 0
    var copied: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(
      handle, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
    guard code == SQLITE_OK || code == SQLITE_BUSY else { throw SQLiteFailure(handle, code) }
    return (Int(frames), Int(copied))
  }
}
