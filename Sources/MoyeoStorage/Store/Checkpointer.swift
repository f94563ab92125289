import CSpatiaLite
import Foundation
import Synchronization

/// Copies the write-ahead log into the file, on a connection and a thread of its own: inside a
/// commit this would stall 7-60 ms.
///
/// A passive checkpoint lets commits go on meanwhile; but only a log that was copied to its very end
/// is begun anew. Under constant load that end is never reached, so past ``resetFrames`` the last
/// few frames are copied while commits wait, once all others have been. When idle, all is copied.
///
/// SQLite syncs the file only when it has copied all, so that this last copy would have tens of
/// megabytes to sync; here each copy is synced, before the next and before commits are made to wait.
///
/// The log file is not cut: a commit that makes the file grow has its new length to sync as well.
/// Only what a long reader (a backup) made of it is cut, to `journal_size_limit`.
final class Checkpointer: @unchecked Sendable {
  /// 4 MiB of pages.
  static let passiveFrames = 1_024
  /// 48 MiB.
  static let resetFrames = 12_288
  /// So many frames may be left to copy while commits wait.
  static let lastFrames = 256
  static let sizeLimitBytes = 128 << 20
  static let tickSeconds = 0.02
  static let idleSeconds = 2.0

  private let path: String
  private let log: StoreConnection.LogLength
  private let writing: NSLock
  /// Guards `isStopping` and `hasEnded`.
  private let condition = NSCondition()
  private var isStopping = false
  private var hasEnded = false

  init(path: String, log: StoreConnection.LogLength, writing: NSLock) {
    self.path = path
    self.log = log
    self.writing = writing
    let thread = Thread { self.loop() }
    thread.name = "moyeo.checkpoints"
    thread.start()
  }

  /// Returns when the thread has left the file. May be called with `writing` held.
  func stop() {
    condition.lock()
    isStopping = true
    condition.broadcast()
    while !hasEnded { condition.wait() }
    condition.unlock()
  }

  private func loop() {
    let handle = try? Self.open(path)
    var copied = 0
    var seenCommits = -1
    var quietTicks = 0
    let idleTicks = Int(Self.idleSeconds / Self.tickSeconds)
    while waitForTick() {
      guard let handle else { continue }
      let frames = log.frames.load(ordering: .relaxed)
      let commits = log.commits.load(ordering: .relaxed)
      quietTicks = commits == seenCommits ? quietTicks + 1 : 0
      seenCommits = commits
      if frames < copied { copied = 0 }
      if frames - copied >= Self.passiveFrames {
        if let result = try? copy(handle) { copied = result }
      } else if quietTicks == idleTicks, frames > 0 {
        finish(handle)
      }
      if frames >= Self.resetFrames { catchUp(handle, &copied) }
    }
    if let handle { Self.close(handle) }
    condition.lock()
    hasEnded = true
    condition.broadcast()
    condition.unlock()
  }

  /// Comes so close to the log's end that the rest is soon copied, then ends it. A reader of old
  /// frames keeps it from getting there; then the log grows on.
  private func catchUp(_ handle: OpaquePointer, _ copied: inout Int) {
    var before = -1
    while log.frames.load(ordering: .relaxed) - copied > Self.lastFrames {
      guard copied > before else { return }
      before = copied
      guard let result = try? copy(handle) else { return }
      copied = result
    }
    finish(handle)
  }

  /// While commits go on. - Returns: Frames in the file now.
  private func copy(_ handle: OpaquePointer) throws -> Int {
    let copied = try Self.run(handle).copied
    Self.sync(handle)
    return copied
  }

  /// With commits waiting. Whoever stops this thread may hold `writing`, so it is only tried.
  private func finish(_ handle: OpaquePointer) {
    guard writing.lock(before: Date(timeIntervalSinceNow: 0.05)) else { return }
    defer { writing.unlock() }
    _ = try? Self.run(handle)
  }

  private func waitForTick() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    if !isStopping { _ = condition.wait(until: Date(timeIntervalSinceNow: Self.tickSeconds)) }
    return !isStopping
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

  /// Syncs the file through its own handle: closing another one would drop the process's locks on
  /// it. A failure is SQLite's to find: it syncs again before the log is begun anew.
  private static func sync(_ handle: OpaquePointer) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods
    else { return }
    _ = methods.pointee.xSync?(file, SQLITE_SYNC_NORMAL)
  }

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
