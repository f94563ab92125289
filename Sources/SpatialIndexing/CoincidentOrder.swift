/// Slots sorted by the ids of their objects, in chunks so that an insertion moves few entries.
///
///     chunk | first entry | expiry bound | tags | entries: (first 16 bytes of the id, slot) ... |
///
/// An entry carries the first bytes of its id, so that a binary search reads a record only where
/// two ids agree in their first 16 bytes.
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

    /// Returns eight bytes as a number that sorts as they do. Bytes past the end of the id count as
    /// 0.
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
    /// A lower bound of the expiry ticks of the entries.
    var earliest: UInt32
    /// A superset of the entries' tag signatures.
    var signature: UInt32
    var entries: [Entry]
  }

  static let chunkLimit = 256
  private(set) var chunks: [Chunk] = []
  private(set) var count = 0

  /// Returns whether an entry comes before `wanted`, the entry of `id`.
  @inline(__always)
  private static func precedes(
    _ a: Entry, _ wanted: Entry, id: UnsafeRawBufferPointer, _ reader: HitReader
  ) -> Bool {
    if a.high != wanted.high { return a.high < wanted.high }
    if a.low != wanted.low { return a.low < wanted.low }
    return unsafe bytesPrecede(reader.identifier(a.slot), id)
  }

  /// Returns where the first entry stands that does not come before an id.
  func position(
    _ id: UnsafeRawBufferPointer, _ reader: HitReader
  ) -> (chunk: Int, entry: Int) {
    let wanted = unsafe Entry(.max, id)
    // The entry is in the last chunk whose first entry comes before the id, or in the first chunk.
    var low = 0
    var high = chunks.count
    while low < high {
      let middle = (low + high) / 2
      if unsafe Self.precedes(chunks[middle].first, wanted, id: id, reader) {
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
      if unsafe Self.precedes(chunks[chunk].entries[middle], wanted, id: id, reader) {
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

  /// Removes a slot.
  ///
  /// - Returns: Whether the slot was in the list.
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

  /// Adds bits to the signature of the chunk that holds a slot.
  ///
  /// - Returns: Whether the slot is in the list.
  mutating func widen(_ slot: UInt32, signature: UInt32, _ reader: HitReader) -> Bool {
    guard let at = find(slot, reader) else { return false }
    chunks[at.chunk].signature |= signature
    return true
  }

  /// Sets the expiry bound of a chunk, whose entries the caller has all looked at.
  mutating func setEarliest(_ chunk: Int, _ tick: UInt32) { chunks[chunk].earliest = tick }
}

/// The points of one unit square, when there are many: grouped by exact coordinates, and sorted by
/// id within a group.
///
/// Many objects at one place are normal (a stadium's address, a default position). All of them are
/// equally far from anywhere, so that the best `limit` are the first by id. Without an order each
/// query would have to look at all of them.
final class CoincidentOrder {
  struct Group {
    /// The exact coordinates that all members share.
    var latitude: Double
    var longitude: Double
    var members = OrderedSlots()
  }

  /// The number of exact coordinates that get a group of their own; all others share ``mixed``.
  private static let groupLimit = 8
  /// Groups of one exact coordinate each.
  fileprivate(set) var groups: [Group] = []
  /// The members of no group, whatever their coordinates.
  fileprivate(set) var mixed = OrderedSlots()

  /// An estimate of the memory taken: chunks are three quarters full on average.
  var bytes: Int { count * MemoryLayout<OrderedSlots.Entry>.stride * 4 / 3 }
  var count: Int { groups.reduce(mixed.count) { $0 + $1.members.count } }

  // Invariant: while `mixed` has members no group is made, so that all members with one coordinate
  // are either in its group or in `mixed`.
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

  /// Removes a slot.
  ///
  /// - Precondition: The slot's coordinates and record are those that it was inserted with.
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

  /// A lower bound of the expiry ticks of all members.
  var earliest: UInt32 {
    var bound = UInt32.max
    for group in groups {
      for chunk in group.members.chunks { bound = min(bound, chunk.earliest) }
    }
    for chunk in mixed.chunks { bound = min(bound, chunk.earliest) }
    return bound
  }

  /// Visits the chunks that may hold an expired object. `body` returns the new expiry bound of the
  /// chunk, or `nil` to end the visit.
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
