#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A growable array in reserved address space: growing commits the next pages and never copies,
/// so that the base stays where it is and no growth step is long.
///
///     | committed: readable, zero until written | reserved: no access, no memory |
///     base                                      base + committedBytes
///
/// Pages that were never touched take no memory, also among the committed ones.
@safe struct VirtualArray<Element: BitwiseCopyable>: ~Copyable {
  /// Never moves. Only elements below ``capacity`` may be touched.
  let base: UnsafeMutablePointer<Element>
  private let reservation: UnsafeMutableRawPointer
  private let reservedBytes: Int
  private var committedBytes = 0
  private static var hugePage: Int { 2 << 20 }
  /// Linux's `MADV_COLLAPSE`.
  private static var collapse: Int32 { 25 }

  /// Elements that may be touched.
  var capacity: Int { committedBytes / MemoryLayout<Element>.stride }

  /// - Parameter maximumCount: the address space to reserve, in elements; less is reserved (down
  ///   to a sixteenth) where the system grants no more.
  init(maximumCount: Int) {
    let page = Self.hugePage
    var bytes = (maximumCount * MemoryLayout<Element>.stride + page - 1) / page * page
    var address = unsafe Self.reserve(bytes + page)
    for _ in 0..<4 where unsafe address == nil {
      bytes = (bytes / 2 + page - 1) / page * page
      unsafe address = Self.reserve(bytes + page)
    }
    guard let address = unsafe address else {
      preconditionFailure("no address space for \(bytes) bytes")
    }
    // A base on a huge page's boundary lets every committed step be one.
    unsafe reservation = address
    let offset = (page - Int(bitPattern: address) % page) % page
    unsafe base = (address + offset).assumingMemoryBound(to: Element.self)
    reservedBytes = bytes
  }

  deinit { unsafe munmap(reservation, reservedBytes + Self.hugePage) }

  private static func reserve(_ bytes: Int) -> UnsafeMutableRawPointer? {
    #if canImport(Glibc)
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    #else
      let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
    #endif
    let address = unsafe mmap(nil, bytes, PROT_NONE, flags, -1, 0)
    return unsafe address == MAP_FAILED ? nil : address
  }

  /// Makes elements 0..<count usable; fresh ones are zero. - Complexity: O(1) system calls.
  @inline(__always)
  mutating func ensure(count: Int) {
    if count * MemoryLayout<Element>.stride > committedBytes {
      commit(bytes: count * MemoryLayout<Element>.stride)
    }
  }

  private mutating func commit(bytes: Int) {
    precondition(bytes <= reservedBytes, "the index is full")
    // Small first, then 2 MiB steps, which can be backed by huge pages.
    let step = bytes <= 1 << 20 ? 64 << 10 : 2 << 20
    let end = min(reservedBytes, (bytes + step - 1) / step * step)
    let start = unsafe UnsafeMutableRawPointer(base) + committedBytes
    let result = unsafe mprotect(start, end - committedBytes, PROT_READ | PROT_WRITE)
    precondition(result == 0, "out of memory")
    #if canImport(Glibc)
      if end >= 2 << 20 {
        unsafe madvise(start, end - committedBytes, MADV_HUGEPAGE)
        // What began in small pages goes on in a huge one: at once where the kernel can (6.1 and
        // later), else when it comes by.
        if committedBytes > 0 && committedBytes < 2 << 20 {
          unsafe madvise(base, 2 << 20, MADV_HUGEPAGE)
          unsafe madvise(base, 2 << 20, Self.collapse)
        }
      }
    #endif
    committedBytes = end
  }

  /// Gives the memory of a range of elements back; it reads as zero afterwards.
  func release(_ range: Range<Int>) {
    let stride = MemoryLayout<Element>.stride
    let start = (range.lowerBound * stride + 4095) / 4096 * 4096
    let end = range.upperBound * stride / 4096 * 4096
    guard start < end else { return }
    #if canImport(Glibc)
      unsafe madvise(UnsafeMutableRawPointer(base) + start, end - start, MADV_DONTNEED)
    #endif
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      assert(index >= 0 && index < capacity)
      return unsafe base[index]
    }
    nonmutating set {
      assert(index >= 0 && index < capacity)
      unsafe base[index] = newValue
    }
  }

  @inline(__always)
  subscript(index: UInt32) -> Element {
    get { self[Int(index)] }
    nonmutating set { self[Int(index)] = newValue }
  }

  /// For changing fields in place. - Precondition: index < capacity.
  @inline(__always)
  func pointer(_ index: UInt32) -> UnsafeMutablePointer<Element> {
    assert(Int(index) < capacity)
    return unsafe base + Int(index)
  }
}
