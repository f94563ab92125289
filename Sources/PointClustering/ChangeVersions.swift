/// When each block of each zoom last changed. A block is a cell of the zoom's grid, a sixteenth of
/// a tile; level 17 stands for every zoom past 16.
///
/// Two generations of a table a level: when the younger is full it becomes the older and the older
/// is forgotten, which counts as a change of every block not named in either. So a version may
/// grow though nothing changed, rarely; it never stays when something did.
struct ChangeVersions: ~Copyable {
  /// An open-addressing table; a slot of 16 bytes. Versions are differences from `base`.
  struct Generation {
    struct Slot: BitwiseCopyable {
      var block: UInt64
      /// Newest change of what an unfiltered tile shows; 0: none in this generation.
      var visible: UInt32
      /// Newest change of any member, seen or not.
      var content: UInt32
    }
    private static let empty = Slot(block: .max, visible: 0, content: 0)
    /// The version before the first that it holds.
    private(set) var base: UInt64
    private var slots: [Slot] = []
    private(set) var count = 0

    init(base: UInt64) { self.base = base }

    /// Where a block is, or where it would go: then the slot is empty.
    @inline(__always)
    private func place(_ block: UInt64) -> Int {
      let mask = slots.count - 1
      let mixed = block &* 0x9E37_79B9_7F4A_7C15
      var i = Int(truncatingIfNeeded: mixed >> 32) & mask
      while slots[i].block != block && slots[i].block != .max { i = (i + 1) & mask }
      return i
    }

    /// A block's newest change here; 0 if none.
    @inline(__always)
    func newest(_ block: UInt64, visible: Bool) -> UInt64 {
      guard count > 0 else { return 0 }
      let slot = slots[place(block)]
      guard slot.block == block else { return 0 }
      if visible { return slot.visible == 0 ? 0 : base + UInt64(slot.visible) }
      return base + UInt64(slot.content)
    }

    mutating func mark(_ block: UInt64, _ version: UInt64, visible: Bool) {
      if (count + 1) * 2 > slots.count { grow() }
      let delta = UInt32(version - base)
      let i = place(block)
      if slots[i].block != block {
        slots[i].block = block
        count += 1
      }
      slots[i].content = delta
      if visible { slots[i].visible = delta }
    }

    private mutating func grow() {
      let old = slots
      slots = Array(repeating: Self.empty, count: max(16, slots.count * 2))
      for slot in old where slot.block != .max { slots[place(slot.block)] = slot }
    }

    /// Forgets everything, keeping the memory.
    mutating func clear(base: UInt64) {
      self.base = base
      count = 0
      for i in slots.indices { slots[i] = Self.empty }
    }

    func newest(visible: Bool) -> UInt64 {
      var newest: UInt32 = 0
      for slot in slots { newest = max(newest, visible ? slot.visible : slot.content) }
      return newest == 0 ? 0 : base + UInt64(newest)
    }

    var allocatedBytes: Int { slots.capacity * MemoryLayout<Slot>.stride }
  }

  struct Level {
    var young: Generation
    var old: Generation
    /// Of every block in neither generation.
    var floor: UInt64

    init(version: UInt64) {
      young = Generation(base: version - 1)
      old = Generation(base: version - 1)
      floor = version
    }

    mutating func forgetOlder(_ current: UInt64) {
      // `old` was written up to the slice in which `young` began.
      floor = max(floor, young.base + 1)
      swap(&young, &old)
      young.clear(base: current - 1)
    }
  }

  static let generationLimit = 32_768
  /// The version that changes being applied carry.
  private(set) var current: UInt64
  private var levels: [Level]

  init(version: UInt64) {
    current = version
    levels = Array(repeating: Level(version: version), count: ClusterNet.itemLevel + 1)
  }

  mutating func advance() { current += 1 }

  /// Notes a change at a point.
  mutating func mark(_ level: Int, x: UInt32, y: UInt32, visible: Bool) {
    let shift = UInt32(30 - level)
    let block = UInt64(x >> shift) << 32 | UInt64(y >> shift)
    levels[level].young.mark(block, current, visible: visible)
    if levels[level].young.count >= Self.generationLimit
      || current - levels[level].young.base > UInt64(UInt32.max / 2)
    {
      levels[level].forgetOlder(current)
    }
  }

  @inline(__always)
  private func newest(_ level: Int, _ block: UInt64, visible: Bool) -> UInt64 {
    let young = levels[level].young.newest(block, visible: visible)
    if young > 0 { return young }
    return max(levels[level].floor, levels[level].old.newest(block, visible: visible))
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
        let block = ((first + offset) & (columns - 1)) << 32 | row
        newest = max(newest, self.newest(level, block, visible: visible))
      }
    }
    return newest
  }

  private func newestAnywhere(_ level: Int, _ visible: Bool) -> UInt64 {
    max(
      levels[level].floor, levels[level].young.newest(visible: visible),
      levels[level].old.newest(visible: visible))
  }

  var allocatedBytes: Int {
    levels.reduce(0) { $0 + $1.young.allocatedBytes + $1.old.allocatedBytes }
  }
}
