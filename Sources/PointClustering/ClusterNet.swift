/// Clusters of all zooms by min-hash nets, kept right under insertions, moves and removals.
///
/// Points fall into micro-cells of 1,024 Mercator units (7.6 m in Seoul). A micro-cell is
/// represented by its **head**: the object with the lowest id hash, which is the cell's rank.
/// The heads are the items of zoom 16. At each zoom z, from 16 to 0, an item is a **seed** if no
/// seed of lower rank lies within r(z) = 335,544,320 >> z units; every other item joins its
/// lowest-ranked seed within r(z). The seeds of z are the items of z - 1. This greedy maximal
/// independent set in random order depends on the set of points alone (Y. Blelloch, J. Fineman,
/// J. Shun, SPAA 2012) and changes in expectation at one place per update (K. Censor-Hillel,
/// E. Haramaty, Z. Karnin, PODC 2016, arXiv:1507.04330).
///
///     head H:   top = 14: seed at 16, 15, 14; joined `owner` at 13
///               records ──► [zoom 14: count, sums, children] ──► [zoom 16: …]   coarsest first
///     A zoom at which nothing joined H has no record: the next finer one, or H's own micro-cell,
///     says the same. A single alone in the world has no record at all.
///
/// Sums are of offsets from the owner's anchor, taken the short way round the world, so that
/// nothing special happens at 180 degrees.
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
    var hash: UInt64
    var key: UInt64
    var mask: UInt64
    var x: UInt32
    var y: UInt32
    /// Head: the seed it joined at zoom `top - 1`. Plain member: its head.
    var owner: UInt32 = none
    /// Head: next child of the same owner. Plain member: next member of its micro-cell.
    var next: UInt32 = none
    var previous: UInt32 = none
    /// Head: its coarsest record.
    var records: UInt32 = none
    /// Head: first plain member.
    var members: UInt32 = none
    /// Head: objects in the micro-cell, itself included.
    var memberCount: UInt32 = 1
    /// Place in the list of touched items of the level at hand; valid only if that names the item.
    var touch: UInt32 = 0
    /// Head: the coarsest zoom at which it is a seed, 17 if at none.
    var top: UInt8 = memberTop

    static let memberTop: UInt8 = 255
    var isHead: Bool { top != Self.memberTop }
    var anchorX: UInt32 { centre(x) }
    var anchorY: UInt32 { centre(y) }
  }

  /// A zoom at which other items joined a seed. 40 bytes.
  struct Record: BitwiseCopyable {
    /// Offsets of members from the seed's anchor.
    var sumX: Int64
    var sumY: Int64
    /// Or of the members' masks, if not stale.
    var mask: UInt64
    var count: UInt32
    var firstChild: UInt32
    /// The next finer record.
    var next: UInt32
    var zoom: UInt8
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
    /// Of one that left: its top and owner before.
    var oldTop: UInt8 = 0
    var oldOwner: UInt32 = none
  }

  let hasAggregates: Bool
  private let arena: PageArena
  var items = RecordPool<Item>()
  var records = RecordPool<Record>()
  /// Parallel to `items`, if there are aggregates.
  var contributions = RecordPool<ClusterContribution>()
  /// Parallel to `records`, if there are aggregates.
  var recordAggregates = RecordPool<ClusterAggregates>()
  /// Parallel to `records`: boxes of exact positions.
  var recordExtents = RecordPool<Extent>()
  /// Item numbers by the high half of the id hash.
  var objects: SlotTable
  var slabs = EntrySlabs()
  /// Index z: the seeds of zoom z; 17: all heads.
  var grids: Grids
  var versions: ChangeVersions
  var objectCount = 0

  // Scratch of one pass, kept for its capacity.
  var incoming = ScratchList<Touch>()
  var touched = ScratchList<Touch>()
  var dirty = RankHeap()
  var candidates = ScratchList<UInt32>()
  var released = ScratchList<UInt32>()
  var found = ScratchList<UInt32>()
  /// Work done since it was last set to 0: items touched, settled and claimed, about 0.3 us each.
  var work = 0
  /// A sum of what was read ahead of use, kept so that the reads are.
  var warmth: UInt32 = 0

  init(hasAggregates: Bool, version: UInt64) {
    self.hasAggregates = hasAggregates
    let arena = PageArena()
    self.arena = arena
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

  /// Whether `a` ranks lower than `b`: by hash, then key.
  @inline(__always)
  func ranksLower(_ a: UInt32, _ b: UInt32) -> Bool {
    let (p, q) = (items[a].hash, items[b].hash)
    return p != q ? p < q : items[a].key < items[b].key
  }

  /// The record of exactly this zoom.
  @inline(__always)
  func record(_ item: UInt32, _ zoom: Int) -> UInt32 {
    var r = items[item].records
    while r != Self.none && Int(records[r].zoom) < zoom { r = records[r].next }
    return r != Self.none && Int(records[r].zoom) == zoom ? r : Self.none
  }

  /// The record that says what the seed's cluster of this zoom holds; none: its micro-cell does.
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
    if r == Self.none { return Sum(count: Int64(items[item].memberCount)) }
    return Sum(count: Int64(records[r].count), x: records[r].sumX, y: records[r].sumY)
  }

  /// Sums given from `child`'s anchor, as seen from `owner`'s.
  @inline(__always)
  func shifted(_ sum: Sum, from child: UInt32, to owner: UInt32) -> Sum {
    // The short way round: a wrapped difference read as signed.
    let dx = Int64(Int32(bitPattern: items[child].anchorX &- items[owner].anchorX))
    let dy = Int64(items[child].anchorY) - Int64(items[owner].anchorY)
    return Sum(count: sum.count, x: sum.x + sum.count * dx, y: sum.y + sum.count * dy)
  }

  /// Where a cluster with these sums is drawn: a single's exact point, else the centroid, at most
  /// r/4 from the anchor, its offset cut towards it to steps of 1/65,536 of a tile.
  func shown(_ item: UInt32, _ zoom: Int, _ sum: Sum) -> (x: UInt32, y: UInt32) {
    if sum.count <= 1 { return (items[item].x, items[item].y) }
    var dx = Double(sum.x) / Double(sum.count)
    var dy = Double(sum.y) / Double(sum.count)
    let limit = Double(Self.radius(zoom)) / 4
    let square = dx * dx + dy * dy
    if square > limit * limit {
      let scale = limit / square.squareRoot()
      dx *= scale
      dy *= scale
    }
    // Towards zero, for both signs alike.
    let mask = ~(Int64(1) << Int64(Self.maximumZoom - zoom) - 1)
    let ox = dx < 0 ? -(Int64(-dx) & mask) : Int64(dx) & mask
    let oy = dy < 0 ? -(Int64(-dy) & mask) : Int64(dy) & mask
    return (
      items[item].anchorX &+ UInt32(truncatingIfNeeded: ox),
      UInt32(Int64(items[item].anchorY) + oy)
    )
  }
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

