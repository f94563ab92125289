import ObjectModel

/// The tags in use: the id of each name, its signature bit, and its carriers with their cells.
///
/// Signatures are 32 bits. The first 24 tags have a bit each to themselves (*exact*). The others
/// share the last 8 bits by hash and are verified in the record.
///
/// A tag's *posting list* holds its carriers in no order, each as a slot and the level-16 cell
/// (485 m wide at Seoul) that it is in, so that the carriers of a rare tag are ranked from one
/// short contiguous scan:
///
///     pages of 1,024: | cell x 1,024 | slot x 1,024 |   the first page starts smaller
struct TagDirectory: ~Copyable {
  static let exactBits = 24
  private static let pageSize: UInt32 = 1024

  @safe struct Entry: BitwiseCopyable {
    var hash: UInt64
    /// The one bit of the tag.
    var signature: UInt32
    /// The number of carriers; 0 when the id is free.
    var count: UInt32
    var name: UInt32
    var nameLength: UInt32
    /// The pages of the posting list.
    var pages: UnsafeMutablePointer<UnsafeMutablePointer<UInt32>>?
    var pageCapacity: UInt32
    /// The capacity of the first page while it is the only one.
    var firstCapacity: UInt32

    @inline(__always) var isExact: Bool { signature < 1 << UInt32(TagDirectory.exactBits) }
  }

  private var entries: VirtualArray<Entry>
  private var entryEnd: UInt32 = 0
  private var freeIDs: [UInt32] = []
  private var map: IdentifierMap
  private var names: RecordArena
  private var freeExact: UInt32 = 1 << UInt32(exactBits) - 1
  private(set) var postingBytes = 0
  let hash: KeyedHash

  /// Makes an empty directory for at most `maximumCount` different tags.
  init(hash: KeyedHash, maximumCount: Int, in space: AddressSpace) {
    self.hash = hash
    entries = VirtualArray(maximumCount: maximumCount, in: space)
    map = IdentifierMap(maximumCount: maximumCount, in: space)
    names = RecordArena(
      maximumBytes: maximumCount * Self.nameBytes, maximumHugeCount: Self.hugeNames, in: space)
  }

  /// The bytes of a name that address space is reserved for, on average.
  private static let nameBytes = 64
  private static let hugeNames = 65_536

  /// Returns the bytes of address space that a directory takes.
  static func addressSpace(_ maximumCount: Int) -> Int {
    VirtualArray<Entry>.addressSpace(maximumCount) + IdentifierMap.addressSpace(maximumCount)
      + RecordArena.addressSpace(
        maximumBytes: maximumCount * nameBytes, maximumHugeCount: hugeNames)
  }

  /// Returns whether there is room for so many new tags. It counts each as the worst case, so that
  /// it returns `false` a little early.
  @inline(__always)
  func hasRoom(_ count: Int) -> Bool {
    (freeIDs.count >= count || Int(entryEnd) + count <= entries.maximumCount)
      && names.hasRoom(pages: count) && names.hasRoom(1 << 20)
  }

  deinit {
    for id in 0..<entryEnd where entries[id].count > 0 {
      let entry = entries[id]
      guard let pages = unsafe entry.pages else { continue }
      for page in 0..<Int(Self.pageCount(entry)) { unsafe pages[page].deallocate() }
      unsafe pages.deallocate()
    }
  }

  var distinctCount: Int { map.count }
  var bytes: Int {
    postingBytes + map.bytes + names.bytesReserved + Int(entryEnd) * MemoryLayout<Entry>.stride
  }

  /// One past the greatest id in use.
  var idEnd: UInt32 { entryEnd }

  @inline(__always)
  subscript(id: UInt32) -> Entry { entries[id] }

  func name(_ id: UInt32) -> UnsafeRawBufferPointer {
    let entry = entries[id]
    return unsafe UnsafeRawBufferPointer(
      start: names.pointer(entry.name), count: Int(entry.nameLength))
  }

