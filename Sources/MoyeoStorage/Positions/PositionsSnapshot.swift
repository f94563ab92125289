import CSpatiaLite
import Foundation
public import MoyeoEngine
public import ObjectModel

/// The last positions in `positions.sqlite`, beside the record but apart from it: SQLite has one
/// writer a file, and claims must not wait.
///
/// Soft state: `synchronous` is OFF, there is no R-tree, and a file that is damaged or of another
/// version is thrown away and begun anew (``rebuiltBecause``). Rows stand in the order of their key
/// and batches are sorted, so that a batch touches few pages.
///
/// `lock` guards the connection and all that is prepared on it.
public final class PositionsSnapshot: PositionArchive, @unchecked Sendable {
  public static let fileName = "positions.sqlite"
  static let applicationID: Int64 = 0x4D6F_7970
  static let version: Int64 = 1
  /// After which a transaction takes no more rows; its commit comes on top.
  static let transactionMilliseconds = 3.0
  static let transactionRows = 2_000
  static let loadRows = 1_024

  public let path: String
  private let lock = NSLock()
  private var session: PositionsSession?
  private var rebuildReason: String?

  /// Opens or creates the file in the data directory, which its daemon has locked
  /// (``DirectoryLock``).
  public init(directory: String) throws(StorageError) {
    path = directory + "/" + Self.fileName
    do {
      session = try PositionsSession(path)
    } catch {
      do {
        try rebuild(because: error)
      } catch {
        throw StoreFile.error(path, error)
      }
    }
  }

  deinit { close() }

  public func close() { lock.withLock { session = nil } }

  /// Why the file was begun anew since it was opened, if it was.
  public var rebuiltBecause: String? { lock.withLock { rebuildReason } }

  public func write(
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
  public func removeExpired(by moment: Instant) throws(StoreFailure) -> Int {
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

  /// - Complexity: O(rows): 1M in about a second.
  public func load(
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
    let path = dataDirectory + "/" + fileName
    guard FileManager.default.fileExists(atPath: path) else { return }
    try PositionsSession(path).load(liveAt: moment, batch: loadRows, body)
  }

  // MARK: Rebuilding

  private func withSession(
    repeating: Bool = true, _ body: (PositionsSession) throws -> Void
  ) throws(StoreFailure) {
    lock.lock()
    defer { lock.unlock() }
    guard let current = session else { throw StoreFailure("the snapshot is closed") }
    do {
      try body(current)
    } catch let failure as SQLiteFailure where failure.isDamage {
      do {
        try rebuild(because: failure)
        if repeating, let session { try body(session) }
      } catch {
        throw StoreFailure("\(error)")
      }
    } catch {
      throw StoreFailure("\(error)")
    }
  }

  /// With `lock` held, or before anyone else knows of this object.
  private func rebuild(because error: any Error) throws {
    if let failure = error as? SQLiteFailure, !failure.isDamage { throw failure }
    session = nil
    rebuildReason = "\(error)"
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    session = try PositionsSession(path)
  }
}

extension StoredPositionKey {
  var sortKey: (String, String, String) { (tenant, layer, id) }
}
