import ObjectModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Commits memory pages, on huge pages where the system has them. Most of a move's time is spent on
/// cache misses, and with small pages each of them also walks the page tables.
enum PageMemory {
  /// Makes a part of a reservation usable; it reads as zero.
  static func commit(_ address: UnsafeMutableRawPointer, _ bytes: Int, isLarge: Bool) {
    let result = unsafe mprotect(address, bytes, PROT_READ | PROT_WRITE)
    precondition(result == 0, "the system has no memory left for clusters")
    #if canImport(Glibc)
      if isLarge { unsafe madvise(address, bytes, MADV_HUGEPAGE) }
    #endif
  }
}

/// A growable array in reserved address space: growing commits the next pages and never copies.
///
/// `SpatialIndexing` has a type of its own for the same need, `VirtualArray`, which says why.
///
///     | committed: zero until written | reserved: no access, no memory |
///     base, never moves               base + committedBytes
///
/// Sendable because it alone owns its memory.
@safe
struct ReservedArray<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  private let base: UnsafeMutablePointer<Element>
  /// The reservation, which is held so that the array's part stays reserved.
  private let space: AddressSpace
  private let reservedBytes: Int
  private(set) var committedBytes = 0
  private var capacity = 0

  /// Takes the address space for `maximumCount` elements, as ``addressSpace(_:)`` says.
  init(maximumCount: Int, in space: AddressSpace) {
    self.space = space
    reservedBytes = Self.addressSpace(maximumCount)
    unsafe base = space.take(reservedBytes).assumingMemoryBound(to: Element.self)
  }

  /// Returns the bytes of address space that `maximumCount` elements take.
  static func addressSpace(_ maximumCount: Int) -> Int {
    AddressSpace.rounded(maximumCount * MemoryLayout<Element>.stride)
  }

  /// Makes the elements 0..<count usable.
  ///
  /// - Complexity: O(1) system calls.
  @inline(__always)
  mutating func ensure(_ count: Int) {
    if count > capacity { commit(count) }
  }

  @inline(never)
  private mutating func commit(_ count: Int) {
    let bytes = count * MemoryLayout<Element>.stride
    precondition(bytes <= reservedBytes, "clusters hold more than they reserved address space for")
    // Steps are small at first, so that a layer with few objects takes little, then whole huge
    // pages.
    let step = bytes <= 1 << 20 ? 64 << 10 : bytes <= 8 << 20 ? 256 << 10 : AddressSpace.hugePage
    let end = min(reservedBytes, (bytes + step - 1) / step * step)
    unsafe PageMemory.commit(
      UnsafeMutableRawPointer(base) + committedBytes, end - committedBytes,
      isLarge: end > 8 << 20)
    committedBytes = end
    capacity = end / MemoryLayout<Element>.stride
  }

  /// Returns the address of an element.
  ///
  /// - Precondition: `index` was ensured.
  @inline(__always)
  func pointer(_ index: Int) -> UnsafeMutablePointer<Element> {
    assert(index >= 0 && index < capacity)
    return unsafe base + index
  }
}
