package import Foundation
package import ObjectModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The key under which clusters rank their objects and take their ids, in `clusters.secret` of the
/// data directory: ids hold over restarts, and nobody outside can choose ids by their order.
///
/// Nothing that was acknowledged depends on this key. When its file cannot be read, clusters only
/// get other ids than at the last start, so that the start goes on with a new key, and the file is
/// left as it is.
package struct ClusterSecret: Sendable {
  package static let fileName = "clusters.secret"
  private static let byteCount = 16

  package let key: HashKey
  /// The path of the file that cannot be read, for a warning; `nil` when ``key`` is the file's.
  package let unreadablePath: String?

  /// Reads the key of a data directory, or makes the directory and the key.
  ///
  /// - Throws: ``StorageError/cannotOpen(path:reason:)`` when the directory cannot be made.
  package static func loadOrMake(directory: String) throws(StorageError) -> ClusterSecret {
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: Int(FileProtection.directoryMode)])
    } catch {
      throw .cannotOpen(path: directory, reason: "the directory cannot be made: \(error)")
    }
    var random = SystemRandomNumberGenerator()
    let made = HashKey(using: &random)
    let path = directory + "/" + fileName
    if create(path, holding: made) { return ClusterSecret(key: made, unreadablePath: nil) }
    if let data = FileManager.default.contents(atPath: path), let key = key(of: data) {
      return ClusterSecret(key: key, unreadablePath: nil)
    }
    return ClusterSecret(key: made, unreadablePath: path)
  }

  /// Creates the file unless there is one, under another name first: whoever reads it finds all of
  /// it.
  private static func create(_ path: String, holding key: HashKey) -> Bool {
    let partial = path + ".\(getpid())"
    defer { unlink(partial) }
    return FileManager.default.createFile(
      atPath: partial, contents: bytes(of: key),
      attributes: [.posixPermissions: Int(FileProtection.fileMode)])
      && link(partial, path) == 0
  }

  private static func bytes(of key: HashKey) -> Data {
    var data = Data()
    for half in [key.first, key.second] {
      withUnsafeBytes(of: half.littleEndian) { data.append(contentsOf: $0) }
    }
    return data
  }

  /// Returns the key that stands in some bytes, as ``bytes(of:)`` writes it; nil for another number of them.
  package static func key(of bytes: some ContiguousBytes) -> HashKey? {
    bytes.withUnsafeBytes { raw in
      guard raw.count == byteCount else { return nil }
      func half(_ index: Int) -> UInt64 {
        UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
      }
      return HashKey(half(0), half(1))
    }
  }
}
