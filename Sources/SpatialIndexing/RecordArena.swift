import ObjectModel

/// Memory for byte records of any size, which are freed and used again. Each page holds records of
/// one size class; records over 4 KiB come from the system's allocator.
///
///     page (32 KiB) | record | record | record | ...      all of the page's class
///     reference     = page << 12 | offset / 8             or huge | index
///
/// A page whose last record is freed can serve another class, so that the memory held follows what
/// is in use.
@safe struct RecordArena: ~Copyable {
  private static let pageBytes = 32768
  private static let largestRecord = 4096
  private static let huge: UInt32 = 1 << 31
  private static let none = UInt32.max

  /// The rounded sizes, ascending: in steps of 8 up to 128, then of an eighth of the power of two.
  private static let classSizes: [Int] = {
    var sizes = Array(stride(from: 16, through: 128, by: 8))
    var power = 128
    while power < largestRecord {
      for step in 1...8 { sizes.append((power + power * step / 8 + 7) / 8 * 8) }
      power *= 2
    }
    return sizes
  }()

  private struct Page: BitwiseCopyable {
    var sizeClass: UInt32
    var live: UInt32
    /// The page's first free record, as a reference; records that were never used start at `fresh`.
    var free: UInt32
    var fresh: UInt32
    /// The neighbours in the list of the class's pages with room.
    var previous: UInt32
    var next: UInt32
  }

  private var bytes: VirtualArray<UInt8>
  private var pages: [Page] = []
  private var pagesWithRoom: [UInt32]
  private var emptyPages: [UInt32] = []
  /// The address and size of a record over 4 KiB; the address is 0 when it is freed.
  struct Huge: BitwiseCopyable {
    var address: UInt
    var count: Int
  }
  private var hugeRecords: VirtualArray<Huge>
  private var hugeEnd = 0
  private var hugeBytes = 0
  private var freeHuge: [UInt32] = []
  /// The bytes of all records in use, each rounded to its class.
  private(set) var bytesInUse = 0
  private let sizes: [Int]
  private let classOfEighths: [UInt8]

  /// Makes an empty arena.
  ///
  /// - Parameters:
  ///   - maximumBytes: The bytes for records up to 4 KiB; at most 16 GiB, which is what references
  ///     reach.
  ///   - maximumHugeCount: The number of larger records.
  ///   - space: Address space as ``addressSpace(maximumBytes:maximumHugeCount:)`` says.
  init(maximumBytes: Int, maximumHugeCount: Int, in space: AddressSpace) {
    bytes = VirtualArray(maximumCount: Self.room(maximumBytes), in: space)
    hugeRecords = VirtualArray(maximumCount: maximumHugeCount, in: space)
    sizes = Self.classSizes
    pagesWithRoom = Array(repeating: Self.none, count: sizes.count)
    var table: [UInt8] = []
    var sizeClass = 0
    for eighths in 0...Self.largestRecord / 8 {
      while sizes[sizeClass] < eighths * 8 { sizeClass += 1 }
      table.append(UInt8(sizeClass))
    }
    classOfEighths = table
  }

  private static func room(_ maximumBytes: Int) -> Int { max(64 << 20, min(1 << 34, maximumBytes)) }

  /// Returns the bytes of address space that an arena takes.
  static func addressSpace(maximumBytes: Int, maximumHugeCount: Int) -> Int {
    VirtualArray<UInt8>.addressSpace(room(maximumBytes))
      + VirtualArray<Huge>.addressSpace(maximumHugeCount)
  }

  /// Returns whether there is room for one more record.
  @inline(__always)
  func hasRoom(_ count: Int) -> Bool {
    if count > Self.largestRecord {
      return !freeHuge.isEmpty || hugeEnd < hugeRecords.maximumCount
    }
    return pagesWithRoom[Int(classOfEighths[(count + 7) / 8])] != Self.none || hasRoom(pages: 1)
  }

  /// Returns the bytes that a record of this size takes.
  func roundedSize(_ count: Int) -> Int {
    count > Self.largestRecord ? count : sizes[Int(classOfEighths[(count + 7) / 8])]
  }

  /// Returns whether so many more pages could be opened, whatever their classes.
  @inline(__always)
  func hasRoom(pages count: Int) -> Bool {
    emptyPages.count >= count || (pages.count + count) * Self.pageBytes <= bytes.maximumCount
  }

  deinit {
    for i in 0..<hugeEnd {
      unsafe UnsafeMutableRawPointer(bitPattern: hugeRecords[i].address)?.deallocate()
    }
  }

  /// The bytes of pages and large records that are set aside.
  var bytesReserved: Int {
    (pages.count - emptyPages.count) * Self.pageBytes
      + hugeBytes
  }

  /// Returns the address of a record, which is valid until the record is freed.
  @inline(__always)
  func pointer(_ reference: UInt32) -> UnsafeMutableRawPointer {
    unsafe reader.pointer(reference)
  }

