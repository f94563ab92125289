/// All that a search reads of one person, as words that lie together: what nearly every look needs
/// is a cache line, and what filters need most often is the next one.
///
/// ```
/// | heard of | over at | stars | number | counts | blocked, slot | latitude | longitude |
/// | interests … | attributes … | wish: count, words … | … | blocked, ascending … | id: bytes, … |
/// ```
/// Nothing in it is counted by reference.
struct PersonWords {
  var lastSeen: Int64
  var expiresAt: Int64
  /// Stars on average; below 0: unrated.
  var stars: Double
  /// See ``TicketIndex/number(of:)``.
  var number: UInt64
  var slot: Int
  /// Where others see them.
  var latitude: Double
  var longitude: Double
  var interests: [UInt64]
  var attributes: [UInt64]
  /// Any of each list.
  var wishes: [[UInt64]]
  var blocked: [UInt64]
  var userID: String

  /// The words that everyone has, in their order.
  enum Field: Int, CaseIterable {
    case lastSeen, expiresAt, stars, number
    /// Interests: 20 bits, attributes: 20, wishes: 24.
    case counts
    /// People who are blocked: 32 bits, slot: 32.
    case blockedAndSlot
    case latitude, longitude
  }

  static let headerCount = Field.allCases.count

  /// How many words ``write(to:at:)`` writes.
  var count: Int {
    Self.headerCount + interests.count + attributes.count + blocked.count
      + wishes.reduce(0) { $0 + 1 + $1.count } + 1 + (userID.utf8.count + 7) / 8
  }

  func write(to arena: inout WordArena, at start: Int) {
    precondition(
      max(interests.count, attributes.count) < 1 << 20 && wishes.count < 1 << 24,
      "more words than a person may have")
    var place = start
    func put(_ word: UInt64, _ arena: inout WordArena) {
      arena[place] = word
      place += 1
    }
    put(UInt64(bitPattern: lastSeen), &arena)
    put(UInt64(bitPattern: expiresAt), &arena)
    put(stars.bitPattern, &arena)
    put(number, &arena)
    put(
      UInt64(interests.count) << 44 | UInt64(attributes.count) << 24 | UInt64(wishes.count), &arena)
    put(UInt64(blocked.count) << 32 | UInt64(UInt32(slot)), &arena)
    put(latitude.bitPattern, &arena)
    put(longitude.bitPattern, &arena)
    for word in interests { put(word, &arena) }
    for word in attributes { put(word, &arena) }
    for wish in wishes {
      put(UInt64(wish.count), &arena)
      for word in wish { put(word, &arena) }
    }
    for word in blocked.sorted() { put(word, &arena) }
    let id = userID.utf8
    put(UInt64(id.count), &arena)
    var word: UInt64 = 0
    for (i, byte) in id.enumerated() {
      word |= UInt64(byte) << UInt64(56 - i % 8 * 8)
      if i % 8 == 7 || i + 1 == id.count {
        put(word, &arena)
        word = 0
      }
    }
  }

  /// A person by where their words begin.
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
    @inline(__always) var slot: Int { Int(self[.blockedAndSlot] & 0xFFFF_FFFF) }
    @inline(__always) var latitude: Double { Double(bitPattern: self[.latitude]) }
    @inline(__always) var longitude: Double { Double(bitPattern: self[.longitude]) }
    @inline(__always) var hasBlocks: Bool { self[.blockedAndSlot] >> 32 != 0 }
    @inline(__always) private var wishCount: Int { Int(self[.counts] & 0xFF_FFFF) }

    @inline(__always) var interests: Range<Int> {
      let first = start + headerCount
      return first..<first + Int(self[.counts] >> 44)
    }

    @inline(__always) var attributes: Range<Int> {
      let first = interests.upperBound
      return first..<first + Int(self[.counts] >> 24 & 0xF_FFFF)
    }

    /// Whether each wish has a word among some of another view.
    @inline(__always)
    func isEachWish(metBy range: Range<Int>, of other: WordView) -> Bool {
      var first = attributes.upperBound
      for _ in 0..<wishCount {
        let end = first + 1 + Int(words[first])
        guard words.hasAny(in: first + 1..<end, of: range, other) else { return false }
        first = end
      }
      return true
    }

    /// Whether the person has blocked another.
    func blocks(_ number: UInt64) -> Bool { words.isSorted(blocked, holding: number) }

    private var blocked: Range<Int> {
      var first = attributes.upperBound
      for _ in 0..<wishCount { first += 1 + Int(words[first]) }
      return first..<first + Int(self[.blockedAndSlot] >> 32)
    }

    /// Whether the id's UTF-8 comes before that of another person.
    func precedes(_ other: Reader) -> Bool {
      let own = blocked.upperBound
      let theirs = other.blocked.upperBound
      let ownBytes = words[own]
      let theirBytes = other.words[theirs]
      for i in 0..<Int((min(ownBytes, theirBytes) + 7) / 8) {
        let left = words[own + 1 + i]
        let right = other.words[theirs + 1 + i]
        if left != right { return left < right }
      }
      return ownBytes < theirBytes
    }
  }
}
