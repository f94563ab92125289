import GeoMath

/// Changes that wait, one an object: a later one takes the place of an earlier one.
struct PendingChanges {
  private(set) var changes: [PendingChange] = []
  private var slots: [UInt32] = []
  /// The feed's sequence of the newest change taken in.
  var sequence: UInt64 = 0
  /// When the oldest waiting change was taken in, in the caller's milliseconds; `.max` if none.
  var oldest = Int64.max

  var count: Int { changes.count }

  mutating func merge(_ change: ClusterChange) {
    var new = PendingChange(
      hash: change.idHash, key: change.key, mask: change.tagMask, x: change.to.x, y: change.to.y,
      isRemoval: change.kind == .removed,
      isRetagging: change.kind == .retagged || change.kind == .inserted,
      contribution: change.contribution)
    if new.isRemoval {
      new.x = change.from.x
      new.y = change.from.y
    }
    if (changes.count + 1) * 2 > slots.count { grow() }
    let mask = slots.count - 1
    var i = Self.home(new.hash) & mask
    while slots[i] != .max {
      let n = Int(slots[i])
      if changes[n].hash == new.hash {
        // A removed object that came back may have any tags.
        new.isRetagging =
          new.isRetagging || changes[n].isRetagging || changes[n].isRemoval
        changes[n] = new
        return
      }
      i = (i + 1) & mask
    }
    slots[i] = UInt32(changes.count)
    changes.append(new)
  }

  private static func home(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) >> 32)
  }

  private mutating func grow() {
    slots = Array(repeating: .max, count: max(64, slots.count * 2))
    let mask = slots.count - 1
    for n in 0..<changes.count {
      var i = Self.home(changes[n].hash) & mask
      while slots[i] != .max { i = (i + 1) & mask }
      slots[i] = UInt32(n)
    }
  }

  /// Neighbours side by side, so that they share the work on their common ancestors.
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
