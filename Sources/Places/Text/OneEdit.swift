/// One typing error: a letter too many, one missing, another one, or two neighbours exchanged.
enum OneEdit {
  /// Fewest letters of a query that may have an error.
  static let fewestLetters = 4
  /// Fewest initial consonants; each stands for a syllable of two letters and more.
  static let fewestInitials = 3

  /// Whether a query is a beginning of a text but for at most one error.
  ///
  /// - Complexity: O(length of the query).
  static func isPrefix(_ query: ArraySlice<UInt16>, of text: ArraySlice<UInt16>) -> Bool {
    compare(query, text, isWhole: false)
  }

  /// Whether a query is a text but for at most one error.
  ///
  /// - Complexity: O(length of the query).
  static func isEqual(_ query: ArraySlice<UInt16>, _ text: ArraySlice<UInt16>) -> Bool {
    let difference = query.count - text.count
    return abs(difference) <= 1 && compare(query, text, isWhole: true)
  }

  private static func compare(
    _ query: ArraySlice<UInt16>, _ text: ArraySlice<UInt16>, isWhole: Bool
  ) -> Bool {
    let common = commonLength(query, text)
    let (q, t) = (query.dropFirst(common), text.dropFirst(common))
    func fits(_ a: ArraySlice<UInt16>, _ b: ArraySlice<UInt16>) -> Bool {
      isWhole ? a == b : b.starts(with: a)
    }
    if q.isEmpty { return !isWhole || t.count <= 1 }
    // One too many, another one, one missing.
    if fits(q.dropFirst(), t) { return true }
    guard let next = t.first else { return false }
    if fits(q.dropFirst(), t.dropFirst()) || fits(q, t.dropFirst()) { return true }
    guard q.count >= 2, t.count >= 2, q[q.startIndex + 1] == next,
      t[t.startIndex + 1] == q[q.startIndex]
    else { return false }
    return fits(q.dropFirst(2), t.dropFirst(2))
  }

  private static func commonLength(
    _ a: ArraySlice<UInt16>, _ b: ArraySlice<UInt16>
  ) -> Int {
    var count = 0
    let limit = min(a.count, b.count)
    while count < limit, a[a.startIndex + count] == b[b.startIndex + count] { count += 1 }
    return count
  }

  /// The same by characters, so that a whole syllable may be the error, from the start of one of the
  /// text's words on.
  ///
  /// - Parameters:
  ///   - query: At least ``fewestLetters`` characters, else never.
  ///   - text: What it is to be the beginning of.
  ///   - start: Of a word of the text, as a letter.
  /// - Returns: Whether it is one.
  /// - Complexity: O(length of the query).
  static func isPrefix(
    characters query: FoldedText, of text: FoldedText, from start: Int
  ) -> Bool {
    guard query.characterStarts.count >= fewestLetters else { return false }
    let target = text.letters[start...]
    let common = commonLength(query.letters[...], target)
    if common == query.letters.count { return true }
    // The error lies in a character that holds the first difference, or in the one before: letters
    // of a syllable may go on as the next one begins.
    for i in query.characterStarts.indices.reversed() where query.characterStarts[i] <= common {
      let at = query.characterStarts[i]
      let rest = query.letters[query.characterEnd(i)...]
      // One too many.
      if target.dropFirst(at).starts(with: rest) { return true }
      guard let j = text.characterIndex(startingAt: start + at) else { continue }
      if target[text.characterEnd(j)...].starts(with: rest) { return true }
      if areExchanged(in: query, at: i, and: text, at: j) { return true }
    }
    for j in text.characterStarts.indices.reversed()
    where text.characterStarts[j] >= start && text.characterStarts[j] <= start + common {
      // One missing.
      let rest = query.letters[(text.characterStarts[j] - start)...]
      if target[text.characterEnd(j)...].starts(with: rest) { return true }
    }
    return false
  }

  /// Whether two characters of the query stand in the text the other way round, and all after them
  /// fits.
  private static func areExchanged(
    in query: FoldedText, at i: Int, and text: FoldedText, at j: Int
  ) -> Bool {
    guard i + 1 < query.characterStarts.count, j + 1 < text.characterStarts.count,
      query.character(i) == text.character(j + 1), query.character(i + 1) == text.character(j)
    else { return false }
    let rest = query.letters[query.characterEnd(i + 1)...]
    return text.letters[text.characterEnd(j + 1)...].starts(with: rest)
  }
}

extension FoldedText {
  /// The character that begins with a letter, if one does.
  fileprivate func characterIndex(startingAt letter: Int) -> Int? {
    var (low, high) = (0, characterStarts.count)
    while low < high {
      let middle = (low + high) / 2
      if characterStarts[middle] < letter { low = middle + 1 } else { high = middle }
    }
    return low < characterStarts.count && characterStarts[low] == letter ? low : nil
  }
}
