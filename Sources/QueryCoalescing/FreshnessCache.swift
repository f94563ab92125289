public import Threading

/// Answers that may be given again, each for as long as the caller who asks still accepts its
/// reading.
///
/// Each call bounds the staleness that it accepts. Nothing in the cache expires by itself; it is
/// evicted when the bytes run out. Errors are never kept, because only
/// ``insert(_:_:reading:bytes:)`` keeps anything. The cache is safe to use from any thread.
public final class FreshnessCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The result of a look-up.
  public typealias Lookup = FreshnessTable<Key, Value>.Lookup

  @usableFromInline let table: StateLock<FreshnessTable<Key, Value>>

  /// The bytes that are never exceeded.
  public let capacityBytes: Int

  /// Makes an empty cache; see ``FreshnessTable/init(capacityBytes:renewalPatience:)``.
  public init(capacityBytes: Int, renewalPatience: Nanoseconds = 1_000_000_000) {
    self.capacityBytes = capacityBytes
    table = StateLock(
      FreshnessTable(capacityBytes: capacityBytes, renewalPatience: renewalPatience))
  }

  /// Looks an answer up; see ``FreshnessTable/lookup(_:freshness:at:renewAfter:)``.
  @inlinable
  public func lookup(
    _ key: Key, freshness: Freshness, at now: Nanoseconds, renewAfter: Nanoseconds = .max
  ) -> Lookup {
    table.withLock { $0.lookup(key, freshness: freshness, at: now, renewAfter: renewAfter) }
  }

  /// Keeps an answer; see ``FreshnessTable/insert(_:_:reading:bytes:)``.
  @inlinable
  @discardableResult
  public func insert(_ key: Key, _ value: Value, reading: Reading, bytes: Int) -> Bool {
    table.withLock { $0.insert(key, value, reading: reading, bytes: bytes) }
  }

  /// Removes one answer and returns whether there was one.
  @discardableResult
  public func remove(_ key: Key) -> Bool { table.withLock { $0.remove(key) } }

  /// Removes every answer that a predicate selects; the lock is held meanwhile.
  ///
  /// - Complexity: O(entries).
  public func removeAll(where isDead: (Key, Reading) -> Bool) {
    table.withLock { $0.removeAll(where: isDead) }
  }

  /// The bytes charged now, overhead included; never above the capacity.
  public var bytes: Int { table.withLock { $0.bytes } }
  /// The number of answers held.
  public var count: Int { table.withLock { $0.count } }
  /// The counts since the start.
  public var statistics: FreshnessCacheStatistics { table.withLock { $0.statistics } }
}
