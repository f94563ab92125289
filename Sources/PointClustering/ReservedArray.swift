#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory pages on request, on huge pages where the system has them: most of a move's time is
/// misses, and with small pages each of them walks the page tables too.
enum PageMemory {
  static let hugePage = 2 << 20

  /// Address space without memory, at a huge page's boundary; `nil` if the system grants none.
  static func reserve(_ bytes: Int) -> (
    base: UnsafeMutableRawPointer, start: UnsafeMutableRawPointer
  )? {
    #if canImport(Glibc)
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    #else
      let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
    #endif
    let start = unsafe mmap(nil, bytes + hugePage, PROT_NONE, flags, -1, 0)
    guard unsafe start != MAP_FAILED, let start = unsafe start else { return nil }
    let offset = (hugePage - Int(bitPattern: start) % hugePage) % hugePage
    return unsafe (start + offset, start)
  }

  /// Makes a part of a reservation usable; it reads as zero.
  static func commit(_ address: UnsafeMutableRawPointer, _ bytes: Int, isLarge: Bool) {
    let result = unsafe mprotect(address, bytes, PROT_READ | PROT_WRITE)
    precondition(result == 0, "out of memory")
    #if canImport(Glibc)
      if isLarge { unsafe madvise(address, bytes, MADV_HUGEPAGE) }
    #endif
  }

  static func release(start: UnsafeMutableRawPointer, _ bytes: Int) {
    unsafe munmap(start, bytes + hugePage)
  }
}

/// A growable array in reserved address space: growing commits the next pages and never copies.
///
///     | committed: zero until written | reserved: no access, no memory |
///     base, never moves               base + committedBytes
///
/// Sendable because it alone owns its memory.
@safe
struct ReservedArray<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  private(set) var base: UnsafeMutablePointer<Element>
  private let start: UnsafeMutableRawPointer
  private let reservedBytes: Int
  private(set) var committedBytes = 0
  private var capacity = 0

  /// - Parameter maximumCount: elements to reserve address space for; less is reserved (down to a
  ///   sixteenth) where the system grants no more.
  init(maximumCount: Int) {
    var bytes = Self.rounded(maximumCount * MemoryLayout<Element>.stride)
    var found = unsafe PageMemory.reserve(bytes)
    for _ in 0..<4 where unsafe found == nil {
      bytes = Self.rounded(bytes / 2)
      unsafe found = PageMemory.reserve(bytes)
    }
    guard let found = unsafe found else {
      preconditionFailure("no address space for \(bytes) bytes")
    }
    unsafe base = found.base.assumingMemoryBound(to: Element.self)
    unsafe start = found.start
    reservedBytes = bytes
  }

  private static func rounded(_ bytes: Int) -> Int {
    (bytes + PageMemory.hugePage - 1) / PageMemory.hugePage * PageMemory.hugePage
  }

  deinit { unsafe PageMemory.release(start: start, reservedBytes) }

  /// Makes elements 0..<count usable. - Complexity: O(1) system calls.
  @inline(__always)
  mutating func ensure(_ count: Int) {
    if count > capacity { commit(count) }
  }

  @inline(never)
  private mutating func commit(_ count: Int) {
    let bytes = count * MemoryLayout<Element>.stride
    precondition(bytes <= reservedBytes, "the layer is full")
    // Small steps first, then whole huge pages.
    let step = bytes <= 1 << 20 ? 64 << 10 : bytes <= 8 << 20 ? 256 << 10 : PageMemory.hugePage
    let end = min(reservedBytes, (bytes + step - 1) / step * step)
    unsafe PageMemory.commit(
      UnsafeMutableRawPointer(base) + committedBytes, end - committedBytes,
      isLarge: end > 8 << 20)
    committedBytes = end
    capacity = end / MemoryLayout<Element>.stride
  }

  /// - Precondition: `index` was ensured.
  @inline(__always)
  func pointer(_ index: Int) -> UnsafeMutablePointer<Element> {
    assert(index >= 0 && index < capacity)
    return unsafe base + index
  }
}
