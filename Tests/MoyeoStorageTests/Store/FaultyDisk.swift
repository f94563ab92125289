import CFaultyFiles
import Foundation
import MoyeoStorage

/// A directory on a disk that fails on request (see `faulty_files.h`).
final class FaultyDisk: @unchecked Sendable {
  private static let isInstalled = faulty_install() == 0
  let directory: ScratchDirectory
  // The C side locks.
  private let disk: OpaquePointer

  /// - Parameter isEmpty: Without, it has a fresh store's file.
  init(isEmpty: Bool = false) throws {
    guard Self.isInstalled else { throw CocoaError(.featureUnsupported) }
    directory = try isEmpty ? ScratchDirectory() : ScratchDirectory.withTemplate()
    disk = faulty_disk_create(directory.path + "/")
  }

  deinit { faulty_disk_free(disk) }

  func open(
    _ synchronous: SQLiteStore.Synchronous = .full, reserveBytes: Int = 0,
    onTrouble: @escaping @Sendable (StoreTrouble, String?) -> Void = { _, _ in }
  ) throws -> SQLiteStore {
    var options = SQLiteStore.Options()
    options.synchronous = synchronous
    options.checkpointsByItself = false
    options.reserveBytes = reserveBytes
    options.onTrouble = onTrouble
    return try SQLiteStore(directory: directory.path, options: options)
  }

  func failSyncs(after skipped: Int = 0, count: Int) {
    faulty_fail_syncs(disk, Int32(skipped), Int32(count))
  }

  /// As if the process were killed: after so many more operations that change a file none is
  /// carried out any more, and all fail; nil: they are again.
  func stop(after operations: Int?) { faulty_stop(disk, Int64(operations ?? -1)) }

  /// Whether an operation was refused for ``stop(after:)``.
  var hasStopped: Bool { faulty_has_stopped(disk) != 0 }

  /// nil: any number of bytes.
  func setRoom(_ bytes: Int?) { faulty_set_room(disk, Int64(bytes ?? -1)) }

  /// Reads of a file whose path ends so answer zeros from now on; nil: as they are.
  func blank(_ suffix: String?) { faulty_blank(disk, suffix) }

  /// The room of a file that takes some on the same disk, past SQLite: there is so much more once it
  /// is gone.
  func setRoomBehind(_ path: String, bytes: Int) {
    faulty_set_room_behind(disk, path, Int64(bytes))
  }

  var syncCount: Int { Int(faulty_sync_count(disk)) }

  /// What a power cut now would leave. Of each sector not synced, `survivors` in 256 are there.
  func cutPower(seed: UInt64, survivors: Int) throws -> ScratchDirectory {
    let left = try ScratchDirectory()
    guard faulty_power_cut(disk, left.path, seed, Int32(survivors)) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
    return left
  }
}
