import Foundation
import Webhooks

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files of a data directory are for their owner alone: they say who travels where.
package enum FileProtection {
  static let fileMode: mode_t = 0o600
  static let directoryMode: mode_t = 0o700
  /// What names of our files begin with.
  private static let ownNames = [
    SQLiteStore.fileName, PositionsSnapshot.fileName, IdempotencySecret.fileName,
    DirectoryLock.fileName, StoreReserve.fileName, ClusterSecret.fileName,
    SQLiteLetterStore.fileName, WebhookFile.fileName, ErasureList.fileName,
    // Of the module Identity.
    "keys.json",
  ]

  /// Takes the rights of group and others from a data directory and from our files in it.
  ///
  /// - Returns: The paths that others could read, write or enter until now. A directory that many
  ///   share by its sticky bit (such as `/tmp`) stays as it is and is not listed.
  package static func tighten(directory: String) -> [String] {
    openToOthers(directory: directory).filter { path in
      chmod(path, path == directory ? directoryMode : fileMode) == 0
    }
  }

  /// What ``tighten(directory:)`` would close; changes nothing.
  static func openToOthers(directory: String) -> [String] {
    var found: [String] = []
    if let mode = mode(of: directory, isDirectory: true), mode & S_ISVTX == 0, mode & 0o077 != 0 {
      found.append(directory)
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for name in names.sorted() where ownNames.contains(where: { name.hasPrefix($0) }) {
      let path = directory + "/" + name
      if let mode = mode(of: path, isDirectory: false), mode & 0o077 != 0 { found.append(path) }
    }
    return found
  }

  /// Creates an empty file for its owner alone, unless there is one: SQLite takes the rights of its
  /// log from it.
  static func create(_ path: String) throws(StorageError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, fileMode)
    guard descriptor >= 0 else {
      throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
    close(descriptor)
  }

  /// Makes durable what was written to a file, or which names stand in a directory.
  static func sync(_ path: String) throws(StorageError) {
    let descriptor = open(path.isEmpty ? "." : path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
  }

  /// Links are not followed: what they lead to is somebody else's to protect.
  private static func mode(of path: String, isDirectory: Bool) -> mode_t? {
    var status = stat()
    let code = isDirectory ? stat(path, &status) : lstat(path, &status)
    guard code == 0, status.st_mode & S_IFMT == (isDirectory ? S_IFDIR : S_IFREG) else {
      return nil
    }
    return status.st_mode
  }
}
