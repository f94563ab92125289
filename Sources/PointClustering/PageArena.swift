import ObjectModel

/// Memory for the larger blocks of one net's tables: blocks of a power of two of 8-byte slots, side
/// by side on huge pages. A released block is handed out again to the next one of its size. Blocks
/// below a page come from the heap.
///
/// `@unchecked Sendable`: it is used by one net, whose owner lets in one thread at a time.
@safe
final class PageArena: @unchecked Sendable {
  /// The slots of a page of 4 KiB.
  static let minimumSlots = 512

  private var memory: ReservedArray<UInt64>
  private var end = 0
  /// The released blocks by the logarithm of their slots.
  private var free: [[UnsafeMutablePointer<UInt64>]] = unsafe Array(repeating: [], count: 34)

  /// Makes an empty arena with address space for `maximumCount` slots in blocks of a page and more,
  /// freed ones included.
  init(maximumCount: Int, in space: AddressSpace) {
    memory = ReservedArray(maximumCount: maximumCount, in: space)
  }

  var allocatedBytes: Int { memory.committedBytes }

  /// Allocates a block of `slots` slots, a power of two, which are not initialised.
  func allocate(slots: Int) -> UnsafeMutablePointer<UInt64> {
    guard slots >= Self.minimumSlots else {
      return unsafe UnsafeMutableRawPointer.allocate(byteCount: slots * 8, alignment: 64)
        .bindMemory(to: UInt64.self, capacity: slots)
    }
    if let block = unsafe free[slots.trailingZeroBitCount].popLast() { return unsafe block }
    let place = end
    end += slots
    memory.ensure(end)
    return unsafe memory.pointer(place)
  }

  func release(_ block: UnsafeMutablePointer<UInt64>, slots: Int) {
    if slots < Self.minimumSlots {
      unsafe block.deallocate()
    } else {
      unsafe free[slots.trailingZeroBitCount].append(block)
    }
  }
}
