/// When each block of each zoom last changed. A block is a cell of the zoom's grid, a sixteenth of
/// a tile; level 17 stands for every zoom past 16.
///
/// Two generations of a table a level: when the younger is full it becomes the older and the older
/// is forgotten, which counts as a change of every block not named in either. So a version may
/// grow though nothing changed, rarely; it never stays when something did.
struct ChangeVersions: ~Copyable {
  struct Stamp: BitwiseCopyable {
    /// Newest change of what an unfiltered tile shows.
    var visible: UInt64
    /// Newest change of any member, seen or not.
    var content: UInt64
  }

  /// An open-addressing table; a slot of 24 bytes.
  struct Generation {
    struct Slot: BitwiseCopyable {
      var block: UInt64
      var stamp: Stamp
    }
    private static let emptyBlock = UInt64.max
    private(set) var slots: [Slot] = []
    private(set) var count = 0

    @inline(__always)
    private static func hash(_ block: UInt64) -> Int {
      Int(truncatingIfNeeded: (block &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    /// Where a block is, or where it would go: then the slot is empty.
    @inline(__always)
    private func place(_ block: UInt64) -> Int {
      let mask = slots.count - 1
      var i = Self.hash(block) & mask
      while slots[i].block != block && slots[i].block != Self.emptyBlock { i = (i + 1) & mask }
      return i
    }

    @inline(__always)
    func find(_ block: UInt64) -> Stamp? {
      guard count > 0 else { return nil }
      let slot = slots[place(block)]
      return slot.block == block ? slot.stamp : nil
    }

    /// Brings a block's stamp to a version; false if the block is not here.
    @inline(__always)
    mutating func renew(_ block: UInt64, _ version: UInt64, visible: Bool) -> Bool {
      guard count > 0 else { return false }
      let i = place(block)
      guard slots[i].block == block else { return false }
      slots[i].stamp.content = version
      if visible { slots[i].stamp.visible = version }
      return true
    }

    mutating func insert(_ block: UInt64, _ stamp: Stamp) {
      if (count + 1) * 2 > slots.count {
        let old = slots
        slots = Array(
          repeating: Slot(block: Self.emptyBlock, stamp: Stamp(visible: 0, content: 0)),
          count: max(16, slots.count * 2))
        for slot in old where slot.block != Self.emptyBlock { slots[place(slot.block)] = slot }
      }
      slots[place(block)] = Slot(block: block, stamp: stamp)
      count += 1
    }

    var newest: Stamp {
      var newest = Stamp(visible: 0, content: 0)
      for slot in slots where slot.block != Self.emptyBlock {
        newest.visible = max(newest.visible, slot.stamp.visible)
        newest.content = max(newest.content, slot.stamp.content)
      }
      return newest
    }

    var allocatedBytes: Int { slots.capacity * MemoryLayout<Slot>.stride }
  }

  struct Level {
    var young = Generation()
    var old = Generation()
    /// Of every block in neither generation.
    var floor: UInt64
    /// The version when `old` stopped being written.
    var oldEnd: UInt64
  }

  static let generationLimit = 16_384
  /// The version that changes being applied carry.
  private(set) var current: UInt64
  private var levels: [Level]

  init(version: UInt64) {
    current = version
    levels = Array(
      repeating: Level(floor: version, oldEnd: version), count: ClusterNet.itemLevel + 1)
  }

  mutating func advance() { current += 1 }

  /// Notes a change at a point.
  mutating func mark(_ level: Int, x: UInt32, y: UInt32, visible: Bool) {
    let shift = UInt32(30 - level)
    let block = UInt64(x >> shift) << 32 | UInt64(y >> shift)
    if levels[level].young.renew(block, current, visible: visible) { return }
    var stamp = stamp(level, block)
    stamp.content = current
    if visible { stamp.visible = current }
    if levels[level].young.count >= Self.generationLimit {
      levels[level].floor = levels[level].oldEnd
      levels[level].old = levels[level].young
      levels[level].oldEnd = current
      levels[level].young = Generation()
    }
    levels[level].young.insert(block, stamp)
  }

  private func stamp(_ level: Int, _ block: UInt64) -> Stamp {
    if let stamp = levels[level].young.find(block) { return stamp }
    if let stamp = levels[level].old.find(block) { return stamp }
    return Stamp(visible: levels[level].floor, content: levels[level].floor)
  }

  /// Newest change in the blocks that a box touches; `width` and `height` in units, at most 2^32.
  func newest(_ level: Int, x: UInt32, y: Int64, width: UInt64, height: UInt64, visible: Bool)
    -> UInt64
  {
    let shift = UInt64(30 - level)
    let columns: UInt64 = 1 << (32 - shift)
    let first = UInt64(x) >> shift
    let count = min(columns, ((UInt64(x) + width - 1) >> shift) - first + 1)
    let firstRow = UInt64(max(0, y)) >> shift
    let lastRow = UInt64(max(0, min(Int64(UInt32.max), y + Int64(height) - 1))) >> shift
    var newest: UInt64 = 0
    if count * (lastRow - firstRow + 1) > 4_096 { return newestAnywhere(level, visible) }
    for row in firstRow...lastRow {
      for offset in 0..<count {
        let stamp = stamp(level, ((first + offset) & (columns - 1)) << 32 | row)
        newest = max(newest, visible ? stamp.visible : stamp.content)
      }
    }
    return newest
  }

  private func newestAnywhere(_ level: Int, _ visible: Bool) -> UInt64 {
    let (young, old) = (levels[level].young.newest, levels[level].old.newest)
    return max(
      levels[level].floor,
      visible ? max(young.visible, old.visible) : max(young.content, old.content))
  }

  var allocatedBytes: Int {
    levels.reduce(0) { $0 + $1.young.allocatedBytes + $1.old.allocatedBytes }
  }
}
