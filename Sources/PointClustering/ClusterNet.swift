import GeoMath
import HeapModule
import ObjectModel

/// Clusters of all zooms by min-hash nets, kept right under insertions, moves and removals.
///
/// Points fall into micro-cells of 1,024 Mercator units (7.6 m in Seoul). A micro-cell is
/// represented by its **head**: the object with the lowest rank, which is the cell's rank.
/// The heads are the items of zoom 16. At each zoom z, from 16 to 0, an item is a **seed** if no
/// seed of lower rank lies within r(z) = 335,544,320 >> z units; every other item joins its
/// lowest-ranked seed within r(z). The seeds of z are the items of z - 1. This greedy maximal
/// independent set in random order depends on the set of points alone (G. Blelloch, J. Fineman,
/// J. Shun, SPAA 2012) and changes in expectation at one place per update (K. Censor-Hillel,
/// E. Haramaty, Z. Karnin, PODC 2016, arXiv:1507.04330).
///
///     head H:   top = 14: seed at 16, 15, 14; joined `owner` at 13
///               records ──► [zoom 14: count, sums, children] ──► [17: count, sums, plain members]
///                           coarsest first                        the micro-cell's own record
///     A zoom at which nothing joined H has no record: the next finer one says the same. The record
///     of level 17 is there when the micro-cell holds several objects; its plain members stand in a
///     leftist heap, lowest rank on top (see ClusterNet+Members). A single alone in the world has no
///     record at all.
///
/// Sums are of the exact positions' offsets from the owner's anchor, taken the short way round the
/// world, so that nothing special happens at 180 degrees.
///
/// An object is told from others by its `key`; its rank, a keyed hash, only orders it. Equal ranks
/// are ordered by key.
struct ClusterNet: ~Copyable, Sendable {
  static let maximumZoom = 16
  static let itemLevel = 17
  static let none = UInt32.max

  /// Radius in units at a zoom: 40 pixels of a 512-pixel tile.
  @inline(__always)
  static func radius(_ zoom: Int) -> UInt32 { 335_544_320 >> UInt32(zoom) }
  /// Centre of the micro-cell of a coordinate.
  @inline(__always)
  static func centre(_ value: UInt32) -> UInt32 { value & ~1023 | 512 }

  /// An object; for a head also its micro-cell and its tower of clusters. 64 bytes.
  struct Item: BitwiseCopyable {
    var rank: ObjectRank
    var key: UInt64
    var mask: UInt64
    var x: UInt32
    var y: UInt32
    /// Head: the seed it joined at zoom `top - 1`. Plain member: its parent in the heap.
    var owner: UInt32 = none
    /// Head: next child of the same owner. Plain member: its right child in the heap.
    var next: UInt32 = none
    /// Head: previous child of the same owner. Plain member: its left child in the heap.
    var previous: UInt32 = none
    /// Head: its coarsest record.
    var records: UInt32 = none
    /// Place in the list of touched items of the level at hand; valid only if that names the item.
    var touch: UInt32 = 0
    /// Head: the coarsest zoom at which it is a seed, 17 if at none.
    var top: UInt8 = memberTop
    /// Plain member: objects on the heap's path to the right, from it on.
    var pathLength: UInt8 = 0

    static let memberTop: UInt8 = 255
    var isHead: Bool { top != Self.memberTop }
    var anchorX: UInt32 { centre(x) }
    var anchorY: UInt32 { centre(y) }
  }

  /// A zoom at which other items joined a seed, or the micro-cell of several objects. 40 bytes.
  struct Record: BitwiseCopyable {
    /// Offsets of members from the seed's anchor.
    var sumX: Int64
    var sumY: Int64
    /// Or of the members' masks, if not stale.
    var mask: UInt64
    var count: UInt32
    /// Level 17: the top of the heap of plain members.
    var firstChild: UInt32
    /// The next finer record.
    var next: UInt32
    /// 0...16, or 17 for a micro-cell.
    var zoom: UInt8
    /// Level 17: all objects were found at one position, and none has come to another since.
    var isKnownCoincident = false
    /// Mask, aggregates and extent must be computed anew from the children; then those of all
    /// coarser records above are stale too.
    var isStale: Bool
  }

  struct Sum: Equatable {
    var count: Int64 = 0
    var x: Int64 = 0
    var y: Int64 = 0
    static func += (a: inout Sum, b: Sum) {
      a.count += b.count
      a.x += b.x
      a.y += b.y
    }
    static prefix func - (a: Sum) -> Sum { Sum(count: -a.count, x: -a.x, y: -a.y) }
  }

  /// An item of the level at hand whose cluster changed.
  struct Touch {
    var item: UInt32
    /// What was added to its sums.
    var delta = Sum()
    /// Whether it belonged to the level before and after.
    var was: Bool
    var isIn: Bool
    /// Masks, aggregates, tags or members changed, not positions alone.
    var isContentChange = false
    /// What is shown changed although the marker may stand where it stood.
    var isVisible = false
    /// Of one that left: its top and owner before.
    var oldTop: UInt8 = 0
    var oldOwner: UInt32 = none
  }

