import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A data directory belongs to one daemon at a time: an advisory lock (`flock`) on
/// `moyeo.lock`, which also names the process. The lock falls with its process, so that a file left
/// behind by a crash is no obstacle.
package final class DirectoryLock: Sendable {
  static let fileName = "moyeo.lock"
  private let descriptor: Int32

  /// Creates the directory if it is missing.
  /// - Throws: ``StorageError/directoryInUse(path:processID:)``, ``StorageError/cannotOpen``.
  package init(directory: String) throws(StorageError) {
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: Int(FileProtection.directoryMode)])
    } catch {
      throw .cannotOpen(path: directory, reason: "\(error.localizedDescription)")
    }
    let path = directory + "/" + Self.fileName
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, FileProtection.fileMode)
    guard descriptor >= 0 else {
      throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      defer { close(descriptor) }
      guard code == EWOULDBLOCK else {
        throw .cannotOpen(path: path, reason: String(cString: strerror(code)))
      }
      throw .directoryInUse(path: directory, processID: Self.readProcessID(descriptor))
    }
    let text = Array("\(getpid())\n".utf8)
    _ = ftruncate(descriptor, 0)
    _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Whether a daemon holds a directory; leaves the file as it is.
  static func isHeld(directory: String) -> (isHeld: Bool, processID: Int32?) {
    let descriptor = open(directory + "/" + fileName, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return (false, nil) }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return (false, nil) }
    return (true, readProcessID(descriptor))
  }

  private static func readProcessID(_ descriptor: Int32) -> Int32? {
    var buffer = [UInt8](repeating: 0, count: 32)
    let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count > 0 else { return nil }
    let text = String(decoding: buffer.prefix(count).prefix { $0 != 10 }, as: UTF8.self)
    return Int32(text)
  }
}