  @inline(__always)
  func isNamed(_ id: UInt32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    let entry = entries[id]
    return unsafe Int(entry.nameLength) == bytes.count
      && bytesAreEqual(names.pointer(entry.name), bytes.baseAddress, bytes.count)
  }

  /// Returns the id of a tag, `nil` when no object carries it.
  func find(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
    unsafe map.find(hash(bytes)) { unsafe isNamed($0, bytes) }
  }

  func find(_ tag: String) -> UInt32? {
    var tag = tag
    return tag.withUTF8 { unsafe find(UnsafeRawBufferPointer($0)) }
  }

  /// Returns the id of a tag, which is a new one for a new tag. The caller adds a carrier next.
  mutating func findOrAdd(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let hash = unsafe hash(bytes)
    if let id = map.find(hash, { unsafe isNamed($0, bytes) }) { return id }
    let id: UInt32
    if let free = freeIDs.popLast() {
      id = free
    } else {
      id = entryEnd
      entryEnd += 1
      entries.ensure(count: Int(entryEnd))
    }
    let signature: UInt32
    if freeExact != 0 {
      signature = 1 << UInt32(freeExact.trailingZeroBitCount)
      freeExact &= ~signature
    } else {
      signature = 1 << UInt32(24 + (hash & 7))
    }
    let name = names.allocate(max(1, bytes.count))
    unsafe names.pointer(name).copyMemory(
      from: bytes.baseAddress ?? UnsafeRawPointer(names.pointer(name)), byteCount: bytes.count)
    entries[id] = unsafe Entry(
      hash: hash, signature: signature, count: 0, name: name, nameLength: UInt32(bytes.count),
      pages: nil, pageCapacity: 0, firstCapacity: 0)
    map.insert(hash, slot: id)
    return id
  }

  // MARK: Posting lists

  private static func pageCount(_ entry: Entry) -> UInt32 {
    entry.firstCapacity == 0
      ? 0 : max(1, (entry.count + pageSize - 1) / pageSize)
  }

  /// Returns the cells and slots of one page, and how many are in use.
  @inline(__always)
  func page(_ id: UInt32, _ page: UInt32)
    -> (cells: UnsafeMutablePointer<UInt32>, slots: UnsafeMutablePointer<UInt32>, count: Int)
  {
    let entry = entries[id]
    let base = unsafe entry.pages.unsafelyUnwrapped[Int(page)]
    return unsafe (
      base, base + Int(entry.firstCapacity),
      Int(min(Self.pageSize, entry.count - page * Self.pageSize))
    )
  }

  /// Returns the number of pages of a tag that has carriers.
  func pageCount(_ id: UInt32) -> UInt32 { Self.pageCount(entries[id]) }

  /// Adds a carrier and returns its position in the posting list.
  mutating func addCarrier(_ id: UInt32, slot: UInt32, cell: UInt32) -> UInt32 {
    let entry = unsafe entries.pointer(id)
    let position = unsafe entry.pointee.count
    let page = position / Self.pageSize
    let offset = Int(position % Self.pageSize)
    if unsafe page == 0 && position == entry.pointee.firstCapacity {
      unsafe growFirst(entry)
    } else if offset == 0 {
      unsafe addPage(entry, page)
    }
    let base = unsafe entry.pointee.pages.unsafelyUnwrapped[Int(page)]
    unsafe base[offset] = cell
    unsafe base[Int(entry.pointee.firstCapacity) + offset] = slot
    unsafe entry.pointee.count = position + 1
    return position
  }

