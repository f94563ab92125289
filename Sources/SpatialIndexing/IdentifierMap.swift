import ObjectModel

/// Finds slots by the hash of their id. It is an extendible hash table: the leading bits of a hash
/// choose a page, in which open addressing finds the entry. Growth splits one page at a time, so
/// that it never holds up a writer for long.
///
///     directory[hash >> (32 - depth)] → page: 512 entries (hash 32 | slot 32), 4 KiB
///
/// The map knows only hashes: the caller compares ids, and equal hashes may stand side by side.
struct IdentifierMap: ~Copyable {
  private static let pageEntries = 512
  private static let pageLimit: UInt16 = 432
  private static let vacant = UInt64.max

  private struct PageInfo: BitwiseCopyable {
    var count: UInt16
    var depth: UInt16
  }

  private var entries: VirtualArray<UInt64>
  private var pages: [PageInfo] = []
  private var directory: [UInt32] = [0]
  private var depth: UInt32 = 0
  private(set) var count = 0

  /// Makes an empty map with address space for `maximumCount` entries.
  init(maximumCount: Int, in space: AddressSpace) {
    entries = VirtualArray(maximumCount: Self.room(maximumCount), in: space)
    addPage(depth: 0)
  }

  /// Returns the number of entries to reserve. Pages split at 432 of 512 entries, so that they are
  /// at least two fifths full on average; entries that come and go may leave more pages behind.
  private static func room(_ maximumCount: Int) -> Int { 4 * maximumCount + 128 * pageEntries }

  /// Returns the bytes of address space that a map takes.
  static func addressSpace(_ maximumCount: Int) -> Int {
    VirtualArray<UInt64>.addressSpace(room(maximumCount))
  }

  var bytes: Int { pages.count * Self.pageEntries * 8 + directory.capacity * 4 }

  private mutating func addPage(depth: UInt16) {
    let start = pages.count * Self.pageEntries
    pages.append(PageInfo(count: 0, depth: depth))
    entries.ensure(count: start + Self.pageEntries)
    unsafe (entries.base + start).update(repeating: Self.vacant, count: Self.pageEntries)
  }

  /// Returns the upper half of a hash, which is the part that the map works with.
  @inline(__always)
  private static func key(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }

  @inline(__always)
  private func page(_ key: UInt32) -> Int {
    // The shift takes any width: at depth 0 it gives 0 for every key.
    Int(directory[Int(key >> (32 - depth))])
  }

  /// Returns where the search for a hash begins.
  @inline(__always)
  func home(_ hash: UInt64) -> UnsafeMutablePointer<UInt64> {
    let key = Self.key(hash)
    return unsafe entries.base + (page(key) * Self.pageEntries + Int(key & 511))
  }

  /// Returns the first slot with this hash for which `isMatch` holds.
  @inline(__always)
  func find(_ hash: UInt64, _ isMatch: (UInt32) -> Bool) -> UInt32? {
    let key = Self.key(hash)
    let base = unsafe entries.base + page(key) * Self.pageEntries
    var position = Int(key & 511)
    while true {
      let entry = unsafe base[position]
      if entry == Self.vacant { return nil }
      if UInt32(truncatingIfNeeded: entry >> 32) == key {
        let slot = UInt32(truncatingIfNeeded: entry)
        if isMatch(slot) { return slot }
      }
      position = (position + 1) & 511
    }
  }

  /// Adds an entry. The caller has made sure that the map has none for the same id.
  mutating func insert(_ hash: UInt64, slot: UInt32) {
    let key = Self.key(hash)
    while true {
      let page = page(key)
      if pages[page].count < Self.pageLimit || pages[page].depth == 32 {
        precondition(pages[page].count < 511, "too many equal hashes")
        place(UInt64(key) << 32 | UInt64(slot), in: page)
        count += 1
        return
      }
      split(page, key)
    }
  }

  private mutating func place(_ entry: UInt64, in page: Int) {
    let base = unsafe entries.base + page * Self.pageEntries
    var position = Int((entry >> 32) & 511)
    while unsafe base[position] != Self.vacant { position = (position + 1) & 511 }
    unsafe base[position] = entry
    pages[page].count += 1
  }

  private mutating func split(_ page: Int, _ key: UInt32) {
    let pageDepth = UInt32(pages[page].depth)
    if pageDepth == depth {
      var wider = [UInt32]()
      wider.reserveCapacity(directory.count * 2)
      for page in directory {
        wider.append(page)
        wider.append(page)
      }
      directory = wider
      depth += 1
    }
    let sibling = pages.count
    addPage(depth: UInt16(pageDepth + 1))
    pages[page].depth = UInt16(pageDepth + 1)
    // The directory entries of this page stand in one run; its second half goes to the sibling.
    let run = 1 << Int(depth - pageDepth)
    let start = Int(key >> (32 - depth)) / run * run
    for i in start + run / 2..<start + run { directory[i] = UInt32(sibling) }
    let base = unsafe entries.base + page * Self.pageEntries
    let old = unsafe Array(UnsafeBufferPointer(start: base, count: Self.pageEntries))
    unsafe base.update(repeating: Self.vacant, count: Self.pageEntries)
    pages[page].count = 0
    let bit = UInt64(1) << UInt64(63 - pageDepth)
    for entry in old where entry != Self.vacant {
      place(entry, in: entry & bit == 0 ? page : sibling)
    }
  }

  /// Removes the entry of a slot.
  ///
  /// - Precondition: The map holds the entry.
  mutating func remove(_ hash: UInt64, slot: UInt32) {
    let key = Self.key(hash)
    let page = page(key)
    let base = unsafe entries.base + page * Self.pageEntries
    let entry = UInt64(key) << 32 | UInt64(slot)
    var hole = Int(key & 511)
    while unsafe base[hole] != entry {
      unsafe precondition(base[hole] != Self.vacant, "the id map lost slot \(slot)")
      hole = (hole + 1) & 511
    }
    // Backward shift: entries after the hole move up, unless that takes them before their home.
    var next = (hole + 1) & 511
    while unsafe base[next] != Self.vacant {
      let home = unsafe Int((base[next] >> 32) & 511)
      if (next - home) & 511 >= (next - hole) & 511 {
        unsafe base[hole] = unsafe base[next]
        hole = next
      }
      next = (next + 1) & 511
    }
    unsafe base[hole] = Self.vacant
    pages[page].count -= 1
    count -= 1
  }
}
