import GeoMath
import HeapModule
import ObjectModel

/// Clusters of all zooms by min-hash nets, which stay correct under insertions, moves and removals.
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
///     of level 17 exists when the micro-cell holds several objects; its plain members form a
///     leftist heap with the lowest rank on top (see ClusterNet+Members). An object that is alone
///     in the world has no record at all.
///
/// Sums are over the exact positions' offsets from the owner's anchor, taken the shorter way round
/// the world, so that nothing special happens at 180 degrees.
///
/// The `key` of an object tells it from others; its rank, a keyed hash, only orders it. Equal ranks
/// are ordered by key.
struct ClusterNet: ~Copyable, Sendable {
  static let maximumZoom = 16
  static let itemLevel = 17
  static let none = UInt32.max

  /// Returns the radius at a zoom in units: 40 pixels of a 512-pixel tile.
  @inline(__always)
  static func radius(_ zoom: Int) -> UInt32 { 335_544_320 >> UInt32(zoom) }
  /// Returns the centre of the micro-cell of a coordinate.
  @inline(__always)
  static func centre(_ value: UInt32) -> UInt32 { value & ~1023 | 512 }

  /// An object, and for a head also its micro-cell and its clusters. It takes 64 bytes.
  struct Item: BitwiseCopyable {
    var rank: ObjectRank
    var key: UInt64
    var mask: UInt64
    var x: UInt32
    var y: UInt32
    /// For a head the seed that it joined at zoom `top - 1`; for a plain member its parent in the
    /// heap.
    var owner: UInt32 = none
    /// For a head the next child of the same owner; for a plain member its right child in the heap.
    var next: UInt32 = none
    /// For a head the previous child of the same owner; for a plain member its left child in the
    /// heap.
    var previous: UInt32 = none
    /// For a head its coarsest record.
    var records: UInt32 = none
    /// The item's place in the list of touched items of the level at work. It is valid only if that
    /// place names the item.
    var touch: UInt32 = 0
    /// For a head the coarsest zoom at which it is a seed, 17 if there is none.
    var top: UInt8 = memberTop
    /// For a plain member the number of objects on the heap's path to the right, from it on.
    var pathLength: UInt8 = 0

    static let memberTop: UInt8 = 255
    var isHead: Bool { top != Self.memberTop }
    var anchorX: UInt32 { centre(x) }
    var anchorY: UInt32 { centre(y) }
  }

  /// A zoom at which other items joined a seed, or the micro-cell of several objects. It takes 40
  /// bytes.
  struct Record: BitwiseCopyable {
    /// The sum of the members' offsets from the seed's anchor, eastwards.
    var sumX: Int64
    var sumY: Int64
    /// The union of the members' masks, if it is not stale.
    var mask: UInt64
    var count: UInt32
    /// The first child; at level 17 the top of the heap of plain members.
    var firstChild: UInt32
    /// The next finer record of the seed.
    var next: UInt32
    /// The zoom, 0...16, or 17 for a micro-cell.
    var zoom: UInt8
    /// Whether, at level 17, all objects were found at one position, and none has come to another
    /// since.
    var isKnownCoincident = false
    /// Whether mask, aggregates and extent must be recomputed from the children. Those of all
    /// coarser records above are then stale too.
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

  /// An item of the level at work whose cluster changed.
  struct Touch {
    var item: UInt32
    /// What was added to its sums.
    var delta = Sum()
    /// Whether the item belonged to the level before, and whether it does now.
    var was: Bool
    var isIn: Bool
    /// Whether masks, aggregates, tags or members changed, not only positions.
    var isContentChange = false
    /// Whether what is shown changed, though the marker may be where it was.
    var isVisible = false
    /// The top and owner, before it left, of an item that left.
    var oldTop: UInt8 = 0
    var oldOwner: UInt32 = none
  }

  let hasAggregates: Bool
  private let arena: PageArena
  var items: RecordPool<Item>
  var records: RecordPool<Record>
  /// The contributions of `items`, if there are aggregates.
  var contributions: RecordPool<ClusterContribution>
  /// The aggregates of `records`, if there are aggregates.
  var recordAggregates: RecordPool<ClusterAggregates>
  /// The boxes of exact positions of `records`.
  var recordExtents: RecordPool<Extent>
  /// The item numbers by the first 48 bits of the rank.
  var objects: SlotTable
  var slabs: EntrySlabs
  /// Finds the seeds of zoom z under index z, and all heads under index 17.
  var grids: Grids
  var versions: ChangeVersions
  var objectCount = 0

  // Working memory of a pass, kept for its capacity.
  var incoming = ScratchList<Touch>()
  var touched = ScratchList<Touch>()
  var dirty = Heap<RankedItem>()
  var candidates = ScratchList<UInt32>()
  var released = ScratchList<UInt32>()
  var found = ScratchList<UInt32>()
  /// The work done since this was last set to 0: items touched, settled and claimed, about 0.3 us
  /// each.
  var work = 0
  /// A sum of what was prefetched, which keeps the compiler from removing the reads.
  var prefetchSum: UInt32 = 0

  /// The numbers of records that a net reserves address space for.
  ///
  /// Between two flushes as many objects may come as leave, and those that come may be applied
  /// first, which makes twice the quota. An item is the child of at most one record, and its
  /// micro-cell may have one, which makes two records an item. In each of 18 grids an item has an
  /// entry and perhaps a table's slot; tables double at three quarters and leave smaller ones
  /// behind.
  struct Room {
    let items: Int
    var records: Int { 2 * items }
    var entries: Int { 8 * items + 65_536 }
    var slots: Int { 100 * items + 1_048_576 }

