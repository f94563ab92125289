import ObjectModel

/// Records addressed by 32-bit numbers, in memory that never moves.
///
///     base ──► [ record 0 | record 1 | … | record end - 1 ]     reserved address space behind
///
/// Growing never copies a record. The numbers of freed records are used again, the last freed
/// first.
struct RecordPool<Element: BitwiseCopyable>: ~Copyable, Sendable {
  private var memory: ReservedArray<Element>
  /// The number of records that were ever handed out.
  private(set) var end: UInt32 = 0
  private var free: [UInt32] = []

  /// Makes an empty pool with address space for `maximumCount` records.
  init(maximumCount: Int, in space: AddressSpace) {
    memory = ReservedArray(maximumCount: maximumCount, in: space)
  }

  var liveCount: Int { Int(end) - free.count }
  var allocatedBytes: Int { memory.committedBytes + free.capacity * 4 }

  /// Accesses a record.
  ///
  /// - Precondition: `index` was handed out.
  @inline(__always)
  subscript(index: UInt32) -> Element {
    unsafeAddress {
      assert(index < end)
      return unsafe UnsafePointer(memory.pointer(Int(index)))
    }
    nonmutating unsafeMutableAddress {
      assert(index < end)
      return unsafe memory.pointer(Int(index))
    }
  }

  /// Stores `value` in a free record and returns the record's number.
  @inline(__always)
  mutating func insert(_ value: Element) -> UInt32 {
    let index: UInt32
    if let last = free.popLast() {
      index = last
    } else {
      index = end
      end += 1
      memory.ensure(Int(end))
    }
    unsafe memory.pointer(Int(index)).initialize(to: value)
    return index
  }

  mutating func remove(_ index: UInt32) { free.append(index) }

  /// Makes `index` usable in a pool that has a record for each of another pool.
  mutating func cover(_ index: UInt32, default value: Element) {
    while end <= index {
      memory.ensure(Int(end) + 1)
      unsafe memory.pointer(Int(end)).initialize(to: value)
      end += 1
    }
  }
}
