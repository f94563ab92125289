import ObjectModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A growable array in reserved address space: growing commits the next pages and never copies,
/// so that the base stays where it is and no growth step is long.
///
/// `PointClustering` has a type of its own for the same need, `ReservedArray`. An index has a dozen
/// arrays and commits huge pages early; a layer's clusters have some hundred small arrays and
/// commit them late. Both stand in the innermost loops of their module, where a generic type of
/// another module would not be specialised.
///
///     | committed: readable, zero until written | reserved: no access, no memory |
///     base                                      base + committedBytes
///
/// Pages that were never touched take no memory, also among the committed ones.
@safe struct VirtualArray<Element: BitwiseCopyable>: ~Copyable {
  /// The address of the first element, which never changes. Only elements below ``capacity`` may be
  /// touched.
  let base: UnsafeMutablePointer<Element>
  /// The number of elements that there is address space for.
  let maximumCount: Int
  /// The reservation, which is held so that the array's part stays reserved.
  private let space: AddressSpace
  private let reservedBytes: Int
  private var committedBytes = 0
  /// The value of Linux's `MADV_COLLAPSE`, which the C library's headers may lack.
  private static var collapse: Int32 { 25 }

  /// The number of elements that may be touched.
  var capacity: Int { committedBytes / MemoryLayout<Element>.stride }

  /// Takes the address space for `maximumCount` elements, as ``addressSpace(_:)`` says.
  init(maximumCount: Int, in space: AddressSpace) {
    self.maximumCount = maximumCount
    self.space = space
    reservedBytes = Self.addressSpace(maximumCount)
    // The base is on a huge page's boundary, so that every committed step can be one.
    unsafe base = space.take(reservedBytes).assumingMemoryBound(to: Element.self)
  }

  /// Returns the bytes of address space that `maximumCount` elements take.
  static func addressSpace(_ maximumCount: Int) -> Int {
    AddressSpace.rounded(maximumCount * MemoryLayout<Element>.stride)
  }

  /// Makes the elements 0..<count usable; those that are new are zero.
  ///
  /// - Complexity: O(1) system calls.
  @inline(__always)
  mutating func ensure(count: Int) {
    if count * MemoryLayout<Element>.stride > committedBytes {
      commit(bytes: count * MemoryLayout<Element>.stride)
    }
  }

  private mutating func commit(bytes: Int) {
    precondition(bytes <= reservedBytes, "an index holds more than it reserved address space for")
    // Steps are small at first, then 2 MiB, which huge pages can back.
    let step = bytes <= 1 << 20 ? 64 << 10 : 2 << 20
    let end = min(reservedBytes, (bytes + step - 1) / step * step)
    let start = unsafe UnsafeMutableRawPointer(base) + committedBytes
    let result = unsafe mprotect(start, end - committedBytes, PROT_READ | PROT_WRITE)
    precondition(result == 0, "the system has no memory left for an index")
    #if canImport(Glibc)
      if end >= 2 << 20 {
        unsafe madvise(start, end - committedBytes, MADV_HUGEPAGE)
        // The part that began in small pages moves into a huge page: at once where the kernel can
        // (6.1 and later), else when the kernel's own thread comes to it.
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

  /// Returns the address of an element, for changing its fields in place.
  ///
  /// - Precondition: `index` is less than ``capacity``.
  @inline(__always)
  func pointer(_ index: UInt32) -> UnsafeMutablePointer<Element> {
    assert(Int(index) < capacity)
    return unsafe base + Int(index)
  }
}
