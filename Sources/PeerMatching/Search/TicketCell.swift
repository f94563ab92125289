/// The people of one cell: a segment of an arena, two words a person.
///
/// ```
/// | summary 0 | where person 0's words begin | summary 1 | … |
/// ```
/// Rows 0..<count are used. The last row takes the place of one that leaves; whoever keeps places
/// is told.
struct TicketCell: Sendable {
  /// Of one person.
  static let rowWords = 2
  /// Room for eight rows.
  private static let minimumWords = 16

  private(set) var segment: WordArena.Segment
  private(set) var count = 0

  init(in arena: inout WordArena) { segment = arena.allocate(atLeast: Self.minimumWords) }

  /// Rows there is room for.
  @inline(__always)
  var capacity: Int { segment.capacity / Self.rowWords }

  /// Where a row's words begin.
  @inline(__always)
  func place(_ row: Int) -> Int { segment.start + row * Self.rowWords }

  /// - Returns: The row's place.
  /// - Complexity: O(1) amortised.
  mutating func append(_ summary: TicketSummary, person: Int, in arena: inout WordArena) -> Int {
    if count == capacity { resize(to: 2 * segment.capacity, in: &arena) }
    arena[place(count)] = summary.bits
    arena[place(count) + 1] = UInt64(person)
    count += 1
    return count - 1
  }

  /// Takes a row out. - Returns: Where the words of the person begin who took its place, if
  /// somebody did.
  /// - Complexity: O(1) amortised.
  mutating func remove(_ row: Int, in arena: inout WordArena) -> Int? {
    count -= 1
    var moved: Int?
    if row < count {
      arena.copy(place(count), to: place(row), count: Self.rowWords)
      moved = Int(arena[place(row) + 1])
    }
    if segment.capacity > Self.minimumWords, count <= capacity / 4 {
      resize(to: segment.capacity / 2, in: &arena)
    }
    return moved
  }

  /// Gives its segment back. - Precondition: empty.
  func end(in arena: inout WordArena) {
    assert(count == 0)
    arena.release(segment)
  }

  private mutating func resize(to words: Int, in arena: inout WordArena) {
    let old = self
    segment = arena.allocate(atLeast: words)
    arena.copy(old.place(0), to: place(0), count: count * Self.rowWords)
    arena.release(old.segment)
  }
}