/// A binary heap of items, lowest rank first.
struct RankHeap: ~Copyable {
  struct Entry: BitwiseCopyable {
    var hash: UInt64
    var key: UInt64
    var item: UInt32
  }
  private(set) var entries = ScratchList<Entry>()

  var isEmpty: Bool { entries.isEmpty }

  @inline(__always)
  private static func less(_ a: Entry, _ b: Entry) -> Bool {
    a.hash != b.hash ? a.hash < b.hash : a.key < b.key
  }

  mutating func push(hash: UInt64, key: UInt64, item: UInt32) {
    entries.append(Entry(hash: hash, key: key, item: item))
    var i = entries.count - 1
    let moving = entries[i]
    while i > 0 {
      let parent = (i - 1) / 2
      guard Self.less(moving, entries[parent]) else { break }
      entries[i] = entries[parent]
      i = parent
    }
    entries[i] = moving
  }

  mutating func pop() -> UInt32 {
    let result = entries[0].item
    let moving = entries.removeLast()
    let count = entries.count
    guard count > 0 else { return result }
    var i = 0
    while true {
      var child = 2 * i + 1
      guard child < count else { break }
      if child + 1 < count && Self.less(entries[child + 1], entries[child]) { child += 1 }
      guard Self.less(entries[child], moving) else { break }
      entries[i] = entries[child]
      i = child
    }
    entries[i] = moving
    return result
  }
}
