import ObjectModel

/// An item of a grid cell, with what a distance test and a comparison of ranks need.
struct CellEntry: BitwiseCopyable {
  /// The centre of the item's micro-cell.
  var x: UInt32
  var y: UInt32
  /// The high half of the rank.
  var rankHigh: UInt32
  /// The item's number, `.max` in an unused place.
  var item: UInt32
}

/// The entries of one crowded cell; unused places are last.
@safe
struct EntryRun {
  private let base: UnsafeMutablePointer<CellEntry>
  let capacity: Int

  init(base: UnsafeMutablePointer<CellEntry>, capacity: Int) {
    unsafe self.base = base
    self.capacity = capacity
  }

  @inline(__always)
  subscript(i: Int) -> CellEntry {
    get { unsafe base[i] }
    nonmutating set { unsafe base[i] = newValue }
  }

  var count: Int {
    var n = capacity
    while n > 0 && self[n - 1].item == .max { n -= 1 }
    return n
  }
}

/// Runs of entries in sizes 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64. A run's number holds its size
/// class (4 bits) and its place (27 bits).
///
/// Sendable because it alone owns its memory.
@safe
struct EntrySlabs: ~Copyable, @unchecked Sendable {
  static let classCount = 11
  @inline(__always)
  static func capacity(_ sizeClass: Int) -> Int { (2 | sizeClass & 1) << (sizeClass >> 1) }

  private struct Slab: ~Copyable {
    var entries: ReservedArray<CellEntry>
    var end = 0
    var free: [UInt32] = []
  }
  private let slabs: UnsafeMutablePointer<Slab>

  /// Makes empty slabs with address space for `maximumCount` entries in the runs of each size.
  init(maximumCount: Int, in space: AddressSpace) {
    unsafe slabs = .allocate(capacity: Self.classCount)
    for i in 0..<Self.classCount {
      unsafe (slabs + i).initialize(
        to: Slab(entries: ReservedArray(maximumCount: maximumCount, in: space)))
    }
  }

  deinit {
    unsafe slabs.deinitialize(count: Self.classCount)
    unsafe slabs.deallocate()
  }

  var allocatedBytes: Int {
    var sum = 0
    for i in 0..<Self.classCount {
      sum += unsafe slabs[i].entries.committedBytes + slabs[i].free.capacity * 4
    }
    return sum
  }

  static func sizeClass(_ count: Int) -> Int {
    var c = 0
    while capacity(c) < count { c += 1 }
    return c
  }

  @inline(__always)
  func run(_ number: UInt32) -> EntryRun {
    let sizeClass = Int(number >> 27 & 15)
    let place = Int(number & 0x7FF_FFFF)
    let capacity = Self.capacity(sizeClass)
    return unsafe EntryRun(
      base: slabs[sizeClass].entries.pointer(place * capacity), capacity: capacity)
  }

  /// Returns a run for `count` entries, in which all places are unused.
  mutating func allocate(count: Int) -> UInt32 {
    let c = Self.sizeClass(count)
    let place: Int
    if let last = unsafe slabs[c].free.popLast() {
      place = Int(last)
    } else {
      place = unsafe slabs[c].end
      unsafe slabs[c].end += 1
      unsafe slabs[c].entries.ensure((place + 1) * Self.capacity(c))
    }
    let number = UInt32(c) << 27 | UInt32(place)
    let run = run(number)
    for i in 0..<run.capacity { run[i] = CellEntry(x: 0, y: 0, rankHigh: 0, item: .max) }
    return number
  }

  mutating func release(_ number: UInt32) {
    unsafe slabs[Int(number >> 27 & 15)].free.append(number & 0x7FF_FFFF)
  }
}

/// Finds the items of one zoom by place. It is a hash grid whose cells divide the world evenly, so
/// that it has no seam. A cell of zoom z has a side of 2^(30 - z) units, which is 3.2 radii: a disk
/// of one radius touches at most 2 x 2 cells.
///
/// A slot's value is the item's number when the cell holds one item, else a run's with bit 31 set.
struct CellGrid: ~Copyable {
  let shift: UInt32
  var table: SlotTable
  var itemCount = 0

  static let runBit: UInt32 = 0x8000_0000

  init(zoom: Int, arena: PageArena) {
    shift = UInt32(30 - zoom)
    table = SlotTable(.cells, arena: arena)
  }

  /// The number of columns, and of rows, of the world.
  var columns: UInt32 { 1 << (32 - shift) }

  @inline(__always)
  static func segment(_ cx: UInt32, _ cy: UInt32) -> Int {
    let (column, row): (UInt32, UInt32) = (cx >> 3 & 7, cy >> 3 & 7)
    return Int(column | row << 3)
  }
  /// Returns the tag that names a cell together with its segment: a zoom has at most 2^19 columns.
  @inline(__always)
  static func tag(_ cx: UInt32, _ cy: UInt32) -> UInt32 {
    ((cx >> 6) << 3 | cx & 7) | ((cy >> 6) << 3 | cy & 7) << 16
  }
  @inline(__always)
  static func column(segment: Int, tag: UInt32) -> UInt32 {
    let low = tag & 0xFFFF
    return (low >> 3) << 6 | UInt32(segment & 7) << 3 | low & 7
  }
  @inline(__always)
  static func row(segment: Int, tag: UInt32) -> UInt32 {
    let high = tag >> 16
    return (high >> 3) << 6 | UInt32(segment >> 3) << 3 | high & 7
  }
}
