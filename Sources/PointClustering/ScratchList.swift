/// A growing list of plain records that a pass fills and empties again and again. It has no
/// reference counts, and no bounds checks in release builds.
///
/// Sendable because it alone owns its memory.
@safe
struct ScratchList<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  private var base: UnsafeMutablePointer<Element>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 64) {
    self.capacity = capacity
    unsafe base = .allocate(capacity: capacity)
  }

  deinit { unsafe base.deallocate() }

  var isEmpty: Bool { count == 0 }

  /// Accesses an element.
  ///
  /// - Precondition: `index` is below `count`.
  @inline(__always)
  subscript(index: Int) -> Element {
    unsafeAddress {
      assert(index >= 0 && index < count)
      return unsafe UnsafePointer(base + index)
    }
    nonmutating unsafeMutableAddress {
      assert(index >= 0 && index < count)
      return unsafe base + index
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow() }
    unsafe (base + count).initialize(to: element)
    count += 1
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(16, capacity * 2))
    unsafe larger.update(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = larger
    capacity = max(16, capacity * 2)
  }

  /// Removes and returns the last element.
  ///
  /// - Precondition: The list is not empty.
  @inline(__always)
  mutating func removeLast() -> Element {
    assert(count > 0)
    count -= 1
    return unsafe base[count]
  }

  /// Removes all elements after the first `length` and keeps the memory.
  @inline(__always)
  mutating func truncate(to length: Int = 0) {
    assert(length <= count)
    count = length
  }
}
