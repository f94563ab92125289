import GeoMath
import PositionProtection

/// What a search reads of somebody whom their ``TicketSummary`` does not rule out: eight words, as
/// many as a cache line has.
struct TicketRow {
  var summary: TicketSummary
  var lastSeen: Int64
  var expiresAt: Int64
  /// Stars on average; below 0: unrated.
  var stars: Double
  /// See ``TicketIndex/number(of:)``.
  var number: UInt64
  /// Where their ``PersonWords`` begin.
  var person: Int
  var hasBlocks: Bool
  var slot: Int
  /// Where others see them.
  var latitude: Double
  var longitude: Double

  /// The words of a row, in their order.
  enum Field: Int, CaseIterable {
    case lastSeen, expiresAt, stars, number
    /// Twice its place, and one more with blocks.
    case person
    case slot, latitude, longitude
  }

  static let wordCount = Field.allCases.count

  var words: [UInt64] {
    [
      UInt64(bitPattern: lastSeen), UInt64(bitPattern: expiresAt), stars.bitPattern, number,
      UInt64(person) << 1 | (hasBlocks ? 1 : 0), UInt64(slot), latitude.bitPattern,
      longitude.bitPattern,
    ]
  }

  /// A row by where its words begin.
  struct Reader {
    let words: WordView
    let start: Int

    @inline(__always)
    init(_ words: WordView, _ start: Int) {
      self.words = words
      self.start = start
    }

    @inline(__always)
    subscript(field: Field) -> UInt64 { words[start + field.rawValue] }

    @inline(__always) var lastSeen: Int64 { Int64(bitPattern: self[.lastSeen]) }
    @inline(__always) var expiresAt: Int64 { Int64(bitPattern: self[.expiresAt]) }
    @inline(__always) var stars: Double { Double(bitPattern: self[.stars]) }
    @inline(__always) var number: UInt64 { self[.number] }
    @inline(__always) var person: Int { Int(self[.person] >> 1) }
    @inline(__always) var hasBlocks: Bool { self[.person] & 1 != 0 }
    @inline(__always) var slot: Int { Int(self[.slot]) }
    @inline(__always) var latitude: Double { Double(bitPattern: self[.latitude]) }
    @inline(__always) var longitude: Double { Double(bitPattern: self[.longitude]) }
  }
}

/// What rules most people out by one word: signatures of what they have and seek, and their stars.
///
/// ```
/// | stars, in 32nds, rounded up: 8 | wishes: 14 | attributes: 14 | interests: 28 |
/// ```
/// A signature has a bit for each word of its set, so a bit in common says that a word may be in
/// common. Whoever passes is looked at exactly.
struct TicketSummary: Equatable {
  let bits: UInt64

  private static let interestBits: UInt64 = 28
  private static let attributeBits: UInt64 = 14

  init(_ words: PersonWords, stars: Double) {
    bits =
      Self.signature(words.interests, Self.interestBits)
      | Self.signature(words.attributes, Self.attributeBits) << 28
      | words.wishes.reduce(0) { $0 | Self.signature($1, Self.attributeBits) } << 42
      | UInt64(max(0, min(255, (stars * 32).rounded(.up)))) << 56
  }

  private static func signature(_ words: some Sequence<UInt64>, _ width: UInt64) -> UInt64 {
    words.reduce(0) { $0 | 1 << (($1 >> 32) * width >> 32) }
  }

  /// What a search asks of a summary.
  struct Filter {
    private let interests: UInt64
    private let isForAnyInterest: Bool
    private let firstWish: UInt64
    private let attributes: UInt64
    private let stars: UInt64

    /// - Parameters:
    ///   - tags: Any of them will do; none: any at all.
    ///   - attributes: Of the searcher.
    ///   - wish: Any of its words; nil: all will do.
    ///   - minimumStars: Of the others.
    init(tags: [UInt64], attributes: [UInt64], wish: [UInt64]?, minimumStars: Double) {
      interests = TicketSummary.signature(tags, TicketSummary.interestBits)
      isForAnyInterest = tags.isEmpty
      self.attributes = TicketSummary.signature(attributes, TicketSummary.attributeBits) << 42
      firstWish =
        wish.map { TicketSummary.signature($0, TicketSummary.attributeBits) << 28 } ?? .max
      stars = UInt64(max(0, min(255, (minimumStars * 32).rounded(.down))))
    }

    /// Whether somebody may match. Without a branch: which rule fails cannot be foretold.
    @inline(__always)
    func admits(_ bits: UInt64) -> Bool {
      let theirs = bits & 0xFFF_FFFF
      let wishes = bits & (0x3FFF << 42)
      let tagged = UInt8(isForAnyInterest) | UInt8(theirs == 0) | UInt8(theirs & interests != 0)
      let wanted = UInt8(firstWish == .max) | UInt8(bits & firstWish != 0)
      let wantedByThem = UInt8(wishes == 0) | UInt8(wishes & attributes != 0)
      return tagged & wanted & wantedByThem & UInt8(bits >> 56 >= stars) != 0
    }
  }
}

extension UInt8 {
  @inline(__always)
  fileprivate init(_ condition: Bool) { self = condition ? 1 : 0 }
}

/// The people of one cell: a segment of an arena.
///
/// ```
/// | row 0 | row 1 | … | row capacity - 1 | summary 0 | summary 1 | … |
/// ```
/// Rows 0..<count are used. The last row takes the place of one that leaves; whoever keeps places
/// is told.
struct TicketCell: Sendable {
  private(set) var segment: WordArena.Segment
  private(set) var count = 0
  /// Where everyone in it stands, if the index is protected.
  let origin: DistanceOrigin

  /// Room for seven rows.
  private static let minimumWords = 64

  init(at point: Coordinate, in arena: inout WordArena) {
    origin = DistanceOrigin(point)
    segment = arena.allocate(atLeast: Self.minimumWords)
  }

  /// Rows there is room for.
  @inline(__always)
  var capacity: Int { segment.capacity / (TicketRow.wordCount + 1) }

  /// Where a row's words begin.
  @inline(__always)
  func place(_ row: Int) -> Int { segment.start + row * TicketRow.wordCount }

  /// Where the first row's summary is; those of the others follow.
  @inline(__always)
  var summaries: Int { segment.start + capacity * TicketRow.wordCount }

  /// - Returns: The row's place.
  /// - Complexity: O(1) amortised.
  mutating func append(_ row: TicketRow, in arena: inout WordArena) -> Int {
    if count == capacity { resize(to: 2 * segment.capacity, in: &arena) }
    for (i, word) in row.words.enumerated() { arena[place(count) + i] = word }
    arena[summaries + count] = row.summary.bits
    count += 1
    return count - 1
  }

  /// Takes a row out. - Returns: The slot of the row that took its place, if one did.
  /// - Complexity: O(1) amortised.
  mutating func remove(_ row: Int, in arena: inout WordArena) -> Int? {
    count -= 1
    var moved: Int?
    if row < count {
      arena.copy(place(count), to: place(row), count: TicketRow.wordCount)
      arena[summaries + row] = arena[summaries + count]
      moved = Int(arena[place(row) + TicketRow.Field.slot.rawValue])
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
    arena.copy(old.place(0), to: place(0), count: count * TicketRow.wordCount)
    arena.copy(old.summaries, to: summaries, count: count)
    arena.release(old.segment)
  }
}
