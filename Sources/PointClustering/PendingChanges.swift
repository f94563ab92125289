import GeoMath
import ObjectModel

/// The changes that wait, one for each object: a later one replaces an earlier one.
struct PendingChanges {
  private(set) var changes: [PendingChange] = []
  private var slots: [UInt32] = []
  /// The feed's sequence of the newest change.
  var sequence: UInt64 = 0
  /// When the oldest waiting change was enqueued, in the caller's milliseconds; `.max` if none
  /// waits.
  var oldest = Int64.max

  var count: Int { changes.count }

  /// Adds a change.
  ///
  /// Objects are told apart by their keys. When one left and an object with an equal rank comes,
  /// that is nearly always the same id under a new key. Both become one change, so that no reader
  /// sees the object twice or not at all. If it were another id, that one change would still be
  /// right for both.
  mutating func merge(_ change: ClusterChange) {
    var new = PendingChange(
      rank: change.rank, key: change.key, knownKey: change.key, mask: change.tagMask,
      x: change.to.x, y: change.to.y, isRemoval: change.kind == .removed,
      isRetagging: change.kind == .retagged || change.kind == .inserted,
      contribution: change.contribution)
    if new.isRemoval {
      new.x = change.from.x
      new.y = change.from.y
    }
    if (changes.count + 1) * 2 > slots.count { grow() }
    let mask = slots.count - 1
    var i = Self.home(new.rank) & mask
    var departed: Int?
    while slots[i] != .max {
      let n = Int(slots[i])
      if changes[n].rank == new.rank {
        if changes[n].key == new.key {
          replace(n, with: &new)
          return
        }
        if changes[n].isRemoval && departed == nil { departed = n }
      }
      i = (i + 1) & mask
    }
    if let departed, !new.isRemoval {
      replace(departed, with: &new)
      return
    }
    slots[i] = UInt32(changes.count)
    changes.append(new)
  }

  private mutating func replace(_ n: Int, with new: inout PendingChange) {
    // An object that was removed and came back may have any tags.
    new.isRetagging = new.isRetagging || changes[n].isRetagging || changes[n].isRemoval
    new.knownKey = changes[n].knownKey
    changes[n] = new
  }

  private static func home(_ rank: ObjectRank) -> Int {
    Int(truncatingIfNeeded: (rank.high &* 0x9E37_79B9_7F4A_7C15) >> 32)
  }

  private mutating func grow() {
    slots = Array(repeating: .max, count: max(64, slots.count * 2))
    let mask = slots.count - 1
    for n in 0..<changes.count {
      var i = Self.home(changes[n].rank) & mask
      while slots[i] != .max { i = (i + 1) & mask }
      slots[i] = UInt32(n)
    }
  }

  /// Sorts the changes by place, so that neighbours share the work on their common ancestors.
  mutating func sortByPlace() {
    var pairs = changes.enumerated().map { n, change in
      RadixSort.Pair(
        key: MortonCode(x: change.x >> 13, y: change.y >> 13).rawValue, value: UInt32(n))
    }
    if pairs.count < 1_024 {
      pairs.sort { $0.key < $1.key }
    } else {
      RadixSort.sort(&pairs, bits: 38)
    }
    changes = pairs.map { changes[Int($0.value)] }
  }

  mutating func removeAll() {
    changes.removeAll(keepingCapacity: true)
    for i in 0..<slots.count { slots[i] = .max }
    oldest = .max
  }
}
