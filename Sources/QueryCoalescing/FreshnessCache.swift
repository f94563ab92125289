public import Threading

/// Answers that may be given again, each as long as the caller who asks still accepts its reading.
///
/// The staleness bound is the caller's, per call: nothing in the cache expires by itself, it is
/// evicted when the bytes run out. Errors are never kept: only ``insert(_:_:reading:bytes:)``
/// keeps anything. Safe to use from any thread.
public final class FreshnessCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// What a look-up finds.
  public typealias Lookup = FreshnessTable<Key, Value>.Lookup

  @usableFromInline let table: StateLock<FreshnessTable<Key, Value>>

  /// Bytes never exceeded.
  public let capacityBytes: Int

  /// - Parameters: see ``FreshnessTable/init(capacityBytes:renewalPatience:)``.
  public init(capacityBytes: Int, renewalPatience: Nanoseconds = 1_000_000_000) {
    self.capacityBytes = capacityBytes
    table = StateLock(
      FreshnessTable(capacityBytes: capacityBytes, renewalPatience: renewalPatience))
  }

  /// See ``FreshnessTable/lookup(_:freshness:at:renewAfter:)``.
  @inlinable
  public func lookup(
    _ key: Key, freshness: Freshness, at now: Nanoseconds, renewAfter: Nanoseconds = .max
  ) -> Lookup {
    table.withLock { $0.lookup(key, freshness: freshness, at: now, renewAfter: renewAfter) }
  }

  /// See ``FreshnessTable/insert(_:_:reading:bytes:)``.
  @inlinable
  @discardableResult
  public func insert(_ key: Key, _ value: Value, reading: Reading, bytes: Int) -> Bool {
    table.withLock { $0.insert(key, value, reading: reading, bytes: bytes) }
  }

  /// Forgets one answer; false where there was none.
  @discardableResult
  public func remove(_ key: Key) -> Bool { table.withLock { $0.remove(key) } }

  /// Forgets every answer a predicate names; the lock is held meanwhile. - Complexity: O(entries).
  public func removeAll(where isDead: (Key, Reading) -> Bool) {
    table.withLock { $0.removeAll(where: isDead) }
  }

  /// Bytes charged now, overhead included; never above the capacity.
  public var bytes: Int { table.withLock { $0.bytes } }
  /// Answers held.
  public var count: Int { table.withLock { $0.count } }
  /// Counts since the start.
  public var statistics: FreshnessCacheStatistics { table.withLock { $0.statistics } }
}