  /// Finds records by addresses that never change.
  @safe struct Reader: BitwiseCopyable {
    fileprivate let bytes: UnsafeMutablePointer<UInt8>
    fileprivate let huge: UnsafeMutablePointer<Huge>

    @inline(__always)
    func pointer(_ reference: UInt32) -> UnsafeMutableRawPointer {
      if reference & RecordArena.huge != 0 {
        let address = unsafe huge[Int(reference & ~RecordArena.huge)].address
        return unsafe UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
      }
      return unsafe UnsafeMutableRawPointer(bytes) + Int(reference) * 8
    }
  }

  @inline(__always)
  var reader: Reader { unsafe Reader(bytes: bytes.base, huge: hugeRecords.base) }

  /// Allocates a record and returns its reference.
  ///
  /// - Complexity: O(1).
  mutating func allocate(_ count: Int) -> UInt32 {
    guard count <= Self.largestRecord else { return allocateHuge(count) }
    let sizeClass = Int(classOfEighths[(count + 7) / 8])
    let size = sizes[sizeClass]
    var page = pagesWithRoom[sizeClass]
    if page == Self.none { page = openPage(sizeClass) }
    let reference: UInt32
    var info = pages[Int(page)]
    if info.free != Self.none {
      reference = info.free
      info.free = unsafe (UnsafeRawPointer(bytes.base) + Int(reference) * 8).load(as: UInt32.self)
    } else {
      reference = page << 12 | info.fresh
      info.fresh += UInt32(size / 8)
    }
    info.live += 1
    let isFull = info.free == Self.none && Int(info.fresh) * 8 + size > Self.pageBytes
    pages[Int(page)] = info
    if isFull { unlink(page) }
    bytesInUse += size
    return reference
  }

  /// Frees a record that was allocated with `count` bytes.
  mutating func free(_ reference: UInt32, count: Int) {
    guard reference & Self.huge == 0 else {
      let index = Int(reference & ~Self.huge)
      unsafe UnsafeMutableRawPointer(bitPattern: hugeRecords[index].address)?.deallocate()
      hugeRecords[index] = Huge(address: 0, count: 0)
      hugeBytes -= count
      freeHuge.append(UInt32(index))
      bytesInUse -= count
      return
    }
    let page = reference >> 12
    var info = pages[Int(page)]
    let size = sizes[Int(info.sizeClass)]
    let wasFull = info.free == Self.none && Int(info.fresh) * 8 + size > Self.pageBytes
    unsafe (UnsafeMutableRawPointer(bytes.base) + Int(reference) * 8)
      .storeBytes(of: info.free, as: UInt32.self)
    info.free = reference
    info.live -= 1
    pages[Int(page)] = info
    bytesInUse -= size
    if wasFull { link(page) }
    if info.live == 0 {
      unlink(page)
      emptyPages.append(page)
      // A few empty pages keep their memory for the next class; the memory of the others goes back.
      if emptyPages.count > 16 {
        let start = Int(page) * Self.pageBytes
        bytes.release(start..<start + Self.pageBytes)
      }
    }
  }

  private mutating func allocateHuge(_ count: Int) -> UInt32 {
    let address = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 8)
    let record = Huge(address: UInt(bitPattern: address), count: count)
    bytesInUse += count
    hugeBytes += count
    if let index = freeHuge.popLast() {
      hugeRecords[Int(index)] = record
      return Self.huge | index
    }
    hugeRecords.ensure(count: hugeEnd + 1)
    hugeRecords[hugeEnd] = record
    hugeEnd += 1
    return Self.huge | UInt32(hugeEnd - 1)
  }

  private mutating func openPage(_ sizeClass: Int) -> UInt32 {
    let page: UInt32
    let info = Page(
      sizeClass: UInt32(sizeClass), live: 0, free: Self.none, fresh: 0, previous: Self.none,
      next: Self.none)
    if let empty = emptyPages.popLast() {
      page = empty
      pages[Int(page)] = info
    } else {
      page = UInt32(pages.count)
      pages.append(info)
      bytes.ensure(count: pages.count * Self.pageBytes)
    }
    link(page)
    return page
  }

  private mutating func link(_ page: UInt32) {
    let sizeClass = Int(pages[Int(page)].sizeClass)
    let head = pagesWithRoom[sizeClass]
    pages[Int(page)].previous = Self.none
    pages[Int(page)].next = head
    if head != Self.none { pages[Int(head)].previous = page }
    pagesWithRoom[sizeClass] = page
  }

  private mutating func unlink(_ page: UInt32) {
    let info = pages[Int(page)]
    if info.previous == Self.none {
      pagesWithRoom[Int(info.sizeClass)] = info.next
    } else {
      pages[Int(info.previous)].next = info.next
    }
    if info.next != Self.none { pages[Int(info.next)].previous = info.previous }
  }
}
