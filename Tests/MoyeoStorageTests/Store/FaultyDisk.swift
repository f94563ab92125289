import CFaultyFiles
import Foundation
import MoyeoStorage

/// A directory on a disk that fails on request (see `faulty_files.h`).
final class FaultyDisk: @unchecked Sendable {
  private static let isInstalled = faulty_install() == 0
  let directory: ScratchDirectory
  // The C side locks.
  private let disk: OpaquePointer

  /// With a fresh store's file.
  init() throws {
    guard Self.isInstalled else { throw CocoaError(.featureUnsupported) }
    directory = try ScratchDirectory.withTemplate()
    disk = faulty_disk_create(directory.path + "/")
  }

  deinit { faulty_disk_free(disk) }

  func open(_ synchronous: SQLiteStore.Synchronous = .full) throws -> SQLiteStore {
    var options = SQLiteStore.Options()
    options.synchronous = synchronous
    options.checkpointsByItself = false
    return try SQLiteStore(directory: directory.path, options: options)
  }

  func failSyncs(after skipped: Int = 0, count: Int) {
    faulty_fail_syncs(disk, Int32(skipped), Int32(count))
  }

  /// nil: any number of bytes.
  func setRoom(_ bytes: Int?) { faulty_set_room(disk, Int64(bytes ?? -1)) }

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
