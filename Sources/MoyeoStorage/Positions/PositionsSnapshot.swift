import CSpatiaLite
import Foundation
package import LiveLayers
import DurableCommands
package import ObjectModel

/// The last positions in `positions.sqlite`, beside the record but apart from it: SQLite has one
/// writer a file, and claims must not wait.
///
/// Soft state: `synchronous` is OFF, there is no R-tree, and no fault of the file keeps a daemon from
/// starting. What cannot be used gets another name (``setAside``) and the file is begun anew: one of
/// another program or release as `positions.sqlite.aside-1`, which is never deleted, and one that is
/// damaged as `positions.sqlite.damaged`, in place of the one before. A file that cannot be opened
/// is tried again at each write. Rows stand in the order of their key and batches are sorted, so
/// that a batch touches few pages.
///
/// `lock` guards the connection and all that is prepared on it.
package final class PositionsSnapshot: PositionArchive, @unchecked Sendable {
  package static let fileName = "positions.sqlite"
  static let applicationID: Int64 = 0x4D6F_7970
  static let version: Int64 = 1
  /// After which a transaction takes no more rows; its commit comes on top.
  static let transactionMilliseconds = 3.0
  static let transactionRows = 2_000
  static let loadRows = 1_024

  /// A file that was in the way, under its new name.
  package struct SetAside: Hashable, Sendable {
    package var path: String
    package var reason: String
  }

  package let path: String
  private let lock = NSLock()
  private var session: PositionsSession?
  private var isClosed = false
  private var failure: String?
  private var asideFiles: [SetAside] = []

  /// Opens or creates the file in the data directory, which its daemon has locked
  /// (``DirectoryLock``). Never fails: see ``openFailure`` and ``setAside``.
  package init(directory: String) {
    path = directory + "/" + Self.fileName
    do { try openSession() } catch { failure = "\(error)" }
  }

  deinit { close() }

  /// Whether a directory has such a file.
  package static func exists(in directory: String) -> Bool {
    FileManager.default.fileExists(atPath: directory + "/" + fileName)
  }

  package func close() {
    lock.withLock {
      session = nil
      isClosed = true
    }
  }

  /// Why positions are neither read nor written now; nil while they are.
  package var openFailure: String? { lock.withLock { failure } }

  /// Tries again to open the file, if it could not be opened.
  package func openIfNeeded() { try? withSession { _ in } }

  /// Files that were set aside since this was opened, and are still there.
  package var setAside: [SetAside] {
    lock.withLock {
      asideFiles.removeAll { !FileManager.default.fileExists(atPath: $0.path) }
      return asideFiles
    }
  }

  package func write(
    _ batch: [StoredPosition], removing: [StoredPositionKey]
  ) throws(StoreFailure) {
    let sorted = batch.enumerated().sorted { a, b in
      let (left, right) = (a.element.key.sortKey, b.element.key.sortKey)
      return left == right ? a.offset < b.offset : left < right
    }
    try withSession { session in
      try session.inSlices(sorted.count) { try session.upsert(sorted[$0].element) }
      try session.inSlices(removing.count) { try session.remove(removing[$0]) }
    }
  }

  @discardableResult
  package func removeExpired(by moment: Instant) throws(StoreFailure) -> Int {
    var removed = 0
    try withSession { session in
      removed = 0
      var after = PositionsSession.RowKey.first
      while true {
        // Reading takes as long as it takes; only the writing is a transaction.
        let expired = try session.expired(by: moment, after: after, limit: Self.transactionRows)
        try session.inSlices(expired.count) { try session.remove(row: expired[$0]) }
        removed += expired.count
        guard expired.count == Self.transactionRows, let last = expired.last else { return }
        after = last
      }
    }
    return removed
  }

  /// Removes a person from all layers of their tenant, and from the bytes of the file.
  ///
  /// - Returns: How many positions there were.
  @discardableResult
  package func erase(_ erasure: PersonErasure) throws(StoreFailure) -> Int {
    var count = 0
    try withSession { count = try $0.erase(erasure) }
    return count
  }

  /// Everybody with a position in a layer of a tenant.
  package func people(of tenant: String, _ body: (String) -> Void) throws(StoreFailure) {
    try withSession(repeating: false) { try $0.ids(tenant: tenant, body) }
  }

  package func keepLayerNames(_ names: [String], tenant: String) throws(StoreFailure) {
    try withSession { try $0.keepLayers(Set(names), tenant: tenant) }
  }

  package func layerNames(tenant: String) throws(StoreFailure) -> [String] {
    var names: [String] = []
    try withSession { names = $0.layers(tenant: tenant) }
    return names
  }

  /// - Complexity: O(rows): 1M in about a second.
  package func load(
    liveAt moment: Instant, _ body: ([StoredPosition]) throws -> Void
  ) throws(StoreFailure) {
    try withSession(repeating: false) { session in
      try session.load(liveAt: moment, batch: Self.loadRows, body)
    }
  }

  /// Reads the file of a directory that a daemon may be writing to: damage is thrown, not repaired,
  /// and a directory without a snapshot has no positions.
  static func read(
    dataDirectory: String, liveAt moment: Instant, _ body: ([StoredPosition]) throws -> Void
  ) throws {
    try reader(dataDirectory)?.load(liveAt: moment, batch: loadRows, body)
  }

  private static func reader(_ dataDirectory: String) throws(StorageError) -> PositionsSession? {
    let path = dataDirectory + "/" + fileName
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do { return try PositionsSession(path, for: .reading) } catch {
      throw StoreFile.error(path, error)
    }
  }

  /// The layers of a directory's snapshot, by name, each once.
  static func layers(dataDirectory: String, tenant: String?) throws -> [String] {
    try reader(dataDirectory)?.layers(tenant: tenant) ?? []
  }

  // MARK: Opening

  private func withSession(
    repeating: Bool = true, _ body: (PositionsSession) throws -> Void
  ) throws(StoreFailure) {
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed else { throw StoreFailure("the snapshot is closed") }
    do {
      if session == nil { try openSession() }
      failure = nil
      guard let session else { return }
      try body(session)
    } catch let damage as SQLiteFailure where damage.isDamage && session != nil {
      do {
        session = nil
        try moveAway(because: damage)
        try openSession()
        if repeating, let session { try body(session) }
      } catch {
        failure = "\(error)"
        throw StoreFailure("\(error)")
      }
    } catch {
      if session == nil { failure = "\(error)" }
      throw StoreFailure("\(error)")
    }
  }

  /// With `lock` held, or before anyone else knows of this object.
  private func openSession() throws {
    do {
      try FileProtection.create(path)
      session = try PositionsSession(path)
    } catch let error as PositionsSession.ForeignFile {
      try moveAway(because: error)
      session = try PositionsSession(path)
    } catch let error as SQLiteFailure where error.isDamage {
      try moveAway(because: error)
      session = try PositionsSession(path)
    }
  }

  private func moveAway(because error: any Error) throws {
    let failure = error as? SQLiteFailure
    // What is no database at all may be anybody's.
    let isOurs = failure.map { $0.primaryCode == SQLITE_CORRUPT } ?? false
    let name = isOurs ? path + ".damaged" : FileAside.freeName(for: path)
    if isOurs {
      for suffix in ["", "-wal", "-journal"] {
        try? FileManager.default.removeItem(atPath: name + suffix)
      }
    }
    try FileAside.moveDatabase(path, to: name)
    asideFiles.removeAll { $0.path == name }
    asideFiles.append(SetAside(path: name, reason: "\(error)"))
    try FileProtection.create(path)
  }
}

extension StoredPositionKey {
  var sortKey: (String, String, String) { (tenant, layer, id) }
}
