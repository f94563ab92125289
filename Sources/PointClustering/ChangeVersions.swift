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

  struct Generation {
    var slots: [UInt32] = []
    var blocks: [UInt64] = []
    var stamps: [Stamp] = []

    static func hash(_ block: UInt64) -> Int {
      Int(truncatingIfNeeded: (block &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    func index(_ block: UInt64) -> Int? {
      guard !slots.isEmpty else { return nil }
      var i = Self.hash(block) & (slots.count - 1)
      while slots[i] != .max {
        if blocks[Int(slots[i])] == block { return Int(slots[i]) }
        i = (i + 1) & (slots.count - 1)
      }
      return nil
    }

    mutating func insert(_ block: UInt64, _ stamp: Stamp) {
      if (blocks.count + 1) * 2 > slots.count {
        slots = Array(repeating: .max, count: max(16, slots.count * 2))
        for (n, block) in blocks.enumerated() { place(block, n) }
      }
      place(block, blocks.count)
      blocks.append(block)
      stamps.append(stamp)
    }

    private mutating func place(_ block: UInt64, _ number: Int) {
      var i = Self.hash(block) & (slots.count - 1)
      while slots[i] != .max { i = (i + 1) & (slots.count - 1) }
      slots[i] = UInt32(number)
    }

    var allocatedBytes: Int {
      slots.capacity * 4 + blocks.capacity * 8 + stamps.capacity * 16
    }
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
    if let index = levels[level].young.index(block) {
      levels[level].young.stamps[index].content = current
      if visible { levels[level].young.stamps[index].visible = current }
      return
    }
    var stamp = stamp(level, block)
    stamp.content = current
    if visible { stamp.visible = current }
    if levels[level].young.blocks.count >= Self.generationLimit {
      levels[level].floor = levels[level].oldEnd
      levels[level].old = levels[level].young
      levels[level].oldEnd = current
      levels[level].young = Generation()
    }
    levels[level].young.insert(block, stamp)
  }

  private func stamp(_ level: Int, _ block: UInt64) -> Stamp {
    if let index = levels[level].young.index(block) { return levels[level].young.stamps[index] }
    if let index = levels[level].old.index(block) { return levels[level].old.stamps[index] }
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
    var newest = levels[level].floor
    for stamp in levels[level].young.stamps + levels[level].old.stamps {
      newest = max(newest, visible ? stamp.visible : stamp.content)
    }
    return newest
  }

  var allocatedBytes: Int {
    levels.reduce(0) { $0 + $1.young.allocatedBytes + $1.old.allocatedBytes }
  }
}
