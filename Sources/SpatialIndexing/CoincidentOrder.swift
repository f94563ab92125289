/// The slots of one place in the order of their ids: chunks of sorted entries.
///
///     chunk | first id's front | expiry bound | tags | entries: (16 bytes of the id, slot) ... |
///
/// Entries carry the front of their id, so that finding a place reads no record unless two ids
/// agree in their first 16 bytes.
struct OrderedSlots {
  struct Entry: BitwiseCopyable {
    var high: UInt64
    var low: UInt64
    var slot: UInt32

    init(_ slot: UInt32, _ id: UnsafeRawBufferPointer) {
      self.slot = slot
      high = unsafe Self.word(id, at: 0)
      low = unsafe Self.word(id, at: 8)
    }

    /// Eight bytes as a number that orders as they do; missing ones are 0.
    private static func word(_ id: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
      if offset + 8 <= id.count {
        return unsafe UInt64(
          bigEndian: id.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
      var word: UInt64 = 0
      for i in 0..<8 {
        word = unsafe word << 8 | (offset + i < id.count ? UInt64(id[offset + i]) : 0)
      }
      return word
    }
  }

  struct Chunk {
    var first: Entry
    /// At most the smallest expiry tick.
    var earliest: UInt32
    /// At least the union of the tag signatures.
    var signature: UInt32
    var entries: [Entry]
  }

  static let chunkLimit = 256
  private(set) var chunks: [Chunk] = []
  private(set) var count = 0

  /// Whether an entry comes before an id.
  @inline(__always)
  private static func precedes(
    _ a: Entry, _ b: Entry, _ id: UnsafeRawBufferPointer, _ reader: HitReader
  ) -> Bool {
    if a.high != b.high { return a.high < b.high }
    if a.low != b.low { return a.low < b.low }
    return unsafe bytesPrecede(reader.identifier(a.slot), id)
  }

  /// Where the first entry stands that does not come before an id.
  func position(
    _ id: UnsafeRawBufferPointer, _ reader: HitReader
  ) -> (chunk: Int, entry: Int) {
    let wanted = unsafe Entry(.max, id)
    // The last chunk whose first entry comes before the id, or the first chunk.
    var low = 0
    var high = chunks.count
    while low < high {
      let middle = (low + high) / 2
      if unsafe Self.precedes(chunks[middle].first, wanted, id, reader) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    let chunk = max(0, low - 1)
    guard chunk < chunks.count else { return (0, 0) }
    low = 0
    high = chunks[chunk].entries.count
    while low < high {
      let middle = (low + high) / 2
      if unsafe Self.precedes(chunks[chunk].entries[middle], wanted, id, reader) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return (chunk, low)
  }

  mutating func insert(_ slot: UInt32, signature: UInt32, tick: UInt32, _ reader: HitReader) {
    let id = unsafe reader.identifier(slot)
    let entry = unsafe Entry(slot, id)
    count += 1
    guard !chunks.isEmpty else {
      chunks = [Chunk(first: entry, earliest: tick, signature: signature, entries: [entry])]
      return
    }
    let at = unsafe position(id, reader)
    chunks[at.chunk].entries.insert(entry, at: at.entry)
    if at.entry == 0 { chunks[at.chunk].first = entry }
    chunks[at.chunk].earliest = min(chunks[at.chunk].earliest, tick)
    chunks[at.chunk].signature |= signature
    if chunks[at.chunk].entries.count > Self.chunkLimit { split(at.chunk) }
  }

  private mutating func split(_ chunk: Int) {
    let half = chunks[chunk].entries.count / 2
    var sibling = chunks[chunk]
    sibling.entries = Array(chunks[chunk].entries[half...])
    sibling.entries.reserveCapacity(Self.chunkLimit + 1)
    sibling.first = sibling.entries[0]
    chunks[chunk].entries.removeSubrange(half...)
    chunks.insert(sibling, at: chunk + 1)
  }

  /// - Returns: whether it was there.
  mutating func remove(_ slot: UInt32, _ reader: HitReader) -> Bool {
    guard let at = find(slot, reader) else { return false }
    count -= 1
    chunks[at.chunk].entries.remove(at: at.entry)
    if chunks[at.chunk].entries.isEmpty {
      chunks.remove(at: at.chunk)
      return true
    }
    chunks[at.chunk].first = chunks[at.chunk].entries[0]
    let next = at.chunk + 1
    if next < chunks.count,
      chunks[at.chunk].entries.count + chunks[next].entries.count < Self.chunkLimit / 2
    {
      let other = chunks.remove(at: next)
      chunks[at.chunk].entries += other.entries
      chunks[at.chunk].earliest = min(chunks[at.chunk].earliest, other.earliest)
      chunks[at.chunk].signature |= other.signature
    }
    return true
  }

  private func find(_ slot: UInt32, _ reader: HitReader) -> (chunk: Int, entry: Int)? {
    var at = unsafe position(reader.identifier(slot), reader)
    guard at.chunk < chunks.count else { return nil }
    if at.entry == chunks[at.chunk].entries.count { at = (at.chunk + 1, 0) }
    guard at.chunk < chunks.count, chunks[at.chunk].entries[at.entry].slot == slot else {
      return nil
    }
    return at
  }

  /// Adds bits to what the slot's chunk may carry.
  mutating func widen(_ slot: UInt32, signature: UInt32, _ reader: HitReader) -> Bool {
    guard let at = find(slot, reader) else { return false }
    chunks[at.chunk].signature |= signature
    return true
  }

  /// Sets a chunk's expiry bound after all its entries were looked at.
  mutating func setEarliest(_ chunk: Int, _ tick: UInt32) { chunks[chunk].earliest = tick }
}

/// The points of one unit square, when they are many: by exact coordinates, then by id.
///
/// Many objects at one place are normal (a stadium's address, a default position). Their distance
/// from anywhere is the same, so the best `limit` of them are the first by id; without an order
/// each query would look at all.
final class CoincidentOrder {
  struct Group {
    /// Of all members; meaningless for the mixed group.
    var latitude: Double
    var longitude: Double
    var members = OrderedSlots()
  }

  /// More than so many different coordinates in one unit square share the mixed group.
  private static let groupLimit = 8
  /// Groups of one exact coordinate each.
  fileprivate(set) var groups: [Group] = []
  /// Everyone else.
  fileprivate(set) var mixed = OrderedSlots()

  /// Roughly.
  var bytes: Int { count * MemoryLayout<OrderedSlots.Entry>.stride * 4 / 3 }
  var count: Int { groups.reduce(mixed.count) { $0 + $1.members.count } }

  // Invariant: while `mixed` has members no group is made, so that all of one coordinate are either
  // in its group or in `mixed`.
  private func group(_ slot: UInt32, _ reader: HitReader) -> Int? {
    let (latitude, longitude) = unsafe (
      reader.slots[Int(slot)].latitude.bitPattern, reader.slots[Int(slot)].longitude.bitPattern
    )
    return groups.firstIndex {
      $0.latitude.bitPattern == latitude && $0.longitude.bitPattern == longitude
    }
  }

  func insert(_ slot: UInt32, signature: UInt32, tick: UInt32, _ reader: HitReader) {
    if let at = group(slot, reader) {
      groups[at].members.insert(slot, signature: signature, tick: tick, reader)
    } else if mixed.count == 0 && groups.count < Self.groupLimit {
      var group = unsafe Group(
        latitude: reader.slots[Int(slot)].latitude, longitude: reader.slots[Int(slot)].longitude)
      group.members.insert(slot, signature: signature, tick: tick, reader)
      groups.append(group)
    } else {
      mixed.insert(slot, signature: signature, tick: tick, reader)
    }
  }

  /// - Precondition: the slot's coordinates and record are those it was inserted with.
  func remove(_ slot: UInt32, _ reader: HitReader) {
    if let at = group(slot, reader) {
      let wasThere = groups[at].members.remove(slot, reader)
      assert(wasThere)
      if groups[at].members.count == 0 { groups.remove(at: at) }
    } else {
      let wasThere = mixed.remove(slot, reader)
      assert(wasThere)
    }
  }

  func widen(_ slot: UInt32, signature: UInt32, _ reader: HitReader) {
    if let at = group(slot, reader) {
      _ = groups[at].members.widen(slot, signature: signature, reader)
    } else {
      _ = mixed.widen(slot, signature: signature, reader)
    }
  }

  /// At most the smallest expiry tick.
  var earliest: UInt32 {
    var bound = UInt32.max
    for group in groups {
      for chunk in group.members.chunks { bound = min(bound, chunk.earliest) }
    }
    for chunk in mixed.chunks { bound = min(bound, chunk.earliest) }
    return bound
  }

  /// Visits the chunks that may hold something expired; `body` answers a chunk's new bound, `nil`
  /// to stop.
  func forEachChunk(dueAt tick: UInt32, _ body: ([OrderedSlots.Entry]) -> UInt32?) {
    for g in groups.indices {
      for c in groups[g].members.chunks.indices
      where groups[g].members.chunks[c].earliest <= tick {
        guard let bound = body(groups[g].members.chunks[c].entries) else { return }
        groups[g].members.setEarliest(c, bound)
      }
    }
    for c in mixed.chunks.indices where mixed.chunks[c].earliest <= tick {
      guard let bound = body(mixed.chunks[c].entries) else { return }
      mixed.setEarliest(c, bound)
    }
  }
}