  let hasAggregates: Bool
  private let arena: PageArena
  var items: RecordPool<Item>
  var records: RecordPool<Record>
  /// Parallel to `items`, if there are aggregates.
  var contributions: RecordPool<ClusterContribution>
  /// Parallel to `records`, if there are aggregates.
  var recordAggregates: RecordPool<ClusterAggregates>
  /// Parallel to `records`: boxes of exact positions.
  var recordExtents: RecordPool<Extent>
  /// Item numbers by the first 48 bits of the rank.
  var objects: SlotTable
  var slabs: EntrySlabs
  /// Index z: the seeds of zoom z; 17: all heads.
  var grids: Grids
  var versions: ChangeVersions
  var objectCount = 0

  // Scratch of one pass, kept for its capacity.
  var incoming = ScratchList<Touch>()
  var touched = ScratchList<Touch>()
  var dirty = Heap<RankedItem>()
  var candidates = ScratchList<UInt32>()
  var released = ScratchList<UInt32>()
  var found = ScratchList<UInt32>()
  /// Work done since it was last set to 0: items touched, settled and claimed, about 0.3 us each.
  var work = 0
  /// A sum of what was prefetched, kept so that the reads are not optimised away.
  var prefetchSum: UInt32 = 0

  /// How many of each kind a net makes room for.
  ///
  /// Between two flushes as many objects may come as leave, and those that come may be applied
  /// first: twice the quota. An item is the child of one record at most, and its micro-cell may have
  /// one: two records an item. In each of 18 grids an item has an entry and perhaps a table's slot;
  /// tables double at three quarters and leave smaller ones behind.
  struct Room {
    let items: Int
    var records: Int { 2 * items }
    var entries: Int { 8 * items + 65_536 }
    var slots: Int { 100 * items + 1_048_576 }

    init(maximumObjects: Int) { items = 2 * maximumObjects + 4_096 }

    /// Bytes of address space that a net takes.
    var addressSpace: Int {
      ReservedArray<Item>.addressSpace(items) + ReservedArray<Record>.addressSpace(records)
        + ReservedArray<ClusterContribution>.addressSpace(items)
        + ReservedArray<ClusterAggregates>.addressSpace(records)
        + ReservedArray<Extent>.addressSpace(records)
        + ReservedArray<UInt64>.addressSpace(slots)
        + EntrySlabs.classCount * ReservedArray<CellEntry>.addressSpace(entries)
    }
  }

  init(hasAggregates: Bool, version: UInt64, maximumObjects: Int) throws(AddressSpaceError) {
    let room = Room(maximumObjects: maximumObjects)
    let space = try AddressSpace(bytes: room.addressSpace)
    self.init(hasAggregates: hasAggregates, version: version, room: room, in: space)
  }

  private init(hasAggregates: Bool, version: UInt64, room: Room, in space: AddressSpace) {
    self.hasAggregates = hasAggregates
    let arena = PageArena(maximumCount: room.slots, in: space)
    self.arena = arena
    items = RecordPool(maximumCount: room.items, in: space)
    records = RecordPool(maximumCount: room.records, in: space)
    contributions = RecordPool(maximumCount: room.items, in: space)
    recordAggregates = RecordPool(maximumCount: room.records, in: space)
    recordExtents = RecordPool(maximumCount: room.records, in: space)
    slabs = EntrySlabs(maximumCount: room.entries, in: space)
    objects = SlotTable(.hashes, arena: arena)
    grids = Grids(arena: arena)
    versions = ChangeVersions(version: version)
  }

  /// Bytes held, scratch aside.
  var allocatedBytes: Int {
    var sum = items.allocatedBytes + records.allocatedBytes + contributions.allocatedBytes
    sum +=
      recordAggregates.allocatedBytes + recordExtents.allocatedBytes + objects.smallBytes
      + slabs.allocatedBytes
    for level in 0...Self.itemLevel { sum += grids[level].table.smallBytes }
    sum += arena.allocatedBytes
    return sum + versions.allocatedBytes
  }

  /// Whether `a` ranks lower than `b`: by rank, then key.
  @inline(__always)
  func ranksLower(_ a: UInt32, _ b: UInt32) -> Bool {
    let (p, q) = (items[a].rank, items[b].rank)
    return p != q ? p < q : items[a].key < items[b].key
  }

  /// An item as an entry of a heap.
  @inline(__always)
  func ranked(_ item: UInt32) -> RankedItem {
    RankedItem(rank: items[item].rank, key: items[item].key, item: item)
  }

  /// The record of exactly this zoom.
  @inline(__always)
  func record(_ item: UInt32, _ zoom: Int) -> UInt32 {
    var r = items[item].records
    while r != Self.none && Int(records[r].zoom) < zoom { r = records[r].next }
    return r != Self.none && Int(records[r].zoom) == zoom ? r : Self.none
  }

