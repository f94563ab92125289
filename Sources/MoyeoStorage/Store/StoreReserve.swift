import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Room on the disk that is kept for one checkpoint, in the file `moyeo.reserve`.
///
/// On a small disk the log may take the last byte; copying it into the record, which would free
/// all of it, needs some room first. The file is given up then and made again once there is room.
/// For one thread at a time.
final class StoreReserve {
  static let fileName = "moyeo.reserve"
  /// Four times what the copier leaves uncopied as a rule (``LogCopier/Limits/passiveFrames``).
  static let standardBytes = 16 << 20

  private let path: String
  private let directory: String
  private let bytes: Int

  /// Names the file and takes no room yet.
  ///
  /// - Parameters:
  ///   - directory: That of the record, on whose disk the room is kept.
  ///   - bytes: The room to keep; 0 keeps nothing.
  init(directory: String, bytes: Int) {
    self.directory = directory
    path = directory + "/" + Self.fileName
    self.bytes = bytes
  }

  var isHeld: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size > 0
  }

  /// Takes the room if the disk has plenty: at most an eighth of what is free.
  /// - Returns: Whether it is held now, or none is wanted.
  @discardableResult
  func take() -> Bool {
    guard bytes > 0, !isHeld else { return true }
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: directory)
    let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue ?? 0
    let wanted = min(bytes, free / 8) & ~4095
    guard wanted >= 65_536 else { return false }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, FileProtection.fileMode)
    guard descriptor >= 0 else { return false }
    let code = posix_fallocate(descriptor, 0, off_t(wanted))
    close(descriptor)
    if code != 0 { unlink(path) }
    return code == 0
  }

  /// - Returns: Whether there was room to give up.
  func giveUp() -> Bool { isHeld && unlink(path) == 0 }
}
