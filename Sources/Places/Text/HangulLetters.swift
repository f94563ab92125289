/// Hangul as the letters it is typed with: 서울역 is ㅅㅓㅇㅜㄹㅇㅕㄱ.
///
/// Letters are those of the compatibility block (U+3131...U+3163), as keyboards give them when one
/// stands alone. Vowels and finals that are typed as two letters are two: ㅘ is ㅗㅏ, ㄺ is ㄹㄱ; so
/// a text begins with whatever was typed of it, half a syllable included. Doubled consonants are
/// one key and one letter.
///
/// Source: The Unicode Standard 15, section 3.12, for the order of the conjoining letters.
enum HangulLetters {
  /// What a scalar of a decomposed text (NFD) is.
  enum Role: Hashable {
    /// Begins a syllable.
    case initial
    /// The rest of a syllable.
    case inner
    /// Letters that stand alone, as keyboards give them.
    case loneConsonant, loneVowel
  }

  /// The letters of a scalar and what they are; nil: not Hangul.
  ///
  /// - Parameter scalar: A conjoining or compatibility letter. Composed syllables are decomposed
  ///   before, and answer nil.
  /// - Returns: At least one letter, and what they are to their syllable.
  static func letters(of scalar: Unicode.Scalar) -> (letters: [UInt16], role: Role)? {
    switch scalar.value {
    case 0x1100...0x1112: (initials[Int(scalar.value - 0x1100)], .initial)
    case 0x1161...0x1175: (split(0x314F + UInt16(scalar.value - 0x1161)), .inner)
    case 0x11A8...0x11C2: (finals[Int(scalar.value - 0x11A8)], .inner)
    case 0x3131...0x314E: (split(UInt16(scalar.value)), .loneConsonant)
    case 0x314F...0x3163: (split(UInt16(scalar.value)), .loneVowel)
    default: nil
    }
  }

  /// The conjoining letters of a composed syllable, U+AC00...U+D7A3, without the final that many lack.
  static func conjoining(of syllable: UInt32) -> (initial: UInt32, vowel: UInt32, final: UInt32?) {
    let index = syllable - 0xAC00
    let final = index % 28
    return (
      0x1100 + index / 588, 0x1161 + index % 588 / 28, final == 0 ? nil : 0x11A7 + final
    )
  }

  private static let initials = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ".utf16.map { [$0] }
  private static let finals = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ".utf16.map { split($0) }

  /// The letters that one of the compatibility block is typed with.
  private static func split(_ letter: UInt16) -> [UInt16] { parts[Int(letter - 0x3131)] }

  /// By letter from U+3131 on.
  private static let parts: [[UInt16]] = {
    var parts = (UInt16(0x3131)...0x3163).map { [$0] }
    for word in [
      "ㄳㄱㅅ", "ㄵㄴㅈ", "ㄶㄴㅎ", "ㄺㄹㄱ", "ㄻㄹㅁ", "ㄼㄹㅂ", "ㄽㄹㅅ", "ㄾㄹㅌ", "ㄿㄹㅍ", "ㅀㄹㅎ", "ㅄㅂㅅ",
      "ㅘㅗㅏ", "ㅙㅗㅐ", "ㅚㅗㅣ", "ㅝㅜㅓ", "ㅞㅜㅔ", "ㅟㅜㅣ", "ㅢㅡㅣ",
    ] {
      let letters = Array(word.utf16)
      parts[Int(letters[0] - 0x3131)] = Array(letters[1...])
    }
    return parts
  }()
}
