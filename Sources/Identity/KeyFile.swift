import Foundation
package import ObjectModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The API keys of a data directory, in `keys.json`: written whole and synced before it gets its name,
/// by one program at a time, whether a daemon reads it or not.
package struct KeyFile: Sendable {
  package static let fileName = "keys.json"
  package static let maximumKeys = 100_000

  private struct Document: Codable {
    var keys: [KeyRecord]
  }

  package let path: String
  private let directory: String

  package init(directory: String) {
    self.directory = directory
    path = directory + "/" + Self.fileName
  }

  /// All keys, those without effect included, in the order in which they were made.
  ///
  /// - Throws: ``KeyFileError``.
  package func keys() throws(KeyFileError) -> [KeyRecord] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw .unreadable(path: path, reason: error.localizedDescription)
    }
    do { return try JSONDecoder().decode(Document.self, from: data).keys } catch {
      throw .unreadable(path: path, reason: "it is no list of keys")
    }
  }

  /// Makes a key.
  ///
  /// - Parameters:
  ///   - tenant: Whose server will use it.
  ///   - scopes: What it allows.
  ///   - name: For people who read the list.
  ///   - expiresAt: When it ends; nil: when it is revoked.
  ///   - now: When it is made.
  /// - Returns: The key itself, which stands nowhere else, and what the record has of it.
  /// - Throws: ``KeyFileError``.
  package func create(
    tenant: String, scopes: Scopes, name: String?, expiresAt: Instant?, now: Instant
  ) throws(KeyFileError) -> (key: KeyText, record: KeyRecord) {
    var random = SystemRandomNumberGenerator()
    let key = KeyText(using: &random)
    let record = KeyRecord(
      id: key.id, tenant: tenant, scopes: scopes.names, name: name, hash: key.hash,
      createdMilliseconds: now.milliseconds, expiresMilliseconds: expiresAt?.milliseconds)
    try change { (keys: inout [KeyRecord]) throws(KeyFileError) in
      guard keys.count < Self.maximumKeys else { throw .tooManyKeys }
      keys.append(record)
    }
    return (key, record)
  }

  /// Ends a key at once.
  ///
  /// - Throws: ``KeyFileError/unknownKey(id:)``.
  package func revoke(_ id: String, now: Instant) throws(KeyFileError) -> KeyRecord {
    var revoked: KeyRecord?
    try change { (keys: inout [KeyRecord]) throws(KeyFileError) in
      guard let index = keys.firstIndex(where: { $0.id == id }) else { throw .unknownKey(id: id) }
      if keys[index].revokedMilliseconds == nil {
        keys[index].revokedMilliseconds = now.milliseconds
      }
      revoked = keys[index]
    }
    guard let revoked else { throw .unknownKey(id: id) }
    return revoked
  }

  /// Makes a key like another one, which ends after a while.
  ///
  /// - Throws: ``KeyFileError/unknownKey(id:)``, also of a key that does not hold any more.
  package func rotate(
    _ id: String, graceMilliseconds: Int64, now: Instant
  ) throws(KeyFileError) -> (key: KeyText, record: KeyRecord) {
    var random = SystemRandomNumberGenerator()
    let key = KeyText(using: &random)
    var made: KeyRecord?
    try change { (keys: inout [KeyRecord]) throws(KeyFileError) in
      guard let index = keys.firstIndex(where: { $0.id == id && $0.holds(at: now) }) else {
        throw .unknownKey(id: id)
      }
      let end = now.advanced(milliseconds: graceMilliseconds).milliseconds
      var next = keys[index]
      keys[index].expiresMilliseconds = min(keys[index].expiresMilliseconds ?? end, end)
      // The new one holds as long as the old one was made for.
      if let old = next.expiresMilliseconds {
        next.expiresMilliseconds = now.milliseconds + (old - next.createdMilliseconds)
      }
      next.id = key.id
      next.hash = key.hash
      next.createdMilliseconds = now.milliseconds
      keys.append(next)
      made = next
    }
    guard let made else { throw .unknownKey(id: id) }
    return (key, made)
  }

  private func change(
    _ body: (inout [KeyRecord]) throws(KeyFileError) -> Void
  ) throws(KeyFileError) {
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unwritable(path: directory, reason: error.localizedDescription)
    }
    let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw unwritable() }
    defer { close(lock) }
    guard flock(lock, LOCK_EX) == 0 else { throw unwritable() }
    var keys = try keys()
    try body(&keys)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    guard let data = try? encoder.encode(Document(keys: keys)) else {
      throw .unwritable(path: path, reason: "the list cannot be written as JSON")
    }
    try replace(with: Array(data) + [0x0A])
  }

  private func replace(with bytes: [UInt8]) throws(KeyFileError) {
    let partial = path + ".partial"
    unlink(partial)
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw unwritable() }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { raw in
        write(descriptor, raw.baseAddress.map { $0 + written }, bytes.count - written)
      }
      guard count > 0 else { break }
      written += count
    }
    let isSynced = written == bytes.count && fsync(descriptor) == 0
    close(descriptor)
    guard isSynced, rename(partial, path) == 0 else {
      let failure = unwritable()
      unlink(partial)
      throw failure
    }
    let folder = open(directory, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { throw unwritable() }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw unwritable() }
  }

  private func unwritable() -> KeyFileError {
    .unwritable(path: path, reason: String(cString: strerror(errno)))
  }
}

/// Why the keys of a data directory cannot be read or changed.
package enum KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
  case unreadable(path: String, reason: String)
  case unwritable(path: String, reason: String)
  case unknownKey(id: String)
  case tooManyKeys

  package var description: String {
    switch self {
    case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
    case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
    case .unknownKey(let id): "no key \(id) holds: moyeo keys list shows them"
    case .tooManyKeys: "there are \(KeyFile.maximumKeys) keys already"
    }
  }
}

/// What tells whether a file is another one than before.
struct FileStamp: Hashable, Sendable {
  private let inode: UInt64
  private let bytes: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// Nil where there is no file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    inode = UInt64(status.st_ino)
    bytes = Int64(status.st_size)
    #if canImport(Darwin)
      (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
    #else
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    #endif
  }
}
