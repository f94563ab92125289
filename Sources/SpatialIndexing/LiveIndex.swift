import GeoMath
import ObjectModel
import Synchronization

/// The index without synchronisation: it finds objects by id, by handle and by place.
///
///     id ──hash──> map ──> slot ──> record (id, tags, payload)
///     handle ────────────> slot ──> location ──> block ──> leaf ──> … root
///     tag ──> directory ─> posting list of slots
///
/// Invariants (``checkInvariants()`` checks them): a slot is either in the map, the tree and its
/// tags' posting lists, or in the free list. The count of a node is exact; its signature is a
/// superset and its expiry bound a lower bound of what is beneath.
@safe struct LiveIndex: ~Copyable {
  let configuration: LiveIndexConfiguration
  let hash: KeyedHash
  /// Ranks ids for the change feed.
  let ranking: KeyedHash
  var slots: VirtualArray<Slot>
  /// The record of each slot, as ``RecordArena`` refers to it.
  var records: VirtualArray<UInt32>
  /// The numeric columns, `columnCount` numbers a slot.
  var columns: VirtualArray<Double>
  var times: ReportTimes
  var tree: PointTree
  var arena: RecordArena
  var map: IdentifierMap
  var tags: TagDirectory
  /// The orders of large coincident leaves, by leaf.
  var coincidentOrders: [UInt32: CoincidentOrder] = [:]
  /// One past the greatest slot that was ever used.
  var slotEnd: UInt32 = 0
  private var freeSlot = Slot.vacant
  var version: UInt64 = 0
  /// The changes of the slice that is applied. The array is kept for its capacity.
  var feed: [IndexChange] = []
  let scratch = MoveScratch()
  /// The base addresses that ``HitView`` reads through.
  let reader: UnsafeMutablePointer<HitReader>
  /// Nobody reads it. A value with an atomic one in it stays where it is, and its methods are handed
  /// its address; of this one, which has a kilobyte, each call of a method that changes nothing would
  /// get a copy on the stack: three of them in an update, one in a search.
  private let staysInPlace = Atomic<Bool>(true)

  /// Makes an empty index in `space`, which has as many bytes as ``addressSpace(_:)`` says.
  init(configuration: LiveIndexConfiguration, in space: AddressSpace) {
    self.configuration = configuration
    let count = configuration.maximumObjects
    slots = VirtualArray(maximumCount: count, in: space)
    records = VirtualArray(maximumCount: count, in: space)
    times = ReportTimes(maximumCount: count, in: space)
    arena = RecordArena(
      maximumBytes: count * Self.recordBytes, maximumHugeCount: count + 1, in: space)
    map = IdentifierMap(maximumCount: count, in: space)
    var random = SystemRandomNumberGenerator()
    hash = KeyedHash(key: HashKey(using: &random))
    ranking = KeyedHash(key: configuration.rankKey)
    columns = VirtualArray(maximumCount: count * max(1, configuration.columnCount), in: space)
    tree = unsafe PointTree(slots: slots.base, maximumCount: count, in: space)
    tags = TagDirectory(
      hash: KeyedHash(key: HashKey(using: &random)), maximumCount: Self.tagRoom(count), in: space)
    unsafe reader = .allocate(capacity: 1)
    unsafe reader.initialize(
      to: HitReader(
        slots: slots.base, records: records.base, arena: arena.reader, blocks: tree.blocks.base,
        times: times.reader))
  }

  deinit {
    configuration.quota?.giveBack(objects: count, bytes: arena.bytesInUse)
    unsafe reader.deallocate()
  }

  /// The bytes of a record that address space is reserved for, on average.
  private static let recordBytes = 1_024

  private static func tagRoom(_ maximumCount: Int) -> Int { 2 * maximumCount + 65_536 }

  /// Returns the bytes of address space that an index takes.
  static func addressSpace(_ configuration: LiveIndexConfiguration) -> Int {
    let count = configuration.maximumObjects
    return VirtualArray<Slot>.addressSpace(count) + VirtualArray<UInt32>.addressSpace(count)
      + VirtualArray<ReportTimes.Wide>.addressSpace(count)
      + RecordArena.addressSpace(maximumBytes: count * recordBytes, maximumHugeCount: count + 1)
      + IdentifierMap.addressSpace(count)
      + VirtualArray<Double>.addressSpace(count * max(1, configuration.columnCount))
      + PointTree.addressSpace(count) + TagDirectory.addressSpace(tagRoom(count))
  }

  /// The number of objects. Objects that have expired but are not yet reclaimed count.
  var count: Int { tree.count }

  // MARK: Slots

