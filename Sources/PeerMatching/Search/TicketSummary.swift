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

  init(_ words: PersonWords) {
    bits =
      Self.signature(words.interests, Self.interestBits)
      | Self.signature(words.attributes, Self.attributeBits) << 28
      | words.wishes.reduce(0) { $0 | Self.signature($1, Self.attributeBits) } << 42
      | UInt64(max(0, min(255, (words.stars * 32).rounded(.up)))) << 56
  }

  private static func signature(_ words: some Sequence<UInt64>, _ width: UInt64) -> UInt64 {
    words.reduce(0) { $0 | 1 << (($1 >> 32) * width >> 32) }
  }

  /// What a search asks of a summary.
  struct Filter {
    private let interests: UInt64
    private let firstWish: UInt64
    private let attributes: UInt64
    private let stars: UInt64

    /// - Parameters:
    ///   - tags: Any of them will do; none: any at all.
    ///   - attributes: Of the searcher.
    ///   - wish: Any of its words; nil: all will do.
    ///   - minimumStars: Of the others.
    init(tags: [UInt64], attributes: [UInt64], wish: [UInt64]?, minimumStars: Double) {
      // All bits, and a set that is empty passes by itself: anybody.
      interests =
        tags.isEmpty ? .max : TicketSummary.signature(tags, TicketSummary.interestBits)
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
      let tagged = UInt8(theirs == 0) | UInt8(theirs & interests != 0)
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
