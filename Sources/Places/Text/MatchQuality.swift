/// How well a place fits a query; the best first. This order, and what each case asks for, is the
/// definition of a match: the text index only finds candidates for it.
enum MatchQuality: Int, Comparable, CaseIterable, Sendable {
  /// The name, but for case, marks, spaces and signs; or the name and 역, as people say of a station
  /// whether or not its name is written so.
  case exact
  /// The name begins with the query; or its first word and 역 are the query.
  case prefix
  /// Each word of the query begins a word of the name, in any order; or the query is what begins at
  /// a word.
  case words
  /// The query is the initial consonants of the name, ㅅㅇㅇ of 서울역; or those and the one of 역,
  /// ㄱㄴㅇ of 강남.
  case initials
  /// Of the name's beginning.
  case initialsPrefix
  /// Of what begins at a word of the name.
  case initialsWords
  /// Each word of the query begins a word of the name or the address.
  case address
  /// The name but for one typing error.
  case typo
  /// As `prefix` or `words`, but for one typing error.
  case typoPrefix
  /// As `initials`, but for one of them.
  case initialsTypo
  /// As `initialsPrefix`, but for one of them.
  case initialsTypoPrefix

  static func < (a: MatchQuality, b: MatchQuality) -> Bool { a.rawValue < b.rawValue }

  /// Words of a name in which a typing error is looked for.
  static let wordsWithErrors = 4
}

extension PlaceQuery {
  /// How well a place fits; nil: not at all.
  ///
  /// - Parameters:
  ///   - keys: Of the place.
  ///   - worst: What is worse than this is not looked for.
  /// - Returns: The best way in which it fits.
  /// - Complexity: O(letters of the query x words of the names).
  func quality(
    of keys: PlaceKeys, notWorseThan worst: MatchQuality = .initialsTypoPrefix
  ) -> MatchQuality? {
    guard !isEmpty else { return nil }
    var best: MatchQuality?
    for name in keys.names {
      if let quality = sure(name, worst), best.map({ quality < $0 }) ?? true { best = quality }
    }
    if let best { return best }
    if worst >= .address, fitsAddress(keys) { return .address }
    guard worst >= .typo else { return nil }
    for name in keys.names {
      if let quality = erroneous(name), quality <= worst, best.map({ quality < $0 }) ?? true {
        best = quality
      }
    }
    return best
  }

  /// Matches of a name without an error.
  private func sure(_ name: FoldedText, _ worst: MatchQuality) -> MatchQuality? {
    let letters = text.letters
    if name.letters.starts(with: letters) {
      if name.letters.count == letters.count { return .exact }
      return worst >= .prefix ? .prefix : nil
    }
    if let station = stationLetters {
      if name.letters.elementsEqual(station) { return .exact }
      if worst >= .prefix, name.word(0).elementsEqual(station) { return .prefix }
    }
    if worst >= .words, fitsWords(name) { return .words }
    guard worst >= .initials, text.isInitials else { return nil }
    if name.initials.starts(with: letters) {
      if name.initials.count == letters.count { return .initials }
      return worst >= .initialsPrefix ? .initialsPrefix : nil
    }
    if let station = stationInitials {
      if name.initials.elementsEqual(station) { return .initials }
      if worst >= .initialsPrefix, name.initialsOfFirstWord.elementsEqual(station) {
        return .initialsPrefix
      }
    }
    guard worst >= .initialsWords else { return nil }
    let begins = name.initialWordStarts.contains { name.initials[$0...].starts(with: letters) }
    return begins ? .initialsWords : nil
  }

  private func fitsWords(_ name: FoldedText) -> Bool {
    beginsAtWord(name, text.letters[...]) || words.allSatisfy { beginsAtWord(name, $0) }
  }

  private func beginsAtWord(_ name: FoldedText, _ letters: ArraySlice<UInt16>) -> Bool {
    name.wordStarts.contains { name.letters[$0...].starts(with: letters) }
  }

  private func fitsAddress(_ keys: PlaceKeys) -> Bool {
    guard let address = keys.address, !address.isEmpty else { return false }
    if beginsAtWord(address, text.letters[...]) { return true }
    return words.allSatisfy { word in
      beginsAtWord(address, word) || keys.names.contains { beginsAtWord($0, word) }
    }
  }

  /// Matches of a name with one error.
  private func erroneous(_ name: FoldedText) -> MatchQuality? {
    if text.isInitials { return erroneousInitials(name) }
    let letters = text.letters[...]
    if letters.count >= OneEdit.fewestLetters {
      if OneEdit.isEqual(letters, name.letters[...]) { return .typo }
      if beginsWithError(name, letters) { return .typoPrefix }
    }
    let starts = name.wordStarts.prefix(MatchQuality.wordsWithErrors)
    if starts.contains(where: { OneEdit.isPrefix(characters: text, of: name, from: $0) }) {
      return .typoPrefix
    }
    guard words.count > 1 else { return nil }
    let wrong = words.filter { !beginsAtWord(name, $0) }
    guard wrong.count == 1, wrong[0].count >= OneEdit.fewestLetters else { return nil }
    return beginsWithError(name, wrong[0]) ? .typoPrefix : nil
  }

  private func beginsWithError(_ name: FoldedText, _ letters: ArraySlice<UInt16>) -> Bool {
    name.wordStarts.prefix(MatchQuality.wordsWithErrors).contains {
      OneEdit.isPrefix(letters, of: name.letters[$0...])
    }
  }

  private func erroneousInitials(_ name: FoldedText) -> MatchQuality? {
    let letters = text.letters[...]
    guard letters.count >= OneEdit.fewestInitials else { return nil }
    if OneEdit.isEqual(letters, name.initials[...]) { return .initialsTypo }
    return OneEdit.isPrefix(letters, of: name.initials[...]) ? .initialsTypoPrefix : nil
  }
}
