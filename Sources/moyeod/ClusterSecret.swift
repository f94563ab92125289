import Foundation
import Logging
import ObjectModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The key under which clusters rank their objects and take their ids, in `clusters.secret` of the
/// data directory: ids hold over restarts, and nobody outside can choose ids by their order.
///
/// Nothing acknowledged rests on it. A file that cannot be read costs the cluster ids of the last
/// start, is said so, and is left as it is.
enum ClusterSecret {
  static let fileName = "clusters.secret"
  private static let byteCount = 16

  /// - Throws: ``StartFailure`` when the data directory cannot be made.
  static func loadOrMake(directory: String, logger: Logger) throws -> HashKey {
    var random = SystemRandomNumberGenerator()
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw StartFailure.failed("the data directory \(directory) cannot be made: \(error)")
    }
    let path = directory + "/" + fileName
    let made = HashKey(using: &random)
    // Made under another name first: whoever reads it finds all of it.
    let partial = path + ".\(getpid())"
    defer { unlink(partial) }
    if FileManager.default.createFile(
      atPath: partial, contents: bytes(of: made), attributes: [.posixPermissions: 0o600]),
      link(partial, path) == 0
    {
      return made
    }
    if let data = FileManager.default.contents(atPath: path), let key = key(of: data) { return key }
    logger.warning(
      "the key of cluster ids cannot be read: they differ from those of the last start",
      metadata: ["file": "\(path)"])
    return made
  }

  private static func bytes(of key: HashKey) -> Data {
    var data = Data()
    for half in [key.first, key.second] {
      withUnsafeBytes(of: half.littleEndian) { data.append(contentsOf: $0) }
    }
    return data
  }

  private static func key(of data: Data) -> HashKey? {
    guard data.count == byteCount else { return nil }
    let halves = data.withUnsafeBytes { raw in
      (0..<2).map {
        UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self))
      }
    }
    return HashKey(halves[0], halves[1])
  }
}
