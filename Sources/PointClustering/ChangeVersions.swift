/// The version at which each block of each zoom last changed. A block is a cell of the zoom's grid,
/// a sixteenth of a tile; level 17 stands for every zoom beyond 16.
///
/// Each level has two generations of a table. When the younger is full it becomes the older, and
/// the older is dropped, which counts as a change of every block that neither names. A version may
/// therefore grow though nothing changed, which is rare, but never stays when something did.
///
/// Sendable because it alone owns its memory.
@safe
struct ChangeVersions: ~Copyable, @unchecked Sendable {
  /// An open-addressing table with slots of 16 bytes; four neighbouring blocks share a cache line.
  /// Versions are stored as differences from `base`.
  ///
  /// Sendable because it alone owns its memory.
  @safe
  struct Generation: ~Copyable, @unchecked Sendable {
    struct Slot: BitwiseCopyable {
      var block: UInt64
      /// The newest change of what an unfiltered tile shows; 0 if there is none in this generation.
      var visible: UInt32
      /// The newest change of any member, shown or not.
      var content: UInt32
    }
    private static var empty: Slot { Slot(block: .max, visible: 0, content: 0) }
    /// The version before the first that the generation holds.
    private(set) var base: UInt64
    private var slots: UnsafeMutablePointer<Slot>
    private var capacity = 0
    private(set) var count = 0

    init(base: UInt64) {
      self.base = base
      unsafe slots = Self.allocate(0)
    }

    deinit { unsafe slots.deallocate() }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Slot> {
      let slots = unsafe UnsafeMutableRawPointer.allocate(
        byteCount: max(1, capacity) * MemoryLayout<Slot>.stride, alignment: 64
      ).bindMemory(to: Slot.self, capacity: capacity)
      unsafe slots.initialize(repeating: empty, count: capacity)
      return unsafe slots
    }

    /// Returns the slot of a block; if the slot is empty, it is where the block would go.
    @inline(__always)
    private func place(_ block: UInt64) -> UnsafeMutablePointer<Slot> {
      let mask = capacity - 1
      let group = (block >> 1 & 0x7FFF_FFFF_7FFF_FFFF) &* 0x9E37_79B9_7F4A_7C15
      let corner = Int(truncatingIfNeeded: block & 1 | block >> 31 & 2)
      var i = (Int(truncatingIfNeeded: group >> 30) & ~3 | corner) & mask
      while unsafe slots[i].block != block && slots[i].block != .max { i = (i + 1) & mask }
      return unsafe slots + i
    }

    /// Returns the newest change of a block in this generation, 0 if there is none.
    @inline(__always)
    func newest(_ block: UInt64, visible: Bool) -> UInt64 {
      guard count > 0 else { return 0 }
      let slot = unsafe place(block).pointee
      guard slot.block == block else { return 0 }
      if visible { return slot.visible == 0 ? 0 : base + UInt64(slot.visible) }
      return base + UInt64(slot.content)
    }

    @inline(__always)
    mutating func mark(_ block: UInt64, _ version: UInt64, visible: Bool) {
      if (count + 1) * 2 > capacity { grow() }
      let delta = UInt32(truncatingIfNeeded: version - base)
      let slot = unsafe place(block)
      if unsafe slot.pointee.block != block {
        unsafe slot.pointee.block = block
        count += 1
      }
      unsafe slot.pointee.content = delta
      if visible { unsafe slot.pointee.visible = delta }
    }

    @inline(never)
    private mutating func grow() {
      let (old, oldCapacity) = unsafe (slots, capacity)
      capacity = max(16, capacity * 2)
      unsafe slots = Self.allocate(capacity)
      for i in 0..<oldCapacity where unsafe old[i].block != .max {
        unsafe place(old[i].block).pointee = old[i]
      }
      unsafe old.deallocate()
    }

