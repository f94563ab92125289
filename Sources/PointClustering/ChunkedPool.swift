/// Records addressed by 32-bit numbers, in chunks that never move.
///
///     chunks ──► [ chunk 0 | chunk 1 | … ]      chunk: `1 << shift` records, from malloc
///
/// Growing never copies a record and never holds a caller up for more than one chunk. Numbers of
/// freed records are handed out again, last freed first.
///
/// Sendable because it alone owns its memory.
@safe
struct ChunkedPool<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  private var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
  private var chunkCount = 0
  private var chunkCapacity = 16
  private let shift: UInt32
  private let mask: UInt32
  /// Records ever handed out.
  private(set) var end: UInt32 = 0
  private var free: [UInt32] = []

  init(chunkShift: UInt32 = 12) {
    shift = chunkShift
    mask = 1 << chunkShift - 1
    unsafe chunks = .allocate(capacity: chunkCapacity)
  }

  deinit {
    for i in 0..<chunkCount { unsafe chunks[i].deallocate() }
    unsafe chunks.deallocate()
  }

  var liveCount: Int { Int(end) - free.count }
  var allocatedBytes: Int {
    chunkCount << Int(shift) * MemoryLayout<Element>.stride + free.capacity * 4 + chunkCapacity * 8
  }

  /// - Precondition: `index` was handed out.
  @inline(__always)
  subscript(index: UInt32) -> Element {
    _read {
      assert(index < end)
      yield unsafe chunks[Int(index >> shift)][Int(index & mask)]
    }
    nonmutating _modify {
      assert(index < end)
      yield &(unsafe chunks[Int(index >> shift)] + Int(index & mask)).pointee
    }
  }

  /// A record holding `value`.
  @inline(__always)
  mutating func insert(_ value: Element) -> UInt32 {
    let index: UInt32
    if let last = free.popLast() {
      index = last
    } else {
      index = end
      grow(toHold: end)
      end += 1
    }
    unsafe (chunks[Int(index >> shift)] + Int(index & mask)).initialize(to: value)
    return index
  }

  mutating func remove(_ index: UInt32) { free.append(index) }

  /// Makes `index` usable in a pool that runs parallel to another.
  mutating func cover(_ index: UInt32, default value: Element) {
    while end <= index {
      grow(toHold: end)
      unsafe (chunks[Int(end >> shift)] + Int(end & mask)).initialize(to: value)
      end += 1
    }
  }

  private mutating func grow(toHold index: UInt32) {
    guard Int(index >> shift) >= chunkCount else { return }
    if chunkCount == chunkCapacity {
      let larger = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(
        capacity: chunkCapacity * 2)
      unsafe larger.update(from: chunks, count: chunkCount)
      unsafe chunks.deallocate()
      unsafe chunks = larger
      chunkCapacity *= 2
    }
    unsafe (chunks + chunkCount).initialize(to: cacheAligned(1 << Int(shift)))
    chunkCount += 1
  }
}

/// Memory that starts at a cache line, so that records of 64 bytes never straddle two.
@inline(__always)
func cacheAligned<Element>(_ count: Int) -> UnsafeMutablePointer<Element> {
  unsafe UnsafeMutableRawPointer.allocate(
    byteCount: count * MemoryLayout<Element>.stride, alignment: 64
  ).bindMemory(to: Element.self, capacity: count)
}