    init(maximumObjects: Int) { items = 2 * maximumObjects + 4_096 }

    /// The bytes of address space that a net takes.
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

  /// The bytes held, working memory aside.
  var allocatedBytes: Int {
    var sum = items.allocatedBytes + records.allocatedBytes + contributions.allocatedBytes
    sum +=
      recordAggregates.allocatedBytes + recordExtents.allocatedBytes + objects.smallBytes
      + slabs.allocatedBytes
    for level in 0...Self.itemLevel { sum += grids[level].table.smallBytes }
    sum += arena.allocatedBytes
    return sum + versions.allocatedBytes
  }

  /// Returns whether `a` ranks lower than `b`: by rank, then by key.
  @inline(__always)
  func ranksLower(_ a: UInt32, _ b: UInt32) -> Bool {
    let (p, q) = (items[a].rank, items[b].rank)
    return p != q ? p < q : items[a].key < items[b].key
  }

  /// Returns an item as an entry of a heap.
  @inline(__always)
  func ranked(_ item: UInt32) -> RankedItem {
    RankedItem(rank: items[item].rank, key: items[item].key, item: item)
  }

  /// Returns the record of exactly this zoom.
  @inline(__always)
  func record(_ item: UInt32, _ zoom: Int) -> UInt32 {
    var r = items[item].records
    while r != Self.none && Int(records[r].zoom) < zoom { r = records[r].next }
    return r != Self.none && Int(records[r].zoom) == zoom ? r : Self.none
  }

  /// Returns the record of what the seed's cluster of this zoom holds, `none` for a single object.
  @inline(__always)
  func effectiveRecord(_ item: UInt32, _ zoom: Int) -> UInt32 {
    var r = items[item].records
    while r != Self.none && Int(records[r].zoom) < zoom { r = records[r].next }
    return r
  }

  /// Returns the sums of the item's cluster at a zoom, at 17 those of its micro-cell.
  @inline(__always)
  func sum(_ item: UInt32, _ zoom: Int) -> Sum {
    let r = effectiveRecord(item, zoom)
    if r == Self.none { return ownSum(item) }
    return Sum(count: Int64(records[r].count), x: records[r].sumX, y: records[r].sumY)
  }

  /// Returns the sums of the object alone.
  @inline(__always)
  func ownSum(_ item: UInt32) -> Sum {
    let (dx, dy) = offset(of: items[item].x, items[item].y, from: item)
    return Sum(count: 1, x: Int64(dx), y: Int64(dy))
  }

  /// Returns sums that are relative to `child`'s anchor as they are relative to `owner`'s.
  @inline(__always)
  func shifted(_ sum: Sum, from child: UInt32, to owner: UInt32) -> Sum {
    // A wrapped difference read as signed is the shorter way round the world.
    let dx = Int64(Int32(bitPattern: items[child].anchorX &- items[owner].anchorX))
    let dy = Int64(items[child].anchorY) - Int64(items[owner].anchorY)
    return Sum(count: sum.count, x: sum.x + sum.count * dx, y: sum.y + sum.count * dy)
  }

  /// Returns where a cluster with these sums is drawn.
  func shown(_ item: UInt32, _ zoom: Int, _ sum: Sum) -> MercatorPoint {
    if sum.count <= 1 { return MercatorPoint(x: items[item].x, y: items[item].y) }
    return Self.shown(
      sum, zoom: zoom, anchor: MercatorPoint(x: items[item].anchorX, y: items[item].anchorY),
      lowest: offset(of: items[item].x, items[item].y, from: item))
  }

  /// Returns where several objects are drawn: at their mean, moved towards the anchor until it is
  /// at most r/4 away, in steps of 1/65,536 of a tile. It is never outside the box that the mean
  /// and the lowest-ranked object span, and so never outside the objects' bounds.
  ///
  /// `lowest` is the offset of the lowest-ranked object from the anchor.
  static func shown(
    _ sum: Sum, zoom: Int, anchor: MercatorPoint, lowest: (dx: Int32, dy: Int32)
  ) -> MercatorPoint {
    // Division rounds towards zero: between whole coordinates the rounded mean stays between them.
    let (meanX, meanY) = (sum.x / sum.count, sum.y / sum.count)
    var (x, y) = (meanX, meanY)
    // The box below may take one coordinate up to half a micro-cell away from the anchor.
    let limit = square(Int64(radius(zoom)) / 4) - square(512)
    if square(x) + square(y) > limit {
      let scale = (Double(limit) / (Double(x) * Double(x) + Double(y) * Double(y))).squareRoot()
      x = Int64(Double(x) * scale)
      y = Int64(Double(y) * scale)
    }
    // Rounds towards zero, for both signs alike.
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

/// The eighteen grids of a net.
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

/// An item with what orders it, the lowest rank first.
struct RankedItem: Comparable, BitwiseCopyable {
  var rank: ObjectRank
  var key: UInt64
  var item: UInt32

  @inline(__always)
  static func < (a: RankedItem, b: RankedItem) -> Bool {
    a.rank != b.rank ? a.rank < b.rank : a.key < b.key
  }
}