  private mutating func growFirst(_ entry: UnsafeMutablePointer<Entry>) {
    let old = unsafe Int(entry.pointee.firstCapacity)
    let new = max(8, old * 2)
    let page = UnsafeMutablePointer<UInt32>.allocate(capacity: new * 2)
    unsafe page.initialize(repeating: 0, count: new * 2)
    postingBytes += (new - old) * 8
    if let pages = unsafe entry.pointee.pages {
      unsafe page.update(from: pages[0], count: old)
      unsafe (page + new).update(from: pages[0] + old, count: old)
      unsafe pages[0].deallocate()
      unsafe pages[0] = unsafe page
    } else {
      let pages = UnsafeMutablePointer<UnsafeMutablePointer<UInt32>>.allocate(capacity: 1)
      unsafe pages[0] = unsafe page
      unsafe entry.pointee.pages = unsafe pages
      unsafe entry.pointee.pageCapacity = 1
      postingBytes += 8
    }
    unsafe entry.pointee.firstCapacity = UInt32(new)
  }

  private mutating func addPage(_ entry: UnsafeMutablePointer<Entry>, _ page: UInt32) {
    if unsafe page == entry.pointee.pageCapacity {
      let capacity = Int(page) * 2
      let pages = UnsafeMutablePointer<UnsafeMutablePointer<UInt32>>.allocate(capacity: capacity)
      unsafe pages.update(from: entry.pointee.pages.unsafelyUnwrapped, count: Int(page))
      unsafe entry.pointee.pages.unsafelyUnwrapped.deallocate()
      unsafe entry.pointee.pages = unsafe pages
      postingBytes += (capacity - Int(page)) * 8
      unsafe entry.pointee.pageCapacity = UInt32(capacity)
    }
    unsafe entry.pointee.pages.unsafelyUnwrapped[Int(page)] = .allocate(
      capacity: Int(Self.pageSize) * 2)
    postingBytes += Int(Self.pageSize) * 8
  }

  /// Returns the slot and cell at a position of the posting list.
  func carrier(_ id: UInt32, at position: UInt32) -> (slot: UInt32, cell: UInt32) {
    let page = unsafe page(id, position / Self.pageSize)
    let offset = Int(position % Self.pageSize)
    return unsafe (page.slots[offset], page.cells[offset])
  }

  @inline(__always)
  func setCell(_ id: UInt32, at position: UInt32, _ cell: UInt32) {
    let entry = unsafe entries.pointer(id)
    unsafe entry.pointee.pages.unsafelyUnwrapped[Int(position / Self.pageSize)][
      Int(position % Self.pageSize)] = cell
  }

  /// Removes the carrier at a position; the last carrier takes its place.
  ///
  /// - Returns: The slot that is at `position` now, whose record must be told; `nil` if none is.
  mutating func removeCarrier(_ id: UInt32, at position: UInt32) -> UInt32? {
    let entry = unsafe entries.pointer(id)
    let last = unsafe entry.pointee.count - 1
    var moved: UInt32?
    if position != last {
      let from = carrier(id, at: last)
      let base = unsafe entry.pointee.pages.unsafelyUnwrapped[Int(position / Self.pageSize)]
      unsafe base[Int(position % Self.pageSize)] = from.cell
      unsafe base[Int(entry.pointee.firstCapacity) + Int(position % Self.pageSize)] = from.slot
      moved = from.slot
    }
    if last > 0 && last % Self.pageSize == 0 {
      unsafe entry.pointee.pages.unsafelyUnwrapped[Int(last / Self.pageSize)].deallocate()
      postingBytes -= Int(Self.pageSize) * 8
    }
    unsafe entry.pointee.count = last
    if last == 0 { forget(id) }
    return moved
  }

  private mutating func forget(_ id: UInt32) {
    let entry = entries[id]
    if let pages = unsafe entry.pages {
      unsafe pages[0].deallocate()
      unsafe pages.deallocate()
      postingBytes -= Int(entry.firstCapacity) * 8 + Int(entry.pageCapacity) * 8
    }
    names.free(entry.name, count: max(1, Int(entry.nameLength)))
    map.remove(entry.hash, slot: id)
    if entry.isExact { freeExact |= entry.signature }
    unsafe entries.pointer(id).pointee.pages = nil
    unsafe entries.pointer(id).pointee.firstCapacity = 0
    freeIDs.append(id)
  }
}
