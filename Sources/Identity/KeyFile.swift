import LockedFiles
package import ObjectModel

/// The API keys of a data directory, in `keys.json`, which may be changed whether a daemon reads it or
/// not.
package struct KeyFile: Sendable {
  package static let fileName = "keys.json"
  package static let maximumKeys = 100_000

  private struct Document: Codable, Sendable {
    var keys: [KeyRecord]
  }

  private let document: LockedDocument<Document>

  package var path: String { document.path }

  package init(directory: String) { document = LockedDocument(Self.fileName, in: directory) }

  /// All keys, those without effect included, in the order in which they were made.
  ///
  /// - Throws: ``KeyFileError``.
  package func keys() throws(KeyFileError) -> [KeyRecord] {
    do throws(LockedDocumentError) { return try document.read()?.keys ?? [] } catch {
      throw KeyFileError(error)
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
      try document.change { earlier in
        var keys = earlier?.keys ?? []
        try body(&keys)
        return Document(keys: keys)
      }
    } catch let error as KeyFileError {
      throw error
    } catch let error as LockedDocumentError {
      throw KeyFileError(error)
    } catch {
      throw .unwritable(path: path, reason: "\(error)")
    }
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

  init(_ error: LockedDocumentError) {
    switch error {
    case .unreadable(let path, let reason): self = .unreadable(path: path, reason: reason)
    case .unwritable(let path, let reason): self = .unwritable(path: path, reason: reason)
    }
  }
}
