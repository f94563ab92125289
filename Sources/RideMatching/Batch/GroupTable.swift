/// Feasible groups, each set of members once: of several pick-ups the one that saves most.
///
/// An open hash table of indices into ``groups``, keyed by the members.
struct GroupTable {
  /// Members ascending, -1 where there is none. 32 bytes: half a line of the cache.
  struct Group {
    var members: SIMD4<Int32>
    var saving: Double
    /// The request at whose origin all get in.
    var pickUp: Int32
    /// In what order groups are kept, the greatest first.
    var rank: Float
  }

  /// Found at one pick-up.
  struct Candidate {
    /// In any order, -1 where there is none.
    var members: SIMD4<Int32>
    var saving: Double
    var rank: Double
  }

  /// In the order of their first finding.
  private(set) var groups: [Group] = []
  private var slots: [Int32]
  private var mask: Int

  /// - Parameters:
  ///   - groups: Each set of members once.
  ///   - expected: Groups for which no room need be made later.
  init(_ groups: [Group] = [], expected: Int) {
    var count = 1 << 10
    while count < 2 * max(min(expected, 1 << 20), groups.count) { count *= 2 }
    self.groups = groups
    self.groups.reserveCapacity(min(expected, 1 << 20))
    slots = Array(repeating: -1, count: count)
    mask = count - 1
    fillSlots()
  }

  /// - Returns: Whether the set of members is new, or saves more than what was known of it.
  /// - Complexity: O(1) expected.
  @discardableResult
  mutating func insert(_ candidate: Candidate, pickUp: Int) -> Bool {
    guard candidate.saving.isFinite else { return false }
    // Ascending and -1 last: a sorting network of five on unsigned values.
    let m = SIMD4<UInt32>(truncatingIfNeeded: candidate.members)
    let (low, high) = (min(m[0], m[1]), max(m[0], m[1]))
    let (low2, high2) = (min(m[2], m[3]), max(m[2], m[3]))
    let (middle, middle2) = (max(low, low2), min(high, high2))
    let sorted = SIMD4(
      min(low, low2), min(middle, middle2), max(middle, middle2), max(high, high2))
    return insert(
      SIMD4<Int32>(truncatingIfNeeded: sorted), pickUp: pickUp, saving: candidate.saving,
      rank: candidate.rank)
  }

  private mutating func insert(
    _ members: SIMD4<Int32>, pickUp: Int, saving: Double, rank: Double
  ) -> Bool {
    var slot = Self.hash(members) & mask
    while slots[slot] >= 0 {
      let known = Int(slots[slot])
      if groups[known].members == members {
        let savesMore = saving > groups[known].saving
        // Equal savings: the smaller pick-up, whatever the order of finding.
        if savesMore
          || (saving == groups[known].saving && pickUp < groups[known].pickUp)
        {
          groups[known].saving = saving
          groups[known].rank = Float(rank)
          groups[known].pickUp = Int32(pickUp)
        }
        return savesMore
      }
      slot = (slot + 1) & mask
    }
    slots[slot] = Int32(groups.count)
    groups.append(
      Group(members: members, saving: saving, pickUp: Int32(pickUp), rank: Float(rank)))
    if groups.count * 2 > slots.count { grow() }
    return true
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: slots.count * 2)
    mask = slots.count - 1
    fillSlots()
  }

  private mutating func fillSlots() {
    for (index, group) in groups.enumerated() {
      var slot = Self.hash(group.members) & mask
      while slots[slot] >= 0 { slot = (slot + 1) & mask }
      slots[slot] = Int32(index)
    }
  }

  private static func hash(_ members: SIMD4<Int32>) -> Int {
    let low = UInt64(UInt32(bitPattern: members.x)) | UInt64(UInt32(bitPattern: members.y)) << 32
    let high = UInt64(UInt32(bitPattern: members.z)) | UInt64(UInt32(bitPattern: members.w)) << 32
    var h = (low ^ (high &* 0x9E37_79B9_7F4A_7C15)) &* 0xBF58_476D_1CE4_E5B9
    h ^= h >> 29
    h = h &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: h >> 32)
  }
}
