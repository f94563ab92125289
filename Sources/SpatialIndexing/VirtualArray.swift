import ObjectModel

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
  /// Elements that there is address space for.
  let maximumCount: Int
  /// Held so that the part stays reserved.
  private let space: AddressSpace
  private let reservedBytes: Int
  private var committedBytes = 0
  /// Linux's `MADV_COLLAPSE`.
  private static var collapse: Int32 { 25 }

  /// Elements that may be touched.
  var capacity: Int { committedBytes / MemoryLayout<Element>.stride }

  /// Takes the address space for `maximumCount` elements, see ``addressSpace(_:)``.
  init(maximumCount: Int, in space: AddressSpace) {
    self.maximumCount = maximumCount
    self.space = space
    reservedBytes = Self.addressSpace(maximumCount)
    // A base on a huge page's boundary lets every committed step be one.
    unsafe base = space.take(reservedBytes).assumingMemoryBound(to: Element.self)
  }

  /// Bytes of address space that `maximumCount` elements take.
  static func addressSpace(_ maximumCount: Int) -> Int {
    AddressSpace.rounded(maximumCount * MemoryLayout<Element>.stride)
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
