/// An open-addressing table from 32-bit tags to 32-bit values, in 64 segments that grow one at a
/// time, so that no single insertion rehashes the whole table.
///
///     segment ──► [ value | tag ] [ value | tag ] …   8 bytes a slot, linear probing,
///                                                     no tombstones (backward shift)
///
/// The home of a tag is `home(tag)`. Equal tags may be in the table more than once, when the caller
/// tells them apart by value.
///
/// Sendable because it alone owns its memory.
@safe
struct SlotTable: ~Copyable, @unchecked Sendable {
  static let segmentCount = 64
  static let emptyValue = UInt32.max

  @safe
  struct Segment {
    var slots: UnsafeMutablePointer<UInt64>?
    var capacity: UInt32
    var count: UInt32
  }

  /// How tags are spread over a segment.
  enum Spread {
    /// Tags are cells, of which four neighbours share half a cache line.
    case cells
    /// Tags are hashes, but maybe weak ones, so that they are mixed again.
    case hashes
  }

  private var segments: UnsafeMutablePointer<Segment>
  private let spread: Spread
  private let arena: PageArena
  private(set) var count = 0

  init(_ spread: Spread, arena: PageArena) {
    self.spread = spread
    self.arena = arena
    unsafe segments = .allocate(capacity: Self.segmentCount)
    unsafe segments.initialize(
      repeating: Segment(slots: nil, capacity: 0, count: 0), count: Self.segmentCount)
  }

  deinit {
    for i in 0..<Self.segmentCount {
      if let slots = unsafe segments[i].slots {
        unsafe arena.release(slots, slots: Int(segments[i].capacity))
      }
    }
    unsafe segments.deallocate()
  }

  /// The bytes held outside the arena's pages.
  var smallBytes: Int {
    var sum = Self.segmentCount * MemoryLayout<Segment>.stride
    for i in 0..<Self.segmentCount {
      let capacity = Int(unsafe segments[i].capacity)
      if capacity < PageArena.minimumSlots { sum += capacity * 8 }
    }
    return sum
  }

  @inline(__always)
  private func home(_ tag: UInt32, _ mask: UInt32) -> UInt32 {
    switch spread {
    case .cells:
      // The low bits of column and row choose among four neighbours; the rest is mixed.
      let group = (tag & 0xFFFE_FFFE) &* 0x9E37_79B1
      return ((group ^ group >> 15) << 2 | (tag & 1) | (tag >> 15 & 2)) & mask
    case .hashes:
      let mixed = tag &* 0x9E37_79B1
      return (mixed ^ mixed >> 16) & mask
    }
  }

  /// Returns the value of the first slot with this tag for which `isMatch` holds, or `emptyValue`.
  @inline(__always)
  func find(_ segment: Int, _ tag: UInt32, where isMatch: (UInt32) -> Bool = { _ in true })
    -> UInt32
  {
    let s = unsafe segments[segment]
    guard s.count != 0, let slots = unsafe s.slots else { return Self.emptyValue }
    let mask = s.capacity - 1
    var i = home(tag, mask)
    while true {
      let slot = unsafe slots[Int(i)]
      let value = UInt32(truncatingIfNeeded: slot >> 32)
      if value == Self.emptyValue { return value }
      if UInt32(truncatingIfNeeded: slot) == tag && isMatch(value) { return value }
      i = (i + 1) & mask
    }
  }

  /// Adds a slot without looking for an equal one.
  ///
  /// - Precondition: `value` is not `emptyValue`.
  @inline(__always)
  mutating func insert(_ segment: Int, _ tag: UInt32, _ value: UInt32) {
    assert(value != Self.emptyValue)
    if unsafe (segments[segment].count + 1) * 4 > segments[segment].capacity * 3 { grow(segment) }
    place(segment, tag, value)
    unsafe segments[segment].count += 1
    count += 1
  }

  @inline(__always)
  private func place(_ segment: Int, _ tag: UInt32, _ value: UInt32) {
    let s = unsafe segments[segment]
    let slots = unsafe s.slots!
    let mask = s.capacity - 1
    var i = home(tag, mask)
    while unsafe UInt32(truncatingIfNeeded: slots[Int(i)] >> 32) != Self.emptyValue {
      i = (i + 1) & mask
    }
    unsafe slots[Int(i)] = UInt64(value) << 32 | UInt64(tag)
  }

