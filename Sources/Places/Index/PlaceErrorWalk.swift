/// A text with one error, as terms are looked through for it.
struct PlaceTermError: Sendable {
  let kind: PackedTerm.Kind
  /// As they were typed, the error among them.
  let letters: [UInt16]
  /// Where the characters begin that may be wrong as a whole; empty: none.
  let characterStarts: [Int]
  /// Whether only terms of which nothing is left after the text are wanted.
  let isWhole: Bool
  let packed: UInt128
  /// Whether each letter is a character: one of a to z, or a digit.
  let isPlain: Bool

  init(
    _ kind: PackedTerm.Kind, _ letters: ArraySlice<UInt16>, characterStarts: [Int] = [],
    isWhole: Bool = false
  ) {
    self.kind = kind
    self.letters = Array(letters)
    self.characterStarts = characterStarts
    self.isWhole = isWhole
    packed = PackedTerm.letters(letters)
    isPlain = letters.allSatisfy { PackedTerm.isPlain(PackedTerm.code($0)) }
  }

  /// Whether a term that begins with the text but for an error may be as long as it is wanted: one
  /// letter more or less than the text, as far as terms go.
  func admits(_ term: UInt128) -> Bool {
    guard isWhole else { return true }
    let length = PackedTerm.length(of: term)
    return length == PackedTerm.length || abs(length - letters.count) <= 1
  }
}

/// Finds the terms of a run that begin with a text but for one error, letter by letter.
///
/// ```
/// ㅅ ㅓ ㅇ ㅡ ㄹ      terms that begin with ㅅㅓㅇ, and then
///                     with ㄹ: one letter too many
///                     with ㄹㅡ: two exchanged
///                     with any letter and ㄹ: another letter;  with any letter and ㅡㄹ: one missing
/// ```
/// At each letter the terms that fit so far are a part of the run; the letters with which they go on
/// are found by jumping from one to the next. A wrong character, which may be several letters, is
/// looked for among the terms that begin with the first one; a wrong first one by what comes after.
///
/// - Complexity: O(letters x alphabet x log terms), and O(terms that begin with the first character),
///   of which at most ``maximumScanned`` are looked at.
struct PlaceErrorWalk {
  /// Of the terms that begin with the first character, as many are looked at for a wrong one.
  static let maximumScanned = 16_384
  /// Letters of the longest character.
  private static let longestCharacter = 5

  let run: PlaceTermIndex.Run
  let error: PlaceTermError
  private(set) var found: [Range<Int>] = []
  private(set) var termsVisited = 0

  init(run: PlaceTermIndex.Run, error: PlaceTermError) {
    self.run = run
    self.error = error
  }

  mutating func findAll() {
    findWrongLetter()
    let starts = error.characterStarts
    guard starts.count >= OneEdit.fewestLetters else { return }
    findCharacterTooManyOrExchanged()
    let all = run.terms.indices
    // A first character that is another one or missing.
    look(PackedTermRange(.rest, beginning: error.letters[starts[1]...]), in: all)
    look(PackedTermRange(.rest, beginning: error.letters[...]), in: all)
    scanForWrongCharacter()
  }

  // MARK: - Letters

  private mutating func findWrongLetter() {
    let count = min(error.letters.count, PackedTerm.length)
    var prefix = UInt128(error.kind.rawValue) &<< 120
    var exact = positions(prefix, bytes: 1, in: run.terms.indices)
    for i in 0..<count {
      guard !exact.isEmpty else { return }
      look(prefix, letters: i, continuedFrom: i + 1, in: exact)
      if i + 1 < error.letters.count, i + 1 < PackedTerm.length {
        let exchanged =
          prefix | byte(error.letters[i + 1], at: i) | byte(error.letters[i], at: i + 1)
        look(exchanged, letters: i + 2, continuedFrom: i + 2, in: exact)
      }
      let next = PackedTerm.code(error.letters[i])
      var at = exact.lowerBound
      while at < exact.upperBound {
        let code = UInt8(truncatingIfNeeded: run.terms[at] &>> UInt128(112 - 8 * i))
        let child = prefix | UInt128(code) &<< UInt128(112 - 8 * i)
        let part = positions(child, bytes: i + 2, in: at..<exact.upperBound)
        if code != next, code != 0 {
          look(child, letters: i + 1, continuedFrom: i + 1, in: part)
          look(child, letters: i + 1, continuedFrom: i, in: part)
        }
        termsVisited += 1
        at = max(part.upperBound, at + 1)
      }
      prefix |= byte(error.letters[i], at: i)
      exact = positions(prefix, bytes: i + 2, in: exact)
    }
    // The error may follow what a term keeps.
    if error.letters.count >= PackedTerm.length, !exact.isEmpty { found.append(exact) }
  }

