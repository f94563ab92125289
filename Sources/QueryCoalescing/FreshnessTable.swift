public import Threading

/// The rules of ``FreshnessCache`` without locks or clocks: a byte-bounded table of answers with
/// their readings.
///
/// Eviction is SIEVE (Y. Zhang et al., NSDI 2024): entries are in the order of insertion, and a hit
/// only sets a bit. A hand that moves from old to new clears bits and removes the first entry
/// without one. Rare keys leave soon, popular ones stay, and a hit moves nothing.
/// ```
///   newest <-> e5* <-> e4 <-> e3* <-> e2 <-> e1 oldest      * hit since the hand passed
///                              ^ hand
/// ```
public struct FreshnessTable<Key: Hashable, Value> {
  /// The result of a look-up.
  public enum Lookup {
    /// There is no answer that this caller may have.
    case miss
    /// There is an answer. With `renew` it is so old that this caller, and no other for a while,
    /// should renew it.
    case hit(Value, Reading, renew: Bool)
  }

  @usableFromInline
  struct Entry {
    /// The key and value; `nil` in free slots.
    @usableFromInline var content: (key: Key, value: Value)?
    @usableFromInline var reading: Reading
    @usableFromInline var bytes: Int
    /// The moment before which no second caller is asked to renew.
    @usableFromInline var renewalAskedUntil: Nanoseconds = .min
    @usableFromInline var newer: Int32 = -1
    @usableFromInline var older: Int32
    @usableFromInline var wasHit = false

    @inlinable
    init(content: (key: Key, value: Value)?, reading: Reading, bytes: Int, older: Int32) {
      self.content = content
      self.reading = reading
      self.bytes = bytes
      self.older = older
    }
  }

  /// The bytes charged for each entry besides what the caller says: slot, dictionary entry, links.
  @inlinable
  public static var overheadBytes: Int { 96 + MemoryLayout<Entry>.stride }

  /// The most bytes of all answers, as their callers count them, and of their overhead.
  public let capacityBytes: Int
  @usableFromInline var usedBytes = 0
  @usableFromInline var counts = FreshnessCacheStatistics()
  @usableFromInline var slots: [Entry] = []
  @usableFromInline var free: [Int32] = []
  @usableFromInline var slotOf: [Key: Int32] = [:]
  @usableFromInline var newest: Int32 = -1
  @usableFromInline var oldest: Int32 = -1
  @usableFromInline var hand: Int32 = -1
  @usableFromInline let renewalPatience: Nanoseconds

  /// - Parameters:
  ///   - capacityBytes: The bytes that values and overhead together never exceed.
  ///   - renewalPatience: How long after one caller was asked to renew an answer the next one is
  ///     asked, in case the first failed.
  public init(capacityBytes: Int, renewalPatience: Nanoseconds = 1_000_000_000) {
    precondition(capacityBytes >= 0 && renewalPatience > 0)
    self.capacityBytes = capacityBytes
    self.renewalPatience = renewalPatience
  }

  /// The number of answers held.
  public var count: Int { slotOf.count }
  /// The bytes charged now.
  public var bytes: Int { usedBytes }
  /// The counts since the start.
  public var statistics: FreshnessCacheStatistics { counts }

  /// Returns the answer of a key, if its reading satisfies the caller.
  ///
  /// - Parameters:
  ///   - key: The question.
  ///   - freshness: What the caller accepts.
  ///   - now: The moment of the question.
  ///   - renewAfter: The age from which on an accepted answer is worth renewing, unless its version
  ///     shows that nothing has changed.
  /// - Returns: The answer and whether it is worth renewing, or that there is none.
  /// - Complexity: O(1) expected.
  @inlinable
  public mutating func lookup(
    _ key: Key, freshness: Freshness, at now: Nanoseconds, renewAfter: Nanoseconds = .max
  ) -> Lookup {
    guard let found = slotOf[key] else {
      counts.misses &+= 1
      return .miss
    }
    let slot = Int(found)
    let reading = slots[slot].reading
    guard freshness.accepts(reading, at: now), let content = slots[slot].content else {
      counts.misses &+= 1
      return .miss
    }
    counts.hits &+= 1
    slots[slot].wasHit = true
    var renew = false
    if reading.age(at: now) > renewAfter, !freshness.isSatisfiedByVersion(of: reading),
      now >= slots[slot].renewalAskedUntil
    {
      let (next, overflow) = now.addingReportingOverflow(renewalPatience)
      slots[slot].renewalAskedUntil = overflow ? .max : next
      counts.renewals &+= 1
      renew = true
    }
    return .hit(content.value, reading, renew: renew)
  }

