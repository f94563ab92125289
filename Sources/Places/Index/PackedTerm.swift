/// A term in sixteen bytes, so that terms are compared and parted like numbers.
///
/// ```
/// byte   0      1    2    3         15
///        kind   ㅅ   ㅓ   ㅇ   …    0     zero where the text has ended
/// ```
/// Digits, the letters a to z and those of Hangul have bytes of their own; all others share the rest.
/// So two texts may have one term: an index of terms proposes, and ``PlaceQuery`` decides.
enum PackedTerm {
  /// Under what a place is found; the byte before the letters.
  enum Kind: UInt8 {
    /// The name.
    case name = 1
    /// What begins at a word of a name.
    case word
    /// The first word of several, or its initials, and nothing after it.
    case firstWord
    /// The initials of a name.
    case initials
    /// What begins at a later word of them.
    case laterInitials
    /// What begins at a word of the address.
    case address
    /// What begins at the second character of a word of a name.
    case rest
  }

  /// Letters of a term.
  static let length = 15

  static func code(_ letter: UInt16) -> UInt8 {
    switch letter {
    case 0x30...0x39: UInt8(letter - 0x30 + 1)
    case 0x61...0x7A: UInt8(letter - 0x61 + 11)
    case 0x3131...0x3163: UInt8(letter - 0x3131 + 37)
    // 88...255.
    default: UInt8(88 + letter % 168)
    }
  }

  /// Whether a code is that of a digit, of a letter from a to z, or of none.
  static func isPlain(_ code: UInt8) -> Bool { code < 37 }

  /// The first sixteen letters, one a byte, the first in the highest.
  static func letters(_ letters: some Sequence<UInt16>) -> UInt128 {
    var packed: UInt128 = 0
    var shift: UInt128 = 120
    for letter in letters.prefix(length + 1) {
      packed |= UInt128(code(letter)) &<< shift
      // Safe: the last of sixteen letters leaves it at -8, which is not used again.
      shift = shift &- 8
    }
    return packed
  }

  static func pack(_ kind: Kind, _ text: some Sequence<UInt16>) -> UInt128 {
    UInt128(kind.rawValue) &<< 120 | letters(text) &>> 8
  }

  /// The letters of a term, which may be the first of more where there are ``length`` of them.
  static func length(of term: UInt128) -> Int { length - term.trailingZeroBitCount / 8 }

  /// Ones in all bytes after the first `count`, 1...16.
  static func tail(after count: Int) -> UInt128 { count >= 16 ? 0 : UInt128.max &>> (8 * count) }
}

/// Terms that begin alike, or one term alone.
struct PackedTermRange: Hashable, Sendable {
  let first: UInt128
  /// Inclusive.
  let last: UInt128

  /// The terms that begin with some letters, as far as terms go.
  init(_ kind: PackedTerm.Kind, beginning letters: ArraySlice<UInt16>) {
    first = PackedTerm.pack(kind, letters)
    last = first | PackedTerm.tail(after: 1 + min(letters.count, PackedTerm.length))
  }

  /// The term of some letters, without what goes on after them.
  init(_ kind: PackedTerm.Kind, whole letters: ArraySlice<UInt16>) {
    first = PackedTerm.pack(kind, letters)
    last = first
  }
}