  private func byte(_ letter: UInt16, at position: Int) -> UInt128 {
    UInt128(PackedTerm.code(letter)) &<< UInt128(112 - 8 * position)
  }

  /// Where the terms stand that begin with some bytes.
  private func positions(_ prefix: UInt128, bytes: Int, in part: Range<Int>) -> Range<Int> {
    run.positions(from: prefix, through: prefix | PackedTerm.tail(after: bytes), in: part)
  }

  /// Takes the terms that begin with a prefix of some letters and go on like the text from one of its
  /// letters on.
  private mutating func look(
    _ prefix: UInt128, letters: Int, continuedFrom next: Int, in part: Range<Int>
  ) {
    guard !part.isEmpty else { return }
    let room = PackedTerm.length - letters
    let known = max(0, min(error.letters.count, PackedTerm.length + 1) - next)
    let term = prefix | (error.packed << (8 * next)) >> (8 * (letters + 1))
    let bytes = 1 + letters + min(room, known)
    let fitting = positions(term, bytes: bytes, in: part)
    if !fitting.isEmpty { found.append(fitting) }
  }

  private mutating func look(_ range: PackedTermRange, in part: Range<Int>) {
    let fitting = run.positions(from: range.first, through: range.last, in: part)
    if !fitting.isEmpty { found.append(fitting) }
  }

  // MARK: - Characters

  private func character(_ i: Int) -> ArraySlice<UInt16> {
    let starts = error.characterStarts
    return error.letters[starts[i]..<(i + 1 < starts.count ? starts[i + 1] : error.letters.count)]
  }

  private mutating func findCharacterTooManyOrExchanged() {
    let starts = error.characterStarts
    for i in starts.indices.prefix(PackedTerm.length) {
      let before = error.letters[..<starts[i]]
      let own = character(i)
      let after = error.letters[own.endIndex...]
      look(PackedTermRange(error.kind, beginning: (before + after)[...]), in: run.terms.indices)
      guard i + 1 < starts.count else { continue }
      let next = character(i + 1)
      let rest = error.letters[next.endIndex...]
      look(
        PackedTermRange(error.kind, beginning: (before + next + own + rest)[...]),
        in: run.terms.indices)
    }
  }

  private mutating func scanForWrongCharacter() {
    let range = PackedTermRange(error.kind, beginning: error.letters[..<error.characterStarts[1]])
    let part = run.positions(from: range.first, through: range.last, in: run.terms.indices)
      .prefix(Self.maximumScanned)
    termsVisited += part.count
    for at in part where mayHaveWrongCharacter(run.terms[at] << 8) { found.append(at..<at + 1) }
  }

  /// Whether some letters are those of the text but for a character after the first.
  private func mayHaveWrongCharacter(_ letters: UInt128) -> Bool {
    let starts = error.characterStarts
    let common = (letters ^ error.packed).leadingZeroBitCount / 8
    guard common < PackedTerm.length else { return true }
    // Where both are plain up to the first difference, a wrong character is a wrong letter, which was
    // looked for; but a syllable may stand for one of them.
    if error.isPlain, PackedTerm.isPlain(UInt8(truncatingIfNeeded: letters >> (120 - 8 * common))) {
      return false
    }
    for i in starts.indices.dropFirst().reversed() where starts[i] <= common {
      let end = i + 1 < starts.count ? starts[i + 1] : error.letters.count
      for length in 1...Self.longestCharacter
      where goesOn(letters, at: starts[i] + length, from: end) { return true }
    }
    // Where one is missing, the text begins a character that the query need not.
    for at in starts[1]...max(starts[1], common) {
      for length in 1...Self.longestCharacter
      where goesOn(letters, at: at + length, from: at) { return true }
    }
    return false
  }

  /// Whether letters go on, from one of them, like the text from one of its own, as far as both are
  /// known.
  private func goesOn(_ letters: UInt128, at: Int, from next: Int) -> Bool {
    let known = min(
      PackedTerm.length - at, min(error.letters.count, PackedTerm.length + 1) - next)
    guard known > 0 else { return true }
    let difference = (letters << (8 * at)) ^ (error.packed << (8 * next))
    return difference.leadingZeroBitCount >= 8 * known
  }
}
