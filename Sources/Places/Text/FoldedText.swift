import ObjectModel

/// A name or a query without what does not count: case, marks, spaces, signs, and whether Hangul is
/// composed.
///
/// ```
/// "Seoul 서울역"   letters            s e o u l ㅅ ㅓ ㅇ ㅜ ㄹ ㅇ ㅕ ㄱ
///                  characterStarts    0 1 2 3 4 5     7     10
///                  wordStarts         0         5
///                  initials           s e o u l ㅅ    ㅇ    ㅇ
///                  initialWordStarts  0         5
/// ```
/// Letters are UTF-16 code units; Hangul stands as ``HangulLetters``.
struct FoldedText: Hashable, Sendable {
  /// What follows the 96th letter of a text is not looked at, nor the words after the 12th.
  static let maximumLetters = 96
  static let maximumWords = 12

  private(set) var letters: [UInt16] = []
  /// Where each character begins: a syllable, or a letter of another script.
  private(set) var characterStarts: [Int] = []
  private(set) var wordStarts: [Int] = []
  /// The first letter of each character.
  private(set) var initials: [UInt16] = []
  private(set) var initialWordStarts: [Int] = []
  private var hasLoneConsonant = false
  private var hasVowel = false

  var isEmpty: Bool { letters.isEmpty }

  /// Whether it is typed as initial consonants: with at least one, and no syllable or vowel.
  var isInitials: Bool { hasLoneConsonant && !hasVowel }

  /// The letters from the start of a word to that of the next one.
  func word(_ index: Int) -> ArraySlice<UInt16> {
    let end = index + 1 < wordStarts.count ? wordStarts[index + 1] : letters.count
    return letters[wordStarts[index]..<end]
  }

  var initialsOfFirstWord: ArraySlice<UInt16> {
    initials[..<(initialWordStarts.count > 1 ? initialWordStarts[1] : initials.count)]
  }

  /// The letters of a character.
  func character(_ index: Int) -> ArraySlice<UInt16> {
    letters[characterStarts[index]..<characterEnd(index)]
  }

  /// Where the letters of a character end.
  func characterEnd(_ index: Int) -> Int {
    index + 1 < characterStarts.count ? characterStarts[index + 1] : letters.count
  }

  /// Folds a text.
  ///
  /// - Complexity: O(length of the text); only its beginning is kept.
  init(_ text: String) {
    var beginsWord = true
    let beginning = Self.beginning(of: text)
    if beginning.unicodeScalars.allSatisfy(Self.isOrdinary) {
      for scalar in beginning.unicodeScalars {
        guard appendOrdinary(scalar, &beginsWord) else { return }
      }
    } else {
      for scalar in CanonicalText.decompose(beginning.lowercased()).unicodeScalars {
        guard append(scalar, &beginsWord) else { return }
      }
    }
  }

  /// Whether a scalar is one of ASCII or a composed syllable, as those of most names are: they are
  /// folded without the tables of Unicode.
  private static func isOrdinary(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x80 || (0xAC00...0xD7A3).contains(scalar.value)
  }

  /// - Returns: Whether there is room for more.
  private mutating func appendOrdinary(_ scalar: Unicode.Scalar, _ beginsWord: inout Bool) -> Bool {
    if scalar.value < 0x80 {
      let isUppercase = (0x41...0x5A).contains(scalar.value)
      return append(
        isUppercase ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar, &beginsWord)
    }
    let (initial, vowel, final) = HangulLetters.conjoining(of: scalar.value)
    for value in [initial, vowel, final] {
      guard let value, let letter = Unicode.Scalar(value) else { continue }
      guard append(letter, &beginsWord) else { return false }
    }
    return true
  }

  /// Appends what counts of a scalar of a decomposed text in lower case.
  ///
  /// - Returns: Whether there is room for more.
  private mutating func append(_ scalar: Unicode.Scalar, _ beginsWord: inout Bool) -> Bool {
    guard letters.count < Self.maximumLetters else { return false }
    if let (hangul, role) = HangulLetters.letters(of: scalar) {
      append(hangul, role, &beginsWord)
    } else if let letter = Self.plain(scalar) {
      appendPlain(letter, &beginsWord)
    } else if !Self.isIgnored(scalar) {
      beginsWord = true
    }
    if wordStarts.count > Self.maximumWords {
      dropLastWord()
      return false
    }
    return true
  }

  /// Enough of a text for all letters that are kept, however it is spelled.
  private static func beginning(of text: String) -> String {
    guard text.utf8.count > 2048 else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(1024)))
  }

  private mutating func append(
    _ hangul: [UInt16], _ role: HangulLetters.Role, _ beginsWord: inout Bool
  ) {
    switch role {
    case .initial:
      begin(hangul[0], &beginsWord)
      letters += hangul
      hasVowel = true
    case .inner:
      // One without its initial begins a character of its own.
      if beginsWord || characterStarts.isEmpty { begin(hangul[0], &beginsWord) }
      letters += hangul
      hasVowel = true
    case .loneConsonant, .loneVowel:
      for letter in hangul {
        begin(letter, &beginsWord)
        letters.append(letter)
      }
      if role == .loneConsonant { hasLoneConsonant = true } else { hasVowel = true }
    }
  }

  private mutating func appendPlain(_ scalar: Unicode.Scalar, _ beginsWord: inout Bool) {
    let units = Array(String(scalar).utf16)
    begin(units[0], &beginsWord)
    letters += units
  }

  /// Notes that a character begins with the next letter.
  private mutating func begin(_ initial: UInt16, _ beginsWord: inout Bool) {
    if beginsWord {
      wordStarts.append(letters.count)
      initialWordStarts.append(initials.count)
    }
    beginsWord = false
    characterStarts.append(letters.count)
    initials.append(initial)
  }

  private mutating func dropLastWord() {
    guard let start = wordStarts.popLast(), let initial = initialWordStarts.popLast() else {
      return
    }
    letters.removeSubrange(start...)
    characterStarts.removeAll { $0 >= start }
    initials.removeSubrange(initial...)
  }

  /// A letter or digit as it is compared; full-width forms are those of ASCII.
  private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x30...0x39, 0x61...0x7A: return scalar
    case 0..<0x80: return nil
    case 0xFF10...0xFF19, 0xFF41...0xFF5A: return Unicode.Scalar(scalar.value - 0xFEE0)
    default: break
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber:
      return scalar
    default: return nil
    }
  }

  /// What neither counts nor parts words: marks above letters, apostrophes, joiners.
  private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x27, 0x2019, 0x200B...0x200D, 0xFEFF: return true
    case 0..<0x80: return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return false
    }
  }
}