  /// Keeps an answer unless a newer one of the same key is there or it is too large.
  ///
  /// - Parameters:
  ///   - key: The question.
  ///   - value: The answer.
  ///   - reading: The state that the answer shows.
  ///   - valueBytes: The value's size, not below 0.
  /// - Returns: Whether it was kept.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public mutating func insert(
    _ key: Key, _ value: Value, reading: Reading, bytes valueBytes: Int
  ) -> Bool {
    let (cost, overflow) = max(0, valueBytes).addingReportingOverflow(Self.overheadBytes)
    var slot: Int32 = free.last ?? Int32(slots.count)
    let old = Self.exchange(&slotOf[key], for: slot)
    if let old {
      if slots[Int(old)].reading.isNewer(than: reading) {
        slotOf[key] = old
        return false
      }
      unlink(old)
      // The slot is free again, and on top of the free ones.
      slotOf[key] = old
      slot = old
    }
    guard !overflow, cost <= capacityBytes else {
      slotOf[key] = nil
      return false
    }
    let entry = Entry(content: (key, value), reading: reading, bytes: cost, older: newest)
    if free.popLast() != nil { slots[Int(slot)] = entry } else { slots.append(entry) }
    if newest >= 0 { slots[Int(newest)].newer = slot } else { oldest = slot }
    newest = slot
    usedBytes += cost
    counts.insertions &+= 1
    // The hand comes to the new entry last, and the entry alone fits.
    while usedBytes > capacityBytes { evictOne(sparing: slot) }
    return true
  }

  @inlinable
  static func exchange(_ place: inout Int32?, for slot: Int32) -> Int32? {
    let old = place
    place = slot
    return old
  }

  /// Removes one answer.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public mutating func remove(_ key: Key) -> Bool {
    guard let slot = slotOf.removeValue(forKey: key) else { return false }
    unlink(slot)
    return true
  }

  /// Removes every answer that a predicate selects, for instance all of one layer.
  ///
  /// - Complexity: O(entries).
  public mutating func removeAll(where isDead: (Key, Reading) -> Bool) {
    for entry in slots {
      if let key = entry.content?.key, isDead(key, entry.reading) { remove(key) }
    }
  }

  /// All keys, the newest insertion first.
  public var keys: [Key] {
    var keys: [Key] = []
    var slot = newest
    while slot >= 0, let content = slots[Int(slot)].content {
      keys.append(content.key)
      slot = slots[Int(slot)].older
    }
    return keys
  }

  /// Takes a slot out of the order and frees it; the caller updates `slotOf`.
  @inlinable
  mutating func unlink(_ slot: Int32) {
    let (newer, older) = (slots[Int(slot)].newer, slots[Int(slot)].older)
    if hand == slot { hand = newer }
    if newer >= 0 { slots[Int(newer)].older = older } else { newest = older }
    if older >= 0 { slots[Int(older)].newer = newer } else { oldest = newer }
    usedBytes -= slots[Int(slot)].bytes
    slots[Int(slot)].content = nil
    free.append(slot)
  }

  @inlinable
  mutating func evictOne(sparing spared: Int32) {
    if hand < 0 || hand == spared { hand = oldest }
    while true {
      let slot = Int(hand)
      if hand != spared, !slots[slot].wasHit {
        counts.evictions &+= 1
        if let key = slots[slot].content?.key { slotOf[key] = nil }
        unlink(hand)
        return
      }
      slots[slot].wasHit = false
      hand = slots[slot].newer >= 0 ? slots[slot].newer : oldest
    }
  }
}

/// The counts of a cache since its start.
public struct FreshnessCacheStatistics: Hashable, Sendable {
  /// The number of look-ups that found an answer fresh enough.
  public var hits: UInt64 = 0
  /// The number of look-ups that found none.
  public var misses: UInt64 = 0
  /// The number of answers that were kept.
  public var insertions: UInt64 = 0
  /// The number of answers that were removed for want of room.
  public var evictions: UInt64 = 0
  /// The number of callers that were asked to renew what they got.
  public var renewals: UInt64 = 0

  /// Makes counts that are all 0.
  @inlinable
  public init() {}
}