  mutating func makeSlot() -> UInt32 {
    if freeSlot != Slot.vacant {
      let slot = freeSlot
      freeSlot = UInt32(truncatingIfNeeded: slots[slot].times)
      // The next free slot is known only here; it is fetched while this one is filled.
      unsafe MemoryHints.read(slots.base + Int(freeSlot))
      unsafe MemoryHints.read(records.base + Int(freeSlot))
      return slot
    }
    let slot = slotEnd
    slotEnd += 1
    slots.ensure(count: Int(slotEnd))
    records.ensure(count: Int(slotEnd))
    if configuration.columnCount > 0 {
      columns.ensure(count: Int(slotEnd) * configuration.columnCount)
    }
    unsafe slots.pointer(slot).pointee.generation = 1
    return slot
  }

  mutating func discardSlot(_ slot: UInt32) {
    let entry = unsafe slots.pointer(slot)
    unsafe entry.pointee.location = Slot.vacant
    unsafe entry.pointee.generation &+= 1
    unsafe entry.pointee.times = UInt64(freeSlot)
    freeSlot = slot
  }

  /// Returns the number of slots in the free list, `nil` if the list is broken.
  func countFreeSlots() -> Int? {
    var count = 0
    var slot = freeSlot
    while slot != Slot.vacant {
      guard slot < slotEnd, slots[slot].location == Slot.vacant, count <= Int(slotEnd) else {
        return nil
      }
      count += 1
      slot = UInt32(truncatingIfNeeded: slots[slot].times)
    }
    return count
  }

  // MARK: Lookups

  func withObject<R>(id: String, now: Instant, _ body: (HitView) -> R) -> R? {
    guard let slot = findSlot(id), isLive(slot, now: now.milliseconds) else { return nil }
    return body(view(slot))
  }

  func withObject<R>(handle: ObjectHandle, now: Instant, _ body: (HitView) -> R) -> R? {
    guard let slot = slot(of: handle, now: now.milliseconds) else { return nil }
    return body(view(slot))
  }

  func handles(ids: [String], now: Instant) -> [ObjectHandle?] {
    let count = ids.count
    let hashes = unsafe [UInt64](filledCapacity: count) { hashes, filled in
      for i in 0..<count {
        unsafe hashes[i] = Self.withBytes(of: ids[i]) { unsafe hash($0) }
      }
      filled = count
    }
    // The slot that each hash finds first, which is nearly always the right one.
    var likely = [UInt32](repeating: Slot.vacant, count: count)
    return unsafe hashes.withUnsafeBufferPointer { hashes in
      unsafe likely.withUnsafeMutableBufferPointer { likely in
        unsafe [ObjectHandle?](filledCapacity: count) { handles, filled in
          unsafe prefetch(hashes, likely)
          for i in 0..<count {
            unsafe prefetch(of: i, hashes, likely)
            let slot = unsafe Self.withBytes(of: ids[i]) {
              unsafe findSlot($0, hash: hashes[i], likely: likely[i])
            }
            var handle: ObjectHandle?
            if let slot, isLive(slot, now: now.milliseconds) { handle = self.handle(slot) }
            unsafe (handles.baseAddress.unsafelyUnwrapped + i).initialize(to: handle)
          }
          filled = count
        }
      }
    }
  }

  /// Runs `body` with a string's UTF-8, which is copied only if it is not contiguous.
  @inline(__always)
  private static func withBytes<R>(
    of text: String, _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    let found = unsafe text.utf8.withContiguousStorageIfAvailable {
      unsafe body(UnsafeRawBufferPointer($0))
    }
    if let found { return found }
    var copy = text
    return copy.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
  }

  /// Visits up to 1,024 slots from `cursor` on.
  ///
  /// - Returns: The cursor for the next call, `nil` when all slots have been visited.
  func forEachObject(from cursor: Int, now: Instant, _ body: (HitView) -> Void) -> Int? {
    let end = min(cursor + 1024, Int(slotEnd))
    for slot in UInt32(cursor)..<UInt32(max(end, cursor)) {
      if slots[slot].location != Slot.vacant, isLive(slot, now: now.milliseconds) {
        body(view(slot))
      }
    }
    return end < Int(slotEnd) ? end : nil
  }

  func statistics() -> LiveIndexStatistics {
    var s = LiveIndexStatistics()
    s.objectCount = count
    s.nodeCount = Int(tree.nodeEnd) - 3 - tree.freeGroupCount * 4
    s.leafCount = s.nodeCount - (s.nodeCount - 1) / 4
    s.distinctTagCount = tags.distinctCount
    s.indexBytes =
      Int(slotEnd) * MemoryLayout<Slot>.stride
      + Int(tree.blockEnd) * (MemoryLayout<PointBlock>.stride + MemoryLayout<BlockLink>.stride)
      + Int(tree.nodeEnd) * MemoryLayout<TreeNode>.stride + times.wideBytes
      + coincidentOrders.values.reduce(0) { $0 + $1.bytes }
    s.recordBytes = arena.bytesReserved + Int(slotEnd) * 4
    s.idMapBytes = map.bytes
    s.tagBytes = tags.bytes
    s.columnBytes = Int(slotEnd) * 8 * configuration.columnCount
    s.version = version
    return s
  }
}