  /// Replaces the value of the slot with this tag and value.
  @inline(__always)
  func replace(_ segment: Int, _ tag: UInt32, _ old: UInt32, with value: UInt32) {
    let i = slotIndex(segment, tag, old)
    unsafe segments[segment].slots![Int(i)] = UInt64(value) << 32 | UInt64(tag)
  }

  /// Removes the slot with this tag and value.
  @inline(__always)
  mutating func remove(_ segment: Int, _ tag: UInt32, _ value: UInt32) {
    var hole = slotIndex(segment, tag, value)
    let s = unsafe segments[segment]
    let slots = unsafe s.slots!
    let mask = s.capacity - 1
    var i = hole
    while true {
      i = (i + 1) & mask
      let slot = unsafe slots[Int(i)]
      if UInt32(truncatingIfNeeded: slot >> 32) == Self.emptyValue { break }
      let wanted = home(UInt32(truncatingIfNeeded: slot), mask)
      // It moves into the hole unless its home is cyclically behind the hole.
      if (i &- wanted) & mask >= (i &- hole) & mask {
        unsafe slots[Int(hole)] = slot
        hole = i
      }
    }
    unsafe slots[Int(hole)] = .max
    unsafe segments[segment].count -= 1
    count -= 1
  }

  @inline(__always)
  private func slotIndex(_ segment: Int, _ tag: UInt32, _ value: UInt32) -> UInt32 {
    let s = unsafe segments[segment]
    let slots = unsafe s.slots!
    let mask = s.capacity - 1
    let wanted = UInt64(value) << 32 | UInt64(tag)
    var i = home(tag, mask)
    while unsafe slots[Int(i)] != wanted {
      precondition(
        unsafe UInt32(truncatingIfNeeded: slots[Int(i)] >> 32) != Self.emptyValue,
        "the table has no slot with this tag and value")
      i = (i + 1) & mask
    }
    return i
  }

  /// Calls `body` with segment, tag and value of every slot until it returns `true`.
  @inline(__always)
  func contains(where body: (_ segment: Int, _ tag: UInt32, _ value: UInt32) -> Bool) -> Bool {
    for segment in 0..<Self.segmentCount {
      let s = unsafe segments[segment]
      guard let slots = unsafe s.slots else { continue }
      for i in 0..<Int(s.capacity) {
        let slot = unsafe slots[i]
        let value = UInt32(truncatingIfNeeded: slot >> 32)
        if value != Self.emptyValue && body(segment, UInt32(truncatingIfNeeded: slot), value) {
          return true
        }
      }
    }
    return false
  }

  /// Replaces the value of every slot.
  func mapValues(_ transform: (UInt32) -> UInt32) {
    for segment in 0..<Self.segmentCount {
      let s = unsafe segments[segment]
      guard let slots = unsafe s.slots else { continue }
      for i in 0..<Int(s.capacity) {
        let slot = unsafe slots[i]
        let value = UInt32(truncatingIfNeeded: slot >> 32)
        if value != Self.emptyValue {
          unsafe slots[i] = UInt64(transform(value)) << 32 | slot & 0xFFFF_FFFF
        }
      }
    }
  }

  @inline(never)
  private mutating func grow(_ segment: Int) {
    grow(segment, to: unsafe max(8, segments[segment].capacity * 2))
  }

  private mutating func grow(_ segment: Int, to capacity: UInt32) {
    let old = unsafe segments[segment]
    let slots: UnsafeMutablePointer<UInt64> = unsafe arena.allocate(slots: Int(capacity))
    unsafe slots.initialize(repeating: .max, count: Int(capacity))
    unsafe segments[segment] = Segment(slots: slots, capacity: capacity, count: old.count)
    guard let oldSlots = unsafe old.slots else { return }
    for i in 0..<Int(old.capacity) {
      let slot = unsafe oldSlots[i]
      let value = UInt32(truncatingIfNeeded: slot >> 32)
      if value != Self.emptyValue { place(segment, UInt32(truncatingIfNeeded: slot), value) }
    }
    unsafe arena.release(oldSlots, slots: Int(old.capacity))
  }

  /// Makes room for `total` slots that are spread evenly.
  mutating func reserve(_ total: Int) {
    let each = total / Self.segmentCount * 5 / 4
    var capacity: UInt32 = 8
    while Int(capacity) * 3 < each * 4 { capacity *= 2 }
    for segment in 0..<Self.segmentCount where unsafe segments[segment].capacity < capacity {
      grow(segment, to: capacity)
    }
  }
}