  /// The record that says what the seed's cluster of this zoom holds; none: it is a single object.
  @inline(__always)
  func effectiveRecord(_ item: UInt32, _ zoom: Int) -> UInt32 {
    var r = items[item].records
    while r != Self.none && Int(records[r].zoom) < zoom { r = records[r].next }
    return r
  }

  /// Sums of the item's cluster at a zoom; 17: of its micro-cell.
  @inline(__always)
  func sum(_ item: UInt32, _ zoom: Int) -> Sum {
    let r = effectiveRecord(item, zoom)
    if r == Self.none { return ownSum(item) }
    return Sum(count: Int64(records[r].count), x: records[r].sumX, y: records[r].sumY)
  }

  /// Sums of the object alone.
  @inline(__always)
  func ownSum(_ item: UInt32) -> Sum {
    let (dx, dy) = offset(of: items[item].x, items[item].y, from: item)
    return Sum(count: 1, x: Int64(dx), y: Int64(dy))
  }

  /// Sums given from `child`'s anchor, as seen from `owner`'s.
  @inline(__always)
  func shifted(_ sum: Sum, from child: UInt32, to owner: UInt32) -> Sum {
    // The short way round: a wrapped difference read as signed.
    let dx = Int64(Int32(bitPattern: items[child].anchorX &- items[owner].anchorX))
    let dy = Int64(items[child].anchorY) - Int64(items[owner].anchorY)
    return Sum(count: sum.count, x: sum.x + sum.count * dx, y: sum.y + sum.count * dy)
  }

  /// Where a cluster with these sums is drawn.
  func shown(_ item: UInt32, _ zoom: Int, _ sum: Sum) -> MercatorPoint {
    if sum.count <= 1 { return MercatorPoint(x: items[item].x, y: items[item].y) }
    return Self.shown(
      sum, zoom: zoom, anchor: MercatorPoint(x: items[item].anchorX, y: items[item].anchorY),
      lowest: offset(of: items[item].x, items[item].y, from: item))
  }

  /// Where several objects are drawn: at their mean, moved towards the anchor until it is at most
  /// r/4 away, in steps of 1/65,536 of a tile; never outside the box that the mean and the
  /// lowest-ranked object span, and so never outside the objects' bounds.
  ///
  /// `lowest`: Offset of the lowest-ranked object from the anchor.
  static func shown(
    _ sum: Sum, zoom: Int, anchor: MercatorPoint, lowest: (dx: Int32, dy: Int32)
  ) -> MercatorPoint {
    // Towards zero: between whole coordinates the cut mean stays between them.
    let (meanX, meanY) = (sum.x / sum.count, sum.y / sum.count)
    var (x, y) = (meanX, meanY)
    // The box below may take one coordinate up to half a micro-cell away from the anchor.
    let limit = square(Int64(radius(zoom)) / 4) - square(512)
    if square(x) + square(y) > limit {
      let scale = (Double(limit) / (Double(x) * Double(x) + Double(y) * Double(y))).squareRoot()
      x = Int64(Double(x) * scale)
      y = Int64(Double(y) * scale)
    }
    // Towards zero, for both signs alike.
    let step = Int64(1) << Int64(maximumZoom - zoom)
    x -= x % step
    y -= y % step
    let (lowestX, lowestY) = (Int64(lowest.dx), Int64(lowest.dy))
    x = max(min(lowestX, meanX), min(max(lowestX, meanX), x))
    y = max(min(lowestY, meanY), min(max(lowestY, meanY), y))
    return MercatorPoint(
      x: anchor.x &+ UInt32(truncatingIfNeeded: x), y: UInt32(Int64(anchor.y) + y))
  }

  @inline(__always)
  private static func square(_ value: Int64) -> Int64 { value * value }
}

/// The eighteen grids.
///
/// Sendable because it alone owns its memory.
@safe
struct Grids: ~Copyable, @unchecked Sendable {
  private let base: UnsafeMutablePointer<CellGrid>

  init(arena: PageArena) {
    unsafe base = .allocate(capacity: ClusterNet.itemLevel + 1)
    for level in 0...ClusterNet.itemLevel {
      unsafe (base + level).initialize(to: CellGrid(zoom: level, arena: arena))
    }
  }

  deinit {
    unsafe base.deinitialize(count: ClusterNet.itemLevel + 1)
    unsafe base.deallocate()
  }

  subscript(level: Int) -> CellGrid {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(base + level) }
    @inline(__always) nonmutating unsafeMutableAddress { unsafe base + level }
  }
}

/// An item with what it is ordered by, lowest rank first.
struct RankedItem: Comparable, BitwiseCopyable {
  var rank: ObjectRank
  var key: UInt64
  var item: UInt32

  @inline(__always)
  static func < (a: RankedItem, b: RankedItem) -> Bool {
    a.rank != b.rank ? a.rank < b.rank : a.key < b.key
  }
}
