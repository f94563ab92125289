import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A small JSON file of the data directory that the daemon reads and a command line changes: written
/// whole and synced before it gets its name, by one program at a time, readable for its owner alone.
package struct LockedDocument<Content: Codable & Sendable>: Sendable {
  package let path: String
  private let directory: String

  /// - Parameters:
  ///   - name: Of the file.
  ///   - directory: Is made with the first change.
  package init(_ name: String, in directory: String) {
    self.directory = directory
    path = directory + "/" + name
  }

  /// What stands in the file; nil where there is none.
  ///
  /// - Throws: ``LockedDocumentError/unreadable(path:reason:)``.
  package func read() throws(LockedDocumentError) -> Content? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw .unreadable(path: path, reason: error.localizedDescription)
    }
    do { return try JSONDecoder().decode(Content.self, from: data) } catch {
      throw .unreadable(path: path, reason: "it is not the JSON that is expected there")
    }
  }

  /// Changes what stands in the file.
  ///
  /// - Parameter body: Is given what stands there now, and answers what shall.
  /// - Throws: ``LockedDocumentError``, and what the body throws: nothing is changed then.
  package func change(_ body: (Content?) throws -> Content) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw LockedDocumentError.unwritable(path: directory, reason: error.localizedDescription)
    }
    let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw unwritable() }
    defer { close(lock) }
    guard flock(lock, LOCK_EX) == 0 else { throw unwritable() }
    let content = try body(try read())
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(content) else {
      throw LockedDocumentError.unwritable(path: path, reason: "it cannot be written as JSON")
    }
    try replace(with: Array(data) + [0x0A])
  }

  private func replace(with bytes: [UInt8]) throws(LockedDocumentError) {
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

  private func unwritable() -> LockedDocumentError {
    .unwritable(path: path, reason: String(cString: strerror(errno)))
  }
}

/// Why a file of the data directory cannot be read or changed.
package enum LockedDocumentError: Error, Hashable, Sendable, CustomStringConvertible {
  case unreadable(path: String, reason: String)
  case unwritable(path: String, reason: String)

  package var description: String {
    switch self {
    case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
    case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
    }
  }
}