    /// Removes all blocks and keeps the memory.
    mutating func clear(base: UInt64) {
      self.base = base
      count = 0
      unsafe slots.update(repeating: Self.empty, count: capacity)
    }

    var allocatedBytes: Int { capacity * MemoryLayout<Slot>.stride }
  }

  struct Level: ~Copyable {
    var young: Generation
    var old: Generation
    /// The version of every block that is in neither generation.
    var floor: UInt64
    /// The block that was marked last. With changes sorted by place a coarse block often follows
    /// itself, and need not be marked again.
    var lastBlock = UInt64.max
    var lastVersion: UInt64 = 0
    var lastVisible = false
    /// The newest change of any block.
    var newestVisible: UInt64
    var newestContent: UInt64

    init(version: UInt64) {
      young = Generation(base: version - 1)
      old = Generation(base: version - 1)
      floor = version
      newestVisible = version
      newestContent = version
    }

    mutating func forgetOlder(_ current: UInt64) {
      // The older generation was written up to the slice in which the younger began.
      floor = max(floor, young.base + 1)
      swap(&young, &old)
      young.clear(base: current - 1)
      lastBlock = .max
    }
  }

  static let generationLimit = 32_768
  /// The version of the changes that are being applied.
  private(set) var current: UInt64
  private let levels: UnsafeMutablePointer<Level>
  private static let levelCount = ClusterNet.itemLevel + 1

  init(version: UInt64) {
    current = version
    unsafe levels = .allocate(capacity: Self.levelCount)
    for i in 0..<Self.levelCount { unsafe (levels + i).initialize(to: Level(version: version)) }
  }

  deinit {
    unsafe levels.deinitialize(count: Self.levelCount)
    unsafe levels.deallocate()
  }

  mutating func advance() { current += 1 }

  /// Marks the block of a point as changed.
  mutating func mark(_ level: Int, x: UInt32, y: UInt32, visible: Bool) {
    let shift = UInt32(truncatingIfNeeded: 30 - level)
    let block = UInt64(x >> shift) << 32 | UInt64(y >> shift)
    let at = unsafe levels + level
    if unsafe at.pointee.lastBlock == block && at.pointee.lastVersion == current
      && (at.pointee.lastVisible || !visible)
    {
      return
    }
    unsafe at.pointee.newestContent = current
    if visible { unsafe at.pointee.newestVisible = current }
    unsafe at.pointee.lastBlock = block
    unsafe at.pointee.lastVersion = current
    unsafe at.pointee.lastVisible = visible
    unsafe at.pointee.young.mark(block, current, visible: visible)
    if unsafe at.pointee.young.count >= Self.generationLimit
      || current - at.pointee.young.base > UInt64(UInt32.max / 2)
    {
      unsafe at.pointee.forgetOlder(current)
    }
  }

  @inline(__always)
  private func newest(_ level: Int, _ block: UInt64, visible: Bool) -> UInt64 {
    let young = unsafe levels[level].young.newest(block, visible: visible)
    if young > 0 { return young }
    return unsafe max(
      levels[level].floor, levels[level].old.newest(block, visible: visible))
  }

  /// Returns the newest change in the blocks that a box touches. `width` and `height` are in units,
  /// at most 2^32.
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
    if count * (lastRow - firstRow + 1) > 256 { return newestAnywhere(level, visible) }
    for row in firstRow...lastRow {
      for offset in 0..<count {
        let block = ((first + offset) & (columns - 1)) << 32 | row
        newest = max(newest, self.newest(level, block, visible: visible))
      }
    }
    return newest
  }

  private func newestAnywhere(_ level: Int, _ visible: Bool) -> UInt64 {
    unsafe max(
      levels[level].floor,
      visible ? levels[level].newestVisible : levels[level].newestContent)
  }

  var allocatedBytes: Int {
    var sum = 0
    for i in 0..<Self.levelCount {
      sum += unsafe levels[i].young.allocatedBytes + levels[i].old.allocatedBytes
    }
    return sum
  }
}
