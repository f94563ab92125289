/// The rules of ``FreshnessCache`` without locks or clocks: a byte-bounded table of answers with
/// their readings.
///
/// Eviction is SIEVE (Y. Zhang et al., NSDI 2024): entries stand in order of insertion, a hit only
/// sets a bit, and a hand that moves from old to new clears bits and removes the first entry it
/// finds without. Rare keys leave soon, popular ones stay, and a hit moves nothing.
/// ```
///   newest <-> e5* <-> e4 <-> e3* <-> e2 <-> e1 oldest      * hit since the hand passed
///                              ^ hand
/// ```
public struct FreshnessTable<Key: Hashable, Value> {
  public enum Lookup {
    /// Nothing this caller may have.
    case miss
    /// `renew`: old enough that this caller, and no other for a while, should renew it.
    case hit(Value, Reading, renew: Bool)
  }

  private struct Entry {
    let key: Key
    var value: Value
    var reading: Reading
    var bytes: Int
    var wasHit = false
    /// No second caller is asked to renew before this moment.
    var renewalAskedUntil: Nanoseconds = .min
    var newer: Int32
    var older: Int32
  }

  /// Charged for each entry beside what the caller says: slot, dictionary entry, links.
  public static var overheadBytes: Int { 96 + MemoryLayout<Entry>.stride }

  public let capacityBytes: Int
  public private(set) var bytes = 0
  public private(set) var statistics = FreshnessCacheStatistics()
  private var slots: [Entry?] = []
  private var free: [Int32] = []
  private var slotOf: [Key: Int32] = [:]
  private var newest: Int32 = -1
  private var oldest: Int32 = -1
  private var hand: Int32 = -1
  private let renewalPatience: Nanoseconds

  /// - Parameters:
  ///   - capacityBytes: values' bytes and overhead together never exceed it.
  ///   - renewalPatience: after asking one caller to renew an answer, how long until the next is
  ///     asked, in case the first failed.
  public init(capacityBytes: Int, renewalPatience: Nanoseconds = 1_000_000_000) {
    precondition(capacityBytes >= 0 && renewalPatience > 0)
    self.capacityBytes = capacityBytes
    self.renewalPatience = renewalPatience
  }

  public var count: Int { slotOf.count }

  /// The answer of a key, if its reading satisfies the caller.
  ///
  /// - Parameter renewAfter: an accepted answer older than this is worth renewing.
  /// - Complexity: O(1) expected.
  public mutating func lookup(
    _ key: Key, freshness: Freshness, at now: Nanoseconds, renewAfter: Nanoseconds = .max
  ) -> Lookup {
    guard let slot = slotOf[key], let reading = slots[Int(slot)]?.reading,
      freshness.accepts(reading, at: now)
    else {
      statistics.misses += 1
      return .miss
    }
    statistics.hits += 1
    slots[Int(slot)]?.wasHit = true
    var renew = false
    let isCurrent =
      freshness.sufficientVersion.flatMap { needed in reading.version.map { $0 >= needed } }
      ?? false
    if !isCurrent, reading.age(at: now) > renewAfter,
      let until = slots[Int(slot)]?.renewalAskedUntil, now >= until
    {
      let (next, overflow) = now.addingReportingOverflow(renewalPatience)
      slots[Int(slot)]?.renewalAskedUntil = overflow ? .max : next
      statistics.renewals += 1
      renew = true
    }
    // The slot is occupied: `slotOf` names occupied slots only.
    guard let value = slots[Int(slot)]?.value else { return .miss }
    return .hit(value, reading, renew: renew)
  }

  /// Keeps an answer unless a newer one of the same key is there or it is too large.
  /// - Parameter bytes: the value's size, not below 0.
  /// - Returns: whether it was kept.
  /// - Complexity: O(1) amortised.
  @discardableResult
  public mutating func insert(
    _ key: Key, _ value: Value, reading: Reading, bytes valueBytes: Int
  ) -> Bool {
    let (cost, overflow) = max(0, valueBytes).addingReportingOverflow(Self.overheadBytes)
    if let slot = slotOf[key], let old = slots[Int(slot)]?.reading, old.isNewer(than: reading) {
      return false
    }
    remove(key)
    guard !overflow, cost <= capacityBytes else { return false }
    while bytes > capacityBytes - cost { evictOne() }
    let slot: Int32
    if let reused = free.popLast() {
      slot = reused
    } else {
      slot = Int32(slots.count)
      slots.append(nil)
    }
    slots[Int(slot)] = Entry(
      key: key, value: value, reading: reading, bytes: cost, newer: -1, older: newest)
    if newest >= 0 { slots[Int(newest)]?.newer = slot } else { oldest = slot }
    newest = slot
    slotOf[key] = slot
    bytes += cost
    statistics.insertions += 1
    return true
  }

  /// Forgets one answer. - Returns: whether there was one.
  @discardableResult
  public mutating func remove(_ key: Key) -> Bool {
    guard let slot = slotOf.removeValue(forKey: key), let entry = slots[Int(slot)] else {
      return false
    }
    if hand == slot { hand = entry.newer }
    if entry.newer >= 0 {
      slots[Int(entry.newer)]?.older = entry.older
    } else {
      newest = entry.older
    }
    if entry.older >= 0 {
      slots[Int(entry.older)]?.newer = entry.newer
    } else {
      oldest = entry.newer
    }
    slots[Int(slot)] = nil
    free.append(slot)
    bytes -= entry.bytes
    return true
  }

  /// Forgets every answer a predicate names, for instance all of one layer.
  /// - Complexity: O(entries).
  public mutating func removeAll(where isDead: (Key, Reading) -> Bool) {
    for key in slots.compactMap({ $0.flatMap { isDead($0.key, $0.reading) ? $0.key : nil } }) {
      remove(key)
    }
  }

  /// Every key, newest insertion first.
  public var keys: [Key] {
    var keys: [Key] = []
    var slot = newest
    while slot >= 0, let entry = slots[Int(slot)] {
      keys.append(entry.key)
      slot = entry.older
    }
    return keys
  }

  private mutating func evictOne() {
    if hand < 0 { hand = oldest }
    while hand >= 0, let entry = slots[Int(hand)] {
      if !entry.wasHit {
        statistics.evictions += 1
        remove(entry.key)
        return
      }
      slots[Int(hand)]?.wasHit = false
      hand = entry.newer >= 0 ? entry.newer : oldest
    }
  }
}

/// Counts since the start.
public struct FreshnessCacheStatistics: Hashable, Sendable {
  public var hits: UInt64 = 0
  public var misses: UInt64 = 0
  public var insertions: UInt64 = 0
  public var evictions: UInt64 = 0
  /// Callers that were asked to renew what they got.
  public var renewals: UInt64 = 0

  public init() {}
}
